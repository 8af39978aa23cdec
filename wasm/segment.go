package wasm

import "strings"

// The instructions of constant expressions.
const (
	opEnd       = 0x0b
	opGlobalGet = 0x23
	opI32Const  = 0x41
	opI64Const  = 0x42
	opF32Const  = 0x43
	opF64Const  = 0x44
	opRefNull   = 0xd0
	opRefFunc   = 0xd2
	prefixGC    = 0xfb
	prefixSIMD  = 0xfd
	opV128Const = 0x0c
)

// constant reads a constant expression that gives one value of that type.
func (c *core) constant(want valType) {
	var stack []valType
	push := func(t valType) { stack = append(stack, t) }
	for !c.stopped() {
		switch op := c.byte(); op {
		case opEnd:
			if len(stack) != 1 || stack[0] != want {
				c.fail("a constant expression gives something else than what is needed")
			}
			return
		case opI32Const:
			c.leb(32, true)
			push(i32)
		case opI64Const:
			c.leb(64, true)
			push(i64)
		case opF32Const:
			c.skip(4)
			push(f32)
		case opF64Const:
			c.skip(8)
			push(f64)
		case opGlobalGet:
			g := c.globalAt()
			if g.mutable {
				c.fail("a constant expression reads a global that can change")
			}
			push(g.typ)
		case opRefNull:
			push(c.refType())
		case opRefFunc:
			f := c.functionIndex()
			if !c.stopped() {
				c.declared.add(f)
			}
			push(funcRef)
		case 0x6a, 0x6b, 0x6c, 0x7c, 0x7d, 0x7e: // add, sub and mul, of i32 and of i64
			t := i32
			if op >= 0x7c {
				t = i64
			}
			if n := len(stack); n < 2 || stack[n-1] != t || stack[n-2] != t {
				c.fail("an operator in a constant expression lacks its operands")
			} else {
				stack = stack[:n-1]
			}
		case prefixSIMD:
			if c.u32() != opV128Const {
				c.fail("an instruction is not allowed in a constant expression")
			}
			c.skip(16)
			push(v128)
		case prefixGC:
			c.giveUp(unknownGC)
		default:
			c.fail("an instruction is not allowed in a constant expression")
		}
		if len(stack) > maxConstant {
			c.giveUp("longer constant expressions than are checked")
		}
	}
}

// maxConstant bounds the values that a constant expression has at once.
const maxConstant = 1000

// The flags of a segment of elements.
const (
	elementPassive  = 1
	elementExplicit = 2 // active: with the index of its table; passive: declared only
	elementExprs    = 4 // expressions instead of indices of functions
)

func (c *core) elementSection() {
	for range c.count(maxSegments, "segments of elements") {
		flags := c.u32()
		if flags > elementPassive|elementExplicit|elementExprs {
			c.fail("flags of a segment of elements are unknown")
		}
		t := table{funcRef, i32}
		active := flags&elementPassive == 0
		if active {
			if flags&elementExplicit != 0 {
				t = c.tableAt()
			} else if len(c.tables) > 0 {
				t = c.tables[0]
			} else {
				c.fail("there is no such table")
			}
			c.constant(t.address)
		}
		elem := funcRef
		if flags&(elementPassive|elementExplicit) != 0 {
			if flags&elementExprs != 0 {
				elem = c.refType()
			} else if c.byte() != 0 {
				c.fail("a segment of elements is of an unknown kind")
			}
		}
		if active && elem != t.elem {
			c.fail("elements do not fit their table")
		}
		c.elementList(flags&elementExprs != 0, elem)
		if c.stopped() {
			return
		}
		c.elements = append(c.elements, elem)
	}
}

func (c *core) elementList(exprs bool, elem valType) {
	for range c.u32() {
		if exprs {
			c.constant(elem)
		} else if f := c.functionIndex(); !c.stopped() {
			c.declared.add(f)
		}
		if c.stopped() {
			return
		}
	}
}

func (c *core) dataSection() {
	n := c.count(maxSegments, "segments of data")
	if c.segments >= 0 && int64(n) != c.segments {
		c.fail("the number of segments of data is not the announced one")
	}
	for range n {
		const passive, explicit = 1, 2
		switch flags := c.u32(); flags {
		case passive:
		case 0, explicit:
			m := memory{i32}
			if flags == explicit {
				m = c.memoryAt()
			} else if len(c.memories) > 0 {
				m = c.memories[0]
			} else {
				c.fail("there is no such memory")
			}
			c.constant(m.address)
		default:
			c.fail("flags of a segment of data are unknown")
		}
		c.skip(int64(c.u32()))
		if c.stopped() {
			return
		}
	}
}

// peekByte returns the next byte without passing over it, 0 where there is none.
func (r *reader) peekByte() byte {
	if r.stopped() || !r.fill() {
		return 0
	}
	return r.buf[r.pos]
}

// blockType reads the type of a block: none, one result, or a type of functions.
func (c *core) blockType() funcType {
	const empty = 0x40
	first := c.peekByte()
	switch {
	case first == empty:
		c.byte()
		return funcType{}
	case first&0xc0 == empty && strings.IndexByte(typesGC, first) < 0: // one byte, of a negative number
		return funcType{results: string(c.valType())}
	case first&0xc0 == empty:
		c.giveUp(unknownGC)
		return funcType{}
	}
	i := c.leb(33, true)
	if i >= uint64(len(c.types)) {
		c.fail("there is no such type")
		return funcType{}
	}
	return c.types[i]
}
