package wasm

import "strings"

// Instructions that only take and give values are described by their signature: one letter for each value taken, a colon,
// one for the value given. The letters are i and l for integers, f and d for floats, of 32 and 64 bits, and v for vectors;
// a, of instructions on memory, is an address.
const letters = "ilfdv"

// signature returns the types that a signature means.
func signature(s string, address valType) (takes, gives string) {
	takes, gives, _ = strings.Cut(s, ":")
	return typesOf(takes, address), typesOf(gives, address)
}

// typesOf returns the types that letters stand for. The types of numbers and vectors are consecutive, downwards from i32.
func typesOf(s string, address valType) string {
	types := make([]byte, len(s))
	for i := range len(s) {
		if s[i] == 'a' {
			types[i] = address
			continue
		}
		types[i] = i32 - byte(strings.IndexByte(letters, s[i]))
	}
	return string(types)
}

// span is a run of instructions with the same signature.
type span struct {
	first, last uint32
	signature   string
}

// memSpan is a run of instructions on memory: align is the exponent of their natural alignment, lanes the number of lanes
// of which they take one, 0 where they take none.
type memSpan struct {
	span
	align uint32
	lanes byte
}

// numeric are the numeric instructions of one byte (the specification, section 5.4.7).
var numeric = []span{
	{0x45, 0x45, "i:i"}, {0x46, 0x4f, "ii:i"}, {0x50, 0x50, "l:i"}, {0x51, 0x5a, "ll:i"}, {0x5b, 0x60, "ff:i"},
	{0x61, 0x66, "dd:i"}, {0x67, 0x69, "i:i"}, {0x6a, 0x78, "ii:i"}, {0x79, 0x7b, "l:l"}, {0x7c, 0x8a, "ll:l"},
	{0x8b, 0x91, "f:f"}, {0x92, 0x98, "ff:f"}, {0x99, 0x9f, "d:d"}, {0xa0, 0xa6, "dd:d"},
	{0xa7, 0xa7, "l:i"}, {0xa8, 0xa9, "f:i"}, {0xaa, 0xab, "d:i"}, {0xac, 0xad, "i:l"}, {0xae, 0xaf, "f:l"},
	{0xb0, 0xb1, "d:l"}, {0xb2, 0xb3, "i:f"}, {0xb4, 0xb5, "l:f"}, {0xb6, 0xb6, "d:f"}, {0xb7, 0xb8, "i:d"},
	{0xb9, 0xba, "l:d"}, {0xbb, 0xbb, "f:d"}, {0xbc, 0xbc, "f:i"}, {0xbd, 0xbd, "d:l"}, {0xbe, 0xbe, "i:f"},
	{0xbf, 0xbf, "l:d"}, {0xc0, 0xc1, "i:i"}, {0xc2, 0xc4, "l:l"},
}

// saturating are the conversions behind the prefix 0xfc.
var saturating = []span{{0, 1, "f:i"}, {2, 3, "d:i"}, {4, 5, "f:l"}, {6, 7, "d:l"}}

// loadsAndStores are the memory instructions of one byte.
var loadsAndStores = []memSpan{
	{span{0x28, 0x28, "a:i"}, 2, 0}, {span{0x29, 0x29, "a:l"}, 3, 0}, {span{0x2a, 0x2a, "a:f"}, 2, 0},
	{span{0x2b, 0x2b, "a:d"}, 3, 0}, {span{0x2c, 0x2d, "a:i"}, 0, 0}, {span{0x2e, 0x2f, "a:i"}, 1, 0},
	{span{0x30, 0x31, "a:l"}, 0, 0}, {span{0x32, 0x33, "a:l"}, 1, 0}, {span{0x34, 0x35, "a:l"}, 2, 0},
	{span{0x36, 0x36, "ai:"}, 2, 0}, {span{0x37, 0x37, "al:"}, 3, 0}, {span{0x38, 0x38, "af:"}, 2, 0},
	{span{0x39, 0x39, "ad:"}, 3, 0}, {span{0x3a, 0x3a, "ai:"}, 0, 0}, {span{0x3b, 0x3b, "ai:"}, 1, 0},
	{span{0x3c, 0x3c, "al:"}, 0, 0}, {span{0x3d, 0x3d, "al:"}, 1, 0}, {span{0x3e, 0x3e, "al:"}, 2, 0},
}

