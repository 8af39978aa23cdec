package main

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/azphalt/submissions/azp"
	"github.com/azphalt/submissions/check"
	"github.com/azphalt/submissions/finding"
)

var update = flag.Bool("update", false, "write testdata/findings.golden anew")

// exampleTree is the example as it is in the tree.
var exampleTree = os.DirFS("../../" + example)

// judged are the packages of the example, judged with its trust store.
var judged = sync.OnceValues(func() ([]finding.Package, error) {
	text, err := fs.ReadFile(exampleTree, "trust-store.json")
	if err != nil {
		return nil, err
	}
	store, err := azp.ParseTrustStore(text)
	if err != nil {
		return nil, err
	}
	c := check.New(check.Options{Trust: &store})
	targets, err := c.Discover(exampleTree, ".", "")
	if err != nil {
		return nil, err
	}
	var packages []finding.Package
	for _, target := range targets {
		p, err := c.Judge(context.Background(), exampleTree, target)
		if err != nil {
			return nil, err
		}
		packages = append(packages, p)
	}
	report := finding.Report{Packages: packages}
	report.Sort()
	return report.Packages, nil
})

func judgedPackages(t *testing.T) []finding.Package {
	t.Helper()
	packages, err := judged()
	if err != nil {
		t.Fatal(err)
	}
	return packages
}

