package bot

import (
	"bytes"
	"cmp"
	"context"
	_ "embed"
	"net/http"

	"github.com/azphalt/submissions/internal/githubapp"
)

//go:embed page.css
var pageStyle string

// pagePolicy allows the page's own style and nothing else.
const pagePolicy = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// rowsShown is how many pull requests, and entries of the audit trail, the page lists.
const rowsShown = 200

// Page serves what is open, decided and waiting, and why.
func (b *Bot) Page(w http.ResponseWriter, r *http.Request) {
	text, err := b.render(r.Context())
	if err != nil {
		b.Log.Error("the page can't be shown", "error", err)
		http.Error(w, "the database does not answer", http.StatusServiceUnavailable)
		return
	}
	h := w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Content-Security-Policy", pagePolicy)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cache-Control", "no-store")
	_, _ = w.Write(text) // a reader that went away is no fault
}

func (b *Bot) render(ctx context.Context) ([]byte, error) {
	pulls, err := b.Store.Recent(ctx, rowsShown)
	if err != nil {
		return nil, err
	}
	trail, err := b.Store.Trail(ctx, rowsShown)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	view := pageView{pulls, trail, RulesVersion(), b.now(), cmp.Or(b.GitHubURL, githubapp.Pages(""))}
	err = view.document().Render(&out)
	return out.Bytes(), err
}
