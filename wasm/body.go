package wasm

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
