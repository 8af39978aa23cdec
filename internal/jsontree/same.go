package jsontree

import (
	"bytes"
	"sort"
)

// SameBefore reports whether two objects have the same members in the same order up to a member of that name, which has
// to be the last one of each that has it: whether one manifest was packed from the other.
func SameBefore(packed, source *Doc, last string) bool {
	i, j := packed.countBefore(last), source.countBefore(last)
	if i != j || i <= 1 {
		return false
	}
	for n := 1; n < i; n++ {
		a, b := packed.nodes[n], source.nodes[n]
		if a.kind != b.kind || a.parent != b.parent {
			return false
		}
		if a.kind != Array && a.kind != Object && !bytes.Equal((Value{packed, uint32(n)}).Raw(), (Value{source, uint32(n)}).Raw()) {
			return false
		}
	}
	return true
}

// countBefore counts the nodes before a member of the root that is its last one; 0 where it is not the last.
func (d *Doc) countBefore(name string) int {
	m, ok := d.Root().Member(name)
	switch {
	case !ok:
		return len(d.nodes)
	case int(m.Value.node().next) == len(d.nodes):
		return int(m.Key.at)
	default:
		return 0
	}
}

// Corresponding maps an offset in one of two texts that are the same (as SameBefore says) to the other; ok is false
// behind what is the same.
func Corresponding(from, to *Doc, offset int) (int, bool) {
	i := sort.Search(len(from.nodes), func(i int) bool { return int(from.nodes[i].start) > offset }) - 1
	if i < 0 || i >= len(to.nodes) || from.nodes[i].kind != to.nodes[i].kind {
		return 0, false
	}
	return int(to.nodes[i].start) + offset - int(from.nodes[i].start), true
}
