package wasm

import "math/bits"

// What is kept of a module, in memory, is bounded by these; the counts are those to which browsers agreed (the WebAssembly
// JavaScript Interface, "Implementation-defined Limits"), or lower.
const (
	maxTypes     = 100_000
	maxTypeBytes = 4 << 20 // parameters and results of all types together
	maxFunctions = 1_000_000
	maxImports   = 10_000
	maxNames     = 100_000
	maxNameBytes = 4 << 20 // names of imports and of exports together
	maxTables    = 100_000
	maxMemories  = 1000
	maxGlobals   = 1_000_000
	maxTags      = 100_000
	maxSegments  = 1_000_000
)

// core validates a core module.
type core struct {
	*reader
	*Module

	types     []funcType
	functions []uint32 // their types
	tables    []table
	memories  []memory
	globals   []global
	tags      []uint32  // their types
	elements  []valType // types of the segments
	declared  bitset    // functions that a body may refer to
	segments  int64     // of data, as announced; -1 where they are not
	bodies    int       // functions that still need a body
	nameBytes int

	body body
}

// bitset is a set of small numbers.
type bitset []uint64

func (s *bitset) add(n uint32) {
	for int(n/bits.UintSize) >= len(*s) {
		*s = append(*s, 0)
	}
	(*s)[n/bits.UintSize] |= 1 << (n % bits.UintSize)
}

func (s bitset) has(n uint32) bool {
	i := int(n / bits.UintSize)
	return i < len(s) && s[i]>>(n%bits.UintSize)&1 == 1
}

func newCore(r *reader, m *Module) *core { return &core{reader: r, Module: m, segments: -1} }

// The sections of a core module.
const (
	sectionCustom = iota
	sectionType
	sectionImport
	sectionFunction
	sectionTable
	sectionMemory
	sectionGlobal
	sectionExport
	sectionStart
	sectionElement
	sectionCode
	sectionData
	sectionDataCount
	sectionTag
)

// sectionOrder is the order in which sections stand, where they are there.
var sectionOrder = [...]int{
	sectionType: 1, sectionImport: 2, sectionFunction: 3, sectionTable: 4, sectionMemory: 5, sectionTag: 6, sectionGlobal: 7,
	sectionExport: 8, sectionStart: 9, sectionElement: 10, sectionDataCount: 11, sectionCode: 12, sectionData: 13,
}

// sections reads what follows the preamble, to the end of the part.
func (c *core) sections() {
	last, dataSeen := 0, false
	for !c.atEnd() {
		start := c.offset()
		id := c.byte()
		outer := c.enter(c.u32())
		if id == sectionCustom {
			c.name()
			c.skip(c.limit - c.offset())
			c.leave(outer)
			continue
		}
		if int(id) >= len(sectionOrder) {
			c.failAt(start, "a section is of an unknown kind")
			return
		}
		if sectionOrder[id] <= last {
			c.failAt(start, "a section stands twice, or in the wrong order")
		}
		last = sectionOrder[id]
		dataSeen = dataSeen || id == sectionData
		c.section(id)
		c.leave(outer)
	}
	if c.bodies > 0 {
		c.fail("functions have no body")
	}
	if !dataSeen && c.segments > 0 {
		c.fail("data is announced and missing")
	}
}

func (c *core) section(id byte) {
	switch id {
	case sectionType:
		c.typeSection()
	case sectionImport:
		c.importSection()
	case sectionFunction:
		for range c.count(maxFunctions-uint32(len(c.functions)), "functions") {
			c.functions = append(c.functions, c.typeIndex())
			c.bodies++
			if c.stopped() {
				return
			}
		}
	case sectionTable:
		c.tableSection()
	case sectionMemory:
		for range c.count(maxMemories, "memories") {
			c.memories = append(c.memories, c.memoryType())
		}
	case sectionTag:
		for range c.count(maxTags, "tags") {
			c.tags = append(c.tags, c.tagType())
		}
	case sectionGlobal:
		for range c.count(maxGlobals, "globals") {
			g := c.globalType()
			c.constant(g.typ)
			c.globals = append(c.globals, g)
			if c.stopped() {
				return
			}
		}
	case sectionExport:
		c.exportSection()
	case sectionStart:
		if f := c.functionIndex(); !c.stopped() && c.types[c.functions[f]] != (funcType{}) {
			c.fail("the start function takes or gives something")
		}
	case sectionElement:
		c.elementSection()
	case sectionDataCount:
		c.segments = int64(c.count(maxSegments, "segments of data"))
	case sectionCode:
		c.codeSection()
	case sectionData:
		c.dataSection()
	}
}

