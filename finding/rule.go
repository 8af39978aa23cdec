package finding

// Rule describes one rule: what `azp rules`, the documentation, SARIF and the tests of the examples are made of.
type Rule struct {
	ID       string   // "group/name"; stable, never reused
	Severity Severity // unless the configuration sets another
	// Reference marks a rule of the format itself: it is always an error and can't be waived.
	Reference bool
	Title     string // one line, no full stop
	Why       string // why the rule exists and how to satisfy it: a paragraph or two of plain text
	// Bad breaks this rule and, as far as possible, no other; Good is the same with the fault mended. Both are txtar
	// archives of a submission folder; lines before the first file are directives for building an archive from it.
	Bad, Good string
}
