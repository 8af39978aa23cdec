package check

import (
	"strings"
	"sync"

	"github.com/azphalt/submissions/internal/jsontree"
	"github.com/azphalt/submissions/internal/source"
	"github.com/azphalt/submissions/secret"
)

// quote puts a name from a package into a message.
func quote(s string) string { return source.Quote(concealed(s)) }

const (
	// minToken is the length of the shortest text in which a token is looked for.
	minToken = 16
	// maxName bounds the text in which credentials are looked for, in bytes: no message shows more of it.
	maxName = 4 << 10
)

// concealed returns text without the tokens of known providers: people paste them where a name belongs, too.
func concealed(s string) string {
	if s = s[:min(len(s), maxName)]; len(s) < minToken {
		return s
	}
	return secret.Conceal(s, source.Masked)
}

// isToken reports whether a name is a token, or has one in it.
func isToken(name string) bool {
	return len(name) >= minToken && concealed(name) != name[:min(len(name), maxName)]
}

// visiblePointer returns a pointer, or the part of it before the first name that is a credential.
func visiblePointer(pointer string) string {
	if len(pointer) < minToken {
		return pointer
	}
	end := 0
	for step := range strings.SplitSeq(pointer, "/") {
		if isToken(step) {
			return pointer[:end-1]
		}
		end += len(step) + 1
	}
	return pointer
}

// maskNames keeps the names in an object that are credentials out of every excerpt.
func (m *manifest) maskNames(object jsontree.Value) {
	for member := range object.Members() {
		if isToken(member.Name()) {
			m.maskValue(member.Key)
		}
	}
}

// maskReferences keeps the ids in a value's references that are credentials out of every excerpt.
func (m *manifest) maskReferences(v jsontree.Value) {
	offset := sync.OnceValue(v.Offsets)
	for _, r := range references(v.Str()) {
		if isToken(r.id) {
			offset := offset()
			m.mask(offset(r.start), offset(r.end))
		}
	}
}
