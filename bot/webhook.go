package bot

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"regexp"
	"strings"
	"time"
)

// MaxPayload is the largest payload that GitHub delivers.
const MaxPayload = 25 << 20

// Inbox takes notices so that they outlive the program. A delivery that it has already is taken without effect.
type Inbox interface {
	Deliver(ctx context.Context, guid string, n Notice) error
}

// Webhook answers deliveries: it checks their signature, drops what is of no concern, and stores the rest before it says
// that it has it.
type Webhook struct {
	Secret  []byte
	AppID   int64
	Inbox   Inbox
	Log     *slog.Logger
	Metrics *Metrics
}

var (
	eventName = regexp.MustCompile(`^[a-z_]{1,64}$`)
	guidShape = regexp.MustCompile(`^[A-Za-z0-9-]{1,64}$`)
)

// ServeHTTP takes a delivery.
func (h *Webhook) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	start := time.Now()
	status, event, outcome := h.take(w, r)
	h.Metrics.delivered(event, outcome, time.Since(start))
	if status >= 400 {
		http.Error(w, outcome, status)
		return
	}
	w.WriteHeader(status)
}

// take returns the status, the event's name for metrics, and what became of it.
func (h *Webhook) take(w http.ResponseWriter, r *http.Request) (status int, event, outcome string) {
	if r.Method != http.MethodPost {
		w.Header().Set("Allow", http.MethodPost)
		return http.StatusMethodNotAllowed, "", "only POST is taken"
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, MaxPayload))
	if err != nil {
		if _, ok := errors.AsType[*http.MaxBytesError](err); ok {
			return http.StatusRequestEntityTooLarge, "", "the payload is too large"
		}
		return http.StatusBadRequest, "", "the payload broke off"
	}
	if !h.signed(r.Header.Get("X-Hub-Signature-256"), body) {
		return http.StatusUnauthorized, "", "the signature is not right"
	}
	event, guid := r.Header.Get("X-GitHub-Event"), r.Header.Get("X-GitHub-Delivery")
	if !eventName.MatchString(event) || !guidShape.MatchString(guid) {
		return http.StatusBadRequest, "", "the headers of GitHub are missing"
	}
	log := h.Log.With("delivery", guid, "event", event)
	n, ok, err := ParseNotice(event, body, h.AppID)
	if err != nil {
		log.Warn("a delivery can't be read", "error", err)
		return http.StatusBadRequest, "unreadable", "the payload can't be read"
	}
	if !ok {
		return http.StatusAccepted, event, "irrelevant"
	}
	if err := h.Inbox.Deliver(r.Context(), guid, n); err != nil {
		log.Error("a delivery could not be stored", "error", err)
		return http.StatusServiceUnavailable, event, "the delivery could not be stored; deliver it again"
	}
	log.Info("stored", "kind", string(n.Kind), "repository", n.Repo.FullName(), "pull_request", n.Number)
	return http.StatusAccepted, event, "stored"
}

// signed compares a signature in constant time.
func (h *Webhook) signed(header string, body []byte) bool {
	text, ok := strings.CutPrefix(header, "sha256=")
	if !ok || len(h.Secret) == 0 {
		return false
	}
	got, err := hex.DecodeString(text)
	if err != nil {
		return false
	}
	mac := hmac.New(sha256.New, h.Secret)
	mac.Write(body)
	return hmac.Equal(got, mac.Sum(nil))
}
