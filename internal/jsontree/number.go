package jsontree

import (
	"math"
	"strconv"
	"strings"
)

// Spelling returns a string's text, and a number as ECMAScript prints it: what comparing two values as text sees. For all
// other kinds it is "".
func (v Value) Spelling() string {
	if v.Is(Number) {
		return string(appendNumber(nil, parseNumber(v.Raw())))
	}
	return v.Str()
}

// parseNumber returns the double that a JSON number denotes, infinite where it is out of range.
func parseNumber(raw []byte) float64 {
	f, _ := strconv.ParseFloat(string(raw), 64) // its only error here is that of range, with the infinity as value
	return f
}

// appendNumber writes a double as ECMAScript's Number::toString does, and as JSON.stringify writes what is no finite
// number: null.
func appendNumber(out []byte, f float64) []byte {
	if math.IsInf(f, 0) || math.IsNaN(f) {
		return append(out, "null"...)
	}
	if f == 0 {
		return append(out, '0')
	}
	if abs := math.Abs(f); abs >= 1e-6 && abs < 1e21 {
		return strconv.AppendFloat(out, f, 'f', -1, 64)
	}
	s := strconv.FormatFloat(f, 'e', -1, 64)
	mantissa, exponent, _ := strings.Cut(s, "e")
	sign := exponent[:1]
	return append(out, mantissa+"e"+sign+strings.TrimLeft(exponent[1:], "0")...)
}
