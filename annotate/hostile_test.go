package annotate

import (
	"testing"

	"github.com/azphalt/submissions/finding"
)

// hostileTexts are what a manifest, a path or an entry name may hold to get at a reader of the output.
var hostileTexts = []string{
	"x\n::error file=README.md,line=1::forged",
	"v\r\n::add-mask::main",
	"  ::stop-commands::zzz",
	"a ##[add-mask]main ##[set-env name=PATH;]/x",
	"%0A::set-output name=x::y %25 100%",
	"\x1b[2J\x1b]0;title\x07\x1b]8;;https://evil.example\x07click",
	"safe\u202egnp.exe\u2066 \u200b\u200f \u2028\u2029\u0085end",
	"@octocat @azphalt/admins #1 GH-2 azphalt/submissions#3 0123456789abcdef0123456789abcdef01234567 defaced",
	"[click](https://evil.example) ![img](https://evil.example/x.png) <https://evil.example> www.evil.example http://evil.example a@evil.example",
	"<script>alert(1)</script><img src=x onerror=alert(1)><details open><!-- ",
	"| a | b |\n|---|---|\n\\| \\\\| x",
	"``` \n````\n~~~\n`` ` ``",
	"# heading\n- item\n1. item\n> quote\n---\n***bold*** __x__ ~~y~~ :tada: $x$ $`y`$ \\* &lt; &#64;octocat",
	"1. one 2) two",
	"{0} {{x}} [a](0)",
	"\xff\xfe invalid \xc3\x28 utf-8",
	"e\u0301\u0301\u0301\u0301\u0301\u0301\u0301\u0301 \U000e0041\U000e0042 a\ufe0f\ufe01 \u3164",
	"\u0085::error::x",
	"",
	"a,b:c%d",
	"../../etc/passwd",
	"//evil.example/x",
	"javascript:alert(1)",
}

func span(line, column, endColumn int) finding.Range {
	return finding.Range{Line: line, Column: column, EndLine: line, EndColumn: endColumn}
}

// hostileReport is a report in which every text that a stranger can choose is one of hostileTexts.
func hostileReport() *finding.Report {
	r := &finding.Report{Tool: finding.Tool{Name: "azp", Version: "1.2.3"}}
	for i, s := range hostileTexts {
		f := finding.Finding{
			Rule: "mcp/literal-secret", Severity: finding.Severity(1 + i%3), Message: "literal secret in " + s, File: s, Pointer: "/" + s,
			Range:   span(1+i, 1, 3),
			Excerpt: &finding.Excerpt{Text: s, Column: 1, EndColumn: 3},
			Fix:     &finding.Fix{Description: s, Edits: []finding.Edit{{Range: span(1+i, 1, 3), Text: s}}},
		}
		if i%2 == 0 {
			f.Entry = s
			f.Source = &finding.Place{File: s, Range: span(1, 1, 2)}
		}
		p := finding.Package{Path: s, Shape: finding.Built, ID: s, Version: s, Kind: s, Digest: s, Findings: []finding.Finding{f}}
		if i%3 == 0 {
			p.Signed, p.Signer, p.Trust = true, &finding.Signer{PublicKey: s, KeyID: s}, &finding.Trust{Reason: s, Via: s}
		}
		r.Packages = append(r.Packages, p)
		r.Roles = append(r.Roles, finding.Role{Path: s})
		r.General = append(r.General, finding.Finding{Rule: "config/x", Severity: finding.Notice, Message: s, File: s})
	}
	return r
}

// fuzzReport is a report with each of three texts in every field that a stranger can choose, and n as its numbers.
func fuzzReport(a, b, c string, n int) *finding.Report {
	at := finding.Range{Line: n, Column: n % 7, EndLine: n / 2, EndColumn: n % 5}
	fault := func(x, y, z string, severity finding.Severity) finding.Finding {
		return finding.Finding{
			Rule: "mcp/literal-secret", Severity: severity, Message: x + y, File: z, Entry: x, Pointer: y, Range: at,
			Source: &finding.Place{File: y, Range: at}, Excerpt: &finding.Excerpt{Text: z + x, Column: n % 9, EndColumn: n % 11},
			Fix: &finding.Fix{Description: x, Edits: []finding.Edit{{Range: at, Text: y}}},
		}
	}
	return &finding.Report{
		Tool: finding.Tool{Name: "azp", Version: "1.2.3"},
		Packages: []finding.Package{{
			Path: a, Shape: finding.Built, ID: b, Version: c, Kind: a, Digest: "sha256-x", Signed: true,
			Signer: &finding.Signer{PublicKey: b, KeyID: c}, Trust: &finding.Trust{Reason: a, Via: b},
			Modules:  []finding.Module{{Path: c, Form: "module", WASI: b, Imports: []finding.ImportGroup{{Group: "files", Names: []string{a, b}}}, Grants: []string{c, a}}},
			Offers:   []finding.Offer{{Server: a, Transport: "wasi", Name: b, Instructions: c, Tools: []finding.Offered{{Name: a, Title: b, Description: c, Schema: a}}}},
			Findings: []finding.Finding{fault(a, b, c, finding.Error), fault(c, a, b, finding.Warning)},
		}, {Path: b, Shape: finding.Source, ID: c, Kind: b}},
		Roles:   []finding.Role{{Path: c, Findings: []finding.Finding{{Rule: "role/x", Severity: finding.Notice, Message: a, File: b, Range: at}}}},
		General: []finding.Finding{fault(b, c, a, finding.Notice), {Rule: "config/x", Severity: finding.Error, Message: c}},
	}
}

func seedReports(f *testing.F) {
	for i, s := range hostileTexts {
		next := hostileTexts[(i+1)%len(hostileTexts)]
		f.Add(s, next, next+s, i)
	}
}
