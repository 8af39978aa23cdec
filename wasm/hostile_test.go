package wasm

import (
	"bytes"
	"encoding/binary"
	"slices"
	"testing"
)

// A module can have each instruction take and give a thousand values, in code that runs and in code that does not. Reading
// it takes no longer for that: with one step a value each of these would take minutes.
func TestManyValuesAtOnce(t *testing.T) {
	const values, repeats = 1000, 4 << 20
	u := func(n int) []byte { return binary.AppendUvarint(nil, uint64(n)) }
	many := append(u(values), bytes.Repeat([]byte{i32}, values)...)
	types := slices.Concat(u(2), []byte{formFunc}, many, many, []byte{formFunc, 0}, many) // of the called function and of the calling one
	push := bytes.Repeat([]byte{opI32Const, 0}, values)
	for name, code := range map[string][]byte{
		"calls":                  slices.Concat(push, bytes.Repeat([]byte{opCall, 0}, repeats)),
		"branch to many targets": slices.Concat(push, []byte{opI32Const, 0, opBrTable}, u(repeats), make([]byte, repeats+1)),
		"calls, unreached":       append([]byte{opUnreachable}, bytes.Repeat([]byte{opCall, 0}, repeats)...),
		"branches, unreached":    append([]byte{opUnreachable}, bytes.Repeat([]byte{opBr, 0}, repeats)...),
		"branches on conditions": append([]byte{opUnreachable}, bytes.Repeat([]byte{opBrIf, 0}, repeats)...),
		"a value of any type":    slices.Concat([]byte{opUnreachable, opSelect}, push[2:], []byte{opI32Const, 0, opBrTable}, u(repeats), make([]byte, repeats+1)),
	} {
		body := slices.Concat([]byte{0}, code, []byte{opEnd})
		callee := []byte{3, 0, opUnreachable, opEnd}
		module := slices.Concat([]byte(corePreamble), section(sectionType, types), section(sectionFunction, []byte{2, 0, 1}),
			section(sectionCode, u(2), callee, u(len(body)), body))
		if m := read(t, module); m.Fault != nil || m.Unchecked != "" {
			t.Errorf("%s: %v %s", name, m.Fault, m.Unchecked)
		}
	}
}
