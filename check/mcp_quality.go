package check

import (
	"fmt"
	"net"
	"net/url"
	"slices"
	"strings"

	"github.com/azphalt/submissions/internal/jsontree"
	"github.com/azphalt/submissions/internal/lazyregexp"
)

// blessedGrants are the grants that the format names. Others are allowed: the vocabulary is open.
var blessedGrants = []string{"fs:read", "fs:write", "net", "env", "exec"}

// judgeGrants warns of grants that no host may know. Grants are what the user permits the server; they have nothing to do
// with the capabilities of an editor extension.
func (b *mcpBlock) judgeGrants(name string, grants jsontree.Value) {
	for _, g := range grants.Elements() {
		if !g.Is(jsontree.String) || slices.Contains(blessedGrants, g.Str()) {
			continue
		}
		message := name + " asks for the grant " + quote(g.Str()) + ", which is not one of " + strings.Join(blessedGrants, ", ") + ": hosts may not know it"
		b.add("mcp/grant-unknown", at(g), message, choose(g, blessedGrants, "use one of them where it fits"))
	}
}

// template finds the marks of other templating languages in a URL, and what asks a person to fill it in.
var template = lazyregexp.New(`\{+[^}]*\}*|<[^<>/]+>`)

// unfilled returns the place of the first part of a URL that stands for something else, and that no input answers: nil where
// there is none.
func unfilled(text string, refs []ref) []int {
	rest := []byte(text)
	for _, r := range refs {
		strike(rest[r.start:r.end])
	}
	at := template().FindIndex(rest)
	if found := variables(text); len(found) > 0 && (at == nil || found[0][0] <= at[0]) {
		return found[0][:]
	}
	return at
}

// judgeURL judges the address of a server or module.
func (b *mcpBlock) judgeURL(name, field string, v jsontree.Value) {
	if !nonEmptyString(v) || b.isClaimed(v) {
		return
	}
	text := v.Str()
	refs := references(text)
	b.urlReferences(name, field, v, text, refs)
	if at := unfilled(text, refs); at != nil {
		offset := v.Offsets()
		start, end := offset(at[0]), offset(at[1])
		part, hidden := nameVariable(text[at[0]:at[1]])
		if hidden {
			b.mask(start, end)
		}
		b.add("mcp/url-invalid", within(v, start, end), fmt.Sprintf("%s has %s in its %s, which nothing fills in: the address leads nowhere", name, part, field), fix("write the address out"))
		return
	}
	if len(refs) > 0 {
		return
	}
	u, err := url.Parse(text)
	switch {
	case err != nil || u.Scheme != "" && u.Host == "" && isHTTP(u.Scheme):
		b.add("mcp/url-invalid", at(v), "the "+field+" of "+name+" is not a URL", fix("write an address that starts with https://"))
	case !isHTTP(u.Scheme):
		b.add("mcp/url-invalid", at(v), fmt.Sprintf("the %s of %s has to start with https:// (or http:// for a loopback address)", field, name), fix("write an address that starts with https://"))
	case strings.EqualFold(u.Scheme, "http") && !isLoopback(u.Hostname()):
		b.add("mcp/url-not-https", at(v), fmt.Sprintf("the %s of %s is not encrypted: whoever is on the way can read and change what is sent", field, name), encrypted(v, text, u))
	}
}

// encrypted is the mend of an address without encryption. At the usual port of a name it is certain: the server answers there
// with encryption, or nobody is reached at all. Other ports have one protocol, and certificates are for names.
func encrypted(v jsontree.Value, text string, u *url.URL) option {
	if u.Port() != "" || net.ParseIP(u.Hostname()) != nil || !strings.Contains(u.Hostname(), ".") {
		return fix("serve it with encryption, and write its address with https://")
	}
	offset := v.Offsets()
	return fixBy([]edit{{offset(0), offset(strings.Index(text, "://")), "https"}}, "use https://")
}

func isHTTP(scheme string) bool {
	return strings.EqualFold(scheme, "http") || strings.EqualFold(scheme, "https")
}

func isLoopback(host string) bool {
	ip := net.ParseIP(host)
	return strings.EqualFold(host, "localhost") || strings.HasSuffix(strings.ToLower(host), ".localhost") || ip != nil && ip.IsLoopback()
}

// urlReferences reports references in a URL, which hosts need not fill in. One that no input answers leaves a wrong
// address for certain, unless the whole host is left to the user.
func (b *mcpBlock) urlReferences(name, field string, v jsontree.Value, text string, refs []ref) {
	offset := v.Offsets()
	for _, r := range refs {
		p := within(v, offset(r.start), offset(r.end))
		_, declared := b.inputs[r.id]
		if _, path, ok := strings.Cut(text[:r.start], "://"); !declared && ok && path != "" {
			b.add("mcp/url-undeclared-input", p, fmt.Sprintf("%s refers to the input %s in its %s, which the manifest does not declare: the address leads nowhere", name, quote(r.id), field),
				b.declareOr(r, p, valueContext{}))
			continue
		}
		b.add("mcp/url-reference", p, fmt.Sprintf("%s has an input reference in its %s; the format has hosts fill in inputs in args, env and headers alone", name, field),
			fix("pass what the user enters in a header, or write the address out"))
	}
}
