package main

import (
	"bufio"
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/azphalt/submissions/internal/githubsim"
)

// The load: so many deliveries a second, about so many open pull requests.
const (
	loadRate  = 200
	loadPulls = 50
)

// BenchmarkLoad delivers to the program, on its embedded database, at a steady rate: each delivery is a push to one of 50
// open pull requests, which has to be stored before it is answered, and looked at. An iteration is a delivery, so
// -benchtime 12000x lasts a minute. Reported are the answer's percentiles, how many verdicts came within five seconds, what
// was lost, and how the resident memory grew over the second half.
func BenchmarkLoad(b *testing.B) {
	k := newKillStage(b, "sqlite:"+filepath.Join(b.TempDir(), "bot.db"), 1)
	var bodies [][]byte
	for n := range loadPulls {
		bodies = append(bodies, k.payload(k.open(fmt.Sprintf("com.example.l%d", n))))
	}
	k.idle()
	before := k.metrics()
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 100}, Timeout: time.Minute}
	took := make([]time.Duration, b.N)
	half := 0
	var group sync.WaitGroup
	tick := time.NewTicker(time.Second / loadRate)
	defer tick.Stop()
	b.ResetTimer()
	for n := range b.N {
		<-tick.C
		if n == b.N/2 {
			half = k.resident()
		}
		group.Go(func() { took[n] = k.deliver(client, fmt.Sprintf("load-%d", n), bodies[n%loadPulls]) })
	}
	group.Wait()
	b.StopTimer()
	memory := k.resident()
	k.idle()
	after := k.metrics()
	slices.Sort(took)
	verdicts := after["azp_verdict_seconds_count"] - before["azp_verdict_seconds_count"]
	const stored = `azp_deliveries_total{event="pull_request",outcome="stored"}`
	b.ReportMetric(milliseconds(took[len(took)/2]), "answer-p50-ms")
	b.ReportMetric(milliseconds(took[len(took)*99/100]), "answer-p99-ms")
	b.ReportMetric(milliseconds(took[len(took)-1]), "answer-max-ms")
	b.ReportMetric(float64(b.N)-(after[stored]-before[stored]), "lost")
	b.ReportMetric(verdicts, "verdicts")
	b.ReportMetric(verdicts-(after[`azp_verdict_seconds_bucket{le="5"}`]-before[`azp_verdict_seconds_bucket{le="5"}`]), "verdicts-over-5s")
	b.ReportMetric(float64(memory)/1024, "MiB")
	b.ReportMetric(float64(memory-half)/1024, "MiB-more-than-half-way")
	b.ReportMetric(0, "ns/op") // the rate is given
}

// BenchmarkDurableInsert is the yardstick of BenchmarkLoad: one row a transaction, each on the disk before the next, with
// nothing else going on.
func BenchmarkDurableInsert(b *testing.B) {
	db, err := sql.Open("sqlite", "file:"+filepath.Join(b.TempDir(), "bare.db")+"?_pragma=journal_mode(WAL)&_pragma=synchronous(FULL)")
	if err != nil {
		b.Fatal(err)
	}
	defer db.Close()
	db.SetMaxOpenConns(1)
	if _, err := db.Exec(`CREATE TABLE t (guid TEXT PRIMARY KEY, args TEXT)`); err != nil {
		b.Fatal(err)
	}
	var took []time.Duration
	for n := 0; b.Loop(); n++ {
		start := time.Now()
		if _, err := db.Exec(`INSERT INTO t VALUES (?, ?)`, strconv.Itoa(n), strings.Repeat("x", 300)); err != nil {
			b.Fatal(err)
		}
		took = append(took, time.Since(start))
	}
	slices.Sort(took)
	b.ReportMetric(milliseconds(took[len(took)*99/100]), "p99-ms")
}

func milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

// payload is what GitHub says when commits are pushed to a pull request, as far as anybody reads it.
func (k *killStage) payload(p *githubsim.PR) []byte {
	body, err := json.Marshal(map[string]any{
		"action": "synchronize", "number": p.Number, "pull_request": map[string]any{"number": p.Number}, "installation": map[string]any{"id": k.install.ID},
		"repository": map[string]any{"id": k.repo.ID(), "name": k.repo.Name, "owner": map[string]any{"login": k.repo.Owner}},
	})
	if err != nil {
		k.t.Fatal(err)
	}
	return body
}

// deliver delivers once, and returns how long the answer took.
func (k *killStage) deliver(client *http.Client, guid string, body []byte) time.Duration {
	mac := hmac.New(sha256.New, []byte(k.app.WebhookSecret))
	mac.Write(body)
	req, err := http.NewRequest(http.MethodPost, "http://"+k.ports[0]+"/webhook", bytes.NewReader(body))
	if err != nil {
		k.t.Error(err)
		return 0
	}
	req.Header = http.Header{
		"X-Github-Event": {"pull_request"}, "X-Github-Delivery": {guid}, "X-Hub-Signature-256": {"sha256=" + hex.EncodeToString(mac.Sum(nil))},
	}
	start := time.Now()
	resp, err := client.Do(req)
	if err != nil {
		k.t.Error(err)
		return 0
	}
	_, _ = io.Copy(io.Discard, resp.Body) // the status counts
	resp.Body.Close()
	if resp.StatusCode != http.StatusAccepted {
		k.t.Errorf("%s: %s", guid, resp.Status)
	}
	return time.Since(start)
}

// metrics reads the program's metrics.
func (k *killStage) metrics() map[string]float64 {
	k.t.Helper()
	resp, err := http.Get("http://" + k.ports[0] + "/metrics")
	if err != nil {
		k.t.Fatal(err)
	}
	defer resp.Body.Close()
	out := map[string]float64{}
	for s := bufio.NewScanner(resp.Body); s.Scan(); {
		name, value, _ := strings.Cut(s.Text(), " ")
		if f, err := strconv.ParseFloat(value, 64); err == nil {
			out[name] = f
		}
	}
	return out
}

// idle waits until the program has done all that it was told.
func (k *killStage) idle() {
	k.t.Helper()
	for calm := 0; calm < 3; time.Sleep(50 * time.Millisecond) {
		if calm++; !k.sim.WaitDelivered(time.Minute) || k.metrics()["azp_queue_jobs"] > 0 {
			calm = 0
		}
	}
}

// resident is the resident memory of the program, in KiB.
func (k *killStage) resident() int {
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", k.running[0].Process.Pid))
	if err != nil {
		k.t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(data), "VmRSS:")
	n, err := strconv.Atoi(strings.Fields(rest)[0])
	if err != nil {
		k.t.Fatal(err)
	}
	return n
}
