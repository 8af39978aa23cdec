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
	Success = "success"
	Failure = "failure"
	Neutral = "neutral"
)

// Run is a check run to be published.
type Run struct {
	Owner, Repo, HeadSHA string
	Name                 string
	Title, Summary       string // Summary is Markdown
	Conclusion           string
	Annotations          []annotate.Annotation
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
	batches := annotate.Batches(r.Annotations, annotate.AnnotationsPerRequest)
	if len(batches) == 0 {
		batches = [][]annotate.Annotation{nil}
	}
	create := github.CreateCheckRunOptions{Name: r.Name, HeadSHA: r.HeadSHA, Status: github.String("in_progress"), Output: r.output(batches[0])}
	if len(batches) == 1 {
		create.Status, create.Conclusion = github.String("completed"), &r.Conclusion
	}
	var id int64
	err := p.Try(ctx, func() error {
		run, _, err := p.Client.Checks.CreateCheckRun(ctx, r.Owner, r.Repo, create)
		id = run.GetID()
		return err
	})
	if err != nil {
		return fmt.Errorf("creating the check run: %w", err)
	}
	for i, batch := range batches[1:] {
		last := i == len(batches)-2
		if err := p.update(ctx, r, id, batch, last); err != nil {
			return errors.Join(fmt.Errorf("adding annotations: %w", err), p.update(ctx, r, id, nil, true))
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
