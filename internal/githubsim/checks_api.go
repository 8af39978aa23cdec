package githubsim

import (
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/go-git/go-git/v5/plumbing"
)

func checkRoutes() []*route {
	const repo = "/repos/{owner}/{repo}"
	read, write := reads("checks"), writes(Write, "checks")
	return []*route{
		{method: "POST", path: repo + "/check-runs", access: write, handle: createCheckRun, content: true},
		{method: "GET", path: repo + "/check-runs/{check_run_id}", access: read, handle: getCheckRun},
		{method: "PATCH", path: repo + "/check-runs/{check_run_id}", access: write, handle: updateCheckRun},
		{method: "GET", path: repo + "/check-runs/{check_run_id}/annotations", access: read, handle: listAnnotations},
		{method: "POST", path: repo + "/check-runs/{check_run_id}/rerequest", access: write, handle: rerequestCheckRun},
		{method: "POST", path: repo + "/check-suites", access: write, handle: createCheckSuite},
		{method: "GET", path: repo + "/check-suites/{check_suite_id}", access: read, handle: getCheckSuite},
		{method: "GET", path: repo + "/check-suites/{check_suite_id}/check-runs", access: read, handle: listSuiteRuns},
		{method: "POST", path: repo + "/check-suites/{check_suite_id}/rerequest", access: write, handle: rerequestCheckSuite},
		{method: "GET", path: repo + "/commits/{ref}/check-runs", access: read, handle: listRefRuns},
		{method: "GET", path: repo + "/commits/{ref}/check-suites", access: read, handle: listRefSuites},
	}
}

// runInput is a check run as a client writes it; what is nil stays as it is.
type runInput struct {
	Name        *string
	HeadSHA     string     `json:"head_sha"`
	DetailsURL  *string    `json:"details_url"`
	ExternalID  *string    `json:"external_id"`
	Status      *string    `json:"status"`
	StartedAt   *time.Time `json:"started_at"`
	Conclusion  *string    `json:"conclusion"`
	CompletedAt *time.Time `json:"completed_at"`
	Output      *runOutput
	Actions     []runAction
}

type runOutput struct {
	Title, Summary, Text *string
	Annotations          []Annotation
}

type runAction struct{ Label, Description, Identifier string }

// Limits of a check run.
const (
	maxAnnotations  = 50    // a request
	maxSummary      = 65535 // characters, of summary and text each
	maxMessage      = 64 << 10
	maxTitle        = 255
	maxActions      = 3
	maxActionLabel  = 20
	maxActionDetail = 40
)

// asApp returns the App that asks; only Apps have check runs.
func (r *request) asApp() (*App, error) {
	if r.actor.app == nil {
		return nil, forbidden("You must authenticate via a GitHub App.")
	}
	return r.actor.app, nil
}

func createCheckRun(r *request) (reply, error) {
	app, err := r.asApp()
	if err != nil {
		return reply{}, err
	}
	var in runInput
	if err := r.decode(&in); err != nil {
		return reply{}, err
	}
	switch {
	case in.Name == nil || *in.Name == "":
		return reply{}, unprocessable("Invalid request.\n\n\"name\" wasn't supplied.")
	case in.HeadSHA == "":
		return reply{}, unprocessable("Invalid request.\n\n\"head_sha\" wasn't supplied.")
	case in.Output != nil && in.Output.Title == nil:
		return reply{}, unprocessable("Invalid request.\n\n\"title\" wasn't supplied.")
	case !r.repo.objects.has(plumbing.CommitObject, in.HeadSHA):
		return reply{}, unprocessable("No commit found for SHA: %s", in.HeadSHA)
	}
	if err := in.check(); err != nil {
		return reply{}, err
	}
	c := CheckRun{Status: "queued", HeadSHA: in.HeadSHA, DetailsURL: app.homepage}
	in.apply(&c)
	run := r.sim.addRun(r.repo, app, c)
	return created(run.json(r.sim))
}

// check refuses what GitHub refuses, whatever its OpenAPI document says.
func (in *runInput) check() error {
	if in.Status != nil && !slices.Contains([]string{"queued", "in_progress", "completed"}, *in.Status) {
		return unprocessable("Invalid request.\n\nFor 'properties/status', %s is not one of queued, in_progress, completed.", *in.Status)
	}
	completes := in.Status != nil && *in.Status == "completed" || in.CompletedAt != nil
	switch {
	case completes && in.Conclusion == nil:
		return unprocessable("Invalid request.\n\nMissing required parameter: conclusion")
	case in.Conclusion != nil && (*in.Conclusion == "stale" || !slices.Contains(worst, *in.Conclusion)):
		return unprocessable("Invalid request.\n\nFor 'properties/conclusion', %s is not allowed.", *in.Conclusion)
	case len(in.Actions) > maxActions:
		return unprocessable("Invalid request.\n\nNo more than %d actions are allowed.", maxActions)
	}
	for _, a := range in.Actions {
		if a.Label == "" || a.Identifier == "" || a.Description == "" || tooLong(a.Label, maxActionLabel) || tooLong(a.Identifier, maxActionLabel) || tooLong(a.Description, maxActionDetail) {
			return unprocessable("Invalid request.\n\nAn action needs a label and an identifier of at most 20 characters and a description of at most 40.")
		}
	}
	if in.Output == nil {
		return nil
	}
	return in.Output.check()
}

