package wasm

import "sync"

// body validates the bodies of functions, one after the other, as the appendix "Validation Algorithm" of the specification
// says: it follows the types of the values on the stack, and the blocks.
type body struct {
	*core
	*instructionSet

	result string // of the function
	locals []byte
	values []byte // types of the values on the stack
	frames []frame
}

// frame is a block that is open.
type frame struct {
	op              byte // the instruction that opened it
	params, results string
	height          int // of the stack at its start
	unreachable     bool
}

// What is kept of a body; longer ones are not checked.
const (
	maxLocals = 50_000
	maxValues = 1 << 20
	maxFrames = 50_000
)

// Instructions of control and those that take types as they come.
const (
	opUnreachable        = 0x00
	opNop                = 0x01
	opBlock              = 0x02
	opLoop               = 0x03
	opIf                 = 0x04
	opElse               = 0x05
	opThrow              = 0x08
	opThrowRef           = 0x0a
	opBr                 = 0x0c
	opBrIf               = 0x0d
	opBrTable            = 0x0e
	opReturn             = 0x0f
	opCall               = 0x10
	opCallIndirect       = 0x11
	opReturnCall         = 0x12
	opReturnCallIndirect = 0x13
	opDrop               = 0x1a
	opSelect             = 0x1b
	opSelectTyped        = 0x1c
	opTryTable           = 0x1f
	opLocalGet           = 0x20
	opLocalSet           = 0x21
	opLocalTee           = 0x22
	opGlobalSet          = 0x24
	opTableGet           = 0x25
	opTableSet           = 0x26
	opMemorySize         = 0x3f
	opMemoryGrow         = 0x40
	opRefIsNull          = 0xd1
	prefixMisc           = 0xfc
	prefixAtomic         = 0xfe
)

// function reads a body.
func (b *body) function(t funcType) {
	if b.instructionSet == nil {
		b.instructionSet = instructions()
	}
	outer := b.enter(b.u32())
	b.result = t.results
	b.locals = append(b.locals[:0], t.params...)
	b.values, b.frames = b.values[:0], b.frames[:0]
	for range b.u32() {
		n := b.u32()
		if int64(len(b.locals))+int64(n) > maxLocals {
			b.giveUp("functions with more local variables than are checked")
		}
		typ := b.valType()
		if b.stopped() {
			return
		}
		for range n {
			b.locals = append(b.locals, typ)
		}
	}
	b.open(opBlock, "", t.results)
	for len(b.frames) > 0 && !b.stopped() {
		b.instruction()
	}
	b.leave(outer)
}

// push puts values of these types on the stack.
func (b *body) push(types string) {
	if len(b.values)+len(types) > maxValues {
		b.giveUp("functions with more values at once than are checked")
		return
	}
	b.values = append(b.values, types...)
}

func (b *body) pushOne(t valType) {
	if len(b.values) == maxValues {
		b.push(string([]byte{t}))
		return
	}
	b.values = append(b.values, t)
}

// pop takes a value of that type, of any where it is anyType, and returns its type.
func (b *body) pop(want valType) valType {
	f := &b.frames[len(b.frames)-1]
	if len(b.values) == f.height {
		if !f.unreachable {
			b.fail("an instruction lacks an operand")
		}
		return want
	}
	got := b.values[len(b.values)-1]
	b.values = b.values[:len(b.values)-1]
	if got != want && got != anyType && want != anyType {
		b.fail("an operand has another type than the instruction takes")
	}
	return got
}

// popAll takes values of these types.
func (b *body) popAll(types string) { b.values = b.values[:len(b.values)-b.peekAll(types)] }

// peekAll asks for values of these types on the stack, and returns how many there are: fewer only in code that is never
// reached.
func (b *body) peekAll(types string) int {
	f := &b.frames[len(b.frames)-1]
	there := b.values[f.height:]
	if len(there) > len(types) {
		there = there[len(there)-len(types):]
	} else if len(there) < len(types) && !f.unreachable {
		b.fail("an instruction or a branch lacks a value")
	}
	if !fit(there, types[len(types)-len(there):]) {
		b.fail("a value has another type than the instruction or the target of the branch takes")
	}
	return len(there)
}

// fit reports whether values have these types. A value of any type can only be the lowest of its block, as nothing else
// gives one than a select of values that are not there.
func fit(values []byte, types string) bool {
	if len(values) > 0 && values[0] == anyType {
		values, types = values[1:], types[1:]
	}
	return string(values) == types
}

