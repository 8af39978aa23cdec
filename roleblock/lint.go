package roleblock

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"github.com/azphalt/submissions/finding"
)

// Options set up a lint. The zero value is ready to use.
type Options struct {
	// Severity returns the severity to use for a rule in place of its default; nil keeps the defaults.
	Severity func(rule string, def finding.Severity) finding.Severity
	Limits   Limits
}

// Finding is a fault with the role or user that it is about, where one place can have several faults.
type Finding struct {
	finding.Finding
	About string // a role or user; mostly empty
}

// compare orders findings by file, line, rule and what they are about; the rest only makes the order certain.
func compare(a, b Finding) int {
	return cmp.Or(
		cmp.Compare(a.File, b.File),
		cmp.Compare(a.Line, b.Line),
		cmp.Compare(a.Rule, b.Rule),
		cmp.Compare(a.About, b.About),
		cmp.Compare(a.Column, b.Column),
		cmp.Compare(a.Message, b.Message),
	)
}

// Lint checks the MCP service blocks of all roles in a tree: fsys is what holds the directory roles. No symbolic link in
// it is followed. The error tells that something could not be read; faults in the files are findings.
func Lint(fsys fs.FS, opts Options) (*Result, error) {
	limits := opts.Limits.orDefault()
	l := &lint{tree: newTree(fsys), severity: opts.Severity, limits: limits, left: limits.Tree, seen: map[faultKey]bool{}}
	if err := l.run(); err != nil {
		return nil, fmt.Errorf("lint of roles: %w", err)
	}
	return l.result(), nil
}

// lint is one run.
type lint struct {
	tree
	severity   func(string, finding.Severity) finding.Severity
	limits     Limits
	left       Volume // of the tree's
	categories categories
	subjects   []*subject // by name
	model      *Model
	holders    map[credential]string // the first role with a secret that others may share
	err        error                 // that a check came upon

	found   []Finding
	seen    map[faultKey]bool
	dropped *place // of the first finding beyond the limit
}

// subject is a role while it is judged: what the model keeps of it, and where that is written.
type subject struct {
	*role
	blockFile, servicesFile *file
	marks                   marks
}

// faultKey is what no two findings share.
type faultKey struct {
	rule, path string
	span       span
	about      string
	message    string
}

// add records a fault, unless it is silenced or known already.
func (l *lint) add(r *rule, f fault) {
	severity := r.Severity
	if l.severity != nil {
		severity = l.severity(r.ID, severity)
	}
	id := faultKey{r.ID, f.file.path, f.span, f.about, f.message}
	if severity == finding.Off || f.file.silences(f.start) || l.seen[id] {
		return
	}
	if len(l.found) >= l.limits.Findings {
		if l.dropped == nil {
			l.dropped = &f.place
		}
		return
	}
	l.seen[id] = true
	l.record(r.ID, severity, f)
}

func (l *lint) record(rule string, severity finding.Severity, f fault) {
	l.found = append(l.found, f.finding(rule, severity))
}

// finding makes what is shown of a fault.
func (f *fault) finding(rule string, severity finding.Severity) Finding {
	out := Finding{About: f.about, Finding: finding.Finding{
		Rule: rule, Severity: severity, Message: f.message, File: f.file.path,
		Range:   f.file.text.Range(f.start, f.end),
		Excerpt: f.file.text.Excerpt(f.start, f.end, nil),
	}}
	if f.fix != "" {
		out.Fix = &finding.Fix{Description: f.fix, Edits: f.edits}
	}
	return out
}

func (l *lint) run() error {
	if err := l.readCategories(); err != nil {
		return err
	}
	names, links, err := l.roles()
	if err != nil {
		return err
	}
	for _, link := range links {
		l.unreadable(irregular{link, fs.ModeSymlink})
	}
	for i, name := range names {
		if i == l.limits.Roles {
			l.tooManyRoles(name)
			break
		}
		if err := l.judgeRole(name); err != nil {
			return err
		}
	}
	l.model = newModel(l.subjects)
	l.holders = firstHolders(l.model)
	for _, s := range l.subjects {
		p := &pass{lint: l, role: s}
		p.run(estateRules)
	}
	if err := l.judgeUsers(treeUsersFile, nil); err != nil {
		return err
	}
	l.finish()
	return l.err
}

// note keeps the first error of a check.
func (l *lint) note(err error) {
	if l.err == nil {
		l.err = err
	}
}

// read reads and parses a file of the tree and applies the rules of all files; nil means that there is none.
func (l *lint) read(name string) (*document, error) {
	data, ok, err := l.tree.read(name, min(l.limits.File.Bytes, l.left.Bytes))
	if other := (irregular{}); errors.As(err, &other) {
		return l.unreadable(other), nil
	}
	if err != nil || !ok {
		return nil, err
	}
	var d *document
	if excess := l.excess(volume(data)); excess == "" {
		d = parse(name, data, l.limits.Depth)
	} else {
		d = &document{file: newFile(name, data)}
		d.markers = findMarkers(data, nil)
		d.fail(tooLarge, span{}, fault{message: excess, fix: "shorten the file, or exempt it with a comment in its head"})
	}
	l.judge(&pass{document: d}, fileRules)
	return d, nil
}

