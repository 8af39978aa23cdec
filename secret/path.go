package secret

import "strings"

// path judges the segments of a path: where one of them was drawn by lot, knowing the address is the permission. All of
// them are one part, from the first to the last.
func (j *judge) path(t text, host string, p place) {
	hook := hooks(host) || hooks(p.name)
	if serves(host) {
		p.kind = URL
	}
	before, n := "", len(j.matches)
	for at := 0; at < len(t.s); {
		end := len(t.s)
		if i := strings.IndexByte(t.s[at+1:], '/'); i >= 0 {
			end = at + 1 + i
		}
		segment := t.sub(min(at+1, end), end)
		if j.capability(segment, before, host, hook, p) && j.found(n+1) {
			j.matches[n].End = segment.end
			j.matches = j.matches[:n+1]
		}
		before = segment.s
		hook = hook || hooks(before)
		at = end
	}
}

// minHookToken is the length from which a segment of letters alone, in the address of a webhook, is what guards it.
const (
	minHookToken = 20
	minHookCode  = 7 // where no word is spelled so
)

// capability judges one segment. before is the segment before it, and hook says that the path leads to a webhook.
func (j *judge) capability(t text, before, host string, hook bool, p place) bool {
	if marks(t.s) != 0 {
		n := len(j.matches)
		j.beside(t, p)
		return j.found(n)
	}
	s, _, _ := strings.Cut(unescape(t.s), "@") // a version or a commit follows the at sign
	if len(s) < 5 || isStandIn(s, p.name, issued) {
		return false
	}
	x := textureOf(s)
	mixed := x.digits > 0 && x.digits < x.length
	random := likelyDrawn(s) && !wordy(s) && (mixed || x.lower && x.upper) // users and packages have odd names
	prefix, rest := "", ""
	if i := strings.IndexAny(s, "_-"); i > 0 {
		prefix, rest = s[:i], s[i+1:]
	}
	endpoint := p.kind == URL || p.kind == Arg // where a host connects to, not what a program reads
	switch {
	case provider(s) != "":
	case holdsCode(host) || isFile(s):
		return false
	case hook && (mixed || x.run >= minHookToken || len(s) >= minHookCode && !x.upper && !pronounceable(s)) && !wordy(s):
	case p.kind == textLine: // documents share links
		return false
	case guards(before) && random, shares(before) && endpoint && random, guards(prefix) && likelyDrawn(rest):
	case identifying(before), before == "" && signsIn(host), x.hex && x.length == 40 && p.kind != URL: // a commit
		return false
	case drawn(s), isVersion(before) && x.hex && mixed && x.length >= 32:
	case endpoint && (random || x.hex && mixed && x.length >= 12 || coined(s)):
	default:
		return false
	}
	j.add(t, p.named(capabilityName(p.name), issued), Secret, ruleURL, "has a path that is a permission by itself")
	return true
}

// coined reports whether s is a name as services coin them for the endpoint of one user: three or more words and a code.
func coined(s string) bool {
	words, codes := 0, 0
	for part := range strings.SplitSeq(s, "-") {
		switch t := textureOf(part); {
		case t.length == len(part) && t.length >= 3 && t.lower && !t.upper && t.digits == 0:
			words++
		case words >= 3 && t.length >= 5 && t.digits < t.length && t.ragged():
			codes++
		case t.length == len(part) && t.length >= 3 && t.upper && (t.digits > 0 || t.changes > 0):
			codes++
		}
	}
	return words >= 3 && codes > 0
}

func capabilityName(name string) string {
	if name == "" || strings.EqualFold(name, "url") {
		return "endpoint-path"
	}
	return name
}

// hooks reports whether a name, a host or a segment speaks of webhooks, or of what waits for a sign of life.
func hooks(s string) bool {
	var l wordList
	for l.split(s); l.n > 0; l.n-- {
		switch w := string(l.word(l.n - 1)); w {
		case "ping", "heartbeat", "healthcheck", "healthchecks":
			return true
		default:
			if strings.Contains(w, "hook") {
				return true
			}
		}
	}
	return false
}

// serves reports whether a host is a node of a chain, which programs connect to, whatever the name of its address.
func serves(host string) bool {
	return strings.Contains(host, "mainnet") || strings.Contains(host, "testnet") || strings.Contains(host, "devnet") || strings.Contains(host, "rpc.")
}

// holdsCode reports whether a host is one of code and packages, whose paths are names that people and machines made up.
func holdsCode(host string) bool {
	for label := range strings.SplitSeq(host, ".") {
		switch label {
		case "bitbucket", "codeberg", "huggingface", "npmjs", "pypi", "docker", "crates", "jsr", "sourcehut", "sr":
			return true
		}
		if strings.HasPrefix(label, "git") {
			return true
		}
	}
	return false
}

// isFile reports whether a segment ends like the name of a file.
func isFile(s string) bool {
	i := strings.LastIndexByte(s, '.')
	if i < 1 || len(s)-i < 3 || len(s)-i > 6 {
		return false
	}
	t := textureOf(s[i+1:])
	return t.length == len(s)-i-1 && t.digits < 2 && !(t.lower && t.upper)
}

// signsIn reports whether a host is where the users of many tenants sign in.
func signsIn(host string) bool {
	label, _, _ := strings.Cut(host, ".")
	switch label {
	case "login", "sso", "auth", "accounts", "id", "sts":
		return true
	}
	return false
}

// isVersion reports whether a segment is the version of an interface.
func isVersion(s string) bool {
	return len(s) > 1 && len(s) < 4 && s[0] == 'v' && kindOf[s[1]] == digit
}

// guards reports whether what follows the segment s is a key.
func guards(s string) bool {
	switch strings.ToLower(s) {
	case "s", "secret", "private", "priv", "key", "keys", "k", "token", "t", "apikey", "api-key", "auth", "push", "ping":
		return true
	}
	return false
}

// shares reports whether what follows the segment s is a link, which is a key where something connects to it.
func shares(s string) bool {
	switch strings.ToLower(s) {
	case "share", "shared", "invite":
		return true
	}
	return false
}

// identifying reports whether what follows the segment s is the id of a thing that is found by it, not guarded by it.
func identifying(s string) bool {
	switch strings.ToLower(s) {
	case "d", "doc", "docs", "document", "documents", "spreadsheets", "file", "files", "folders", "folder",
		"archive", "commit", "commits", "blob", "tree", "raw", "projects", "project", "gist", "video", "watch", "channel",
		"channels", "users", "user", "page", "pages", "boards", "board", "teams", "team", "packages", "package",
		"issues", "models", "model", "datasets", "tenants", "tenant", "orgs", "org", "organizations",
		"workspaces", "workspace", "accounts", "account", "databases", "database", "collections", "items",
		"products", "sha256", "environments", "subscriptions", "resourcegroups", "sites", "site", "spaces",
		"space", "clusters", "reports", "dashboards", "functions", "warehouses", "genie", "apps", "app", "agents",
		"agent", "releases", "release", "builds", "images", "assets", "avatars", "ipfs", "tx", "address", "block":
		return true
	}
	return false
}
