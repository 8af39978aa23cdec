package githubsim

import (
	"cmp"
	"slices"
	"time"
)

// CheckRun is a check run, as a test sees or stages it.
type CheckRun struct {
	ID          int64
	App         int64
	Name        string
	HeadSHA     string
	Status      string // "queued", "in_progress" or "completed"
	Conclusion  string // empty until completed
	ExternalID  string
	DetailsURL  string
	Title       string
	Summary     string
	Text        string
	Annotations []Annotation
	Actions     []string // identifiers of the buttons shown
	Started     time.Time
	Completed   time.Time // zero until completed
	Updates     int       // how often it was updated
}

// Annotation is a finding of a check run on lines of a file.
type Annotation struct {
	Path        string  `json:"path"`
	StartLine   int     `json:"start_line"`
	EndLine     int     `json:"end_line"`
	StartColumn *int    `json:"start_column"`
	EndColumn   *int    `json:"end_column"`
	Level       string  `json:"annotation_level"`
	Message     string  `json:"message"`
	Title       *string `json:"title"`
	RawDetails  *string `json:"raw_details"`
}

type checkRun struct {
	CheckRun
	suite *suite
}

// suite is the check suite of an App for a commit.
type suite struct {
	id               int64
	repo             *Repo
	app              *App
	sha, branch      string // branch is empty where the commit is no branch's tip, as for a fork's
	before           string
	reset            bool // asked for again, and no run updated since
	created, updated time.Time
}

// CheckRuns returns the check runs of a commit, oldest first.
func (r *Repo) CheckRuns(sha string) []CheckRun {
	r.sim.mu.Lock()
	defer r.sim.mu.Unlock()
	var list []CheckRun
	for _, run := range r.runs {
		if run.HeadSHA == sha {
			copied := run.CheckRun
			copied.Annotations = slices.Clone(run.Annotations)
			list = append(list, copied)
		}
	}
	return list
}

// AddCheckRun makes a check run of an App, such as another one than the one under test, and returns its id. Of c, what
// is known by itself is ignored; with a conclusion it is completed.
func (r *Repo) AddCheckRun(app *App, c CheckRun) int64 {
	r.sim.mu.Lock()
	defer r.sim.mu.Unlock()
	setDefault(&c.Name, app.Slug)
	setDefault(&c.Status, "queued")
	if c.Conclusion != "" {
		c.Status, c.Completed = "completed", now()
	}
	return r.sim.addRun(r, app, c).ID
}

func (s *Sim) addRun(r *Repo, app *App, c CheckRun) *checkRun {
	c.ID, c.App = s.id(), app.ID
	if c.Started.IsZero() {
		c.Started = now()
	}
	run := &checkRun{CheckRun: c, suite: r.suiteFor(app, c.HeadSHA)}
	r.runs = append(r.runs, run)
	s.emitRun(run, "created", s.bot(app), nil)
	s.afterRun(run)
	return run
}

// afterRun tells of a run that is completed, and of its suite when that is too.
func (s *Sim) afterRun(run *checkRun) {
	run.suite.reset, run.suite.updated = false, now()
	if run.Status != "completed" {
		return
	}
	s.emitRun(run, "completed", s.bot(run.suite.app), nil)
	if status, _ := run.suite.state(); status == "completed" {
		s.emitSuite(run.suite, "completed", s.bot(run.suite.app))
	}
}

// Rerequest asks for a check run again, as its button does.
func (r *Repo) Rerequest(login string, run int64) {
	r.sim.mu.Lock()
	defer r.sim.mu.Unlock()
	c := r.runByID(run)
	if c == nil {
		r.sim.fatal("no check run %d", run)
	}
	r.sim.rerequest(c, r.sim.account(login))
}

func (s *Sim) rerequest(run *checkRun, who *account) {
	run.suite.reset = true
	s.emitRun(run, "rerequested", who, nil)
}

// RequestAction presses a button of a check run.
func (r *Repo) RequestAction(login string, run int64, identifier string) {
	r.sim.mu.Lock()
	defer r.sim.mu.Unlock()
	c := r.runByID(run)
	if c == nil || !slices.Contains(c.Actions, identifier) {
		r.sim.fatal("no check run %d with an action %q", run, identifier)
	}
	r.sim.emitRun(c, "requested_action", r.sim.account(login), obj{"requested_action": obj{"identifier": identifier}})
}