// vector are the instructions behind the prefix 0xfd that have no immediate, relaxed ones from 256 on.
var vector = []span{
	{14, 14, "vv:v"}, {15, 17, "i:v"}, {18, 18, "l:v"}, {19, 19, "f:v"}, {20, 20, "d:v"}, {35, 76, "vv:v"}, {77, 77, "v:v"},
	{78, 81, "vv:v"}, {82, 82, "vvv:v"}, {83, 83, "v:i"}, {94, 98, "v:v"}, {99, 100, "v:i"}, {101, 102, "vv:v"},
	{103, 106, "v:v"}, {107, 109, "vi:v"}, {110, 115, "vv:v"}, {116, 117, "v:v"}, {118, 121, "vv:v"}, {122, 122, "v:v"},
	{123, 123, "vv:v"}, {124, 129, "v:v"}, {130, 130, "vv:v"}, {131, 132, "v:i"}, {133, 134, "vv:v"}, {135, 138, "v:v"},
	{139, 141, "vi:v"}, {142, 147, "vv:v"}, {148, 148, "v:v"}, {149, 153, "vv:v"}, {155, 159, "vv:v"}, {160, 161, "v:v"},
	{163, 164, "v:i"}, {167, 170, "v:v"}, {171, 173, "vi:v"}, {174, 174, "vv:v"}, {177, 177, "vv:v"}, {181, 186, "vv:v"},
	{188, 191, "vv:v"}, {192, 193, "v:v"}, {195, 196, "v:i"}, {199, 202, "v:v"}, {203, 205, "vi:v"}, {206, 206, "vv:v"},
	{209, 209, "vv:v"}, {213, 223, "vv:v"}, {224, 225, "v:v"}, {227, 227, "v:v"}, {228, 235, "vv:v"}, {236, 237, "v:v"},
	{239, 239, "v:v"}, {240, 247, "vv:v"}, {248, 255, "v:v"},
	{256, 256, "vv:v"}, {257, 260, "v:v"}, {261, 268, "vvv:v"}, {269, 274, "vv:v"}, {275, 275, "vvv:v"},
}

// vectorMemory are those on memory.
var vectorMemory = []memSpan{
	{span{0, 0, "a:v"}, 4, 0}, {span{1, 6, "a:v"}, 3, 0}, {span{7, 7, "a:v"}, 0, 0}, {span{8, 8, "a:v"}, 1, 0},
	{span{9, 9, "a:v"}, 2, 0}, {span{10, 10, "a:v"}, 3, 0}, {span{11, 11, "av:"}, 4, 0},
	{span{84, 84, "av:v"}, 0, 16}, {span{85, 85, "av:v"}, 1, 8}, {span{86, 86, "av:v"}, 2, 4}, {span{87, 87, "av:v"}, 3, 2},
	{span{88, 88, "av:"}, 0, 16}, {span{89, 89, "av:"}, 1, 8}, {span{90, 90, "av:"}, 2, 4}, {span{91, 91, "av:"}, 3, 2},
	{span{92, 92, "a:v"}, 2, 0}, {span{93, 93, "a:v"}, 3, 0},
}

// laneSpan is a run of instructions that take a lane out of so many.
type laneSpan struct {
	span
	lanes byte
}

var vectorLanes = []laneSpan{
	{span{21, 22, "v:i"}, 16}, {span{23, 23, "vi:v"}, 16}, {span{24, 25, "v:i"}, 8}, {span{26, 26, "vi:v"}, 8},
	{span{27, 27, "v:i"}, 4}, {span{28, 28, "vi:v"}, 4}, {span{29, 29, "v:l"}, 2}, {span{30, 30, "vl:v"}, 2},
	{span{31, 31, "v:f"}, 4}, {span{32, 32, "vf:v"}, 4}, {span{33, 33, "v:d"}, 2}, {span{34, 34, "vd:v"}, 2},
}

// atomicWidths are the seven widths in which each atomic operation on memory comes: the type of its values and the exponent
// of its alignment.
var atomicWidths = [7]struct {
	letter string
	align  uint32
}{{"i", 2}, {"l", 3}, {"i", 0}, {"i", 1}, {"l", 0}, {"l", 1}, {"l", 2}}

// atomicOps are the operations behind the prefix 0xfe from 0x10 on, x being the type of values.
var atomicOps = [9]string{"a:x", "ax:", "ax:x", "ax:x", "ax:x", "ax:x", "ax:x", "ax:x", "axx:x"}

const firstAtomicOp = 0x10

// atomic are the instructions behind the prefix 0xfe.
func atomic() []memSpan {
	out := []memSpan{{span{0, 0, "ai:i"}, 2, 0}, {span{1, 1, "ail:i"}, 2, 0}, {span{2, 2, "all:i"}, 3, 0}}
	for i, op := range atomicOps {
		for j, w := range atomicWidths {
			n := uint32(firstAtomicOp + i*len(atomicWidths) + j)
			out = append(out, memSpan{span{n, n, strings.ReplaceAll(op, "x", w.letter)}, w.align, 0})
		}
	}
	return out
}
