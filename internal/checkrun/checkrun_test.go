package checkrun

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-github/v62/github"

	"github.com/azphalt/submissions/annotate"
)

// call is a request that the stand-in received.
type call struct {
	Method, Status, Conclusion string
	Annotations                int
}

// server records requests; answer gives the status of the nth (from 0).
func server(t *testing.T, answer func(n int, w http.ResponseWriter) bool) (*Publisher, *[]call) {
	t.Helper()
	var calls []call
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var body struct {
			Status, Conclusion string
			Output             struct{ Annotations []any }
		}
		if err := json.NewDecoder(r.Body).Decode(&body); err != nil {
			t.Error(err)
		}
		if !strings.HasPrefix(r.URL.Path, "/repos/acme/registry/check-runs") {
			t.Errorf("path %s", r.URL.Path)
		}
		n := len(calls)
		calls = append(calls, call{r.Method, body.Status, body.Conclusion, len(body.Output.Annotations)})
		if answer != nil && answer(n, w) {
			return
		}
		w.WriteHeader(http.StatusCreated)
		w.Write([]byte(`{"id": 7}`))
	}))
	t.Cleanup(s.Close)
	client := github.NewClient(nil)
	client.BaseURL, _ = client.BaseURL.Parse(s.URL + "/")
	return &Publisher{Client: client, Wait: time.Millisecond}, &calls
}

func run(annotations int, conclusion string) Run {
	r := Run{Owner: "acme", Repo: "registry", HeadSHA: strings.Repeat("a1", 20), Name: "azphalt / submission", Title: "t", Summary: "s", Conclusion: conclusion}
	for range annotations {
		r.Annotations = append(r.Annotations, annotate.Annotation{Path: "p", StartLine: 1, EndLine: 1, AnnotationLevel: "failure", Message: "m", Title: "t"})
	}
	return r
}

// The sequences are those of the case 076-more-than-fifty-annotations.
func TestPublishSendsFiftyAtATimeAndCompletesOnce(t *testing.T) {
	p, calls := server(t, nil)
	if err := p.Publish(context.Background(), run(120, Failure)); err != nil {
		t.Fatal(err)
	}
	want := []call{{"POST", "in_progress", "", 50}, {"PATCH", "", "", 50}, {"PATCH", "completed", Failure, 20}}
	compare(t, *calls, want)
}

func TestPublishWithoutFindingsIsOneCall(t *testing.T) {
	p, calls := server(t, nil)
	if err := p.Publish(context.Background(), run(0, Success)); err != nil {
		t.Fatal(err)
	}
	compare(t, *calls, []call{{"POST", "completed", Success, 0}})
}

func TestPublishRetriesWhatTheServerFailed(t *testing.T) {
	p, calls := server(t, func(n int, w http.ResponseWriter) bool {
		if n == 2 {
			w.WriteHeader(http.StatusInternalServerError)
		}
		return n == 2
	})
	if err := p.Publish(context.Background(), run(120, Failure)); err != nil {
		t.Fatal(err)
	}
	if last := (*calls)[len(*calls)-1]; last.Conclusion != Failure || len(*calls) != 4 {
		t.Errorf("%+v", *calls)
	}
}

func TestPublishCompletesTheRunWhereAnnotationsFailForGood(t *testing.T) {
	p, calls := server(t, func(n int, w http.ResponseWriter) bool {
		fail := n >= 1 && n <= 4
		if fail {
			w.WriteHeader(http.StatusBadGateway)
		}
		return fail
	})
	if err := p.Publish(context.Background(), run(120, Failure)); err == nil {
		t.Error("no error")
	}
	last := (*calls)[len(*calls)-1]
	if last.Conclusion != Failure || last.Annotations != 0 {
		t.Errorf("last call %+v", last)
	}
}

// As in the case 082-fork-read-only-token.
func TestPublishDoesNotRetryARefusal(t *testing.T) {
	p, calls := server(t, func(_ int, w http.ResponseWriter) bool {
		w.WriteHeader(http.StatusForbidden)
		w.Write([]byte(`{"message":"Resource not accessible by integration"}`))
		return true
	})
	err := p.Publish(context.Background(), run(1, Failure))
	if !Forbidden(err) || len(*calls) != 1 {
		t.Errorf("%v after %d calls", err, len(*calls))
	}
}

func TestPublishObeysRetryAfter(t *testing.T) {
	p, calls := server(t, func(n int, w http.ResponseWriter) bool {
		if n == 0 {
			w.Header().Set("Retry-After", "1")
			w.WriteHeader(http.StatusTooManyRequests)
			w.Write([]byte(`{"message":"You have exceeded a secondary rate limit","documentation_url":"https://docs.github.com/en/rest/overview/rate-limits-for-the-rest-api#about-secondary-rate-limits"}`))
		}
		return n == 0
	})
	if err := p.Publish(context.Background(), run(1, Failure)); err != nil {
		t.Fatal(err)
	}
	if len(*calls) != 2 {
		t.Errorf("%d calls", len(*calls))
	}
}

func compare(t *testing.T, got, want []call) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("calls %+v, want %+v", got, want)
	}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("call %d: %+v, want %+v", i, got[i], want[i])
		}
	}
}
