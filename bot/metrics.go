package bot

import (
	"fmt"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/VictoriaMetrics/metrics"
)

// Metrics counts what the bot does. It is an [Observer] of API calls. All its methods may be called on nil.
type Metrics struct {
	set     *metrics.Set
	merges  *metrics.Counter
	latency *metrics.PrometheusHistogram
	answer  *metrics.PrometheusHistogram
}

// NewMetrics returns metrics of which none counted yet. docs/bot.md lists them.
func NewMetrics() *Metrics {
	set := metrics.NewSet()
	return &Metrics{
		set:     set,
		merges:  set.NewCounter("azp_merges_total"),
		latency: set.NewPrometheusHistogramExt("azp_verdict_seconds", []float64{.1, .25, .5, 1, 2, 5, 10, 30, 60, 300}),
		answer:  set.NewPrometheusHistogramExt("azp_webhook_seconds", []float64{.001, .0025, .005, .01, .02, .05, .1, .5, 1}),
	}
}

// Gauge adds a value that is asked for when the metrics are read.
func (m *Metrics) Gauge(name string, value func() float64) { m.set.NewGauge(name, value) }

// Handler serves the metrics in Prometheus' text format.
func (m *Metrics) Handler() http.Handler {
	metrics.ExposeMetadata(true) // the types
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
		m.set.WritePrometheus(w)
	})
}

// count adds one to a counter with labels, given as names and values in turn.
func (m *Metrics) count(name string, labels ...string) {
	m.set.GetOrCreateCounter(labelled(name, labels...)).Inc()
}

var labelEscapes = strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`)

// labelled is the name of a metric with its labels, as the text format writes it.
func labelled(name string, labels ...string) string {
	var pairs []string
	for i := 0; i < len(labels); i += 2 {
		pairs = append(pairs, fmt.Sprintf(`%s="%s"`, labels[i], labelEscapes.Replace(labels[i+1]))) //nolint:gosec // they are pairs
	}
	return name + "{" + strings.Join(pairs, ",") + "}"
}

var (
	variable = regexp.MustCompile(`/(?:[0-9]+|[0-9a-f]{40})(/|$)`)
	repoPath = regexp.MustCompile(`^.*/repos/[^/]+/[^/]+`)
	refPath  = regexp.MustCompile(`(?s)/(heads|branches|compare|permission|collaborators|commits)/.+$`)
)

// Called counts a call. The path is cut down to its endpoint, so that nothing that strangers name makes a label.
func (m *Metrics) Called(method, path string, status int) {
	if m == nil {
		return
	}
	path = repoPath.ReplaceAllString(path, "/repos/{repo}")
	path = refPath.ReplaceAllString(path, "/$1/{name}")
	path = variable.ReplaceAllString(path, "/{id}$1")
	m.count("azp_github_calls_total", "endpoint", method+" "+path, "status", strconv.Itoa(status))
}

// RateLimit notes how many calls are left.
func (m *Metrics) RateLimit(installation int64, left int) {
	if m != nil {
		m.set.GetOrCreateGauge(labelled("azp_github_calls_left", "installation", strconv.FormatInt(installation, 10)), nil).Set(float64(left))
	}
}

func (m *Metrics) decided(d Decision) {
	if m == nil {
		return
	}
	for _, r := range d.Reasons() {
		m.count("azp_reasons_total", "reason", string(r.Code))
	}
}

func (m *Metrics) merged() {
	if m != nil {
		m.merges.Inc()
	}
}

func (m *Metrics) delivered(event, outcome string, took time.Duration) {
	if m != nil {
		m.count("azp_deliveries_total", "event", event, "outcome", outcome)
		m.answer.Update(took.Seconds())
	}
}

func (m *Metrics) verdict(took time.Duration) {
	if m != nil {
		m.latency.Update(took.Seconds())
	}
}
