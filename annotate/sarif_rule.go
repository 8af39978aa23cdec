package annotate

import (
	"strings"

	"github.com/azphalt/submissions/finding"
)

// describeRule returns what a viewer of results shows about a rule. Rules are ours, so their text is Markdown as it is.
func describeRule(r finding.Rule, address func(id string) string) sarifRule {
	group, _, _ := strings.Cut(r.ID, "/")
	out := sarifRule{
		ID:                   r.ID,
		ShortDescription:     sarifMessage{Text: firstOf(r.Title, r.ID)},
		FullDescription:      sarifMessage{Text: firstOf(r.Why, r.Title, r.ID)},
		Help:                 sarifMessage{Text: firstOf(r.Why, r.Title, r.ID), Markdown: helpPage(r)},
		DefaultConfiguration: sarifConfiguration{Enabled: r.Severity != finding.Off, Level: levelOf(r.Severity).sarif},
		Properties:           sarifRuleProperties{Tags: []string{group}, ProblemSeverity: levelOf(r.Severity).problem},
	}
	if address != nil {
		out.HelpURI = address(r.ID)
	}
	return out
}

// helpPage is the help of a rule with its examples.
func helpPage(r finding.Rule) string {
	page := firstOf(r.Why, r.Title, r.ID) + "\n"
	if r.Reference {
		page += "\nThis is a rule of the format itself: it is always an error and can't be waived.\n"
	}
	if r.Bad != "" {
		page += "\n#### Fails\n\n" + fenced("text", r.Bad)
	}
	if r.Good != "" {
		page += "\n#### Passes\n\n" + fenced("text", r.Good)
	}
	return page
}

func firstOf(texts ...string) string {
	for _, t := range texts {
		if t != "" {
			return t
		}
	}
	return ""
}
