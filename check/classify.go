package check

import (
	"strings"
)

// class is what a value under a credential's name looks like.
type class int

const (
	suspicious  class = iota // could be a credential
	emptyValue               // ""
	placeholder              // stands in for one
	harmless                 // a number, a switch, a word, a path
)

var (
	variablePattern = lazily(`^\s*(?i:bearer |basic |token )?(?:\$\{[^}]*\}|\$[A-Za-z_][A-Za-z0-9_]*|\$\([^)]*\)|\{\{.*\}\}|%[A-Za-z_]+%|<[^<>]*>|\[[^\[\]]*\]|op://\S+)\s*$`)
	wordyPattern    = lazily(`(?i)^(?:bearer |basic |token )?(?:.*(?:your|my|insert|enter|change|replace)[-_ ]?.*|x{2,}|\*{2,}|-+|\.{2,}|todo|tbd|none|null|dummy|example|placeholder|redacted|secret|password|token|key|n/a)$`)
	harmlessPattern = lazily(`^(?:[0-9.,:_-]{1,12}|(?i:true|false|yes|no|on|off|enabled|disabled|auto|default)|[A-Za-z]{2,12}|(?:\.{0,2}/|~/|[A-Za-z]:\\).*|[A-Za-z][A-Za-z0-9]*(?:[-_/.][A-Za-z0-9]{1,8})+|https?://[^\s:@]*)$`)
)

// classify looks at a value. It only chooses words: whether there is a finding does not depend on it.
func classify(value string) class {
	switch trimmed := strings.TrimSpace(value); {
	case value == "":
		return emptyValue
	case trimmed == "", variablePattern().MatchString(value), wordyPattern().MatchString(trimmed):
		return placeholder
	case len(trimmed) <= 64 && harmlessPattern().MatchString(trimmed) && !mixed(trimmed):
		return harmless
	default:
		return suspicious
	}
}

// mixed reports whether a value has a part in which letters and digits are mixed at some length, as in a token.
func mixed(s string) bool {
	for _, part := range strings.FieldsFunc(s, func(r rune) bool { return strings.ContainsRune("-_/.: ", r) }) {
		if len(part) >= 12 && strings.ContainsAny(part, "0123456789") {
			return true
		}
	}
	return false
}