// open starts a block.
func (b *body) open(op byte, params, results string) {
	if len(b.frames) >= maxFrames {
		b.giveUp("functions with deeper blocks than are checked")
		return
	}
	b.frames = append(b.frames, frame{op: op, params: params, results: results, height: len(b.values)})
	b.push(params)
}

// close ends the innermost block.
func (b *body) close() frame {
	f := b.frames[len(b.frames)-1]
	b.popAll(f.results)
	if len(b.values) != f.height {
		b.fail("values are left over at the end of a block")
	}
	b.frames = b.frames[:len(b.frames)-1]
	return f
}

// never marks the rest of the block as code that is never reached.
func (b *body) never() {
	f := &b.frames[len(b.frames)-1]
	b.values = b.values[:f.height]
	f.unreachable = true
}

// label reads the index of a block and returns the types that a branch to it takes.
func (b *body) label() string {
	i := b.u32()
	if int64(i) >= int64(len(b.frames)) {
		b.fail("there is no such block")
		return ""
	}
	f := &b.frames[len(b.frames)-1-int(i)]
	if f.op == opLoop {
		return f.params
	}
	return f.results
}

// instruction reads one instruction.
func (b *body) instruction() {
	op := b.byte()
	if in := &b.plain[op]; in.known {
		b.run(in)
		return
	}
	switch op {
	case opUnreachable:
		b.never()
	case opNop:
	case opBlock, opLoop, opIf:
		t := b.blockType()
		if op == opIf {
			b.pop(i32)
		}
		b.popAll(t.params)
		b.open(op, t.params, t.results)
	case opTryTable:
		b.tryTable()
	case opElse:
		f := b.close()
		if f.op != opIf {
			b.fail("else without if")
			return
		}
		b.open(opElse, f.params, f.results)
	case opEnd:
		f := b.close()
		if f.op == opIf && f.params != f.results {
			b.fail("if without else gives something else than it takes")
		}
		b.push(f.results)
	case opBr:
		b.popAll(b.label())
		b.never()
	case opBrIf:
		types := b.label()
		b.pop(i32)
		b.popAll(types)
		b.push(types)
	case opBrTable:
		b.brTable()
	case opReturn:
		b.popAll(b.result)
		b.never()
	case opCall, opReturnCall:
		if f := b.functionIndex(); !b.stopped() {
			b.call(b.types[b.functions[f]], op == opReturnCall)
		}
	case opCallIndirect, opReturnCallIndirect:
		t := b.funcTypeAt()
		from := b.tableAt()
		if from.elem != funcRef {
			b.fail("a call goes through a table that holds no functions")
		}
		b.pop(from.address)
		b.call(t, op == opReturnCallIndirect)
	case opThrow:
		if i := b.tagIndex(); !b.stopped() {
			b.popAll(b.types[b.tags[i]].params)
			b.never()
		}
	case opThrowRef:
		b.pop(exnRef)
		b.never()
	default:
		b.otherInstruction(op)
	}
}

// otherInstruction reads one that has nothing to do with control.
func (b *body) otherInstruction(op byte) { //nolint:funlen // a case for each
	switch op {
	case opDrop:
		b.pop(anyType)
	case opSelect:
		b.pop(i32)
		t, u := b.pop(anyType), b.pop(anyType)
		if isRef(t) || isRef(u) || t != u && t != anyType && u != anyType {
			b.fail("select is not between two numbers of the same type")
		}
		b.pushOne(max(t, u)) // the known one, where one is
	case opSelectTyped:
		if b.u32() != 1 {
			b.fail("select has not one type")
		}
		t := b.valType()
		b.pop(i32)
		b.pop(t)
		b.pop(t)
		b.pushOne(t)
	case opLocalGet:
		b.pushOne(b.local())
	case opLocalSet:
		b.pop(b.local())
	case opLocalTee:
		t := b.local()
		b.pop(t)
		b.pushOne(t)
	case opGlobalGet:
		b.pushOne(b.globalAt().typ)
	case opGlobalSet:
		g := b.globalAt()
		if !g.mutable {
			b.fail("a global is set that can't change")
		}
		b.pop(g.typ)
	case opTableGet:
		t := b.tableAt()
		b.pop(t.address)
		b.pushOne(t.elem)
	case opTableSet:
		t := b.tableAt()
		b.pop(t.elem)
		b.pop(t.address)
	case opMemorySize:
		b.pushOne(b.memoryAt().address)
	case opMemoryGrow:
		address := b.memoryAt().address
		b.pop(address)
		b.pushOne(address)
	case opI32Const:
		b.leb(32, true)
		b.pushOne(i32)
	case opI64Const:
		b.leb(64, true)
		b.pushOne(i64)
	case opF32Const:
		b.skip(4)
		b.pushOne(f32)
	case opF64Const:
		b.skip(8)
		b.pushOne(f64)
	case opRefNull:
		b.pushOne(b.refType())
	case opRefIsNull:
		if t := b.pop(anyType); t != anyType && !isRef(t) {
			b.fail("an operand is no reference")
		}
		b.pushOne(i32)
	case opRefFunc:
		if f := b.functionIndex(); !b.stopped() && !b.declared.has(f) {
			b.fail("a function is referred to that is not declared for it")
		}
		b.pushOne(funcRef)
	case prefixMisc:
		b.misc(b.u32())
	case prefixSIMD:
		b.vectorInstruction(b.u32())
	case prefixAtomic:
		b.atomicInstruction(b.u32())
	case 0x06, 0x07, 0x09, 0x18, 0x19:
		b.giveUp("exceptions in their first form")
	case 0x14, 0x15, 0xd3, 0xd4, 0xd5, 0xd6, prefixGC:
		b.giveUp(unknownGC)
	default:
		b.fail("an instruction is unknown")
	}
}