// unreadable reports what stands in the place of a file or directory.
func (l *lint) unreadable(other irregular) *document {
	d := &document{file: newFile(other.path, nil)}
	f := fault{message: "a file is expected here, and this is none", fix: "put a regular file here, or remove this"}
	if found(other).isLink() {
		f.message, f.fix = "this is a symbolic link, and links are not followed", "put the files themselves here"
	}
	d.fail(unreadablePath, span{}, f)
	l.judge(&pass{document: d}, fileRules)
	return d
}

// excess says what a file of that volume is too large for, if anything, and counts it.
func (l *lint) excess(v Volume) (message string) {
	if excess := v.exceeds(l.limits.File); excess != "" {
		message, v.Tokens = "the file holds "+excess, 0
	} else if v.exceeds(l.left) != "" {
		message = fmt.Sprintf("with this file the tree holds more than %d bytes, or than %d keys, values and lines, of YAML",
			l.limits.Tree.Bytes, l.limits.Tree.Tokens)
	}
	l.left.Bytes, l.left.Tokens = max(0, l.left.Bytes-v.Bytes), max(0, l.left.Tokens-v.Tokens)
	return message
}

func (l *lint) readCategories() error {
	l.categories = newCategories(builtinCategories)
	d, err := l.read(categoriesFile)
	if err == nil && d != nil && d.readable() {
		l.categories = readCategories(d)
		l.judge(&pass{document: d}) // no rule is about them, but they may be too large
	}
	return err
}

// judgeRole reads the files of a role and applies the rules that need no other role.
func (l *lint) judgeRole(name string) error {
	s := &subject{role: &role{name: name, entity: l.categories.entity(name)}}
	l.subjects = append(l.subjects, s)
	if err := l.judgeServices(s); err != nil {
		return err
	}
	if err := l.judgeBlock(s); err != nil {
		return err
	}
	return l.judgeUsers(rolePath(name, usersFile), s)
}

func (l *lint) judgeServices(s *subject) error {
	d, err := l.read(rolePath(s.name, servicesFile))
	if err != nil {
		return err
	}
	if d == nil {
		s.services = services{readable: true}
		return nil
	}
	s.servicesFile = d.file
	s.services = readServices(d)
	if d.readable() {
		l.judge(&pass{role: s, document: d}, servicesRules)
	}
	return nil
}

func (l *lint) judgeUsers(name string, s *subject) error {
	d, err := l.read(name)
	if err == nil && d != nil && d.readable() {
		l.judge(&pass{role: s, document: d}, usersRules)
	}
	return err
}

func (l *lint) judgeBlock(s *subject) error {
	d, err := l.read(rolePath(s.name, blockFile))
	if err != nil || d == nil || !d.readable() {
		return err
	}
	b := readBlock(d)
	p := &pass{role: s, document: d, block: b}
	switch {
	case b == nil:
		l.judge(p, shapeRules)
	case !b.deployable():
		l.judge(p, blockRules, vocabularyRules)
	default:
		groups := [][]rule{blockRules, vocabularyRules, deployableRules}
		if b.serves() {
			groups = append(groups, serverRules)
		}
		if b.consumes() {
			groups = append(groups, clientRules)
		}
		if b.implementation.is("adapter") {
			groups = append(groups, adapterRules)
		}
		l.judge(p, groups...)
		s.blockFile, s.block, s.marks = d.file, b.facts(), b.marks()
	}
	return nil
}

// judge runs groups of rules over a document that was read.
func (l *lint) judge(p *pass, groups ...[]rule) {
	p.lint, p.judged = l, map[*node]bool{}
	for _, g := range groups {
		p.run(g)
	}
	if p.document.overspent() {
		p.document.fail(tooLarge, span{}, fault{
			message: "the merge keys of the file take too many steps to expand", fix: "use fewer"})
		p.run(fileRules)
	}
}

// finish puts the findings in order.
func (l *lint) finish() {
	if l.dropped != nil {
		l.record(tooLarge, finding.Error, fault{place: *l.dropped,
			message: fmt.Sprintf("there are more findings than the %d that are kept; this place has the first of the rest", len(l.found)),
			fix:     "mend the others first"})
	}
	slices.SortStableFunc(l.found, compare)
}

func (l *lint) tooManyRoles(first string) {
	d := &document{file: newFile(rolePath(first, blockFile), nil)}
	d.fail(tooLarge, span{}, fault{
		message: fmt.Sprintf("more than %d roles; this one and the rest were not checked", l.limits.Roles),
		fix:     "check the tree in parts"})
	l.judge(&pass{document: d}, fileRules)
}
