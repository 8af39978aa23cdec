package check

import (
	"fmt"
	"strings"

	"github.com/azphalt/submissions/internal/jsontree"
	"github.com/azphalt/submissions/internal/lazyregexp"
	"github.com/azphalt/submissions/secret"
)

// judgeValues judges what the strings of the manifest look like, wherever they stand: also in fields that the format does
// not know. Rules that go by the name of a value have spoken before.
func (m *manifest) judgeValues() {
	m.maskNames(m.root)
	for member := range m.root.Members() {
		if member.Name() != "files" {
			m.values(member.Value, secret.Context{Key: member.Name()})
		}
	}
}

// values judges the strings of a value.
func (m *manifest) values(v jsontree.Value, ctx secret.Context) {
	switch v.Kind() {
	case jsontree.String:
		m.judgeLooks(v, ctx, secret.Judge(v.Str(), ctx))
	case jsontree.Object:
		m.maskNames(v)
		for member := range v.Members() {
			m.values(member.Value, memberContext(v, member.Name(), ctx.Key))
		}
	case jsontree.Array:
		if texts, ok := allStrings(v); ok {
			results := secret.Args(texts, secret.Context{Key: ctx.Key, Kind: argumentKind(ctx.Key)})
			for i, e := range v.Elements() {
				m.judgeLooks(e, secret.Context{Key: ctx.Key, Kind: secret.Arg}, results[i])
			}
			return
		}
		for _, e := range v.Elements() {
			m.values(e, ctx)
		}
	}
}

// memberContext says where a member of an object stands, whose own name is parent.
func memberContext(object jsontree.Value, name, parent string) secret.Context {
	ctx := secret.Context{Key: name}
	switch {
	case parent == "env":
		ctx.Kind = secret.Env
	case parent == "headers":
		ctx.Kind = secret.Header
	case name == "url" || name == "remoteUrl":
		ctx.Kind = secret.URL
	case name == "default" && parent == "inputs":
		ctx.Key = object.Get("id").Str()
	case name == "value":
		ctx.Key = namedBeside(object)
	}
	return ctx
}

// namedBeside returns what another member of the object names its value, as in `{"name": "API_KEY", "value": …}`.
func namedBeside(object jsontree.Value) string {
	for _, member := range []string{"name", "key"} {
		if name := object.Get(member); nonEmptyString(name) && secret.CredentialName(name.Str()) {
			return name.Str()
		}
	}
	return "value"
}

func argumentKind(name string) secret.Kind {
	if name == "args" {
		return secret.Arg
	}
	return secret.Unknown
}

// allStrings returns the texts of an array of strings that is not empty.
func allStrings(v jsontree.Value) ([]string, bool) {
	var texts []string
	for _, e := range v.Elements() {
		if !e.Is(jsontree.String) {
			return nil, false
		}
		texts = append(texts, e.Str())
	}
	return texts, len(texts) > 0
}

// judgeLooks reports what the parts of a string look like, and keeps every credential out of sight.
func (m *manifest) judgeLooks(v jsontree.Value, ctx secret.Context, result secret.Result) {
	m.noteAsked(v, result.Asked, ctx)
	m.maskReferences(v)
	if len(result.Matches) == 0 {
		return
	}
	offset := v.Offsets()
	for _, match := range result.Matches {
		start, end := offset(match.Start), offset(match.End)
		if match.Verdict == secret.Secret {
			m.mask(start, end)
		}
		if m.isClaimed(v) {
			continue
		}
		where := quote(ctx.Key)
		if ctx.Kind == secret.Arg {
			where = "an argument in " + where
		}
		switch {
		case match.Verdict == secret.Secret:
			m.add(match.Rule, within(v, start, end), fmt.Sprintf("%s holds what looks like a literal credential: it %s. Everyone who downloads the package can read it; if it was ever valid, revoke it", where, match.Reason),
				m.useInput(match, v.Str()[match.Start:match.End], start, end))
		case match.Verdict == secret.Placeholder && credentialWord(ctx.Key) != "" && hasReference(references(v.Str())):
			m.add("mcp/literal-beside-reference", within(v, start, end), fmt.Sprintf("%s holds a literal beside an input reference: it %s. The host fills in the reference and passes the literal on", where, match.Reason),
				m.removeLiteral(v.Str(), match, offset))
		case match.Rule == "mcp/variable-unsupported" && match.Credential && m.fillsIn(v, ctx, match):
			m.add(match.Rule, within(v, start, end), fmt.Sprintf("%s holds a variable where a credential belongs; hosts fill in ${input:…} alone and pass everything else on as it is", where),
				m.useInput(match, v.Str()[match.Start:match.End], start, end))
		case match.Rule == "mcp/placeholder" && match.Credential && m.kind == "mcp":
			m.add(match.Rule, within(v, start, end), fmt.Sprintf("%s holds a stand-in where a credential belongs: it %s. The server would get it as it is", where, match.Reason),
				m.useInput(match, v.Str()[match.Start:match.End], start, end))
		}
	}
	if result.Verdict == secret.Secret {
		m.claim(v)
	}
}

// fillsIn reports whether hosts could be meant to fill in the variable in a value, and whether that is still to be said:
// judgeVariables knows those that may stand anywhere. What has other words may be a script, whose shell fills it in.
func (m *manifest) fillsIn(v jsontree.Value, ctx secret.Context, match secret.Match) bool {
	switch ctx.Kind {
	case secret.Arg:
		before, after := v.Str()[:match.Start], v.Str()[match.End:]
		if strings.ContainsAny(before, " \t\n") && !beforeHeader().MatchString(before) || strings.ContainsAny(after, " \t\n") {
			return false
		}
	case secret.Env, secret.Header:
	default:
		return false
	}
	return m.kind == "mcp" && len(variables(v.Str())) == 0
}

// beforeHeader finds the name of a header or a variable and the word of a scheme, in front of a credential.
var beforeHeader = lazyregexp.New(`^(?:[\w-]+(?:: *|=))?(?:(?i:bearer|basic|token) +)?$`)

// removeLiteral is the mend of a literal beside a reference. Where a space follows it, that goes too.
func (m *manifest) removeLiteral(text string, match secret.Match, offset func(int) int) option {
	end := match.End
	if end < len(text) && text[end] == ' ' {
		end++
	}
	return fixBy([]edit{{offset(match.Start), offset(end), ""}}, "remove the literal, so that the credential is the input alone")
}

// useInput is the mend of a literal: an input in its place.
func (m *manifest) useInput(match secret.Match, literal string, start, end int) option {
	if m.kind != "mcp" {
		return fix("remove the value, and let the host ask for it")
	}
	b := m.serverBlock()
	in := input{b.names.of(match.InputID, literal), true}
	return b.mendWith([]input{in}, []edit{{start, end, in.reference()}}, "write %s", in.said())
}
