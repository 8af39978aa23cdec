package githubsim_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-github/v62/github"

	"github.com/azphalt/submissions/internal/githubsim"
)

func annotations(n int) []*github.CheckRunAnnotation {
	var list []*github.CheckRunAnnotation
	for i := range n {
		list = append(list, &github.CheckRunAnnotation{
			Path: github.String("a"), StartLine: github.Int(i + 1), EndLine: github.Int(i + 1), AnnotationLevel: github.String("failure"),
			Message: github.String(fmt.Sprint("number ", i)), StartColumn: github.Int(1), EndColumn: github.Int(2),
		})
	}
	return list
}

func output(list []*github.CheckRunAnnotation) *github.CheckRunOutput {
	return &github.CheckRunOutput{Title: github.String("title"), Summary: github.String("summary"), Text: github.String("text"), Annotations: list}
}

func TestACheckRunFromStartToEnd(t *testing.T) {
	w := newWorld(t, githubsim.Options{})
	pr, _ := w.contributeFromFork(githubsim.Files{"a": "b"})
	sha := pr.State().HeadSHA
	run, _, err := w.api.Checks.CreateCheckRun(ctx, owner, name, github.CreateCheckRunOptions{
		Name: "azphalt / submission", HeadSHA: sha, Status: github.String("in_progress"), ExternalID: github.String("e"), DetailsURL: github.String("https://a.example"),
		Output: output(annotations(50)),
	})
	must(t, err)
	eq(t, "App", run.GetApp().GetID(), w.app.ID)
	eq(t, "a fork's pull requests are not known", len(run.PullRequests), 0)
	_, _, err = w.api.Checks.UpdateCheckRun(ctx, owner, name, run.GetID(), github.UpdateCheckRunOptions{Name: run.GetName(), Output: output(annotations(50))})
	must(t, err)
	run, _, err = w.api.Checks.UpdateCheckRun(ctx, owner, name, run.GetID(), github.UpdateCheckRunOptions{
		Name: run.GetName(), Status: github.String("completed"), Conclusion: github.String("failure"), Output: output(annotations(20)),
		Actions: []*github.CheckRunAction{{Label: "again", Description: "once more", Identifier: "again"}},
	})
	must(t, err)
	eq(t, "annotations add up", run.GetOutput().GetAnnotationsCount(), 120)
	eq(t, "state", run.GetStatus()+" "+run.GetConclusion(), "completed failure")
	listed, resp, err := w.api.Checks.ListCheckRunAnnotations(ctx, owner, name, run.GetID(), &github.ListOptions{PerPage: 100})
	must(t, err)
	eq(t, "first page", len(listed), 100)
	eq(t, "next page", resp.NextPage, 2)
	got, _, err := w.api.Checks.GetCheckRun(ctx, owner, name, run.GetID())
	must(t, err)
	eq(t, "external id", got.GetExternalID(), "e")
	staged := w.repo.CheckRuns(sha)
	if len(staged) != 1 || staged[0].Updates != 2 || len(staged[0].Annotations) != 120 || staged[0].Actions[0] != "again" {
		t.Errorf("as the test sees it: %d runs", len(staged))
	}
	// Back to work: the conclusion is gone.
	run, _, err = w.api.Checks.UpdateCheckRun(ctx, owner, name, run.GetID(), github.UpdateCheckRunOptions{Name: run.GetName(), Status: github.String("in_progress")})
	must(t, err)
	eq(t, "state", run.GetStatus()+" "+run.GetConclusion(), "in_progress ")
	// A conclusion completes.
	run, _, err = w.api.Checks.UpdateCheckRun(ctx, owner, name, run.GetID(), github.UpdateCheckRunOptions{Name: run.GetName(), Conclusion: github.String("success")})
	must(t, err)
	eq(t, "state", run.GetStatus()+" "+run.GetConclusion(), "completed success")
}

