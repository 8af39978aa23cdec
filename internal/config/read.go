package config

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/azphalt/submissions/azp"
	"github.com/azphalt/submissions/finding"
	"github.com/azphalt/submissions/internal/githubapp"
)

// maxApprovals is beyond what any repository has reviewers for.
const maxApprovals = 100

// text reads a string that passes a check, which says what is wrong and how to mend it.
func text(d *decoder, into *string, check func(string) (reason, mend string)) reader {
	return func(path string, n *node) {
		s, ok := d.str(path, n)
		if !ok {
			return
		}
		if reason, mend := check(s); reason != "" {
			d.add(badValue, n.at, say("%s", mend), "%s %s %s", path, quote(s), reason)
			return
		}
		*into = s
	}
}

// choice reads one of several words.
func choice[T ~string](d *decoder, into *T, options ...T) reader {
	words := make([]string, len(options))
	for i, o := range options {
		words[i] = string(o)
	}
	return func(path string, n *node) {
		if word, ok := d.word(path, n, words); ok {
			*into = T(word)
		}
	}
}

// boolean reads true or false. The other words that YAML 1.1 has for them are text to YAML 1.2.
func boolean(d *decoder, into *bool) reader {
	return func(path string, n *node) {
		if n.kind == scalar && n.tag == "!!bool" {
			*into = strings.EqualFold(n.text, "true")
			return
		}
		fix := say("write true or false")
		switch strings.ToLower(n.text) {
		case "true", "yes", "on", "y":
			fix = d.put(n, "true", "write true")
		case "false", "no", "off", "n":
			fix = d.put(n, "false", "write false")
		}
		d.wrongType(path, n, "true or false", fix)
	}
}

var digits = regexp.MustCompile(`^(0|[1-9][0-9]*)$`)

// count reads a number from 0 up to most.
func count(d *decoder, into *int, most int) reader {
	return func(path string, n *node) {
		fix := say("write a number from 0 to %d", most)
		if n.kind != scalar || n.tag != "!!int" && n.tag != "!!float" {
			if n.kind == scalar && !n.plain && digits.MatchString(n.text) {
				fix = d.put(n, n.text, "take the quotes away")
			}
			d.wrongType(path, n, "a number", fix)
			return
		}
		value, err := strconv.Atoi(n.text)
		if err != nil || !digits.MatchString(n.text) || value > most {
			d.add(badValue, n.at, fix, "%s %s is no number from 0 to %d in decimal digits", path, quote(n.text), most)
			return
		}
		*into = value
	}
}

// list reads a list; nothing is an empty one.
func list[T any](d *decoder, into *[]T, item func(path string, n *node) T) reader {
	return func(path string, n *node) {
		if n.empty() {
			return
		}
		if n.kind != sequence {
			d.wrongType(path, n, "a list", say("put it into square brackets, or on a line of its own after a dash"))
		}
		for i, n := range n.items {
			*into = append(*into, item(fmt.Sprintf("%s[%d]", path, i), n))
		}
	}
}

// str returns the value of a string. What only some YAML readers take for one is none.
func (d *decoder) str(path string, n *node) (string, bool) {
	if n.kind == scalar && n.tag == "!!str" && !(n.plain && isOldBoolean(n.text)) {
		return n.text, true
	}
	fix := say("write text")
	if n.kind == scalar && !n.empty() && masked(n.text) == n.text {
		fix = d.put(n, `"`+n.text+`"`, "put it in quotes")
	}
	d.wrongType(path, n, "text", fix)
	return "", false
}

// word returns the value of a scalar that is one of some words. All are text in every quoting: "off" is no boolean here.
func (d *decoder) word(path string, n *node, words []string) (string, bool) {
	switch {
	case n.kind != scalar || n.empty():
		d.wrongType(path, n, oneOf(words), say("write %s", oneOf(words)))
		return "", false
	case slices.Contains(words, n.text):
		return n.text, true
	}
	meant, ok := nearest(n.text, words)
	if n.tag == "!!bool" && slices.Contains(words, "off") && strings.EqualFold(n.text, "false") { // a formatter's spelling
		meant, ok = "off", true
	}
	fix := say("write %s", oneOf(words))
	if ok {
		fix = d.put(n, meant, "write %s", meant)
	}
	d.add(badValue, n.at, fix, "%s is %s, but can only be %s%s", path, quote(n.text), oneOf(words), didYouMean(meant, ok))
	return "", false
}

// wrongType reports a value that is of another type than its key asks for.
func (d *decoder) wrongType(path string, n *node, want string, fix *finding.Fix) {
	switch {
	case n.kind == faulty:
	case n.empty():
		d.add(wrongType, n.at, fix, "%s has no value: it has to be %s", path, want)
	default:
		d.add(wrongType, n.at, fix, "%s has to be %s, not %s", called(path), want, n.typ())
	}
}

// trusted reads an item of trust.keys.
func (d *decoder) trusted(path string, n *node) (k azp.TrustedKey) {
	if n.kind == scalar { // a key by itself, and who knows which
		d.hide(n)
	}
	d.read(path, n, field{fields: fields{
		"publicKey": {read: func(path string, n *node) { k.PublicKey = d.publicKey(path, n) }},
		"keyId":     {read: text(d, &k.KeyID, name)},
		"label":     {read: text(d, &k.Label, name)},
	}})
	d.require(badValue, path, n, "publicKey")
	return k
}

// publicKey reads a key. What is none could be a private one, so that it is never shown.
func (d *decoder) publicKey(path string, n *node) string {
	s, ok := d.str(path, n)
	if !ok {
		d.hide(n)
		return ""
	}
	if _, err := azp.ParsePublicKey(s); err != nil {
		d.hide(n)
		d.add(badValue, n.at, say(`write the key as "publicKey" stands in signature.json: the base64 of its SPKI DER`), "%s is no public key: %v", path, err)
	}
	return s
}

// digest reads the digest of a package.
func (d *decoder) digest(path string, n *node) string {
	s, ok := d.str(path, n)
	if !ok {
		return ""
	}
	if _, ok := azp.ParseDigest(s); !ok {
		fix := say("write the digest as the report gives it")
		_, hex, _ := strings.Cut(strings.ReplaceAll(strings.ToLower(s), ":", "-"), azp.DigestPrefix)
		if meant, ok := azp.ParseDigest(azp.DigestPrefix + hex); ok {
			fix = d.put(n, meant.String(), "write %s", meant)
		}
		d.add(badValue, n.at, fix, "%s is no digest: it has to be %q and 64 lower-case hex digits", path, azp.DigestPrefix)
	}
	return s
}

// check reads the name of a required check.
func (d *decoder) check(path string, n *node) (s string) {
	text(d, &s, func(s string) (reason, mend string) {
		if s == githubapp.CheckName {
			return "is the check of the bot itself, which would wait for its own end", "delete it: it is always required"
		}
		return name(s)
	})(path, n)
	return s
}

// address reads the address at which the registry is served.
func (d *decoder) address(path string, n *node) {
	s, ok := d.str(path, n)
	if !ok {
		return
	}
	if reason, mend := webAddress(s); reason != "" {
		if strings.Contains(s, "@") { // it may hold a password
			d.hide(n)
		}
		d.add(badValue, n.at, say("%s", mend), "%s %s", path, reason)
		return
	}
	d.config.Registry.URL = strings.TrimRight(s, "/")
}
