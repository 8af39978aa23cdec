package bot_test

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/azphalt/submissions/bot"
	"github.com/azphalt/submissions/internal/githubsim"
)

// TestDeliveriesThatSayLittle come from a server that names neither the installation nor the repository's number, and no
// more of the repository than its full name.
func TestDeliveriesThatSayLittle(t *testing.T) {
	const repository = `"repository":{"full_name":"acme/azp-registry"}`
	for name, c := range map[string]struct {
		number bool  // whether the server numbers repositories
		lacks  []int // how it answers a question for the installation, where it does not
	}{
		"a server that can be asked":            {number: true},
		"a server without numbers":              {},
		"a server without that question":        {number: true, lacks: []int{http.StatusNotImplemented}},
		"a server without that and any numbers": {lacks: []int{http.StatusNotFound}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newStage(t, enabled, githubsim.Options{})
			for _, status := range c.lacks {
				w.Inject(githubsim.Rule{Method: "GET", Path: "/repos/{owner}/{repo}/installation", Effect: githubsim.Fail(status)})
			}
			if !c.number {
				for _, path := range []string{"/repos/{owner}/{repo}", "/installation/repositories"} {
					w.Inject(githubsim.Rule{Method: "GET", Path: path, Effect: githubsim.Simple("id")})
				}
			}
			w.start()
			w.SetWebhook(w.app, "", w.app.WebhookSecret) // none but those below
			deliveries := 0
			send := func(event, payload string) {
				t.Helper()
				n, ok, err := bot.ParseNotice(event, []byte(payload), w.app.ID)
				if err != nil || !ok {
					t.Fatalf("%s: %v %v", event, ok, err)
				}
				deliveries++
				must(t, w.db.Deliver(t.Context(), fmt.Sprintf("delivery-%d", deliveries), n))
				w.settle()
			}
			p := w.submit(id, "1.0.0", nil)
			w.ResetCalls()
			send("push", `{"ref":"refs/heads/main",`+repository+`}`)
			if n := len(w.Calls()); n > 0 {
				t.Errorf("a push that nothing waits for took %d calls", n)
			}
			send("pull_request", fmt.Sprintf(`{"action":"opened","pull_request":{"number":%d},%s}`, p.Number, repository))
			if run := w.check(p.State().HeadSHA); run.Conclusion != "success" {
				t.Errorf("%s", run.Conclusion)
			}
			p.Review("maintainer", githubsim.Approved, "", "")
			send("pull_request_review", fmt.Sprintf(`{"action":"submitted","review":{"state":"approved"},"pull_request":{"number":%d},%s}`, p.Number, repository))
			w.merged(p)
			send("pull_request", `{"action":"opened","pull_request":{"number":1},"repository":{"full_name":"nobody/nothing"}}`)
		})
	}
}