func (b *body) local() valType {
	i := b.u32()
	if int64(i) >= int64(len(b.locals)) {
		b.fail("there is no such local variable")
		return anyType
	}
	return b.locals[i]
}

func (b *body) call(t funcType, last bool) {
	b.popAll(t.params)
	if !last {
		b.push(t.results)
		return
	}
	if t.results != b.result {
		b.fail("a call in place of a return gives something else")
	}
	b.never()
}

func (b *body) brTable() {
	b.pop(i32)
	n := b.u32()
	arity := -1
	for i := uint64(0); i <= uint64(n) && !b.stopped(); i++ {
		types := b.label()
		if arity >= 0 && len(types) != arity {
			b.fail("the targets of a branch take different numbers of values")
		}
		arity = len(types)
		b.peekAll(types)
	}
	if !b.stopped() {
		b.never()
	}
}

// tryTable opens a block with handlers for exceptions.
func (b *body) tryTable() {
	const catch, catchRef, catchAll, catchAllRef = 0, 1, 2, 3
	t := b.blockType()
	b.popAll(t.params)
	for range b.u32() {
		if b.stopped() {
			return
		}
		kind := b.byte()
		var gives string
		if kind == catch || kind == catchRef {
			if i := b.tagIndex(); !b.stopped() {
				gives = b.types[b.tags[i]].params
			}
		}
		switch kind {
		case catch, catchAll:
		case catchRef, catchAllRef:
			gives += string([]byte{exnRef})
		default:
			b.fail("a handler of exceptions is of an unknown kind")
		}
		if b.label() != gives {
			b.fail("a handler of exceptions gives something else than its target takes")
		}
	}
	b.open(opTryTable, t.params, t.results)
}

// known is an instruction that only takes and gives values. Those on memory are there for both sizes of addresses.
type known struct {
	known, memory bool
	exact         bool // whether the alignment has to be the natural one
	align         uint32
	lanes         byte
	takes, gives  [2]string // with addresses of 32 and of 64 bits
}

// instructionSet holds the instructions by their numbers: those of one byte and those behind prefixes.
type instructionSet struct {
	plain      [256]known
	saturating [8]known
	vectors    [276]known
	atomics    [79]known
}

// instructions makes the tables from the descriptions when they are first needed.
var instructions = sync.OnceValue(func() *instructionSet {
	t := &instructionSet{}
	fill(t.plain[:], numeric, loadsAndStores, nil, false)
	fill(t.saturating[:], saturating, nil, nil, false)
	fill(t.vectors[:], vector, vectorMemory, vectorLanes, false)
	fill(t.atomics[:], nil, atomic(), nil, true)
	return t
})

func fill(table []known, values []span, memory []memSpan, lanes []laneSpan, exact bool) {
	set := func(s span, k known) {
		k.known = true
		k.takes[0], k.gives[0] = signature(s.signature, i32)
		k.takes[1], k.gives[1] = signature(s.signature, i64)
		for op := s.first; op <= s.last; op++ {
			table[op] = k
		}
	}
	for _, s := range values {
		set(s, known{})
	}
	for _, s := range memory {
		set(s.span, known{memory: true, exact: exact, align: s.align, lanes: s.lanes})
	}
	for _, s := range lanes {
		set(s.span, known{lanes: s.lanes})
	}
}

