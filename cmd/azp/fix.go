package main

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/azphalt/submissions/check"
	"github.com/azphalt/submissions/finding"
	"github.com/azphalt/submissions/internal/atomicfile"
	"github.com/azphalt/submissions/internal/mend"
	"github.com/azphalt/submissions/probe"
)

// maxFixRounds bounds how often the packages are judged and mended again: a mend may bring out what another one mends.
const maxFixRounds = 20

// fixer carries out the mends of reports on the files of the working tree.
type fixer struct {
	args []string // the paths of the command line
	// mended counts the findings by file and rule; kept says of files why they stay as they are.
	mended map[string]map[string]int
	kept   map[string]string
}

func newFixer(args []string) *fixer {
	return &fixer{args: args, mended: map[string]map[string]int{}, kept: map[string]string{}}
}

// fixAll judges, mends what it can, says what that was, and returns the report of what is left. Servers are asked of what is
// mended already, and once.
func fixAll(stderr io.Writer, args []string, opt check.Options, judging func(check.Options) func() (*finding.Report, error)) (*finding.Report, error) {
	x := newFixer(args)
	defer x.tell(stderr)
	asking := opt.Probe
	opt.Probe = check.Probe{}
	judge := judging(opt)
	report, err := judge()
	report, err = x.run(report, err, judge)
	if asking.Asked() {
		var forget func()
		opt.Probe, forget = probe.Once(asking)
		defer forget()
		judge = judging(opt)
		report, err = judge()
		report, err = x.run(report, err, judge)
	}
	return report, err
}

// run mends what is in a report, and judges and mends again until nothing is left to mend. It returns the last report.
func (x *fixer) run(report *finding.Report, err error, judge func() (*finding.Report, error)) (*finding.Report, error) {
	for range maxFixRounds {
		changed, fixErr := x.round(report)
		if changed {
			report, err = judge()
		}
		if fixErr != nil {
			return report, fixErr
		}
		if !changed {
			break
		}
	}
	return report, err
}

// round makes the edits of one report, and reports whether a file has changed.
func (x *fixer) round(report *finding.Report) (changed bool, err error) {
	byFile := map[string][]finding.Finding{}
	for _, p := range report.Packages {
		for _, f := range p.Findings {
			switch {
			case f.Fix == nil || len(f.Fix.Edits) == 0:
			case p.Shape == finding.Built:
				x.kept[f.File] = "an archive is never edited: mend its source, and pack and sign it again"
			default:
				byFile[f.File] = append(byFile[f.File], f)
			}
		}
	}
	for _, file := range slices.Sorted(maps.Keys(byFile)) {
		edited, err := x.file(file, byFile[file])
		if err != nil {
			return changed, err
		}
		changed = changed || edited
	}
	return changed, nil
}

// file makes the edits of one file, and reports whether there were any. The file is written whole or not at all.
func (x *fixer) file(file string, findings []finding.Finding) (edited bool, err error) {
	path := filepath.FromSlash(file)
	info, err := os.Lstat(path)
	if err != nil {
		return false, err
	}
	if !info.Mode().IsRegular() || x.behindLink(path) {
		x.kept[file] = "it is reached by a link, which is not followed"
		return false, nil
	}
	before, err := os.ReadFile(path)
	if err != nil {
		return false, err
	}
	after, mended := mend.JSON(before, findings)
	if bytes.Equal(before, after) {
		return false, nil
	}
	write := func(w io.Writer) error {
		_, err := w.Write(after)
		return err
	}
	if err := atomicfile.Write(path, info.Mode().Perm(), write); err != nil {
		return false, err
	}
	if x.mended[file] == nil {
		x.mended[file] = map[string]int{}
	}
	for _, f := range mended {
		x.mended[file][f.Rule]++
	}
	return true, nil
}

// behindLink reports whether a folder between the path of the command line and the file is a link.
func (x *fixer) behindLink(path string) bool {
	for dir := filepath.Dir(path); dir != filepath.Dir(dir) && !x.isArgument(dir); dir = filepath.Dir(dir) {
		if info, err := os.Lstat(dir); err != nil || !info.IsDir() {
			return true
		}
	}
	return false
}

// isArgument reports whether a path was given on the command line, which may be a link.
func (x *fixer) isArgument(path string) bool {
	return slices.ContainsFunc(x.args, func(arg string) bool { return filepath.Clean(arg) == path })
}

// tell says what was mended, and what was not and why.
func (x *fixer) tell(stderr io.Writer) {
	for _, file := range slices.Sorted(maps.Keys(x.mended)) {
		rules := slices.SortedFunc(maps.Keys(x.mended[file]), cmp.Compare)
		for i, rule := range rules {
			if n := x.mended[file][rule]; n > 1 {
				rules[i] = fmt.Sprintf("%s (%d)", rule, n)
			}
		}
		fmt.Fprintf(stderr, "mended %s: %s\n", file, strings.Join(rules, ", "))
	}
	for _, file := range slices.Sorted(maps.Keys(x.kept)) {
		fmt.Fprintf(stderr, "left as it is: %s: %s\n", file, x.kept[file])
	}
}
