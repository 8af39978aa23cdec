package wasm

import "strings"

// component reads a component: its sections, what it imports and exports, and the modules in it, which are validated. How
// its parts are wired together is not checked.
type component struct {
	*reader
	*Module
}

// The sections of a component that are looked into (the component model's Binary.md).
const (
	sectionCoreModule      = 1
	sectionComponent       = 4
	sectionComponentImport = 10
	sectionComponentExport = 11
	lastComponentSection   = 12
)

// maxNesting bounds components in components.
const maxNesting = 20

// sections reads what follows the preamble of a component, the outermost at depth 0, to the end of the part.
func (c *component) sections(depth int) {
	if depth > maxNesting {
		c.giveUp("components nested deeper than are checked")
		return
	}
	for !c.atEnd() {
		start := c.offset()
		id := c.byte()
		outer := c.enter(c.u32())
		switch {
		case id > lastComponentSection:
			c.failAt(start, "a section is of an unknown kind")
		case id == sectionCustom:
			c.name()
			c.skip(c.limit - c.offset())
		case id == sectionCoreModule:
			c.expect(corePreamble, "a module in the component is none")
			inner := newCore(c.reader, &Module{})
			inner.sections()
		case id == sectionComponent:
			c.expect(componentPreamble, "a component in the component is none")
			c.sections(depth + 1)
		case id == sectionComponentImport && depth == 0:
			c.imports()
		case id == sectionComponentExport && depth == 0:
			c.exports()
		default:
			c.skip(c.limit - c.offset())
		}
		c.leave(outer)
	}
}

// expect reads the preamble of a part.
func (c *component) expect(preamble, reason string) {
	for i := range len(preamble) {
		if c.byte() != preamble[i] {
			c.fail(reason)
			return
		}
	}
}

func (c *component) imports() {
	for range c.count(maxImports, "imports") {
		name := c.externName()
		c.externType()
		if c.stopped() {
			return
		}
		if len(c.Imports) == maxImports {
			c.giveUp("more imports than are checked")
			return
		}
		c.Imports = append(c.Imports, Import{Name: name, Use: interfaceUse(name)})
	}
}

func (c *component) exports() {
	const withType = 1
	for range c.count(maxNames, "exports") {
		name := c.externName()
		c.sort()
		c.u32()
		if flag := c.byte(); flag == withType {
			c.externType()
		} else if flag != 0 {
			c.fail("an export is of an unknown form")
		}
		if c.stopped() {
			return
		}
		if len(c.Exports) < maxExports {
			c.Exports = append(c.Exports, name)
		}
		c.Starts = c.Starts || strings.HasPrefix(name, "wasi:cli/run@")
	}
}

// externName reads the name of an import or export.
func (c *component) externName() string {
	const plain, interfaceName, withSuffix = 0, 1, 2
	form := c.byte()
	if form > withSuffix {
		c.fail("a name is of an unknown form")
	}
	name := c.name()
	if form == withSuffix { // the name has the version up to what decides on compatibility, the suffix the rest
		name += c.name()
	}
	return name
}

// sort reads what kind of thing an index is of.
func (c *component) sort() {
	const core, last = 0, 5
	switch kind := c.byte(); {
	case kind == core:
		c.byte()
	case kind > last:
		c.fail("an export is of an unknown kind")
	}
}

// externType reads the type of an import or export.
func (c *component) externType() {
	const (
		coreModule, function, value, typ, component, instance = 0, 1, 2, 3, 4, 5
		coreModuleSort                                        = 0x11
		equal                                                 = 0
	)
	switch kind := c.byte(); kind {
	case coreModule:
		if c.byte() != coreModuleSort {
			c.fail("an import is of an unknown kind")
		}
		c.u32()
	case function, component, instance:
		c.u32()
	case value:
		if c.byte() == equal {
			c.u32()
		} else {
			c.leb(33, true)
		}
	case typ:
		if c.byte() == equal {
			c.u32()
		}
	default:
		c.fail("an import is of an unknown kind")
	}
}