func tooLong(text string, limit int) bool { return len([]rune(text)) > limit }

func (out *runOutput) check() error {
	switch {
	case out.Summary == nil:
		return unprocessable("Invalid request.\n\n\"summary\" wasn't supplied.")
	case tooLong(*out.Summary, maxSummary), out.Text != nil && tooLong(*out.Text, maxSummary):
		return unprocessable("Invalid request.\n\nOnly 65535 characters are allowed; more were supplied.")
	case len(out.Annotations) > maxAnnotations:
		return unprocessable("Invalid request.\n\nNo more than 50 items are allowed; %d were supplied.", len(out.Annotations))
	}
	for i, a := range out.Annotations {
		if fault := a.fault(); fault != "" {
			return unprocessable("Invalid request.\n\nFor 'items/%d', %s", i, fault)
		}
	}
	return nil
}

// fault says what is wrong with an annotation; empty if nothing is.
func (a Annotation) fault() string {
	columns := a.StartColumn != nil || a.EndColumn != nil
	switch {
	case a.Path == "":
		return `"path" wasn't supplied.`
	case a.StartLine < 1:
		return "start_line must be 1 or more."
	case a.EndLine < a.StartLine:
		return "end_line must not be before start_line."
	case a.Message == "":
		return `"message" wasn't supplied.`
	case len(a.Message) > maxMessage, a.RawDetails != nil && len(*a.RawDetails) > maxMessage:
		return "only 64 KB are allowed."
	case a.Title != nil && tooLong(*a.Title, maxTitle):
		return "only 255 characters are allowed for the title."
	case !slices.Contains([]string{"notice", "warning", "failure"}, a.Level):
		return fmt.Sprintf("%q is no annotation_level.", a.Level)
	case columns && a.StartLine != a.EndLine:
		return "columns are only supported on annotations of one line."
	case a.StartColumn != nil && *a.StartColumn < 1, a.EndColumn != nil && a.StartColumn != nil && *a.EndColumn < *a.StartColumn:
		return "the columns are out of order."
	}
	return ""
}

// apply lays what was given over a run. Annotations are added to those there are.
func (in *runInput) apply(c *CheckRun) {
	take(&c.Name, in.Name)
	take(&c.DetailsURL, in.DetailsURL)
	take(&c.ExternalID, in.ExternalID)
	take(&c.Started, in.StartedAt)
	if in.Status != nil && *in.Status != "completed" {
		c.Status, c.Conclusion, c.Completed = *in.Status, "", time.Time{}
	}
	if in.Conclusion != nil {
		c.Status, c.Conclusion, c.Completed = "completed", *in.Conclusion, now()
		take(&c.Completed, in.CompletedAt)
	}
	if in.Output != nil {
		take(&c.Title, in.Output.Title)
		take(&c.Summary, in.Output.Summary)
		take(&c.Text, in.Output.Text)
		c.Annotations = append(c.Annotations, in.Output.Annotations...)
	}
	if in.Actions != nil {
		c.Actions = nil
		for _, a := range in.Actions {
			c.Actions = append(c.Actions, a.Identifier)
		}
	}
}

func take[T any](field *T, given *T) {
	if given != nil {
		*field = *given
	}
}

// checkRun finds the check run that the path names.
func (r *request) checkRun() (*checkRun, error) {
	id, err := r.number("check_run_id")
	if err != nil {
		return nil, err
	}
	run := r.repo.runByID(id)
	if run == nil {
		return nil, notFound()
	}
	return run, nil
}

func getCheckRun(r *request) (reply, error) {
	run, err := r.checkRun()
	if err != nil {
		return reply{}, err
	}
	return ok(run.json(r.sim))
}

func updateCheckRun(r *request) (reply, error) {
	app, err := r.asApp()
	if err != nil {
		return reply{}, err
	}
	run, err := r.checkRun()
	if err != nil {
		return reply{}, err
	}
	if run.suite.app != app {
		return reply{}, forbidden("Invalid app_id `%d` - check run can only be modified by the GitHub App that created it.", app.ID)
	}
	var in runInput
	if err := r.decode(&in); err != nil {
		return reply{}, err
	}
	if err := in.check(); err != nil {
		return reply{}, err
	}
	before := run.Status
	in.apply(&run.CheckRun)
	run.Updates++
	if run.Status == "completed" && before == "completed" && in.Conclusion == nil {
		run.suite.reset = false
		return ok(run.json(r.sim))
	}
	r.sim.afterRun(run)
	return ok(run.json(r.sim))
}