func TestCheckRunsThatGitHubRefuses(t *testing.T) {
	w := newWorld(t, githubsim.Options{})
	sha := w.repo.Ref("main")
	good := func() github.CreateCheckRunOptions {
		return github.CreateCheckRunOptions{Name: "x", HeadSHA: sha, Output: output(annotations(1))}
	}
	for what, spoil := range map[string]func(o *github.CreateCheckRunOptions){
		"51 annotations":          func(o *github.CreateCheckRunOptions) { o.Output.Annotations = annotations(51) },
		"completed, no verdict":   func(o *github.CreateCheckRunOptions) { o.Status = github.String("completed") },
		"completed at, ditto":     func(o *github.CreateCheckRunOptions) { o.CompletedAt = &github.Timestamp{Time: time.Now()} },
		"stale":                   func(o *github.CreateCheckRunOptions) { o.Conclusion = github.String("stale") },
		"unknown conclusion":      func(o *github.CreateCheckRunOptions) { o.Conclusion = github.String("fine") },
		"unknown status":          func(o *github.CreateCheckRunOptions) { o.Status = github.String("waiting") },
		"no name":                 func(o *github.CreateCheckRunOptions) { o.Name = "" },
		"no commit":               func(o *github.CreateCheckRunOptions) { o.HeadSHA = "" },
		"unknown commit":          func(o *github.CreateCheckRunOptions) { o.HeadSHA = strings.Repeat("a", 40) },
		"no title":                func(o *github.CreateCheckRunOptions) { o.Output.Title = nil },
		"no summary":              func(o *github.CreateCheckRunOptions) { o.Output.Summary = nil },
		"long summary":            func(o *github.CreateCheckRunOptions) { o.Output.Summary = github.String(strings.Repeat("x", 65536)) },
		"long text":               func(o *github.CreateCheckRunOptions) { o.Output.Text = github.String(strings.Repeat("x", 65536)) },
		"annotation without path": func(o *github.CreateCheckRunOptions) { o.Output.Annotations[0].Path = github.String("") },
		"no message":              func(o *github.CreateCheckRunOptions) { o.Output.Annotations[0].Message = github.String("") },
		"long message": func(o *github.CreateCheckRunOptions) {
			o.Output.Annotations[0].Message = github.String(strings.Repeat("x", 65537))
		},
		"long details": func(o *github.CreateCheckRunOptions) {
			o.Output.Annotations[0].RawDetails = github.String(strings.Repeat("x", 65537))
		},
		"long title": func(o *github.CreateCheckRunOptions) {
			o.Output.Annotations[0].Title = github.String(strings.Repeat("x", 256))
		},
		"line 0":               func(o *github.CreateCheckRunOptions) { o.Output.Annotations[0].StartLine = github.Int(0) },
		"lines reversed":       func(o *github.CreateCheckRunOptions) { o.Output.Annotations[0].StartLine = github.Int(9) },
		"columns on two lines": func(o *github.CreateCheckRunOptions) { o.Output.Annotations[0].EndLine = github.Int(9) },
		"columns reversed":     func(o *github.CreateCheckRunOptions) { o.Output.Annotations[0].StartColumn = github.Int(9) },
		"level error": func(o *github.CreateCheckRunOptions) {
			o.Output.Annotations[0].AnnotationLevel = github.String("error")
		},
		"four actions": func(o *github.CreateCheckRunOptions) { o.Actions = make([]*github.CheckRunAction, 4) },
		"long label": func(o *github.CreateCheckRunOptions) {
			o.Actions = []*github.CheckRunAction{{Label: strings.Repeat("x", 21), Description: "d", Identifier: "i"}}
		},
	} {
		o := good()
		spoil(&o)
		if _, _, err := w.api.Checks.CreateCheckRun(ctx, owner, name, o); err == nil {
			t.Errorf("%s: taken", what)
		} else {
			refused(t, err, 422)
		}
	}
	w.ClearViolations()
	eq(t, "check runs", len(w.repo.CheckRuns(sha)), 0)
	run, _, err := w.api.Checks.CreateCheckRun(ctx, owner, name, good())
	must(t, err)
	_, _, err = w.api.Checks.UpdateCheckRun(ctx, owner, name, run.GetID(), github.UpdateCheckRunOptions{Name: "x", Output: output(annotations(51))})
	refused(t, err, 422)
	_, _, err = w.api.Checks.UpdateCheckRun(ctx, owner, name, run.GetID(), github.UpdateCheckRunOptions{Name: "x", Status: github.String("completed")})
	refused(t, err, 422)
	w.ClearViolations()
	_, _, err = w.api.Checks.UpdateCheckRun(ctx, owner, name, 1, github.UpdateCheckRunOptions{Name: "x"})
	refused(t, err, 404)

	actions := w.CreateApp(githubsim.AppOptions{ID: 15368, Slug: "github-actions", Owner: "github"})
	foreign := w.repo.AddCheckRun(actions, githubsim.CheckRun{Name: "azphalt / submission", HeadSHA: sha, Conclusion: "success"})
	_, _, err = w.api.Checks.UpdateCheckRun(ctx, owner, name, foreign, github.UpdateCheckRunOptions{Name: "x", Conclusion: github.String("failure")})
	refused(t, err, 403)
}

