package roleblock

import "slices"

// fields are the pairs of a mapping as a reader of the file gets them: merge keys expanded, of equal keys the last, an
// explicit key before a merged one.
type fields struct {
	pairs []pair
	index map[key]int // of the scalar keys
}

// get returns the pair with a string key.
func (f *fields) get(name string) (pair, bool) { return f.find(stringKey(name)) }

func (f *fields) find(k key) (pair, bool) {
	if i, ok := f.index[k]; ok {
		return f.pairs[i], true
	}
	return pair{}, false
}

// expand expands a mapping of the document. Each mapping that is merged in is visited once. Where the merge keys of the
// document cost too much, the rest is left out and the document says so.
func (d *document) expand(n *node) *fields {
	f := &fields{index: make(map[key]int, len(n.pairs))}
	d.merge(f, n, map[*node]bool{})
	return f
}

// overspent reports whether the merge keys of the document cost too much.
func (d *document) overspent() bool { return d.mergeSteps > maxMergeSteps }

// merge adds what n has and f has not, by falling precedence.
func (d *document) merge(f *fields, n *node, seen map[*node]bool) {
	if seen[n] || d.overspent() {
		return
	}
	seen[n] = true
	d.mergeSteps += len(n.pairs)
	own := len(f.pairs)
	var sources []child
	for _, p := range n.pairs {
		if p.key.isMerge() {
			sources = append(sources, p.value)
			continue
		}
		k, ok := p.key.identity()
		i, has := f.index[k]
		switch {
		case !ok || !has:
			if ok {
				f.index[k] = len(f.pairs)
			}
			f.pairs = append(f.pairs, p)
		case i >= own:
			f.pairs[i] = p
		}
	}
	for _, source := range slices.Backward(sources) {
		for _, m := range mergeSources(source) {
			d.merge(f, m.node, seen)
		}
	}
}

// mergeSources returns the mappings that the value of a merge key names, the one that wins first.
func mergeSources(value child) []child {
	switch value.kind {
	case mapping:
		return []child{value}
	case sequence:
		var out []child
		for _, item := range value.items {
			if item.kind == mapping {
				out = append(out, item)
			}
		}
		return out
	}
	return nil
}