func (c *core) typeSection() {
	size := 0
	for range c.count(maxTypes, "types") {
		t := c.funcType()
		if size += len(t.params) + len(t.results); size > maxTypeBytes {
			c.giveUp("more types than are checked")
		}
		if c.stopped() {
			return
		}
		c.types = append(c.types, t)
	}
}

// The kinds of imports and exports.
const (
	kindFunction = iota
	kindTable
	kindMemory
	kindGlobal
	kindTag
)

func (c *core) importSection() {
	for range c.count(maxImports, "imports") {
		i := Import{Module: c.name(), Name: c.name()}
		c.countName(len(i.Module) + len(i.Name))
		switch kind := c.byte(); kind {
		case kindFunction:
			f := c.typeIndex()
			c.functions = append(c.functions, f)
			if !c.stopped() {
				i.Use = preview1Use(i.Module, i.Name, c.types[f])
			}
		case kindTable:
			c.tables = append(c.tables, c.tableType())
		case kindMemory:
			c.memories = append(c.memories, c.memoryType())
		case kindGlobal:
			c.globals = append(c.globals, c.globalType())
		case kindTag:
			c.tags = append(c.tags, c.tagType())
		default:
			c.fail("an import is of an unknown kind")
		}
		if c.stopped() {
			return
		}
		c.Imports = append(c.Imports, i)
	}
}

// countName gives up where names take too much memory.
func (c *core) countName(n int) {
	if c.nameBytes += n; c.nameBytes > maxNameBytes {
		c.giveUp("more names than are checked")
	}
}

func (c *core) tableSection() {
	const withValue = 0x40
	for range c.count(maxTables, "tables") {
		if first := c.peekByte(); first == withValue {
			c.giveUp("tables that start with a value (typed references)")
			return
		}
		c.tables = append(c.tables, c.tableType())
	}
}

func (c *core) exportSection() {
	seen := map[string]bool{}
	for range c.count(maxNames, "exports") {
		name := c.name()
		c.countName(len(name))
		if seen[name] {
			c.fail("a name is exported twice")
		}
		seen[name] = true
		switch kind := c.byte(); kind {
		case kindFunction:
			f := c.functionIndex()
			if c.stopped() {
				return
			}
			c.declared.add(f)
			c.Starts = c.Starts || name == "_start" && c.types[c.functions[f]] == (funcType{})
		case kindTable:
			c.tableIndex()
		case kindMemory:
			c.memoryIndex()
		case kindGlobal:
			c.index(len(c.globals), "global")
		case kindTag:
			c.tagIndex()
		default:
			c.fail("an export is of an unknown kind")
		}
		if c.stopped() {
			return
		}
		if len(c.Exports) < maxExports {
			c.Exports = append(c.Exports, name)
		}
	}
}

func (c *core) codeSection() {
	n := c.u32()
	if int64(n) != int64(c.bodies) {
		c.fail("the number of functions is not that of their bodies")
		return
	}
	first := len(c.functions) - c.bodies
	c.body.core = c
	for i := range c.bodies {
		if c.stopped() {
			return
		}
		c.body.function(c.types[c.functions[first+i]])
	}
	c.bodies = 0
}

// index reads an index into a space of so many things.
func (c *core) index(space int, what string) uint32 {
	i := c.u32()
	if int64(i) >= int64(space) {
		c.fail("there is no such " + what)
		return 0
	}
	return i
}

func (c *core) typeIndex() uint32     { return c.index(len(c.types), "type") }
func (c *core) functionIndex() uint32 { return c.index(len(c.functions), "function") }
func (c *core) tagIndex() uint32      { return c.index(len(c.tags), "tag") }

func (c *core) tableIndex() uint32 { return c.index(len(c.tables), "table") }

func (c *core) memoryIndex() uint32 { return c.index(len(c.memories), "memory") }

// tableAt, memoryAt and globalAt read an index and return what is there, something harmless once there was a fault.
func (c *core) tableAt() table {
	if i := c.tableIndex(); !c.stopped() {
		return c.tables[i]
	}
	return table{funcRef, i32}
}

func (c *core) memoryAt() memory {
	if i := c.memoryIndex(); !c.stopped() {
		return c.memories[i]
	}
	return memory{i32}
}

func (c *core) globalAt() global {
	if i := c.index(len(c.globals), "global"); !c.stopped() {
		return c.globals[i]
	}
	return global{typ: i32}
}

// funcTypeAt reads the index of a type.
func (c *core) funcTypeAt() funcType {
	if i := c.typeIndex(); !c.stopped() {
		return c.types[i]
	}
	return funcType{}
}

func (c *core) tagType() uint32 {
	if c.byte() != 0 {
		c.fail("a tag is of an unknown kind")
	}
	i := c.typeIndex()
	if !c.stopped() && c.types[i].results != "" {
		c.fail("a tag gives results")
	}
	return i
}
