package config

import (
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/azphalt/submissions/finding"
)

// maxWaivers bounds the work of comparing every finding with every waiver.
const maxWaivers = 256

// ownRules is the group of the rules about the file itself.
const ownRules = "config/"

// severities reads the severities of rules.
func (d *decoder) severities(path string, n *node) {
	for _, p := range d.pairs(path, n) {
		rule, known := d.rule(p.key)
		word, ok := d.word(path+"["+quote(p.key.text)+"]", p.value, severityWords)
		if !known || !ok {
			continue
		}
		severity, _ := finding.ParseSeverity(word)
		if severity < finding.Error && (rule.Reference || rule.Severity == finding.Error && strings.HasPrefix(rule.ID, ownRules)) {
			d.add(referenceRule, p.value.at, say("delete the line, and mend what the rule finds"), "%s can't be turned down: it is %s", rule.ID, nature(rule))
			continue
		}
		if d.config.Rules == nil {
			d.config.Rules = map[string]finding.Severity{}
		}
		d.config.Rules[rule.ID] = severity
	}
}

// severityWords are what a rule can be set to.
var severityWords = []string{finding.Error.String(), finding.Warning.String(), finding.Notice.String(), finding.Off.String()}

// nature says why a rule is out of the file's reach.
func nature(rule finding.Rule) string {
	if rule.Reference {
		return "a rule of the package format itself"
	}
	return "about this file itself"
}

// rule returns the rule that a scalar names.
func (d *decoder) rule(n *node) (finding.Rule, bool) {
	if rule, ok := d.rules[n.text]; ok {
		return rule, true
	}
	meant, ok := nearest(n.text, slices.Collect(maps.Keys(d.rules)))
	fix := say("look the rule up with `azp rules`")
	if ok {
		fix = d.put(n, meant, "write %s", meant)
	}
	d.add(unknownRule, n.at, fix, "there is no rule %s%s", quote(n.text), didYouMean(meant, ok))
	return finding.Rule{}, false
}

// waiver reads an item of waivers.
func (d *decoder) waiver(path string, n *node) (w Waiver) {
	var rule span
	d.read(path, n, field{fields: fields{
		"rule":   {read: func(path string, n *node) { w.Rule, rule = d.waivedRule(path, n), n.at }},
		"path":   {read: text(d, &w.Path, pattern)},
		"reason": {read: func(path string, n *node) { w.Reason = d.reason(path, n) }},
		"until":  {read: func(path string, n *node) { w.Until = d.until(path, n) }},
	}})
	d.require(badWaiver, path, n, "rule", "path", "reason", "until")
	w.Place = finding.Place{File: d.file, Range: d.text.Range(rule.start, rule.end)}
	d.waived = append(d.waived, rule)
	return w
}

// waivedRule reads the rule of a waiver.
func (d *decoder) waivedRule(path string, n *node) string {
	id, ok := d.str(path, n)
	if !ok {
		return ""
	}
	rule, ok := d.rule(n)
	if ok && (rule.Reference || strings.HasPrefix(id, ownRules)) {
		d.add(referenceRule, n.at, say("delete the waiver, and mend what the rule finds"), "%s can't be waived: it is %s", id, nature(rule))
	}
	return id
}

// reason returns why a waiver was given, in one line.
func (d *decoder) reason(path string, n *node) string {
	if n.empty() {
		d.add(badWaiver, n.at, say("say why the finding is harmless"), "%s is missing", path)
		return ""
	}
	s, ok := d.str(path, n)
	if !ok {
		return ""
	}
	s = strings.Join(strings.Fields(s), " ")
	if fault, mend := line(s, maxReason); fault != "" {
		d.add(badWaiver, n.at, say("%s", mend), "%s %s", path, fault)
	}
	return s
}

// until returns the end of the day on which a waiver ends.
func (d *decoder) until(path string, n *node) time.Time {
	if n.kind == faulty {
		return time.Time{}
	}
	day, err := time.Parse(time.DateOnly, n.text)
	if n.kind != scalar || err != nil {
		d.add(badWaiver, n.at, say("write the last day as in 2027-01-31"), "%s is no day", path)
	}
	return day.AddDate(0, 0, 1)
}
