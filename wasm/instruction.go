package wasm

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
