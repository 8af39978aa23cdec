package bot_test

import (
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/azphalt/submissions/bot"
)

func TestMetrics(t *testing.T) {
	m := bot.NewMetrics()
	m.Gauge("azp_queue_jobs", func() float64 { return 3 })
	m.Called("GET", "/api/v3/repos/acme/registry/git/blobs/0123456789012345678901234567890123456789", 200)
	m.Called("GET", "/repos/acme/other/git/blobs/1123456789012345678901234567890123456789", 200)
	m.Called("PATCH", "/repos/acme/registry/git/refs/heads/a\"b\n", 422)
	m.RateLimit(7, 4999)
	m.RateLimit(7, 4998)
	answer := httptest.NewRecorder()
	m.Handler().ServeHTTP(answer, httptest.NewRequestWithContext(t.Context(), "GET", "/metrics", nil))
	got := answer.Body.String()
	for _, want := range []string{
		"# TYPE azp_github_calls_total counter\n",
		`azp_github_calls_total{endpoint="GET /repos/{repo}/git/blobs/{id}",status="200"} 2` + "\n",
		`azp_github_calls_total{endpoint="PATCH /repos/{repo}/git/refs/heads/{name}",status="422"} 1` + "\n",
		"# TYPE azp_github_calls_left gauge\n",
		`azp_github_calls_left{installation="7"} 4998` + "\n",
		"azp_queue_jobs 3\n",
		"azp_merges_total 0\n",
		"# TYPE azp_verdict_seconds histogram\n",
		`azp_verdict_seconds_bucket{le="+Inf"} 0` + "\n",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is missing in\n%s", want, got)
		}
	}
}
