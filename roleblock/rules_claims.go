package roleblock

import "strings"

var delegationRules = []rule{
	{describe("role/delegation-missing", "Acting as the user is not backed by a delegation",
		`auth_subject: user and auth: oidc claim that the server acts with the rights of the person who asks. The delegation block says
with which version that was verified, where it is documented, and that tokens are refreshed, revoked and bound to their audience.`,
		exampleServer.but("auth_subject: service_account", "auth_subject: user")),
		func(p *pass) {
			b := p.block
			if claimed(b) != claimMade || b.sections["delegation"].present {
				return
			}
			at, what := b.auth, "auth is oidc"
			if b.subject.is("user") {
				at, what = b.subject, "auth_subject is user"
			}
			p.report(fault{place: p.at(at.key.at),
				message: what + ", but there is no delegation", fix: "add delegation with " + allOf(delegationKeys)})
		}},

	{describe("role/delegation-incomplete", "The delegation lacks a key",
		`All of verified_version, source_url, refresh, revocation and audience_binding are needed.`,
		exampleDelegated.but("  verified_version: 2.4.0\n", "")),
		func(p *pass) {
			if claimed(p.block) == claimMade {
				p.wantAll(p.block.sections["delegation"], delegationKeys)
			}
		}},

	{describe("role/delegation-not-proven", "A property of the delegation is not proven",
		`refresh, revocation and audience_binding are true, and only where somebody has seen it: that tokens are renewed, that a revoked
one stops working, that one made for another service is refused. A server that fails one of them may not act as the user.`,
		exampleDelegated.but("refresh: true", "refresh: false")),
		func(p *pass) {
			if claimed(p.block) != claimMade {
				return
			}
			for _, name := range proofKeys {
				v, ok := p.block.sections["delegation"].literal(name)
				if !ok {
					continue
				}
				if proven, _ := v.value.boolean(); !proven {
					p.report(fault{place: p.at(v.key.at),
						message: name + " is " + shown(v.value) + "; a delegation is proven only with true",
						fix:     "verify it and write true, or act as another auth_subject"})
				}
			}
		}},

	{describe("role/delegation-unclaimed", "A delegation that nothing claims",
		`Only auth_subject: user or auth: oidc act as somebody else. Beside another claim the block misleads its readers.`,
		exampleDelegated.but("auth_subject: user", "auth_subject: service_account")),
		func(p *pass) {
			if d := p.block.sections["delegation"]; d.present && claimed(p.block) == claimNone {
				p.report(fault{place: p.at(d.key.at),
					message: "there is a delegation, but neither auth_subject is user nor auth is oidc",
					fix:     "remove it, or make the claim that it is for"})
			}
		}},
}

// claim is whether a block claims to act as the user.
type claim uint8

const (
	claimNone claim = iota
	claimUnclear
	claimMade
)

func claimed(b *block) claim {
	switch {
	case b.subject.is("user"), b.auth.is("oidc"):
		return claimMade
	case b.subject.state == undetermined, b.auth.state == undetermined:
		return claimUnclear
	}
	return claimNone
}

// wantAll reports the keys that a section lacks, all at once.
func (p *pass) wantAll(s *section, keys []string) {
	if !s.open() {
		return
	}
	if missing := s.missingOf(keys); len(missing) > 0 {
		p.report(fault{place: p.at(s.key.at),
			message: s.name + " lacks " + allOf(missing),
			fix:     "add " + strings.Join(missing, ", ") + " below " + s.name})
	}
}

var limitRules = []rule{
	{describe("role/limits-missing", "The endpoint has no limits",
		`A public endpoint is only as protected as its authentication and its limits: the proxy limits no rates. An adapter needs them
to keep what it stands in front of from being drained.`,
		examplePublic.but(examplePublic.lines("limits:\n", "auth:"), "")),
		func(p *pass) {
			if at, reason := limitsReason(p.block); reason != "" && !p.block.sections["limits"].present {
				p.report(fault{place: p.at(at),
					message: reason + ", but there are no limits", fix: "add limits with " + allOf(limitKeys)})
			}
		}},

	{describe("role/limits-incomplete", "A limit is missing",
		`Where limits are due, all seven are: what is left out is not limited.`,
		examplePublic.but("  stream_seconds: 300\n", "")),
		func(p *pass) {
			limits := p.block.sections["limits"]
			if _, reason := limitsReason(p.block); reason == "" || !limits.open() {
				return
			}
			var missing []string
			for _, name := range limitKeys {
				if v, ok := limits.get(name); !ok || v.value.isNull() {
					missing = append(missing, name)
				}
			}
			if len(missing) > 0 {
				p.report(fault{place: p.at(limits.key.at),
					message: "limits lacks " + allOf(missing),
					fix:     "add " + strings.Join(missing, ", ") + " below limits"})
			}
		}},

	{describe("role/limits-value-invalid", "A limit is no positive integer",
		`Bytes, seconds and counts are whole numbers above zero, without quotes and units.`,
		examplePublic.but("timeout_seconds: 15", "timeout_seconds: 15s")),
		func(p *pass) {
			for _, name := range limitKeys {
				if v, ok := p.block.sections["limits"].given(name); ok && !v.value.isNull() && !v.value.isPositive() {
					fix, edits := p.document.unquoted(v.value, (*node).isPositive, "write the number alone, as in "+name+": 100")
					p.report(fault{place: p.at(v.key.at),
						message: name + " is " + shown(v.value) + "; it must be a whole number above zero", fix: fix, edits: edits})
				}
			}
		}},
}

// limitsReason says why limits are due, and where; nothing if they are not.
func limitsReason(b *block) (at span, reason string) {
	switch {
	case b.exposure.is("public"):
		return b.exposure.key.at, "exposure is public"
	case b.implementation.is("adapter"):
		return b.implementation.key.at, "implementation is adapter"
	}
	return span{}, ""
}
