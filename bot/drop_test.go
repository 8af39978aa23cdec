package bot_test

import (
	"strings"
	"testing"
	"time"

	"github.com/azphalt/submissions/bot"
	"github.com/azphalt/submissions/internal/githubsim"
)

// TestNoCheckRunStaysOpen interrupts the look that began a check run, when its commit is no longer one to be judged.
func TestNoCheckRunStaysOpen(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		step   string // before which the look breaks off
		change func(p *githubsim.PR)
		says   string
	}{
		"closed":                        {"judge", func(p *githubsim.PR) { p.Close("contributor") }, "closed"},
		"closed, with a verdict unsaid": {"complete check", func(p *githubsim.PR) { p.Close("contributor") }, "closed"},
		"pushed": {"judge", func(p *githubsim.PR) {
			p.Push(githubsim.Change{Files: githubsim.Files{"submissions/" + id + "/NOTES.md": "notes\n"}})
		}, "newer"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newStage(t, enabled, githubsim.Options{})
			w.settings.Wait = 5 * time.Millisecond
			w.start()
			w.HoldWebhooks()
			p := w.submit(id, "1.0.0", nil)
			head := p.State().HeadSHA
			w.atStep(c.step, func() {
				c.change(p)
				panic("the program is killed")
			})
			w.ReleaseWebhooks(nil)
			w.settle()
			w.eventually("the job is tried again", func() bool { return w.state(p).Done == w.state(p).Wanted })
			w.settle()
			run := w.check(head)
			if run.Status != "completed" || run.Conclusion != "cancelled" || !strings.Contains(run.Title, c.says) {
				t.Errorf("%s %s: %s", run.Status, run.Conclusion, run.Title)
			}
			if !p.State().Open { // what was dropped is taken up again
				p.Reopen("contributor")
			}
			w.decided(p, bot.Hold, bot.CodeNewPublisher)
			if run := w.check(p.State().HeadSHA); run.Conclusion != "success" {
				t.Errorf("in the end %s: %s", run.Conclusion, run.Title)
			}
		})
	}
}