// RerequestSuite asks for all check runs of an App on a commit again.
func (r *Repo) RerequestSuite(login string, app *App, sha string) {
	r.sim.mu.Lock()
	defer r.sim.mu.Unlock()
	r.sim.rerequestSuite(r.suiteFor(app, sha), r.sim.account(login))
}

func (s *Sim) rerequestSuite(u *suite, who *account) {
	u.reset = true
	s.emitSuite(u, "rerequested", who)
}

func (r *Repo) runByID(id int64) *checkRun {
	for _, run := range r.runs {
		if run.ID == id {
			return run
		}
	}
	return nil
}

// suiteFor finds or makes the suite of an App for a commit.
func (r *Repo) suiteFor(app *App, sha string) *suite {
	for _, u := range r.suites {
		if u.app == app && u.sha == sha {
			return u
		}
	}
	u := &suite{id: r.sim.id(), repo: r, app: app, sha: sha, created: now(), updated: now()}
	for _, ref := range r.refsUnder("refs/heads/") {
		if ref.sha == sha {
			u.branch, u.before = ref.name[len("refs/heads/"):], r.previous[ref.name]
			break
		}
	}
	r.suites = append(r.suites, u)
	return u
}

// requestSuites makes the suites of a pushed commit for every App that may write checks, and tells it.
func (s *Sim) requestSuites(r *Repo, sha, branch string, pusher *account) {
	for _, i := range s.installations {
		if !i.covers(r) || !i.perms.holds(grant{"checks", "write"}) || r.hasSuite(i.App, sha) {
			continue
		}
		u := &suite{id: s.id(), repo: r, app: i.App, sha: sha, branch: branch, before: r.previous["refs/heads/"+branch], created: now(), updated: now()}
		r.suites = append(r.suites, u)
		s.emitSuite(u, "requested", pusher)
	}
}

func (r *Repo) hasSuite(app *App, sha string) bool {
	return slices.ContainsFunc(r.suites, func(u *suite) bool { return u.app == app && u.sha == sha })
}

// runs returns the runs of a suite, oldest first.
func (u *suite) runs() []*checkRun {
	var list []*checkRun
	for _, run := range u.repo.runs {
		if run.suite == u {
			list = append(list, run)
		}
	}
	return list
}

// worst orders conclusions by what they make of a suite.
var worst = []string{"failure", "timed_out", "cancelled", "action_required", "stale", "success", "neutral", "skipped"}

// state sums up the latest runs of a suite.
func (u *suite) state() (status, conclusion string) {
	latest := latestRuns(u.runs())
	if len(latest) == 0 || u.reset {
		return "queued", ""
	}
	for _, run := range latest {
		if run.Status != "completed" {
			return "in_progress", ""
		}
	}
	for _, c := range worst {
		if slices.ContainsFunc(latest, func(run *checkRun) bool { return run.Conclusion == c }) {
			return "completed", c
		}
	}
	return "completed", "neutral"
}

// latestRuns leaves of the runs with one name in one suite the latest, newest first.
func latestRuns(runs []*checkRun) []*checkRun {
	type key struct {
		suite *suite
		name  string
	}
	seen := map[key]bool{}
	var list []*checkRun
	for _, run := range slices.Backward(runs) {
		if k := (key{run.suite, run.Name}); !seen[k] {
			seen[k] = true
			list = append(list, run)
		}
	}
	return list
}

// checkState is what has become of a required check.
type checkState int

const (
	checkMissing checkState = iota
	checkPending
	checkPassed
	checkFailed
)

// checkState looks for a required check among statuses and check runs; the worst of several counts.
func (r *Repo) checkState(sha string, want RequiredCheck) checkState {
	state := checkMissing
	for _, st := range r.latestStatuses(sha) {
		if st.Context == want.Context && (want.App == 0 || st.app.id() == want.App) {
			state = max(state, statusState(st.State))
		}
	}
	var runs []*checkRun
	for _, run := range r.runs {
		if run.HeadSHA == sha && run.Name == want.Context && (want.App == 0 || run.App == want.App) {
			runs = append(runs, run)
		}
	}
	for _, run := range latestRuns(runs) {
		state = max(state, runState(run))
	}
	return state
}