// run follows an instruction of the tables, whose immediates come next.
func (b *body) run(in *known) {
	size := 0
	if in.memory && b.memArg(in) == i64 {
		size = 1
	}
	if in.lanes > 0 && b.byte() >= in.lanes {
		b.fail("there is no such lane")
	}
	b.popAll(in.takes[size])
	b.push(in.gives[size])
}

// memArg reads the alignment, the memory and the offset of an instruction, and returns the type of its address.
func (b *body) memArg(in *known) valType {
	const withIndex = 1 << 6
	align := b.u32()
	var m memory
	switch {
	case align&withIndex != 0:
		align &^= withIndex
		m = b.memoryAt()
	case len(b.memories) == 0:
		b.fail("there is no such memory")
	default:
		m = b.memories[0]
	}
	if align > in.align || in.exact && align != in.align {
		b.fail("an alignment is not the one that the instruction allows")
	}
	if m.address == i64 {
		b.leb(64, false)
	} else {
		b.u32()
	}
	return m.address
}

// lookup follows an instruction behind a prefix, if a table has it.
func (b *body) lookup(table []known, op uint32) bool {
	if int64(op) >= int64(len(table)) || !table[op].known {
		return false
	}
	b.run(&table[op])
	return true
}

// misc reads an instruction behind the prefix 0xfc.
func (b *body) misc(op uint32) {
	if b.lookup(b.saturating[:], op) {
		return
	}
	const (
		memoryInit, dataDrop, memoryCopy, memoryFill = 8, 9, 10, 11
		tableInit, elemDrop, tableCopy               = 12, 13, 14
		tableGrow, tableSize, tableFill              = 15, 16, 17
		firstWide, lastWide                          = 19, 22
	)
	switch op {
	case memoryInit:
		b.dataIndex()
		b.popAll(string([]byte{b.memoryAt().address, i32, i32}))
	case dataDrop:
		b.dataIndex()
	case memoryCopy:
		to, from := b.memoryAt().address, b.memoryAt().address
		b.popAll(string([]byte{to, from, smaller(to, from)}))
	case memoryFill:
		address := b.memoryAt().address
		b.popAll(string([]byte{address, i32, address}))
	case tableInit:
		elem := b.elementAt()
		t := b.tableAt()
		if elem != t.elem {
			b.fail("elements do not fit their table")
		}
		b.popAll(string([]byte{t.address, i32, i32}))
	case elemDrop:
		b.elementAt()
	case tableCopy:
		to, from := b.tableAt(), b.tableAt()
		if to.elem != from.elem {
			b.fail("elements do not fit their table")
		}
		b.popAll(string([]byte{to.address, from.address, smaller(to.address, from.address)}))
	case tableGrow:
		b.TablesGrow = true
		t := b.tableAt()
		b.popAll(string([]byte{t.elem, t.address}))
		b.pushOne(t.address)
	case tableSize:
		b.pushOne(b.tableAt().address)
	case tableFill:
		t := b.tableAt()
		b.popAll(string([]byte{t.address, t.elem, t.address}))
	default:
		if op >= firstWide && op <= lastWide {
			b.giveUp("arithmetic of 128 bits")
			return
		}
		b.fail("an instruction is unknown")
	}
}

// smaller is the type of a length that fits both kinds of addresses.
func smaller(a, b valType) valType {
	if a == i64 && b == i64 {
		return i64
	}
	return i32
}

func (b *body) elementAt() valType {
	if i := b.index(len(b.elements), "segment of elements"); !b.stopped() {
		return b.elements[i]
	}
	return funcRef
}

func (b *body) dataIndex() {
	i := b.u32()
	switch {
	case b.segments < 0:
		b.fail("the number of segments of data is not announced")
	case int64(i) >= b.segments:
		b.fail("there is no such segment of data")
	}
}

// vectorInstruction reads one behind the prefix 0xfd.
func (b *body) vectorInstruction(op uint32) {
	const shuffle, lanes = 13, 16
	switch {
	case b.lookup(b.vectors[:], op):
	case op == opV128Const:
		b.skip(16)
		b.pushOne(v128)
	case op == shuffle:
		for range lanes {
			if b.byte() >= 2*lanes {
				b.fail("there is no such lane")
			}
		}
		b.popAll(string([]byte{v128, v128}))
		b.pushOne(v128)
	default:
		b.fail("an instruction is unknown")
	}
}

// atomicInstruction reads one behind the prefix 0xfe.
func (b *body) atomicInstruction(op uint32) {
	const fence = 3
	switch {
	case b.lookup(b.atomics[:], op):
	case op == fence:
		if b.byte() != 0 {
			b.fail("a fence is of an unknown kind")
		}
	default:
		b.fail("an instruction is unknown")
	}
}
