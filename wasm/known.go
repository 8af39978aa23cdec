package wasm

import "sync"

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