func statusState(state string) checkState {
	switch state {
	case "success":
		return checkPassed
	case "pending":
		return checkPending
	}
	return checkFailed
}

func runState(run *checkRun) checkState {
	switch {
	case run.Status != "completed":
		return checkPending
	case slices.Contains([]string{"success", "neutral", "skipped"}, run.Conclusion):
		return checkPassed
	}
	return checkFailed
}

// anyCheckFailing reports whether a check or status of a commit, required or not, has not passed.
func (r *Repo) anyCheckFailing(sha string) bool {
	var runs []*checkRun
	for _, run := range r.runs {
		if run.HeadSHA == sha {
			runs = append(runs, run)
		}
	}
	return slices.ContainsFunc(latestRuns(runs), func(run *checkRun) bool { return runState(run) != checkPassed }) ||
		slices.ContainsFunc(r.latestStatuses(sha), func(st *status) bool { return statusState(st.State) != checkPassed })
}

// pullsAt lists the open pull requests of a commit that a check knows of: those from the repository itself, not those
// from forks.
func (r *Repo) pullsAt(sha string) []any {
	list := []any{}
	for _, p := range r.pulls {
		if p.open && p.head.sha == sha && p.head.repo == r {
			list = append(list, obj{
				"id": p.pullID, "number": p.Number, "url": r.api("/pulls/%d", p.Number),
				"head": obj{"ref": p.head.ref, "sha": p.head.sha, "repo": r.brief()},
				"base": obj{"ref": p.base.ref, "sha": p.base.sha, "repo": r.brief()},
			})
		}
	}
	return list
}

func (run *checkRun) json(s *Sim) obj {
	r := run.suite.repo
	self := r.api("/check-runs/%d", run.ID)
	return obj{
		"id": run.ID, "node_id": nodeID("CheckRun", run.ID), "head_sha": run.HeadSHA, "name": run.Name, "external_id": run.ExternalID, "url": self,
		"html_url": r.html("/runs/%d", run.ID), "details_url": cmp.Or(run.DetailsURL, s.url), "status": run.Status, "conclusion": orNull(run.Conclusion),
		"started_at": stamp(run.Started), "completed_at": stamp(run.Completed), "check_suite": obj{"id": run.suite.id}, "app": run.suite.app.json(s),
		"pull_requests": r.pullsAt(run.HeadSHA),
		"output": obj{
			"title": orNull(run.Title), "summary": orNull(run.Summary), "text": orNull(run.Text),
			"annotations_count": len(run.Annotations), "annotations_url": self + "/annotations",
		},
	}
}

func (u *suite) json(s *Sim) obj {
	r := u.repo
	status, conclusion := u.state()
	self := r.api("/check-suites/%d", u.id)
	return obj{
		"id": u.id, "node_id": nodeID("CheckSuite", u.id), "head_branch": orNull(u.branch), "head_sha": u.sha, "status": status,
		"conclusion": orNull(conclusion), "url": self, "before": orNull(u.before), "after": u.sha, "pull_requests": r.pullsAt(u.sha),
		"app": u.app.json(s), "created_at": stamp(u.created), "updated_at": stamp(u.updated), "rerequestable": true, "runs_rerequestable": true,
		"latest_check_runs_count": len(latestRuns(u.runs())), "check_runs_url": self + "/check-runs", "head_commit": r.simpleCommit(u.sha),
		"repository": r.json(),
	}
}

// simpleCommit renders a commit as webhooks and check suites do.
func (r *Repo) simpleCommit(sha string) obj {
	c, err := r.objects.commit(sha)
	r.sim.must(err)
	return obj{
		"id": sha, "tree_id": c.TreeHash.String(), "message": c.Message, "timestamp": stamp(c.Author.When),
		"author":    obj{"name": c.Author.Name, "email": c.Author.Email},
		"committer": obj{"name": c.Committer.Name, "email": c.Committer.Email},
	}
}
