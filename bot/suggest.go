package bot

import (
	"context"
	"slices"
	"strings"

	"github.com/azphalt/submissions/annotate"
	"github.com/azphalt/submissions/finding"
)

// maxSuggestions is how many suggestions one review has; more would bury the rest of the conversation.
const maxSuggestions = 20

// suggest offers the mends that can be taken over with a click: those on lines of source manifests that the pull request
// brought. It does so once for each head.
func (e *evaluation) suggest(ctx context.Context) error {
	p := &e.state.Progress
	if e.judgement == nil || p.Suggested == e.pull.HeadSHA {
		return nil
	}
	list, err := e.suggestions(ctx)
	if err != nil || len(list) == 0 {
		return err
	}
	p.Suggested = e.pull.HeadSHA
	if err := e.save(ctx); err != nil {
		return err
	}
	e.step("suggest")
	err = e.gh.Suggest(ctx, e.state.Number, e.pull.HeadSHA, "These findings have a mend that can be taken over as it is.", list)
	if Status(err) != 0 { // it is a help, not a condition: GitHub may refuse it
		e.log.Info("suggestions were refused", "error", err)
		return nil
	}
	return err
}

func (e *evaluation) suggestions(ctx context.Context) ([]Suggestion, error) {
	texts := map[string]*suggestable{}
	var out []Suggestion
	for _, f := range e.judgement.Report.Findings() {
		if f.Fix == nil || len(f.Fix.Edits) == 0 || f.Entry != "" || !slices.Contains(e.judgement.Changed, f.File) || len(out) == maxSuggestions {
			continue
		}
		t, ok := texts[f.File]
		if !ok {
			var err error
			if t, err = e.suggestable(ctx, f.File); err != nil {
				return nil, err
			}
			texts[f.File] = t
		}
		if s, ok := t.suggestion(f); ok && !e.showsSecret(f, s) {
			out = append(out, s)
		}
	}
	return out, nil
}

// showsSecret reports whether a suggestion would repeat a secret: one that another finding is about, or that the mend does
// not replace as a whole.
func (e *evaluation) showsSecret(f finding.Finding, s Suggestion) bool {
	for _, other := range e.judgement.Report.Findings() {
		if !tellsSecret(other.Rule) || other.File != f.File || other.EndLine < s.Line || other.Line > s.LastLine {
			continue
		}
		covered := slices.ContainsFunc(f.Fix.Edits, func(edit finding.Edit) bool { return covers(edit.Range, other.Range) })
		if !covered {
			return true
		}
	}
	return false
}

func covers(outer, inner finding.Range) bool {
	starts := outer.Line < inner.Line || outer.Line == inner.Line && outer.Column <= inner.Column
	ends := outer.EndLine > inner.EndLine || outer.EndLine == inner.EndLine && outer.EndColumn >= inner.EndColumn
	return starts && ends
}

// suggestable is a text that the pull request changed, by lines.
type suggestable struct {
	lines  []string
	before map[string]bool // lines that were there before
	taken  map[int]bool    // lines that have a suggestion
}

// maxManifest bounds a text for which suggestions are made.
const maxManifest = 4 << 20

func (e *evaluation) suggestable(ctx context.Context, file string) (*suggestable, error) {
	head, ok, err := readAll(ctx, e.gh, e.judgement.Head, file, maxManifest)
	if err != nil || !ok {
		return &suggestable{}, err
	}
	base, _, err := readAll(ctx, e.gh, e.judgement.MergeBase, file, maxManifest)
	if err != nil {
		return nil, err
	}
	t := &suggestable{lines: strings.Split(string(head), "\n"), before: map[string]bool{}, taken: map[int]bool{}}
	if len(base) > 0 {
		for l := range strings.SplitSeq(string(base), "\n") {
			t.before[l] = true
		}
	}
	return t, nil
}

// suggestion replaces the lines that a mend touches. GitHub takes a comment only on lines of the diff; a line that was
// nowhere in the file before surely is one.
func (t *suggestable) suggestion(f finding.Finding) (Suggestion, bool) {
	edits := f.Fix.Edits
	first, last := edits[0].Line, edits[len(edits)-1].EndLine
	if first < 1 || last < first || last > len(t.lines) {
		return Suggestion{}, false
	}
	for i := first; i <= last; i++ {
		if t.before[t.lines[i-1]] || t.taken[i] || len(t.lines[i-1]) > maxSuggestedLine || !touched(edits, i) {
			return Suggestion{}, false
		}
	}
	text, ok := applied(t.lines[first-1:last], first, edits)
	if !ok || strings.Contains(text, "```") {
		return Suggestion{}, false
	}
	for i := first; i <= last; i++ {
		t.taken[i] = true
	}
	body := "**" + f.Rule + "**: " + annotate.Prose(f.Message) + "\n\n```suggestion\n" + text + "\n```\n"
	return Suggestion{Path: f.File, Line: first, LastLine: last, Body: body}, true
}

// maxSuggestedLine bounds the lines that a suggestion repeats. It repeats none that the mend leaves alone: what stands there
// may be nobody's to show.
const maxSuggestedLine = 240

func touched(edits []finding.Edit, line int) bool {
	return slices.ContainsFunc(edits, func(e finding.Edit) bool { return e.Line <= line && line <= e.EndLine })
}

// applied returns lines, of which the first has a number, with edits carried out from the last one back.
func applied(lines []string, first int, edits []finding.Edit) (string, bool) {
	text := []rune(strings.Join(lines, "\n"))
	offset := func(line, column int) int {
		at := 0
		for _, l := range lines[:min(max(line-first, 0), len(lines))] {
			at += len([]rune(l)) + 1
		}
		return at + column - 1
	}
	for _, e := range slices.Backward(edits) {
		from, to := offset(e.Line, e.Column), offset(e.EndLine, e.EndColumn)
		if from < 0 || to < from || to > len(text) {
			return "", false
		}
		text = slices.Concat(text[:from], []rune(e.Text), text[to:])
	}
	return strings.ReplaceAll(string(text), "\r", ""), true
}
