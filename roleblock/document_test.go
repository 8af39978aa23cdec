package roleblock

import "testing"

// FuzzDocument reads arbitrary bytes as a document and visits all that is in it.
func FuzzDocument(f *testing.F) {
	for _, r := range Rules() {
		for _, archive := range []string{r.Bad, r.Good} {
			for _, file := range filesOf(archive) {
				if len(file.Data) < 4<<10 {
					f.Add(file.Data)
				}
			}
		}
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		d := parse("f", data, 50)
		if d.fault != nil && (d.root != nil || d.fault.start > len(data) || d.fault.end < d.fault.start) {
			t.Fatalf("fault %+v", d.fault)
		}
		seen := map[*node]bool{}
		var visit func(c child)
		visit = func(c child) {
			for _, s := range []span{c.at, c.node.at} {
				if s.start < 0 || s.end < s.start || s.end > len(data)+1 {
					t.Fatalf("span %+v of %d bytes", s, len(data))
				}
			}
			if at, ok := d.token(c); ok && at.end > len(data) {
				t.Fatalf("token %+v", at)
			}
			if seen[c.node] {
				return
			}
			seen[c.node] = true
			for _, p := range c.pairs {
				visit(p.key)
				visit(p.value)
			}
			for _, item := range c.items {
				visit(item)
			}
			if c.kind == mapping {
				d.expand(c.node)
			}
		}
		if d.root != nil {
			visit(child{d.root, d.root.at})
		}
		if b := readBlock(d); d.readable() && b != nil {
			b.facts()
			b.marks()
		}
		readServices(d)
		readCategories(d)
	})
}
