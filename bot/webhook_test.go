package bot_test

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/azphalt/submissions/bot"
)

// inbox takes notices into memory.
type inbox struct {
	notices []bot.Notice
	err     error
}

func (i *inbox) Deliver(_ context.Context, _ string, n bot.Notice) error {
	i.notices = append(i.notices, n)
	return i.err
}

func newHook(i *inbox) *bot.Webhook {
	return &bot.Webhook{Secret: []byte("s3cret"), AppID: ours, Inbox: i, Log: slog.New(slog.DiscardHandler), Metrics: bot.NewMetrics()}
}

func sign(secret string, body []byte) string {
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write(body)
	return "sha256=" + hex.EncodeToString(mac.Sum(nil))
}

func post(h http.Handler, event, signature string, body []byte) *httptest.ResponseRecorder {
	r := httptest.NewRequest(http.MethodPost, "/webhook", bytes.NewReader(body))
	r.Header.Set("X-GitHub-Event", event)
	r.Header.Set("X-GitHub-Delivery", "5312fd60-0000-4000-8000-00000000fade")
	r.Header.Set("X-Hub-Signature-256", signature)
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

const opened = `{"action":"opened","number":7,"pull_request":{"number":7},"repository":{"id":1,"name":"r","owner":{"login":"o"}},"installation":{"id":3}}`

func TestWebhookChecksTheSignatureFirst(t *testing.T) {
	body := []byte(opened)
	good := sign("s3cret", body)
	for _, c := range []struct {
		name, signature string
		body            []byte
		status          int
	}{
		{"right", good, body, 202},
		{"none", "", body, 401},
		{"of another secret", sign("other", body), body, 401},
		{"of other bytes", good, append([]byte(" "), body...), 401},
		{"sha1", "sha1=" + good[7:], body, 401},
		{"cut", good[:len(good)-2], body, 401},
		{"no hex", "sha256=zz", body, 401},
		{"unsigned rubbish", "", []byte("{"), 401},
		{"signed rubbish", sign("s3cret", []byte("{")), []byte("{"), 400},
	} {
		i := &inbox{}
		if got := post(newHook(i), "pull_request", c.signature, c.body).Code; got != c.status || (len(i.notices) == 1) != (c.status == 202) {
			t.Errorf("%s: %d, %d notices", c.name, got, len(i.notices))
		}
	}
	hook := newHook(&inbox{})
	hook.Secret = nil
	if got := post(hook, "pull_request", sign("", body), body).Code; got != 401 {
		t.Errorf("without a secret: %d", got)
	}
}

func TestWebhookLimits(t *testing.T) {
	large := bytes.Repeat([]byte("a"), bot.MaxPayload+1)
	if got := post(newHook(&inbox{}), "push", sign("s3cret", large), large).Code; got != http.StatusRequestEntityTooLarge {
		t.Errorf("too large: %d", got)
	}
	r := httptest.NewRecorder()
	newHook(&inbox{}).ServeHTTP(r, httptest.NewRequest(http.MethodGet, "/webhook", nil))
	if r.Code != http.StatusMethodNotAllowed {
		t.Errorf("GET: %d", r.Code)
	}
	if got := post(newHook(&inbox{}), "pull_request\n", sign("s3cret", []byte(opened)), []byte(opened)).Code; got != 400 {
		t.Errorf("odd event: %d", got)
	}
	// What could not be stored was not received: GitHub delivers it again.
	if got := post(newHook(&inbox{err: errors.New("disk full")}), "pull_request", sign("s3cret", []byte(opened)), []byte(opened)).Code; got != 503 {
		t.Errorf("not stored: %d", got)
	}
}

func TestNotices(t *testing.T) {
	pr := `"repository":{"id":1,"name":"r","owner":{"login":"o"}},"installation":{"id":3}`
	comment := func(action, body, kind, issue string) string {
		return fmt.Sprintf(`{"action":%q,"comment":{"body":%q,"user":{"login":"m","type":%q}},"issue":{"number":7%s},%s}`, action, body, kind, issue, pr)
	}
	const onPull = `,"pull_request":{"url":"u"}`
	for _, c := range []struct {
		name, event, payload string
		want                 bot.Kind
	}{
		{"opened", "pull_request", opened, bot.KindPull},
		{"new title", "pull_request", `{"action":"edited","number":7,"changes":{"title":{"from":"x"}},` + pr + `}`, ""},
		{"new base", "pull_request", `{"action":"edited","number":7,"changes":{"base":{"ref":{"from":"x"}}},` + pr + `}`, bot.KindPull},
		{"assigned", "pull_request", `{"action":"assigned","number":7,` + pr + `}`, ""},
		{"no installation", "pull_request", `{"action":"opened","number":7,"repository":{"id":1,"name":"r","owner":{"login":"o"}}}`, bot.KindPull},
		{"no more than names", "pull_request", `{"action":"opened","pull_request":{"number":7},"repository":{"full_name":"o/r"}}`, bot.KindPull},
		{"no repository", "pull_request", `{"action":"opened","number":7}`, ""},
		{"review", "pull_request_review", `{"action":"submitted","review":{"state":"approved"},"pull_request":{"number":7},` + pr + `}`, bot.KindPull},
		{"remark", "pull_request_review", `{"action":"submitted","review":{"state":"commented"},"pull_request":{"number":7},` + pr + `}`, ""},
		{"dismissal", "pull_request_review", `{"action":"dismissed","review":{"state":"dismissed"},"pull_request":{"number":7},` + pr + `}`, bot.KindPull},
		{"own check again", "check_run", `{"action":"rerequested","check_run":{"head_sha":"a","app":{"id":900001}},` + pr + `}`, bot.KindHead},
		{"own check done", "check_run", `{"action":"completed","check_run":{"head_sha":"a","app":{"id":900001}},` + pr + `}`, ""},
		{"another's check done", "check_run", `{"action":"completed","check_run":{"head_sha":"a","app":{"id":5}},` + pr + `}`, bot.KindCheck},
		{"suite again", "check_suite", `{"action":"rerequested","check_suite":{"head_sha":"a","app":{"id":900001},"pull_requests":[]},` + pr + `}`, bot.KindHead},
		{"suite again, of no named App", "check_suite", `{"action":"rerequested","check_suite":{"head_sha":"a","head_branch":null,"pull_requests":[]},` + pr + `}`, bot.KindHead},
		{"another's suite again", "check_suite", `{"action":"rerequested","check_suite":{"head_sha":"a","app":{"id":5}},` + pr + `}`, ""},
		{"command", "issue_comment", comment("created", "/azp hold\r\nplease", "User", onPull), bot.KindCommand},
		{"longer word", "issue_comment", comment("created", "/azp holde", "User", onPull), ""},
		{"second line", "issue_comment", comment("created", "please\n/azp hold", "User", onPull), ""},
		{"indented", "issue_comment", comment("created", " /azp hold", "User", onPull), ""},
		{"edited comment", "issue_comment", comment("edited", "/azp hold", "User", onPull), ""},
		{"bot's comment", "issue_comment", comment("created", "/azp hold", "Bot", onPull), ""},
		{"comment on an issue", "issue_comment", comment("created", "/azp hold", "User", ""), ""},
		{"push", "push", `{"ref":"refs/heads/main","after":"a",` + pr + `}`, bot.KindBase},
		{"tag", "push", `{"ref":"refs/tags/v1","after":"a",` + pr + `}`, ""},
		{"deleted branch", "push", `{"ref":"refs/heads/x","deleted":true,` + pr + `}`, ""},
		{"merge queue", "merge_group", `{"action":"checks_requested","merge_group":{"head_sha":"a","base_sha":"b"},` + pr + `}`, bot.KindGroup},
		{"installed", "installation", `{"action":"created","installation":{"id":3}}`, bot.KindSweep},
		{"unknown event", "star", `{"action":"created",` + pr + `}`, ""},
	} {
		n, ok, err := bot.ParseNotice(c.event, []byte(c.payload), ours)
		if err != nil || ok != (c.want != "") || ok && n.Kind != c.want {
			t.Errorf("%s: %q %v %v, want %q", c.name, n.Kind, ok, err, c.want)
		}
	}
}

// TestRealPayloads feeds GitHub's own examples, signed: all are taken, none panics.
func TestRealPayloads(t *testing.T) {
	files, err := filepath.Glob(filepath.Join("..", "..", "shared", "github", "webhooks", "*.json"))
	must(t, err)
	if len(files) == 0 {
		t.Skip("GitHub's example payloads are not here")
	}
	taken := 0
	for _, file := range files {
		data, err := os.ReadFile(file)
		must(t, err)
		var payloads []json.RawMessage
		must(t, json.Unmarshal(data, &payloads))
		event := strings.TrimSuffix(filepath.Base(file), ".json")
		for n, p := range payloads {
			if got := post(newHook(&inbox{}), event, sign("s3cret", p), p); got.Code != http.StatusAccepted {
				t.Errorf("%s %d: %d %s", event, n, got.Code, got.Body)
			}
			taken++
		}
	}
	if taken < 100 {
		t.Errorf("only %d payloads", taken)
	}
}

func FuzzParseNotice(f *testing.F) {
	f.Add("pull_request", []byte(opened))
	f.Add("issue_comment", []byte(`{"action":"created","comment":{"body":"/azp hold"},"issue":{"number":7,"pull_request":null},"repository":{"id":1,"name":"r","owner":{"login":"o"}},"installation":{"id":3}}`))
	f.Fuzz(func(t *testing.T, event string, payload []byte) {
		n, ok, err := bot.ParseNotice(event, payload, ours)
		if ok && (err != nil || n.Kind == "" || n.Kind != bot.KindSweep && (n.Repo.Owner == "" || n.Repo.Name == "")) {
			t.Errorf("%+v %v", n, err)
		}
	})
}
