package annotate

import (
	"fmt"
	"io"
	"testing"

	"github.com/azphalt/submissions/finding"
)

// manyFindings is a report of ten packages with n findings in all.
func manyFindings(n int) *finding.Report {
	const packages = 10
	r := &finding.Report{}
	for i := range packages {
		p := finding.Package{Path: fmt.Sprintf("p%d", i), Shape: finding.Built}
		for j := range n / packages {
			f := sample().Packages[0].Findings[1]
			f.Line, f.EndLine, f.Pointer = j+1, j+1, fmt.Sprintf("/x/%d", j)
			p.Findings = append(p.Findings, f)
		}
		r.Packages = append(r.Packages, p)
	}
	return r
}

// BenchmarkWriters shows the time per finding, which does not grow with their number.
func BenchmarkWriters(b *testing.B) {
	for _, n := range []int{1000, 10_000, 100_000} {
		r := manyFindings(n)
		o := options()
		o.Summary.Limit = 1 << 30
		o.Commands.PerLevel = n
		perFinding := func(b *testing.B, write func() error) {
			for b.Loop() {
				if err := write(); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*n), "ns/finding")
		}
		for _, format := range Formats() {
			b.Run(fmt.Sprintf("%s/%d", format, n), func(b *testing.B) {
				perFinding(b, func() error { return Write(io.Discard, format, r, o) })
			})
		}
		b.Run(fmt.Sprintf("annotations/%d", n), func(b *testing.B) {
			perFinding(b, func() error { Batches(Annotations(r), AnnotationsPerRequest); return nil })
		})
	}
}
