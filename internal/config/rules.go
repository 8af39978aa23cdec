package config

import "github.com/azphalt/submissions/finding"

// Rules returns the rules about the file itself.
func Rules() []finding.Rule {
	return []finding.Rule{
		syntax, unknownKey, wrongType, badValue, unknownRule, referenceRule, badWaiver, waiverExpired, waiverUnused,
	}
}

// example is an archive of the file alone.
func example(text string) string { return "-- " + Path + " --\n" + text }

var syntax = finding.Rule{
	ID: "config/syntax", Severity: finding.Error, Title: "The configuration is no plain YAML",
	Why: `The file decides what gets into the registry, so it has to mean the same to every reader. It is read as one YAML document in
UTF-8 of at most 1 MiB, without a byte order mark, directives, tags, anchors, aliases, merge keys and keys given twice, all of
which can make it say something else than it seems to. Tabs can't indent. A value that begins with *, &, !, @ or % is put in quotes.

As long as the file has a fault, none of it counts: the defaults hold, and nothing is merged.`,
	Bad:  example("merge:\n\tenabled: true\n"),
	Good: example("merge:\n  enabled: true\n"),
}

var unknownKey = finding.Rule{
	ID: "config/unknown-key", Severity: finding.Error, Title: "The configuration has a key that does not exist",
	Why: `A misspelt or misplaced key would be ignored, and what it was meant to forbid would go through. So every key has to be one of
those in docs/config.md, at its place and in its exact spelling.`,
	Bad:  example("merge:\n  required-check: [build]\n"),
	Good: example("merge:\n  required-checks: [build]\n"),
}

var wrongType = finding.Rule{
	ID: "config/type", Severity: finding.Error, Title: "A value of the configuration is of another type than its key asks for",
	Why: `Nothing is converted. Where text is wanted, a word that YAML takes for a number, a date or a boolean has to be in quotes, and
so do yes, no, on and off, which are booleans to some readers only; the severity off needs none. Where a boolean is wanted, it is
true or false.`,
	Bad:  example("merge:\n  approvals: one\n"),
	Good: example("merge:\n  approvals: 1\n"),
}

var badValue = finding.Rule{
	ID: "config/value", Severity: finding.Error, Title: "A value of the configuration is not allowed",
	Why: `Each key has its own values: one of some words, a number within bounds, a key or digest in the format's form, a path from the
root of the repository with forward slashes. docs/config.md lists them.`,
	Bad:  example("merge:\n  strategy: squash\n"),
	Good: example("merge:\n  strategy: api\n  method: squash\n"),
}

var unknownRule = finding.Rule{
	ID: "config/unknown-rule", Severity: finding.Error, Title: "The configuration names a rule that does not exist",
	Why: `A severity or a waiver for a rule that does not exist has no effect, which is hardly what was meant. "azp rules" lists all
rules.`,
	Bad:  example("rules:\n  mcp/unpined-command: warning\n"),
	Good: example("rules:\n  mcp/unpinned-command: warning\n"),
}

var referenceRule = finding.Rule{
	ID: "config/reference-rule", Severity: finding.Error, Title: "The configuration turns down or waives a rule that always holds",
	Why: `The rules of the package format hold in every registry: a package that breaks one would be refused by those who install it. The
rules about the configuration itself hold too, as a file can't excuse its own faults. Neither can be set below error or be waived;
only the notices about waivers can be turned down.`,
	Bad:  example("rules:\n  mcp/literal-secret: warning\n"),
	Good: example("rules:\n  mcp/literal-secret: error\n"),
}

var badWaiver = finding.Rule{
	ID: "config/waiver", Severity: finding.Error, Title: "A waiver lacks its rule, path, reason or end",
	Why: `A waiver is an exception that someone answers for: it names one rule and the files it is about, says why the findings are
harmless, and ends, so that somebody looks again. The end is its last day, in UTC.`,
	Bad:  example("waivers:\n  - rule: secret/value\n    path: submissions/com.acme.fs/**\n    until: 2099-12-31\n"),
	Good: example("waivers:\n" + exampleWaiver("2099-12-31")),
}

var waiverExpired = finding.Rule{
	ID: "config/waiver-expired", Severity: finding.Warning, Title: "A waiver has ended",
	Why: `The waiver's last day is over and its findings count again. Mend what it was for and delete it; if the reason still holds, give
it a new end.`,
	Bad:  example("waivers:\n" + exampleWaiver("2020-12-31")),
	Good: example("waivers: []\n"),
}

var waiverUnused = finding.Rule{
	ID: "config/waiver-unused", Severity: finding.Notice, Title: "A waiver is not needed any more",
	Why: `No finding in the repository is waived by it. An exception that nobody needs can only let something through that nobody has
thought of. Where a path has changed, correct the pattern; otherwise delete the waiver.`,
	Bad:  example("waivers:\n" + exampleWaiver("2099-12-31")),
	Good: example("waivers: []\n"),
}

func exampleWaiver(until string) string {
	return "  - rule: secret/value\n    path: submissions/com.acme.fs/**\n    reason: documented sample key\n    until: " + until + "\n"
}
