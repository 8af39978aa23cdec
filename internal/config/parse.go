package config

import (
	"maps"
	"slices"
	"strings"

	"github.com/azphalt/submissions/finding"
	"github.com/azphalt/submissions/internal/source"
)

// Parse reads the settings from data, the bytes of the named file; rules are all that there are. Every fault is a finding,
// an error at the key or value at fault, and with any of them the result is that of Default: whoever acts on it must look
// at the findings first, since Default denies nothing and trusts nobody.
func Parse(file string, data []byte, rules []finding.Rule) (*Config, []finding.Finding) {
	d := decoder{
		faults: &faults{file: file, text: source.New(data[:min(len(data), maxSize)])},
		config: Default(),
		rules:  map[string]finding.Rule{},
		values: map[string]*node{},
	}
	for _, r := range rules {
		d.rules[r.ID] = r
	}
	d.top = d.keys()
	if len(data) > maxSize {
		d.add(syntax, span{0, 1}, say("shorten it"), "the file is larger than %d KiB", maxSize>>10)
	} else if root := d.parse(); root != nil {
		d.read("", root, field{fields: d.top})
		d.agree()
	}
	if len(d.list) > 0 {
		return Default(), d.findings()
	}
	masks := d.masks()
	for i, at := range d.waived {
		d.config.Waivers[i].excerpt = d.text.Excerpt(at.start, at.end, masks)
	}
	return d.config, nil
}

// decoder fills a Config from nodes.
type decoder struct {
	*faults
	config *Config
	rules  map[string]finding.Rule
	top    fields
	values map[string]*node // what the file gives, by dotted key
	waived []span           // of the rule of each waiver
}

// reader takes a value in, or reports what is wrong with it. The path is the dotted key, for messages.
type reader func(path string, n *node)

// field is what a key may have as its value: a mapping of fields, or what the reader takes.
type field struct {
	fields fields
	read   reader
}

type fields map[string]field

// keys are those of the file.
func (d *decoder) keys() fields {
	c := d.config
	return fields{
		"submissions": {read: text(d, &c.Submissions, folder)},
		"rules":       {read: d.severities},
		"waivers":     {read: list(d, &c.Waivers, d.waiver)},
		"trust":       {fields: fields{"keys": {read: list(d, &c.Trust, d.trusted)}}},
		"deny": {fields: fields{
			"digests": {read: list(d, &c.Deny.Digests, d.digest)},
			"keys":    {read: list(d, &c.Deny.Keys, d.publicKey)},
		}},
		"merge": {fields: fields{
			"enabled":         {read: boolean(d, &c.Merge.Enabled)},
			"strategy":        {read: choice(d, &c.Merge.Strategy, StrategyCountersigned, StrategyAPI)},
			"method":          {read: choice(d, &c.Merge.Method, MethodMerge, MethodSquash, MethodRebase)},
			"unsigned":        {read: choice(d, &c.Merge.Unsigned, UnsignedReject, UnsignedSign)},
			"new-publisher":   {read: choice(d, &c.Merge.NewPublisher, NewPublisherApproval, NewPublisherAuto)},
			"approvals":       {read: count(d, &c.Merge.Approvals, maxApprovals)},
			"required-checks": {read: list(d, &c.Merge.RequiredChecks, d.check)},
			"hold-label":      {read: text(d, &c.Merge.HoldLabel, label)},
			"delete-branch":   {read: boolean(d, &c.Merge.DeleteBranch)},
		}},
		"registry": {fields: fields{
			"name": {read: text(d, &c.Registry.Name, name)},
			"path": {read: text(d, &c.Registry.Path, folder)},
			"url":  {read: d.address},
		}},
	}
}

// read takes in the value of a key.
func (d *decoder) read(path string, n *node, f field) {
	d.values[path] = n
	if f.read != nil {
		f.read(path, n)
		return
	}
	for _, p := range d.pairs(path, n) {
		if inner, ok := f.fields[p.key.text]; ok {
			d.read(join(path, p.key.text), p.value, inner)
		} else {
			d.unknownKey(path, p, f.fields)
		}
	}
}

// pairs returns what is in a value that has to be a mapping; nothing is an empty one.
func (d *decoder) pairs(path string, n *node) []pair {
	switch {
	case n.empty():
		return nil
	case n.kind != mapping:
		d.wrongType(path, n, "a mapping", say("write keys and values below it"))
		return nil
	}
	var out []pair
	for _, p := range n.pairs {
		if p.key.kind == scalar {
			out = append(out, p)
		} else {
			d.hide(p.value)
		}
	}
	return out
}

func join(path, key string) string {
	if path == "" {
		return key
	}
	return path + "." + key
}

// called is what messages call a value.
func called(path string) string {
	if path == "" {
		return "the file"
	}
	return path
}

// unknownKey reports a key that its mapping does not have.
func (d *decoder) unknownKey(path string, p pair, known fields) {
	d.hide(p.value)
	names := slices.Sorted(maps.Keys(known))
	meant, ok := nearest(p.key.text, names)
	fix := say("use one of: %s", strings.Join(names, ", "))
	if ok {
		fix = d.put(p.key, meant, "write %s", meant)
	} else if home := d.home(p.key.text); home != "" {
		fix = say("move it to %s, where it belongs", home)
	}
	d.add(unknownKey, p.key.at, fix, "%s has no key %s%s", called(path), quote(p.key.text), didYouMean(meant, ok))
}

// home returns the section that has a key.
func (d *decoder) home(key string) string {
	for _, section := range slices.Sorted(maps.Keys(d.top)) {
		if _, ok := d.top[section].fields[key]; ok {
			return section
		}
	}
	return ""
}

// require reports the keys that a mapping must have and has not.
func (d *decoder) require(rule finding.Rule, path string, n *node, keys ...string) {
	if n.kind != mapping {
		return
	}
	for _, p := range n.pairs {
		keys = slices.DeleteFunc(keys, func(key string) bool {
			_, meant := nearest(p.key.text, []string{key}) // a misspelt key is reported as such
			return meant
		})
	}
	if len(keys) > 0 {
		d.add(rule, n.at, say("add %s", strings.Join(keys, " and ")), "%s has no %s", path, strings.Join(keys, " and no "))
	}
}

// agree reports values that are sound by themselves but not together.
func (d *decoder) agree() {
	c := d.config
	if d.sound("merge.strategy", string(c.Merge.Strategy)) && c.Merge.Strategy != StrategyAPI && c.Merge.Method != MethodMerge {
		d.add(badValue, d.values["merge.method"].at, say("delete it, or set merge.strategy to %s", StrategyAPI),
			"merge.method %s has no effect: with merge.strategy %s there is always a merge commit", c.Merge.Method, c.Merge.Strategy)
	}
	a, b := c.Submissions, c.Registry.Path
	if d.sound("submissions", a) && d.sound("registry.path", b) && (within(a, b) || within(b, a)) {
		at := d.values["registry.path"]
		if at == nil {
			at = d.values["submissions"]
		}
		d.add(badValue, at.at, say("keep the two folders apart"), "the folders of submissions (%s) and registry.path (%s) overlap", quote(a), quote(b))
	}
	if len(c.Waivers) > maxWaivers {
		d.add(badValue, d.values["waivers"].at, say("mend what they are for"), "waivers has more than %d items", maxWaivers)
	}
}

// sound reports whether a value is the file's, or the file gives none: a value at fault leaves the default in its place.
func (d *decoder) sound(path, value string) bool {
	n := d.values[path]
	return n == nil || n.kind == scalar && n.text == value
}
