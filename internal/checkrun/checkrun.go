// Package checkrun puts a report on a commit as a GitHub check run.
package checkrun

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/google/go-github/v62/github"

	"github.com/azphalt/submissions/annotate"
	"github.com/azphalt/submissions/finding"
)

// Conclusions of a check run.
const (
	Success   = "success"
	Failure   = "failure"
	Cancelled = "cancelled" // which no branch protection takes for a success
)

// Run is a check run to be published.
type Run struct {
	Owner, Repo, HeadSHA string
	Name                 string
	Title, Summary       string // Summary is Markdown
	Conclusion           string
	Annotations          []annotate.Annotation
	ExternalID           string // the publisher's own name for the run, "" for none
	DetailsURL           string // where there is more about it, "" for none
}

// Publisher publishes check runs.
type Publisher struct {
	Client *github.Client
	// Wait is the time before the first retry of a request that failed for no fault of its own; it doubles each time.
	// Half a second where zero.
	Wait time.Duration
}

// retries is how often such a request is tried again.
const retries = 3

// Publish creates a check run with all annotations, which GitHub takes fifty at a time: the first with the creation, the
// others by updates, the last of which completes the run. Where an update fails for good, the run is completed all the
// same, so that it never stays open.
func (p *Publisher) Publish(ctx context.Context, r Run) error {
	batches := r.batches()
	create := r.creation()
	create.Output = r.output(batches[0])
	if len(batches) == 1 {
		create.Status, create.Conclusion = github.String("completed"), &r.Conclusion
	}
	id, err := p.create(ctx, r, create)
	if err != nil || len(batches) == 1 {
		return err
	}
	return p.updates(ctx, id, r, batches[1:])
}

// Start creates a check run that says that work is under way, to be ended by Complete. It returns the id.
func (p *Publisher) Start(ctx context.Context, r Run) (int64, error) {
	return p.create(ctx, r, r.creation())
}

// Complete ends a check run that Start created, with annotations as Publish sends them. GitHub adds the annotations of every
// update to those that are there, so a run that is completed again must not bring them again.
func (p *Publisher) Complete(ctx context.Context, id int64, r Run) error {
	return p.updates(ctx, id, r, r.batches())
}

// batches are the annotations, a list for each request; there is one request at least.
func (r Run) batches() [][]annotate.Annotation {
	if len(r.Annotations) == 0 {
		return [][]annotate.Annotation{nil}
	}
	return annotate.Batches(r.Annotations, annotate.AnnotationsPerRequest)
}

func (r Run) creation() github.CreateCheckRunOptions {
	opt := github.CreateCheckRunOptions{Name: r.Name, HeadSHA: r.HeadSHA, Status: github.String("in_progress")}
	if r.ExternalID != "" {
		opt.ExternalID = &r.ExternalID
	}
	if r.DetailsURL != "" {
		opt.DetailsURL = &r.DetailsURL
	}
	return opt
}

func (p *Publisher) create(ctx context.Context, r Run, opt github.CreateCheckRunOptions) (id int64, err error) {
	err = p.Try(ctx, func() error {
		run, _, err := p.Client.Checks.CreateCheckRun(ctx, r.Owner, r.Repo, opt)
		id = run.GetID()
		return err
	})
	if err != nil {
		return 0, fmt.Errorf("creating the check run: %w", err)
	}
	return id, nil
}

// updates sends what is left of the annotations; the last update completes the run.
func (p *Publisher) updates(ctx context.Context, id int64, r Run, batches [][]annotate.Annotation) error {
	for i, batch := range batches {
		if err := p.update(ctx, r, id, batch, i == len(batches)-1); err != nil {
			if len(batch) > 0 {
				err = errors.Join(fmt.Errorf("adding annotations: %w", err), p.update(ctx, r, id, nil, true))
			}
			return err
		}
	}
	return nil
}

func (p *Publisher) update(ctx context.Context, r Run, id int64, batch []annotate.Annotation, complete bool) error {
	opt := github.UpdateCheckRunOptions{Name: r.Name, Output: r.output(batch)}
	if complete {
		opt.Status, opt.Conclusion = github.String("completed"), &r.Conclusion
	}
	return p.Try(ctx, func() error {
		_, _, err := p.Client.Checks.UpdateCheckRun(ctx, r.Owner, r.Repo, id, opt)
		return err
	})
}

func (r Run) output(batch []annotate.Annotation) *github.CheckRunOutput {
	out := &github.CheckRunOutput{Title: &r.Title, Summary: &r.Summary}
	for _, a := range batch {
		out.Annotations = append(out.Annotations, convert(a))
	}
	return out
}

func convert(a annotate.Annotation) *github.CheckRunAnnotation {
	c := &github.CheckRunAnnotation{
		Path: &a.Path, StartLine: &a.StartLine, EndLine: &a.EndLine, AnnotationLevel: &a.AnnotationLevel,
		Message: &a.Message, Title: &a.Title,
	}
	if a.StartColumn > 0 {
		c.StartColumn, c.EndColumn = &a.StartColumn, &a.EndColumn
	}
	if a.RawDetails != "" {
		c.RawDetails = &a.RawDetails
	}
	return c
}

// Try repeats a request that the server or the network failed. What GitHub refuses is not tried again, unless it says
// when to.
func (p *Publisher) Try(ctx context.Context, request func() error) error {
	wait := p.Wait
	if wait == 0 {
		wait = 500 * time.Millisecond
	}
	for attempt := 0; ; attempt++ {
		err := request()
		pause, again := retryAfter(err, wait<<attempt)
		if err == nil || !again || attempt == retries {
			return err
		}
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return errors.Join(err, ctx.Err())
		}
	}
}

// maxPause is the longest time that is waited at GitHub's wish.
const maxPause = time.Minute

// retryAfter decides whether and when a request is worth trying again.
func retryAfter(err error, backOff time.Duration) (time.Duration, bool) {
	var abuse *github.AbuseRateLimitError
	var limit *github.RateLimitError
	var refused *github.ErrorResponse
	switch {
	case errors.As(err, &abuse):
		pause := abuse.GetRetryAfter()
		return max(pause, backOff), pause <= maxPause
	case errors.As(err, &limit):
		pause := time.Until(limit.Rate.Reset.Time)
		return max(pause, backOff), pause <= maxPause
	case errors.As(err, &refused):
		code := refused.Response.StatusCode
		return backOff, code >= 500 || code == http.StatusTooManyRequests
	default:
		return backOff, true // the network
	}
}

// Forbidden reports whether an error says that the token may not do this.
func Forbidden(err error) bool {
	var refused *github.ErrorResponse
	return errors.As(err, &refused) && (refused.Response.StatusCode == http.StatusForbidden || refused.Response.StatusCode == http.StatusNotFound || refused.Response.StatusCode == http.StatusUnauthorized)
}

// Conclude returns the conclusion of a report that fails at a severity.
func Conclude(r *finding.Report, failOn finding.Severity) string {
	if r.Failed(failOn) {
		return Failure
	}
	return Success
}
