package wasm

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
