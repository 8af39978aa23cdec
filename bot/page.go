package bot

import (
	"bytes"
	"cmp"
	"context"
	_ "embed"
	"fmt"
	"html/template"
	"net/http"
	"time"

	"github.com/azphalt/submissions/internal/githubapp"
	"github.com/azphalt/submissions/internal/source"
)

//go:embed page.html
var pageText string

// page is server-rendered, needs no script, and escapes whatever strangers wrote by the rules of where it stands. What can't
// be seen in it, or turns its direction, is shown as an escape.
var page = template.Must(template.New("page").Funcs(template.FuncMap{
	"when":    func(t time.Time) string { return t.UTC().Format("2006-01-02 15:04:05 UTC") },
	"short":   short,
	"state":   stateOf,
	"visible": source.Visible,
}).Parse(pageText))

// shownState is how it is with a pull request, in words and as a colour.
type shownState struct{ Words, Class string }

// stateOf sums up what is stored about a pull request.
func stateOf(p PullState) shownState {
	switch g := p.Progress; {
	case g.MergeCommit != "":
		return shownState{"merged", "good"}
	case g.Failure != "" && g.Next.IsZero():
		return shownState{"given up", "bad"}
	case g.Failure != "":
		return shownState{"tried again", "wait"}
	case !p.Open:
		return shownState{"closed", "dim"}
	case g.Action == NoMerge.String():
		return shownState{"has to change", "bad"}
	case g.Action == Hold.String():
		return shownState{"waits for a person", "wait"}
	case g.Action == Ignore.String():
		return shownState{"nothing to do", "dim"}
	default:
		return shownState{"being looked at", "wait"}
	}
}

// pageView is what the page shows.
type pageView struct {
	Pulls  []PullState
	Trail  []Event
	Rules  string
	Now    time.Time
	GitHub string // address of its pages
}

// Link is the address of a pull request.
func (v pageView) Link(repo string, number int) string {
	return fmt.Sprintf("%s/%s/pull/%d", v.GitHub, repo, number)
}

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
	err = page.Execute(&out, pageView{pulls, trail, RulesVersion(), b.now(), cmp.Or(b.GitHubURL, githubapp.Pages(""))})
	return out.Bytes(), err
}
