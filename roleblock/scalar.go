package roleblock

import (
	"strconv"
	"strings"

	"github.com/azphalt/submissions/internal/lazyregexp"
)

// scalarType is what YAML 1.1 makes of a scalar, as Ansible's reader does.
type scalarType uint8

const (
	typeString scalarType = iota
	typeNull
	typeBool
	typeInt
	typeOther // floats, dates and the rest, which no rule asks for
)

// The implicit types of plain scalars (https://yaml.org/type/, in the patterns of PyYAML's resolver).
var (
	intPattern = lazyregexp.New(`^(?:[-+]?0b[0-1_]+|[-+]?0[0-7_]+|[-+]?(?:0|[1-9][0-9_]*)|[-+]?0x[0-9a-fA-F_]+` +
		`|[-+]?[1-9][0-9_]*(?::[0-5]?[0-9])+)$`)
	floatPattern = lazyregexp.New(`^(?:[-+]?(?:[0-9][0-9_]*)\.[0-9_]*(?:[eE][-+][0-9]+)?|\.[0-9][0-9_]*(?:[eE][-+][0-9]+)?` +
		`|[-+]?[0-9][0-9_]*(?::[0-5]?[0-9])+\.[0-9_]*|[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN))$`)
	timePattern = lazyregexp.New(`^(?:[0-9]{4}-[0-9]{2}-[0-9]{2}|[0-9]{4}-[0-9][0-9]?-[0-9][0-9]?(?:[Tt]|[ \t]+)[0-9][0-9]?` +
		`:[0-9]{2}:[0-9]{2}(?:\.[0-9]*)?(?:[ \t]*(?:Z|[-+][0-9][0-9]?(?::[0-9][0-9])?))?)$`)
)

// typ resolves a scalar.
func (n *node) typ() scalarType {
	switch {
	case n.tag == "" && n.quoted, n.tag == "!", n.tag == "!!str", strings.HasPrefix(n.tag, "!") && !strings.HasPrefix(n.tag, "!!"):
		return typeString
	case n.tag == "" || n.tag == "!!null" || n.tag == "!!bool" || n.tag == "!!int":
		return resolve(n.text)
	}
	return typeOther
}

// resolve returns the type of a plain scalar.
func resolve(s string) scalarType {
	switch {
	case s == "", s == "~", s == "null", s == "Null", s == "NULL":
		return typeNull
	case isBool(s):
		return typeBool
	case !strings.ContainsRune("+-.0123456789", rune(s[0])):
		return typeString
	case intPattern().MatchString(s):
		return typeInt
	case floatPattern().MatchString(s), timePattern().MatchString(s):
		return typeOther
	}
	return typeString
}

// isBool reports whether a plain scalar is a boolean.
func isBool(s string) bool {
	switch s {
	case "yes", "Yes", "YES", "no", "No", "NO", "true", "True", "TRUE", "false", "False", "FALSE", "on", "On", "ON", "off", "Off", "OFF":
		return true
	}
	return false
}

// isTrue returns the value of a scalar that is a boolean.
func isTrue(s string) bool {
	switch strings.ToLower(s) {
	case "true", "yes", "on":
		return true
	}
	return false
}

// intParts splits an integer into its sign and its places, which are joined by colons where it is sexagesimal.
func intParts(s string) (negative bool, base int, places []string) {
	negative = strings.HasPrefix(s, "-")
	s = strings.ReplaceAll(strings.TrimLeft(s, "+-"), "_", "")
	switch {
	case strings.Contains(s, ":"):
		return negative, 10, strings.Split(s, ":")
	case strings.HasPrefix(s, "0b"):
		return negative, 2, []string{s[2:]}
	case strings.HasPrefix(s, "0x"):
		return negative, 16, []string{s[2:]}
	case len(s) > 1 && s[0] == '0':
		return negative, 8, []string{s[1:]}
	}
	return negative, 10, []string{s}
}

// parseInt returns the value of a scalar that is an integer, where it fits into 64 bits.
func parseInt(s string) (int64, bool) {
	negative, base, places := intParts(s)
	var value int64
	for _, place := range places {
		digits, err := strconv.ParseInt(place, base, 64)
		if err != nil || value > (1<<62)/60 {
			return 0, false
		}
		value = value*60 + digits
	}
	if negative {
		value = -value
	}
	return value, true
}

// isPositiveInt reports whether a scalar that is an integer is above zero.
func isPositiveInt(s string) bool {
	negative, _, places := intParts(s)
	return !negative && strings.Trim(strings.Join(places, ""), "0") != ""
}

// canonicalInt is a spelling of a scalar that is an integer which is the same for equal ones.
func canonicalInt(s string) string {
	if value, ok := parseInt(s); ok {
		return strconv.FormatInt(value, 10)
	}
	return s
}