// Every package has the verdict and the findings that it is there for. After a wanted change: go test -update.
func TestFindings(t *testing.T) {
	const golden = "testdata/findings.golden"
	var out bytes.Buffer
	for _, p := range judgedPackages(t) {
		fmt.Fprintf(&out, "%s %s, %s\n", p.Path, p.Verdict(), standing(p))
		for _, f := range p.Findings {
			fmt.Fprintf(&out, "\t%s %s %s\n", f.Severity, f.Rule, placeOf(f))
		}
	}
	if *update {
		if err := os.WriteFile(golden, out.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := strings.Split(out.String(), "\n"), strings.Split(string(want), "\n"); !slices.Equal(got, want) {
		for _, line := range got {
			if !slices.Contains(want, line) {
				t.Errorf("unexpected: %s", line)
			}
		}
		for _, line := range want {
			if !slices.Contains(got, line) {
				t.Errorf("missing: %s", line)
			}
		}
		t.Errorf("%s: the findings are others", golden)
	}
}

// standing is the shape of a package and what its signature is worth.
func standing(p finding.Package) string {
	switch {
	case p.Shape == finding.Source:
		return "source"
	case p.Trust.Trusted:
		return "built, trusted"
	case p.Signed:
		return "built, signed"
	default:
		return "built, unsigned"
	}
}

func placeOf(f finding.Finding) string {
	place := f.File
	if f.Entry != "" {
		place += "!" + f.Entry
	}
	if f.Line > 0 {
		place += fmt.Sprintf(":%d", f.Line)
	}
	if f.Source != nil {
		place += fmt.Sprintf(" (%s:%d)", f.Source.File, f.Source.Line)
	}
	return place
}

// The verdict of a package is in its name.
func TestNamesTellVerdicts(t *testing.T) {
	for _, p := range judgedPackages(t) {
		want := finding.Off
		switch {
		case strings.HasPrefix(p.Path, "com.example.bad."):
			want = finding.Error
		case strings.HasPrefix(p.Path, "com.example.warn."):
			want = finding.Warning
		case !strings.HasPrefix(p.Path, "com.example.good."):
			t.Errorf("%s: neither good nor bad by its name", p.Path)
		}
		if worst := finding.Worst(p.Findings); worst != want {
			t.Errorf("%s: the gravest finding is %v, by its name it should be %v", p.Path, worst, want)
		}
	}
}

// noteRow is a row of a table in the README: package, form, note, rules.
var noteRow = regexp.MustCompile(`(?m)^\| \[(com\.example\.\S+)\]\((\S+)\) \| ([^|]+) \| ([^|]+) \|(?: ([^|]*) \|)?$`)

// Each package has one note in the README, with just the rules that it breaks; each note has a package.
func TestNotes(t *testing.T) {
	readme, err := fs.ReadFile(exampleTree, "README.md")
	if err != nil {
		t.Fatal(err)
	}
	noted := map[string][]string{}
	for _, row := range noteRow.FindAllStringSubmatch(string(readme), -1) {
		id, link, rules := row[1], row[2], row[5]
		if _, twice := noted[id]; twice {
			t.Errorf("%s has two notes", id)
		}
		if link != id {
			t.Errorf("%s: the note links to %s", id, link)
		}
		noted[id] = []string{}
		for rule := range strings.FieldsSeq(rules) {
			noted[id] = append(noted[id], strings.Trim(rule, "`,"))
		}
		slices.Sort(noted[id])
	}
	found := map[string][]string{}
	for _, p := range judgedPackages(t) {
		id, _, _ := strings.Cut(p.Path, "/")
		for _, f := range p.Findings {
			found[id] = append(found[id], f.Rule)
		}
		slices.Sort(found[id])
		found[id] = slices.Compact(found[id])
	}
	for id, rules := range found {
		if note, ok := noted[id]; !ok {
			t.Errorf("%s has no note in the README", id)
		} else if !slices.Equal(note, rules) {
			t.Errorf("%s: the note names %v, the findings %v", id, note, rules)
		}
	}
	for id := range noted {
		if _, ok := found[id]; !ok {
			t.Errorf("the README has a note on %s, which is not there", id)
		}
	}
}

// committedPackage is the package in the tree that carries the server.
type committedPackage struct {
	server server
	offers []string // the tools that its manifest offers
}

func committed(t *testing.T) committedPackage {
	t.Helper()
	id, _ := recipe{name: textTools}.split()
	archive, err := fs.ReadFile(exampleTree, path.Join(id, textTools+".azp"))
	if err != nil {
		t.Fatal(err)
	}
	list, err := unpack(archive)
	if err != nil {
		t.Fatal(err)
	}
	var p committedPackage
	var manifest struct {
		Metadata struct{ Toolchain string }
		MCP      struct{ Offers struct{ Tools []string } }
	}
	for _, e := range list {
		switch e.name {
		case module:
			p.server.module = e.data
		case azp.ManifestName:
			if err := json.Unmarshal(e.data, &manifest); err != nil {
				t.Fatal(err)
			}
		}
	}
	p.server.toolchain, p.offers = manifest.Metadata.Toolchain, manifest.MCP.Offers.Tools
	return p
}

// The generated files in the tree are, byte for byte, what the generator makes of the server that is in the tree; and
// there is no archive that it does not make.
func TestGeneratedFilesAreUpToDate(t *testing.T) {
	files, err := generate(t.Context(), committed(t).server)
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range files {
		if got, err := fs.ReadFile(exampleTree, name); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s is not what the generator makes (%v): run `go run ./internal/examplegen`", name, err)
		}
	}
	err = fs.WalkDir(exampleTree, ".", func(name string, _ fs.DirEntry, err error) error {
		if _, ok := files[name]; !ok && path.Ext(name) == ".azp" {
			t.Errorf("%s is not made by the generator", name)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// The server in the tree is, byte for byte, what its source gives.
func TestServerIsUpToDate(t *testing.T) {
	inTree := committed(t).server
	built, err := buildServer(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if built.toolchain != inTree.toolchain {
		t.Skipf("NOT COMPARED: the server in the tree was built by %s, and this is %s, which gives other bytes; everything but them is compared by TestGeneratedFilesAreUpToDate",
			inTree.toolchain, built.toolchain)
	}
	if !bytes.Equal(built.module, inTree.module) {
		t.Error("the server in the tree is not what its source gives: run `go run ./internal/examplegen`")
	}
}

// No byte of the example looks like a private key, or like one of the tokens by which push protection stops a push.
func TestNoSecretIsInTheTree(t *testing.T) {
	secret := regexp.MustCompile(`PRIVATE KEY|gh[pousr]_[A-Za-z0-9]{36}|github_pat_|AKIA[0-9A-Z]{16}|xox[abp]-|sk-[A-Za-z0-9]{20}|eyJ[A-Za-z0-9_-]{10,}\.eyJ`)
	err := fs.WalkDir(exampleTree, ".", func(name string, e fs.DirEntry, err error) error {
		if err != nil || !e.Type().IsRegular() {
			return err
		}
		data, err := fs.ReadFile(exampleTree, name)
		if found := secret.Find(data); found != nil {
			t.Errorf("%s holds what looks like a secret: %.4s…", name, found)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}