func listAnnotations(r *request) (reply, error) {
	run, err := r.checkRun()
	if err != nil {
		return reply{}, err
	}
	return paged(r, run.Annotations, func(a Annotation) any {
		return obj{
			"path": a.Path, "blob_href": r.repo.api("/contents/%s?ref=%s", escapePath(a.Path), run.HeadSHA), "start_line": a.StartLine,
			"end_line": a.EndLine, "start_column": a.StartColumn, "end_column": a.EndColumn, "annotation_level": a.Level, "title": a.Title,
			"message": a.Message, "raw_details": a.RawDetails,
		}
	})
}

func rerequestCheckRun(r *request) (reply, error) {
	run, err := r.checkRun()
	if err != nil {
		return reply{}, err
	}
	r.sim.rerequest(run, r.actor.account)
	return created(obj{})
}

// listRuns serves check runs after the filters of the query.
func (r *request) listRuns(runs []*checkRun) (reply, error) {
	q := r.query()
	var kept []*checkRun
	for _, run := range runs {
		switch {
		case q.Get("check_name") != "" && run.Name != q.Get("check_name"):
		case q.Get("app_id") != "" && strconv.FormatInt(run.App, 10) != q.Get("app_id"):
		default:
			kept = append(kept, run)
		}
	}
	if q.Get("filter") == "all" {
		slices.Reverse(kept)
	} else {
		kept = latestRuns(kept)
	}
	if want := q.Get("status"); want != "" {
		kept = slices.DeleteFunc(kept, func(run *checkRun) bool { return run.Status != want })
	}
	return counted(r, "check_runs", kept, func(run *checkRun) any { return run.json(r.sim) })
}

// commitOf resolves {ref}.
func (r *request) commitOf() (string, error) {
	sha, err := r.repo.resolve(r.params["ref"], r.stale)
	if err != nil {
		return "", unprocessable("No commit found for SHA: %s", r.params["ref"])
	}
	return sha, nil
}

func listRefRuns(r *request) (reply, error) {
	sha, err := r.commitOf()
	if err != nil {
		return reply{}, err
	}
	var runs []*checkRun
	for _, run := range r.repo.runs {
		if run.HeadSHA == sha {
			runs = append(runs, run)
		}
	}
	return r.listRuns(runs)
}

func listRefSuites(r *request) (reply, error) {
	sha, err := r.commitOf()
	if err != nil {
		return reply{}, err
	}
	var list []*suite
	for _, u := range r.repo.suites {
		if app := r.query().Get("app_id"); u.sha == sha && (app == "" || app == strconv.FormatInt(u.app.ID, 10)) {
			list = append(list, u)
		}
	}
	return counted(r, "check_suites", list, func(u *suite) any { return u.json(r.sim) })
}

// suite finds the check suite that the path names.
func (r *request) suite() (*suite, error) {
	id, err := r.number("check_suite_id")
	if err != nil {
		return nil, err
	}
	for _, u := range r.repo.suites {
		if u.id == id {
			return u, nil
		}
	}
	return nil, notFound()
}

func getCheckSuite(r *request) (reply, error) {
	u, err := r.suite()
	if err != nil {
		return reply{}, err
	}
	return ok(u.json(r.sim))
}

func listSuiteRuns(r *request) (reply, error) {
	u, err := r.suite()
	if err != nil {
		return reply{}, err
	}
	return r.listRuns(u.runs())
}

func rerequestCheckSuite(r *request) (reply, error) {
	u, err := r.suite()
	if err != nil {
		return reply{}, err
	}
	r.sim.rerequestSuite(u, r.actor.account)
	return created(obj{})
}

// createCheckSuite makes the suite of the App that asks, or finds it: GitHub has made it already, as a rule.
func createCheckSuite(r *request) (reply, error) {
	app, err := r.asApp()
	if err != nil {
		return reply{}, err
	}
	var in struct {
		HeadSHA string `json:"head_sha"`
	}
	if err := r.decode(&in); err != nil {
		return reply{}, err
	}
	if !r.repo.objects.has(plumbing.CommitObject, in.HeadSHA) {
		return reply{}, unprocessable("No commit found for SHA: %s", in.HeadSHA)
	}
	status := http.StatusOK
	if !r.repo.hasSuite(app, in.HeadSHA) {
		status = http.StatusCreated
	}
	return reply{status: status, body: r.repo.suiteFor(app, in.HeadSHA).json(r.sim)}, nil
}
