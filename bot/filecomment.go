package bot

import (
	"context"
	"fmt"
	"net/http"
	"slices"

	"github.com/azphalt/submissions/finding"
)

// maxFileComments is how many archives get a comment of their own; more would bury the rest of the conversation.
const maxFileComments = 5

// fileComment is a comment on a file as a whole.
type fileComment struct {
	ID   int64  `json:"id,omitempty"` // 0 where the request was not answered
	Text string `json:"text"`         // digest of what it says
}

// tellArchives puts what was found in an archive on the file as a whole, with excerpts: it has no lines that a comment could
// stand on. There is one comment for each archive, which is edited when there is something else to say.
func (e *evaluation) tellArchives(ctx context.Context) error {
	if e.judgement == nil {
		return nil
	}
	told := 0
	for _, p := range e.judgement.Report.Packages {
		if p.Shape != finding.Built || finding.Worst(p.Findings) < finding.Warning || !slices.Contains(e.judgement.Changed, p.Path) {
			continue
		}
		if told++; told > maxFileComments {
			return nil
		}
		if err := e.tellArchive(ctx, p); err != nil {
			return err
		}
	}
	return nil
}

func (e *evaluation) tellArchive(ctx context.Context, p finding.Package) error {
	body := findingsOf(&finding.Report{Tool: e.judgement.Report.Tool, Packages: []finding.Package{p}}, maxInComment)
	before, text := e.state.Progress.Archives[p.Path], digestOf(body)
	if before.Text == text {
		return nil
	}
	remember := func(id int64) error {
		if e.state.Progress.Archives == nil {
			e.state.Progress.Archives = map[string]fileComment{}
		}
		e.state.Progress.Archives[p.Path] = fileComment{id, text}
		return e.save(ctx)
	}
	if err := remember(before.ID); err != nil { // before it is said: twice would be worse than not at all
		return err
	}
	e.step("comment on archive")
	id := before.ID
	var err error
	if id != 0 {
		err = e.gh.EditFileComment(ctx, id, body)
	}
	if id == 0 || Status(err) == http.StatusNotFound { // or it was deleted
		id, err = e.gh.FileComment(ctx, e.state.Number, e.pull.HeadSHA, p.Path, body)
	}
	if Status(err) != 0 { // it is a help, not a condition: GitHub may refuse it
		e.log.Info("a comment on an archive was refused", "path", fmt.Sprintf("%q", p.Path), "error", err)
		return nil
	}
	if err != nil {
		return err
	}
	return remember(id)
}
