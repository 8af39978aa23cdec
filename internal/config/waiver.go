package config

import (
	"fmt"
	"strings"
	"time"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/azphalt/submissions/finding"
	"github.com/azphalt/submissions/internal/source"
)

// Waiver exempts findings of a rule in some files until a day.
type Waiver struct {
	Rule   string
	Path   string    // a pattern of paths from the repository's root: * and ? within a name, ** for any number of folders
	Reason string    // one line
	Until  time.Time // the instant at which the last day ends, in UTC

	Place   finding.Place // of the rule's name in the file
	excerpt *finding.Excerpt
}

// Expired reports whether the waiver's last day is over.
func (w Waiver) Expired(now time.Time) bool { return !now.Before(w.Until) }

// lastDay returns the last day as the file gives it.
func (w Waiver) lastDay() string { return w.Until.Add(-time.Nanosecond).Format(time.DateOnly) }

// Matches reports whether the waiver is about findings of the rule in the file, a path from the repository's root.
func (w Waiver) Matches(rule, file string) bool {
	return w.Rule == rule && doublestar.MatchUnvalidated(w.Path, file)
}

// Below reports whether all that the waiver is about is in a folder, "." being that of the repository.
func (w Waiver) Below(folder string) bool {
	base, _ := doublestar.SplitPattern(w.Path)
	return folder == "." || base == folder || strings.HasPrefix(base, folder+"/")
}

// ApplyWaivers turns the findings that are waived into notices that say so, with the reason and the last day; they keep
// their mend in words, not its edits, as they are to stay. An expired waiver waives nothing: where a finding would have
// needed it, that is a finding itself. So are the expired and the unused waivers that no finding asks for, where judged
// says that all they are about was judged; nil says that of none.
//
// To be called once, after all findings have got their severity. The waivers' own findings go to r.General.
func (c *Config) ApplyWaivers(r *finding.Report, now time.Time, judged func(Waiver) bool) {
	w := waiving{config: c, now: now, byRule: map[string][]int{}, asked: make([]bool, len(c.Waivers))}
	for i, waiver := range c.Waivers {
		w.byRule[waiver.Rule] = append(w.byRule[waiver.Rule], i)
	}
	for i := range r.Packages {
		w.apply(r.Packages[i].Findings)
	}
	for i := range r.Roles {
		w.apply(r.Roles[i].Findings)
	}
	w.apply(r.General)
	r.General = append(r.General, w.remarks(judged)...)
}

// waiving is one application of the waivers.
type waiving struct {
	config *Config
	now    time.Time
	byRule map[string][]int // indices of waivers
	asked  []bool           // waivers that a finding needs, or would need if they were not expired
}

func (w *waiving) apply(findings []finding.Finding) {
	for i := range findings {
		f := &findings[i]
		if waiver := w.pick(f.Rule, f.File); waiver != nil {
			f.Severity = finding.Notice
			f.Message = fmt.Sprintf("waived until %s (%s, line %d: %s): %s",
				waiver.lastDay(), waiver.Place.File, waiver.Place.Line, source.Visible(masked(waiver.Reason)), f.Message)
			if f.Fix != nil {
				f.Fix = &finding.Fix{Description: f.Fix.Description}
			}
		}
	}
}

// pick returns the waiver for a finding: the first that holds. The expired ones before it have been asked in vain.
func (w *waiving) pick(rule, file string) *Waiver {
	for _, i := range w.byRule[rule] {
		waiver := &w.config.Waivers[i]
		if !waiver.Matches(rule, file) {
			continue
		}
		w.asked[i] = true
		if !waiver.Expired(w.now) {
			return waiver
		}
	}
	return nil
}

// remarks returns the findings about the waivers themselves.
func (w *waiving) remarks(judged func(Waiver) bool) []finding.Finding {
	var out []finding.Finding
	for i, waiver := range w.config.Waivers {
		rule, message, mend := waiverUnused, "no finding needs this waiver", "delete it"
		if waiver.Expired(w.now) {
			rule, mend = waiverExpired, "mend what it was for and delete it, or give it a new end"
			message = fmt.Sprintf("this waiver ended on %s and waives nothing any more", waiver.lastDay())
		} else if w.asked[i] {
			continue
		}
		severity := w.config.Severity(rule)
		if severity == finding.Off || !w.asked[i] && (judged == nil || !judged(waiver)) {
			continue
		}
		out = append(out, finding.Finding{
			Rule: rule.ID, Severity: severity, Message: message, File: waiver.Place.File, Range: waiver.Place.Range,
			Fix: &finding.Fix{Description: mend}, Excerpt: waiver.excerpt,
		})
	}
	return out
}
