package wasm

import "strings"

// valType is the type of a value, in its encoding.
type valType = byte

// The types of values that are known. A list of types is a string of them.
const (
	i32       valType = 0x7f
	i64       valType = 0x7e
	f32       valType = 0x7d
	f64       valType = 0x7c
	v128      valType = 0x7b
	funcRef   valType = 0x70
	externRef valType = 0x6f
	exnRef    valType = 0x69

	anyType valType = 0 // of a value in code that is never reached
)

func isRef(t valType) bool { return t == funcRef || t == externRef || t == exnRef }

// funcType is the type of a function.
type funcType struct{ params, results string }

// table and memory say what instructions need to know of one.
type table struct {
	elem    valType
	address valType // i32, or i64 for 64-bit addresses
}

type memory struct{ address valType }

type global struct {
	typ     valType
	mutable bool
}

// Encodings of the garbage-collected types, which are not checked.
const (
	formFunc  = 0x60
	formsGC   = "\x5f\x5e\x50\x4f\x4e"                                 // struct, array, sub types, recursive types
	typesGC   = "\x63\x64\x68\x6a\x6b\x6c\x6d\x6e\x71\x72\x73\x74\x75" // references to and kinds of them
	unknownGC = "references with types of their own (garbage collection)"
)

// valType reads the type of a value.
func (r *reader) valType() valType {
	switch t := r.byte(); {
	case t >= v128 && t <= i32, isRef(t):
		return t
	case strings.IndexByte(typesGC, t) >= 0:
		r.giveUp(unknownGC)
	default:
		r.fail("a type of values is unknown")
	}
	return anyType
}

func (r *reader) refType() valType {
	t := r.valType()
	if !isRef(t) {
		r.fail("the type is not one of references")
	}
	return t
}

// maxArity bounds the parameters or results of a function.
const maxArity = 1000

// resultType reads a list of types of values.
func (r *reader) resultType() string {
	n := r.count(maxArity, "parameters or results")
	types := make([]byte, 0, n)
	for range n {
		types = append(types, r.valType())
	}
	return string(types)
}

// funcType reads the type of a function.
func (r *reader) funcType() funcType {
	switch form := r.byte(); {
	case form == formFunc:
		params := r.resultType()
		return funcType{params, r.resultType()}
	case strings.IndexByte(formsGC, form) >= 0:
		r.giveUp(unknownGC)
	default:
		r.fail("a type is none of a function")
	}
	return funcType{}
}

// Flags of limits.
const (
	flagMax     = 1
	flagShared  = 2
	flagAddress = 4 // 64 bits
)

// limits reads the limits of a table or memory, which has at most so many elements or pages, and returns the type of its
// addresses and its size at first.
func (r *reader) limits(most32, most64 uint64, canShare bool) (address valType, size uint64) {
	flags := r.byte()
	if flags > flagMax|flagShared|flagAddress || flags&flagShared != 0 && !canShare {
		r.fail("flags of limits are unknown")
	}
	if flags&(flagShared|flagMax) == flagShared {
		r.fail("a shared memory has no maximum")
	}
	bits, most := uint(32), most32
	address = i32
	if flags&flagAddress != 0 {
		address, bits, most = i64, 64, most64
	}
	low := r.leb(bits, false)
	high := most
	if flags&flagMax != 0 {
		high = r.leb(bits, false)
	}
	if low > most || high > most {
		r.fail("a size is larger than addresses reach")
	} else if low > high {
		r.fail("a size is larger than its maximum")
	}
	return address, low
}

const (
	maxPages32 = 1 << 16
	maxPages64 = 1 << 48
	maxTable32 = 1<<32 - 1
	maxTable64 = 1<<64 - 1
)

func (r *reader) memoryType() memory {
	address, _ := r.limits(maxPages32, maxPages64, true)
	return memory{address}
}

func (c *core) tableType() table {
	elem := c.refType()
	address, size := c.limits(maxTable32, maxTable64, false)
	c.Tables += min(size, maxTable32)
	return table{elem, address}
}

func (r *reader) globalType() global {
	t := r.valType()
	mutable := r.byte()
	if mutable > 1 {
		r.fail("the mutability of a global is neither 0 nor 1")
	}
	return global{t, mutable == 1}
}
