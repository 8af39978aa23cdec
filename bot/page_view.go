package bot

import (
	"fmt"
	"time"

	g "maragu.dev/gomponents"
	"maragu.dev/gomponents/components"
	h "maragu.dev/gomponents/html"

	"github.com/azphalt/submissions/internal/source"
)

// pageView is what the page shows.
type pageView struct {
	Pulls  []PullState
	Trail  []Event
	Rules  string
	Now    time.Time
	GitHub string // address of its pages
}

// document is the page: no script, and every text escaped.
func (v pageView) document() g.Node {
	return components.HTML5(components.HTML5Props{
		Title:    "Submissions",
		Language: "en",
		Head:     []g.Node{h.StyleEl(g.Raw(pageStyle))},
		Body: []g.Node{
			h.H1(g.Text("Submissions")),
			h.P(h.Class("dim"), g.Text("As of "), when(v.Now), g.Text(", by rules "), h.Code(g.Text(v.Rules)), g.Text(".")),
			h.H2(g.Text("Pull requests")),
			table(v.Pulls, v.pull, "None yet.", "Pull request", "State", "Why, and what is next", "Looked at"),
			h.H2(g.Text("Audit trail")),
			table(v.Trail, v.event, "Nothing yet.", "When", "Pull request", "Commit", "What"),
		},
	})
}

// table has a row for each item; where there are none, it is a sentence.
func table[T any](items []T, row func(T) g.Node, none string, columns ...string) g.Node {
	if len(items) == 0 {
		return h.P(g.Text(none))
	}
	head := g.Map(columns, func(name string) g.Node { return h.Th(h.Scope("col"), g.Text(name)) })
	return h.Table(h.THead(h.Tr(head)), h.TBody(g.Map(items, row)))
}

// pull is the row of a pull request.
func (v pageView) pull(p PullState) g.Node {
	state, seen := stateOf(p), p.Progress
	return h.Tr(
		h.Td(
			v.link(p.FullName(), p.Number),
			given(seen.Title, h.P(h.Class("title"), foreign(seen.Title))),
			given(p.Head, h.P(h.Class("dim"),
				given(seen.Author, g.Text("by "), foreign(seen.Author), g.Text(", ")),
				h.Code(g.Text(short(p.Head))), g.Text(" into "), h.Code(foreign(p.Base)))),
		),
		h.Td(
			h.Span(h.Class("state "+state.Class), g.Text(state.Words)),
			given(seen.MergeCommit, h.P(h.Class("dim"), g.Text("as "), h.Code(g.Text(short(seen.MergeCommit))))),
			given(seen.Verdict, h.P(h.Class("dim"), g.Text("verification: "+seen.Verdict))),
		),
		h.Td(
			given(seen.Failure, h.P(g.Text("The last look failed: "), foreign(seen.Failure))),
			g.If(!seen.Next.IsZero(), h.P(g.Text("Next attempt: "), when(seen.Next))),
			g.If(seen.MergeCommit == "" && len(seen.Reasons) > 0, h.Ul(g.Map(seen.Reasons, func(r Point) g.Node {
				return h.Li(foreign(r.Sentence), g.Text(" "), foreign(r.Next, h.Class("dim")))
			}))),
		),
		h.Td(h.Class("dim"), g.Iff(p.Looked(), func() g.Node { return when(p.Updated) }), g.If(!p.Looked(), g.Text("not yet"))),
	)
}

// event is a row of the audit trail.
func (v pageView) event(e Event) g.Node {
	return h.Tr(
		h.Td(h.Class("dim"), when(e.At)),
		h.Td(v.link(e.Repo, e.Number)),
		h.Td(h.Class("commit"), h.Code(g.Text(short(e.Head)))),
		h.Td(h.Strong(g.Text(e.Event)), g.Text(" "), foreign(e.Detail)),
	)
}

// link leads to a pull request.
func (v pageView) link(repo string, number int) g.Node {
	return h.A(h.Href(fmt.Sprintf("%s/%s/pull/%d", v.GitHub, repo, number)), g.Textf("%s#%d", repo, number))
}

// foreign is text that strangers wrote. What can't be seen in it, or turns its direction, is shown as an escape.
func foreign(text string, attributes ...g.Node) g.Node {
	return g.El("bdi", g.Group(attributes), g.Text(source.Visible(text)))
}

func when(t time.Time) g.Node { return h.Time(g.Text(t.UTC().Format("2006-01-02 15:04:05 UTC"))) }

// given is the nodes where the text that they are about is not empty.
func given(text string, nodes ...g.Node) g.Node { return g.If(text != "", g.Group(nodes)) }

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
