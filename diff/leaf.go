package diff

import (
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/azphalt/submissions/internal/jsontree"
	"github.com/azphalt/submissions/internal/source"
	"github.com/azphalt/submissions/secret"
)

// leaf records that a value is new, other or gone.
func (c *comparison) leaf(at trail, before, after jsontree.Value) {
	k := kindOf(at)
	if k.name == "address" && c.host(k, at, before, after) {
		return
	}
	was, is := shown(at, before), shown(at, after)
	pointer := pointerOf(before, after)
	if isWord(at, before) || isWord(at, after) {
		c.word(k, at, pointer, was, is)
		return
	}
	noun := k.noun
	switch {
	case k.isOpen():
		noun += " " + field(at)
	case k.pattern.last() == "*": // a member of a map
		noun += " " + name(at.last())
	}
	switch {
	case !before.Exists():
		c.add(k, k.added, pointer, "", is, "%sthe %s is new: %s", subject(at), noun, quoteShown(is))
	case !after.Exists():
		c.add(k, k.removed, pointer, was, "", "%sthe %s is gone; it was %s", subject(at), noun, quoteShown(was))
	default:
		c.add(k, k.changed, pointer, was, is, "%sthe %s is %s, was %s", subject(at), noun, quoteShown(is), quoteShown(was))
	}
}

// isWord reports whether a value is a word of a list.
func isWord(at trail, v jsontree.Value) bool { return v.Is(jsontree.String) && v.Str() == at.last() }

// word records that a list has one word more, or less.
func (c *comparison) word(k kind, at trail, pointer, was, is string) {
	noun, where := k.noun, ""
	if k.isOpen() {
		noun, where = "word", " in "+field(at[:len(at)-1])
	}
	if was == "" {
		c.add(k, k.added, pointer, was, is, "%sthe %s %s is new%s", subject(at), noun, quoteShown(is), where)
	} else {
		c.add(k, k.removed, pointer, was, is, "%sthe %s %s is gone%s", subject(at), noun, quoteShown(was), where)
	}
}

// field names a place that the table of kinds does not know.
func field(at trail) string {
	var steps []string
	for _, step := range at {
		steps = append(steps, bare(step))
	}
	return quote("/" + strings.Join(steps, "/"))
}

// name puts a name of the packages into a message.
func name(s string) string { return quote(bare(s)) }

// bare is a name without what looks like a credential: names can be values of the manifest.
func bare(s string) string { return masked(s, secret.Context{}, secret.Judge(s, secret.Context{})) }

// host records that an address leads to another host, and reports whether it does.
func (c *comparison) host(k kind, at trail, before, after jsontree.Value) bool {
	was, is := hostOf(before), hostOf(after)
	if is == "" || was == is {
		return false
	}
	address := shown(at, after)
	if was == "" {
		c.add(kindHost, Grave, after.Pointer(), shown(at, before), address, "%sthe %s leads to the host %s, which is new: %s", subject(at), k.noun, quote(is), quoteShown(address))
	} else {
		c.add(kindHost, Grave, after.Pointer(), shown(at, before), address, "%sthe %s leads to another host: %s, was %s", subject(at), k.noun, quote(is), quote(was))
	}
	return true
}

// hostOf returns the host of an address, with its port.
func hostOf(v jsontree.Value) string {
	u, err := url.Parse(v.Str())
	if err != nil {
		return ""
	}
	return strings.ToLower(u.Host)
}

// subject says which server or input a place is in.
func subject(at trail) string {
	if len(at) > 3 && at[0] == "mcp" && at[1] == "servers" {
		return "server " + name(at[2]) + ": "
	}
	if len(at) > 3 && at[0] == "mcp" && at[1] == "inputs" {
		return "input " + name(at[2]) + ": "
	}
	return ""
}

const (
	maxShown = 200 // characters of a value
	maxList  = 40  // elements of a list
)

// shown is a value as it can be shown: without what looks like a credential, without what can't be seen, and not too long.
func shown(at trail, v jsontree.Value) string {
	switch {
	case !v.Exists():
		return ""
	case v.Is(jsontree.String):
		ctx := contextOf(at)
		return cut(masked(v.Str(), ctx, secret.Judge(v.Str(), ctx)))
	case v.Is(jsontree.Array):
		return shownList(v)
	case v.Is(jsontree.Object):
		return v.Kind().String()
	default:
		return cut(string(v.Raw()))
	}
}

// shownList shows the arguments of a command.
func shownList(v jsontree.Value) string {
	var texts []string
	for _, e := range v.Elements() {
		texts = append(texts, e.Str())
	}
	ctx := secret.Context{Key: "args", Kind: secret.Arg}
	var out []string
	for i, result := range secret.Args(texts, ctx) {
		if i == maxList {
			out = append(out, fmt.Sprintf("… (%d more)", len(texts)-i))
			break
		}
		out = append(out, strconv.Quote(cut(masked(texts[i], ctx, result))))
	}
	return cut("[" + strings.Join(out, ", ") + "]")
}

// contextOf says where a value stands.
func contextOf(at trail) secret.Context {
	ctx := secret.Context{Key: at.last()}
	if len(at) < 2 {
		return ctx
	}
	switch parent := at[len(at)-2]; {
	case parent == "env":
		ctx.Kind = secret.Env
	case parent == "headers":
		ctx.Kind = secret.Header
	case ctx.Key == "url" || ctx.Key == "remoteUrl":
		ctx.Kind = secret.URL
	case ctx.Key == "default" && len(at) == 4 && at[1] == "inputs":
		ctx.Key = parent
	}
	return ctx
}

// masked returns a text with its credentials masked: those that look like one, and whatever stands under a name that means
// one.
func masked(text string, ctx secret.Context, result secret.Result) string {
	if ctx.Kind != secret.Arg && secret.CredentialName(ctx.Key) && result.Verdict != secret.Reference && result.Verdict != secret.Placeholder {
		return source.Masked([]byte(text))
	}
	return result.Conceal(text, source.Masked)
}

// maxConcealed bounds the text in which credentials are looked for, in bytes: no more of it is shown.
const maxConcealed = maxShown * utf8.UTFMax

// concealed returns the beginning of a text without credentials, which stand in names, too.
func concealed(s string) string {
	return secret.Conceal(s[:min(len(s), maxConcealed)], source.Masked)
}

// cut shortens a text and makes visible what can't be seen.
func cut(s string) string {
	s = concealed(s)
	n := 0
	for i := range s {
		if n == maxShown {
			return source.Visible(s[:i]) + "…"
		}
		n++
	}
	return source.Visible(s)
}

// visible makes a name fit to be shown.
func visible(s string) string { return cut(s) }

// visiblePointer makes a pointer fit to be shown: what of it has no credential as a name.
func visiblePointer(pointer string) string {
	end := 0
	for step := range strings.SplitSeq(pointer, "/") {
		if step != "" && secret.Conceal(step, source.Masked) != step {
			return visible(pointer[:end-1])
		}
		end += len(step) + 1
	}
	return visible(pointer)
}

// quote puts a name into a message.
func quote(s string) string { return source.Quote(concealed(s)) }

// quoteShown puts a value that can be shown into a message.
func quoteShown(s string) string {
	if strings.HasPrefix(s, "[") {
		return s
	}
	return `"` + s + `"`
}
