package secret

import "strings"

// minKeyBody is the length of the shortest base64 body that a private key can have: an Ed25519 key in PKCS#8.
const minKeyBody = 48

const isPrivateKey = "is a private key"

const (
	pemBegin = "-----BEGIN "
	pemEnd   = "-----END "
)

// pem judges the private keys in t. It returns t with a number in the place of each block, and whether there were any; public keys and
// certificates are blocks too.
func (j *judge) pem(t text, p place) (text, bool) {
	begin := strings.Index(t.s, pemBegin)
	if begin < 0 {
		return t, false
	}
	rest := []byte(t.s)
	for {
		label, body, end := block(t.s[begin:])
		if isPrivate(label) {
			j.privateKey(t.sub(begin, begin+end), p, body)
		}
		for i := begin; i < begin+end+escapedBreaks(t.s[begin+end:]); i++ {
			rest[i] = ' '
		}
		rest[begin] = '0' // under no name is that a credential, or missing
		next := strings.Index(t.s[begin+end:], pemBegin)
		if next < 0 {
			break
		}
		begin += end + next
	}
	if t.s == string(rest) {
		return t, false
	}
	t.s = string(rest)
	return t, true
}

// block reads the PEM block that s starts with: its label, what stands between its boundaries, and its length. A block
// without its last boundary goes on to the end of s; where the first one does not end, there is no block behind it.
func block(s string) (label, body string, n int) {
	rest := s[len(pemBegin):]
	i := strings.Index(rest[:min(len(rest), 80)], "-----")
	if i < 0 {
		return "", "", len(pemBegin)
	}
	label, body = rest[:i], rest[i+len("-----"):]
	n = len(s)
	if e := strings.Index(body, pemEnd); e >= 0 {
		tail := body[e+len(pemEnd):]
		body = body[:e]
		n = len(s) - len(tail)
		if c := strings.Index(tail[:min(len(tail), 80)], "-----"); c >= 0 {
			n += c + len("-----")
		}
	}
	return label, body, n
}

// isPrivate reports whether the label of a PEM block is that of a private key.
func isPrivate(label string) bool {
	return strings.HasSuffix(label, "PRIVATE KEY") || strings.HasSuffix(label, "PRIVATE KEY BLOCK") ||
		strings.HasPrefix(label, "OpenVPN Static key")
}

// privateKey judges one block.
func (j *judge) privateKey(t text, p place, body string) {
	if p.name == "" {
		p.name = "private-key"
	}
	p.role = issued
	found := marks(body)
	body = unmarked(body)
	j.referenced = j.referenced || found&hasRef != 0
	switch {
	case keyBytes(body) >= minKeyBody && !elided(body):
	case found&hasRef != 0 && found&isOpen == 0:
		return
	default:
		j.standIn(t, p, rulePlaceholder, "is the frame of a private key without one")
		return
	}
	j.add(t, p, Secret, rulePrivateKey, isPrivateKey)
}

// lineBreaks turns the escapes of line breaks, as keys in JSON within a value have them, into breaks.
var lineBreaks = strings.NewReplacer(`\n`, "\n", `\r`, "")

// escapedBreaks returns the length of the escapes of line breaks that s starts with.
func escapedBreaks(s string) int {
	n := 0
	for strings.HasPrefix(s[n:], `\n`) || strings.HasPrefix(s[n:], `\r`) {
		n += 2
	}
	return n
}

// keyBytes counts the base64 characters of a body, without its headers and the escapes of its line breaks.
func keyBytes(body string) int {
	n := 0
	for line := range strings.Lines(lineBreaks.Replace(body)) {
		if line = strings.TrimSpace(line); !strings.Contains(line, ": ") {
			n += len(line)
		}
	}
	return n
}
