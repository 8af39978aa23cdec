package bot

import (
	"net/http"
	"regexp"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// Metrics counts what the bot does. It is an [Observer] of API calls. All its methods may be called on nil.
type Metrics struct {
	registry   *prometheus.Registry
	deliveries *prometheus.CounterVec
	calls      *prometheus.CounterVec
	left       *prometheus.GaugeVec
	refusals   *prometheus.CounterVec
	merges     prometheus.Counter
	latency    prometheus.Histogram
	answer     prometheus.Histogram
}

// NewMetrics returns metrics of which none counted yet.
func NewMetrics() *Metrics {
	m := &Metrics{
		registry:   prometheus.NewRegistry(),
		deliveries: prometheus.NewCounterVec(prometheus.CounterOpts{Name: "azp_deliveries_total", Help: "Webhook deliveries by event and what became of them."}, []string{"event", "outcome"}),
		calls:      prometheus.NewCounterVec(prometheus.CounterOpts{Name: "azp_github_calls_total", Help: "Calls to GitHub's API."}, []string{"endpoint", "status"}),
		left:       prometheus.NewGaugeVec(prometheus.GaugeOpts{Name: "azp_github_calls_left", Help: "Calls left before the rate limit, by installation."}, []string{"installation"}),
		refusals:   prometheus.NewCounterVec(prometheus.CounterOpts{Name: "azp_reasons_total", Help: "Decisions that are no merge, by reason."}, []string{"reason"}),
		merges:     prometheus.NewCounter(prometheus.CounterOpts{Name: "azp_merges_total", Help: "Pull requests merged."}),
		latency:    prometheus.NewHistogram(prometheus.HistogramOpts{Name: "azp_verdict_seconds", Help: "From the delivery to the decision.", Buckets: []float64{.1, .25, .5, 1, 2, 5, 10, 30, 60, 300}}),
		answer:     prometheus.NewHistogram(prometheus.HistogramOpts{Name: "azp_webhook_seconds", Help: "From a delivery's arrival to its answer.", Buckets: []float64{.001, .0025, .005, .01, .02, .05, .1, .5, 1}}),
	}
	m.registry.MustRegister(m.deliveries, m.calls, m.left, m.refusals, m.merges, m.latency, m.answer)
	return m
}

// Gauge adds a value that is asked for when the metrics are read.
func (m *Metrics) Gauge(name, help string, value func() float64) {
	m.registry.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: name, Help: help}, value))
}

// Handler serves the metrics.
func (m *Metrics) Handler() http.Handler {
	return promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{})
}

var (
	variable = regexp.MustCompile(`/(?:[0-9]+|[0-9a-f]{40})(/|$)`)
	repoPath = regexp.MustCompile(`^.*/repos/[^/]+/[^/]+`)
	refPath  = regexp.MustCompile(`/(heads|branches|compare|permission|collaborators|commits)/.+$`)
)

// Called counts a call. The path is cut down to its endpoint, so that nothing that strangers name makes a label.
func (m *Metrics) Called(method, path string, status int) {
	if m == nil {
		return
	}
	path = repoPath.ReplaceAllString(path, "/repos/{repo}")
	path = refPath.ReplaceAllString(path, "/$1/{name}")
	path = variable.ReplaceAllString(path, "/{id}$1")
	m.calls.WithLabelValues(method+" "+path, strconv.Itoa(status)).Inc()
}

// RateLimit notes how many calls are left.
func (m *Metrics) RateLimit(installation int64, left int) {
	if m != nil {
		m.left.WithLabelValues(strconv.FormatInt(installation, 10)).Set(float64(left))
	}
}

func (m *Metrics) decided(d Decision) {
	if m == nil {
		return
	}
	for _, r := range d.Reasons() {
		m.refusals.WithLabelValues(string(r.Code)).Inc()
	}
}

func (m *Metrics) merged() {
	if m != nil {
		m.merges.Inc()
	}
}

func (m *Metrics) delivered(event, outcome string, took time.Duration) {
	if m != nil {
		m.deliveries.WithLabelValues(event, outcome).Inc()
		m.answer.Observe(took.Seconds())
	}
}

func (m *Metrics) verdict(took time.Duration) {
	if m != nil {
		m.latency.Observe(took.Seconds())
	}
}
