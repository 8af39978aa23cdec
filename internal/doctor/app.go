package doctor

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/google/go-github/v62/github"

	"github.com/azphalt/submissions/internal/githubapp"
)

// app is what matters of an App, or of its installation: what it may do, and what it hears.
type app struct {
	ID          int64
	Slug        string
	HTMLURL     string `json:"html_url"`
	Permissions map[string]string
	Events      []string
	SuspendedAt *string `json:"suspended_at"` // of an installation
}

// lookAtApp looks whether the App is installed with all that it needs, and from then on reads the repository as it.
func (e *examination) lookAtApp(ctx context.Context) error {
	e.As = "whoever the token belongs to"
	if e.Token == "" {
		e.As = "anybody, as there is no token"
	}
	if len(e.AppKey) == 0 {
		e.add(Note, "The bot's App was not looked at.", "If there is a bot, set AZP_GITHUB_APP_ID and AZP_GITHUB_PRIVATE_KEY as for the bot itself.")
		return nil
	}
	client, err := e.appClient(0)
	if err != nil {
		return err
	}
	var own, installed app
	if err := get(ctx, client, "app", &own); err != nil {
		return fmt.Errorf("GitHub does not know the App %d by this key: %w", e.AppID, err)
	}
	err = get(ctx, client, "repos/"+url.PathEscape(e.Owner)+"/"+url.PathEscape(e.Name)+"/installation", &installed)
	switch {
	case status(err) == http.StatusNotFound:
		e.add(Fault, fmt.Sprintf("The App %s is not installed on the repository.", own.Slug), fmt.Sprintf("Install it: %s/installations/new", own.HTMLURL))
		return e.lookAtHook(ctx, client)
	case err != nil:
		return fmt.Errorf("the App's installation can't be read: %w", err)
	case installed.SuspendedAt != nil:
		e.add(Fault, fmt.Sprintf("The installation of the App %s is suspended.", own.Slug), "Take it up again: "+installed.HTMLURL)
		return e.lookAtHook(ctx, client)
	}
	e.judgeGrants(own, installed)
	if e.client, err = e.appClient(installed.ID); err != nil {
		return err
	}
	e.asApp, e.As = true, "the App "+own.Slug
	return e.lookAtHook(ctx, client)
}

// judgeGrants compares what the installation was granted with what the bot needs. What the App itself asks for tells who
// has to act: whoever owns the App, or whoever installed it.
func (e *examination) judgeGrants(own, installed app) {
	settings := "the App's settings → Permissions & events"
	if own.HTMLURL != "" { // a server without pages has none
		settings = fmt.Sprintf("the App's settings (%s) → Permissions & events", own.HTMLURL)
	}
	before := len(e.Results)
	for _, name := range slices.Sorted(maps.Keys(githubapp.Permissions)) {
		need := githubapp.Permissions[name]
		if holds(installed.Permissions[name], need) {
			continue
		}
		mend := fmt.Sprintf("Choose it in %s, save, and let an owner of %s accept it.", settings, e.Owner)
		if holds(own.Permissions[name], need) {
			mend = fmt.Sprintf("The App asks for it already; an owner of %s has to accept it: %s", e.Owner, installed.HTMLURL)
		}
		e.add(Fault, fmt.Sprintf("The App %s lacks the permission %s: %s.", own.Slug, name, need), mend)
	}
	for _, event := range githubapp.Events {
		if !slices.Contains(installed.Events, event) {
			e.add(Fault, fmt.Sprintf("The App %s does not hear the event %s.", own.Slug, event), "Choose it in "+settings+".")
		}
	}
	if len(e.Results) == before {
		e.add(Good, fmt.Sprintf("The App %s is installed, with all permissions and events.", own.Slug), "")
	}
}

// holds reports whether a level of a permission includes another.
func holds(have, need string) bool {
	rank := []string{"", "read", "write", "admin"}
	return slices.Index(rank, have) >= slices.Index(rank, need)
}

// lookAtHook looks whether the App's webhook can work, and whether it did, the last time.
func (e *examination) lookAtHook(ctx context.Context, client *github.Client) error {
	var hook struct {
		URL         string
		ContentType string `json:"content_type"`
		InsecureSSL any    `json:"insecure_ssl"` // a text or a number
	}
	const settings = "The App's settings → General → Webhook"
	if err := get(ctx, client, "app/hook/config", &hook); hidden(err) {
		e.add(Note, "GitHub does not show the App's webhook.", "See for yourself that it is active: "+settings+".")
		return nil
	} else if err != nil {
		return fmt.Errorf("the App's webhook can't be read: %w", err)
	}
	before := len(e.Results)
	if hook.URL == "" {
		e.add(Fault, "The App has no webhook, so the bot hears of nothing.", settings+": make it active, with the bot's address and /webhook at its end.")
		return nil
	}
	if hook.ContentType != "json" {
		e.add(Fault, "The webhook sends forms, which the bot does not read.", settings+": choose the content type application/json.")
	}
	if fmt.Sprint(hook.InsecureSSL) == "1" {
		e.add(Fault, "The webhook does not check whom it speaks to.", settings+": enable SSL verification.")
	}
	if err := e.lookAtDeliveries(ctx, client); err != nil {
		return err
	}
	if len(e.Results) == before {
		e.add(Good, "The webhook goes to "+hook.URL+" and was answered, where it was used.", "")
	}
	return nil
}

// lookAtDeliveries says how the latest delivery was answered.
func (e *examination) lookAtDeliveries(ctx context.Context, client *github.Client) error {
	var latest []struct {
		StatusCode int `json:"status_code"`
		Status     string
	}
	if err := get(ctx, client, "app/hook/deliveries?per_page=1", &latest); hidden(err) {
		return nil
	} else if err != nil {
		return fmt.Errorf("the webhook's deliveries can't be read: %w", err)
	}
	if len(latest) == 0 || latest[0].StatusCode/100 == 2 {
		return nil
	}
	says := fmt.Sprintf("The latest delivery was answered with %d.", latest[0].StatusCode)
	switch latest[0].StatusCode {
	case http.StatusUnauthorized:
		e.add(Fault, says, "The secret of the webhook and the bot's AZP_WEBHOOK_SECRET differ: set both to the same.")
	case 0:
		e.add(Fault, "The latest delivery was not answered ("+strings.ToLower(latest[0].Status)+").", "See that the bot runs, and that GitHub can reach its address.")
	default:
		e.add(Fault, says, "The bot's log says why; its path is /webhook.")
	}
	return nil
}