func TestCheckRunsAreFound(t *testing.T) {
	w := newWorld(t, githubsim.Options{})
	pr := w.contribute(githubsim.Files{"a": "b"})
	sha := pr.State().HeadSHA
	actions := w.CreateApp(githubsim.AppOptions{ID: 15368, Slug: "github-actions", Owner: "github"})
	w.repo.AddCheckRun(actions, githubsim.CheckRun{Name: "gate", HeadSHA: sha, Conclusion: "success"})
	w.repo.AddCheckRun(w.app, githubsim.CheckRun{Name: "gate", HeadSHA: sha, Conclusion: "failure"})
	w.repo.AddCheckRun(w.app, githubsim.CheckRun{Name: "gate", HeadSHA: sha})
	w.repo.AddCheckRun(w.app, githubsim.CheckRun{Name: "other", HeadSHA: sha, Status: "in_progress"})
	count := func(o *github.ListCheckRunsOptions) int {
		list, _, err := w.api.Checks.ListCheckRunsForRef(ctx, owner, name, "contribution", o)
		must(t, err)
		eq(t, "total", list.GetTotal(), len(list.CheckRuns))
		return len(list.CheckRuns)
	}
	eq(t, "latest", count(nil), 3)
	eq(t, "all", count(&github.ListCheckRunsOptions{Filter: github.String("all")}), 4)
	eq(t, "by name", count(&github.ListCheckRunsOptions{CheckName: github.String("gate")}), 2)
	eq(t, "by App", count(&github.ListCheckRunsOptions{AppID: &actions.ID}), 1)
	eq(t, "by status", count(&github.ListCheckRunsOptions{Status: github.String("queued")}), 1)
	suites, _, err := w.api.Checks.ListCheckSuitesForRef(ctx, owner, name, sha, nil)
	must(t, err)
	eq(t, "suites", suites.GetTotal(), 2)
	for _, suite := range suites.CheckSuites {
		got, _, err := w.api.Checks.GetCheckSuite(ctx, owner, name, suite.GetID())
		must(t, err)
		want := map[int64]string{w.app.ID: "in_progress ", actions.ID: "completed success"}[got.GetApp().GetID()]
		eq(t, "suite", got.GetStatus()+" "+got.GetConclusion(), want)
		eq(t, "branch", got.GetHeadBranch(), "contribution")
		eq(t, "pull requests", len(got.PullRequests), 1)
		runs, _, err := w.api.Checks.ListCheckRunsCheckSuite(ctx, owner, name, got.GetID(), nil)
		must(t, err)
		eq(t, "runs", runs.GetTotal(), map[int64]int{w.app.ID: 2, actions.ID: 1}[got.GetApp().GetID()])
		_, err = w.api.Checks.ReRequestCheckSuite(ctx, owner, name, got.GetID())
		must(t, err)
		got, _, err = w.api.Checks.GetCheckSuite(ctx, owner, name, suite.GetID())
		must(t, err)
		eq(t, "asked for again", got.GetStatus(), "queued")
	}
	suite, _, err := w.api.Checks.CreateCheckSuite(ctx, owner, name, github.CreateCheckSuiteOptions{HeadSHA: w.repo.Ref("main")})
	must(t, err)
	eq(t, "suite of main", suite.GetStatus(), "queued")
	_, err = w.api.Checks.ReRequestCheckRun(ctx, owner, name, w.repo.CheckRuns(sha)[0].ID)
	must(t, err)
	_, _, err = w.api.Checks.GetCheckRun(ctx, owner, name, 1)
	refused(t, err, 404)
	_, _, err = w.api.Checks.GetCheckSuite(ctx, owner, name, 1)
	refused(t, err, 404)
	_, _, err = w.api.Checks.ListCheckRunsForRef(ctx, owner, name, "nothing", nil)
	refused(t, err, 422)
}

func TestStatuses(t *testing.T) {
	w := newWorld(t, githubsim.Options{})
	sha := w.repo.Ref("main")
	state := func() string {
		c, _, err := w.api.Repositories.GetCombinedStatus(ctx, owner, name, "main", nil)
		must(t, err)
		return fmt.Sprint(c.GetState(), " ", c.GetTotalCount())
	}
	eq(t, "no status", state(), "pending 0")
	w.repo.AddCheckRun(w.app, githubsim.CheckRun{Name: "x", HeadSHA: sha, Conclusion: "failure"})
	eq(t, "check runs are no statuses", state(), "pending 0")
	w.repo.AddStatus("maintainer", sha, githubsim.Status{State: "pending", Context: "ci"})
	eq(t, "pending", state(), "pending 1")
	_, _, err := w.api.Repositories.CreateStatus(ctx, owner, name, sha, &github.RepoStatus{State: github.String("success"), Context: github.String("ci"), TargetURL: github.String("https://a.example")})
	must(t, err)
	eq(t, "success", state(), "success 1")
	w.repo.AddStatus("maintainer", sha, githubsim.Status{State: "error"})
	eq(t, "error", state(), "failure 2")
	list, _, err := w.api.Repositories.ListStatuses(ctx, owner, name, sha, nil)
	must(t, err)
	eq(t, "all", len(list), 3)
	eq(t, "newest first", list[0].GetContext(), "default")
	eq(t, "as the test sees it", len(w.repo.Statuses(sha)), 3)
	_, _, err = w.api.Repositories.CreateStatus(ctx, owner, name, sha, &github.RepoStatus{State: github.String("fine")})
	refused(t, err, 422)
	_, _, err = w.api.Repositories.CreateStatus(ctx, owner, name, strings.Repeat("a", 40), &github.RepoStatus{State: github.String("success")})
	refused(t, err, 422)
	w.ClearViolations()
	_, _, err = w.as("stranger").Repositories.CreateStatus(ctx, owner, name, sha, &github.RepoStatus{State: github.String("success")})
	refused(t, err, 403)
}
