package githubsim_test

import (
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/pem"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v4"
	"github.com/google/go-github/v62/github"

	"github.com/azphalt/submissions/internal/githubsim"
)

func privateKey(t *testing.T, app *githubsim.App) *rsa.PrivateKey {
	t.Helper()
	block, _ := pem.Decode(app.PrivateKey)
	if block == nil || block.Type != "RSA PRIVATE KEY" {
		t.Fatal("the key is no PKCS#1 PEM")
	}
	key, err := x509.ParsePKCS1PrivateKey(block.Bytes)
	must(t, err)
	return key
}

func TestAppTokensAreChecked(t *testing.T) {
	w := newWorld(t, githubsim.Options{})
	key := privateKey(t, w.app)
	stranger, err := rsa.GenerateKey(rand.Reader, 2048)
	must(t, err)
	now := time.Now().Unix()
	issuer := strconv.FormatInt(w.app.ID, 10)
	for _, c := range []struct {
		name   string
		method jwt.SigningMethod
		key    any
		claims jwt.MapClaims
		status int
		says   string
	}{
		{"as GitHub wants it", jwt.SigningMethodRS256, key, jwt.MapClaims{"iss": issuer, "iat": now - 60, "exp": now + 540}, 200, ""},
		{"issuer as a number", jwt.SigningMethodRS256, key, jwt.MapClaims{"iss": w.app.ID, "iat": now - 60, "exp": now + 540}, 200, ""},
		{"issuer as client id", jwt.SigningMethodRS256, key, jwt.MapClaims{"iss": w.app.ClientID, "iat": now - 60, "exp": now + 540}, 200, ""},
		{"unknown App", jwt.SigningMethodRS256, key, jwt.MapClaims{"iss": "1", "iat": now - 60, "exp": now + 60}, 404, "Integration not found"},
		{"no issuer", jwt.SigningMethodRS256, key, jwt.MapClaims{"iat": now - 60, "exp": now + 60}, 404, "Integration not found"},
		{"wrong key", jwt.SigningMethodRS256, stranger, jwt.MapClaims{"iss": issuer, "iat": now - 60, "exp": now + 60}, 401, "could not be decoded"},
		{"wrong algorithm", jwt.SigningMethodRS512, key, jwt.MapClaims{"iss": issuer, "iat": now - 60, "exp": now + 60}, 401, "could not be decoded"},
		{"public key as HMAC secret", jwt.SigningMethodHS256, x509.MarshalPKCS1PublicKey(&key.PublicKey), jwt.MapClaims{"iss": issuer, "iat": now - 60, "exp": now + 60}, 401, "could not be decoded"},
		{"unsigned", jwt.SigningMethodNone, jwt.UnsafeAllowNoneSignatureType, jwt.MapClaims{"iss": issuer, "iat": now - 60, "exp": now + 60}, 401, "could not be decoded"},
		{"expired", jwt.SigningMethodRS256, key, jwt.MapClaims{"iss": issuer, "iat": now - 120, "exp": now - 1}, 401, "'exp'"},
		{"for more than ten minutes", jwt.SigningMethodRS256, key, jwt.MapClaims{"iss": issuer, "iat": now, "exp": now + 660}, 401, "too far in the future"},
		{"from the future", jwt.SigningMethodRS256, key, jwt.MapClaims{"iss": issuer, "iat": now + 120, "exp": now + 300}, 401, "'iat'"},
		{"no iat", jwt.SigningMethodRS256, key, jwt.MapClaims{"iss": issuer, "exp": now + 300}, 401, "'iat'"},
		{"no exp", jwt.SigningMethodRS256, key, jwt.MapClaims{"iss": issuer, "iat": now}, 401, "'exp'"},
		{"fractional seconds", jwt.SigningMethodRS256, key, jwt.MapClaims{"iss": issuer, "iat": float64(now) - 60.5, "exp": now + 300}, 401, "'iat'"},
	} {
		t.Run(c.name, func(t *testing.T) {
			token, err := jwt.NewWithClaims(c.method, c.claims).SignedString(c.key)
			must(t, err)
			status, body := w.do("GET", "/app", token, "")
			if status != c.status || !strings.Contains(body, c.says) {
				t.Errorf("got %d %s, want %d with %q", status, body, c.status, c.says)
			}
		})
	}
}

func TestAnAppFindsItsInstallations(t *testing.T) {
	w := newWorld(t, githubsim.Options{})
	api := w.asApp()
	app, _, err := api.Apps.Get(ctx, "")
	must(t, err)
	eq(t, "App", app.GetID(), w.app.ID)
	eq(t, "permission", app.GetPermissions().GetChecks(), "write")
	bySlug, _, err := api.Apps.Get(ctx, w.app.Slug)
	must(t, err)
	eq(t, "App by slug", bySlug.GetID(), w.app.ID)
	list, _, err := api.Apps.ListInstallations(ctx, nil)
	must(t, err)
	if len(list) != 1 || list[0].GetID() != w.install.ID || list[0].GetAccount().GetLogin() != owner {
		t.Errorf("installations: %v", list)
	}
	for what, find := range map[string]func() (*github.Installation, *github.Response, error){
		"by id": func() (*github.Installation, *github.Response, error) {
			return api.Apps.GetInstallation(ctx, w.install.ID)
		},
		"of the org": func() (*github.Installation, *github.Response, error) {
			return api.Apps.FindOrganizationInstallation(ctx, owner)
		},
		"of the owner": func() (*github.Installation, *github.Response, error) {
			return api.Apps.FindUserInstallation(ctx, owner)
		},
		"of repository": func() (*github.Installation, *github.Response, error) {
			return api.Apps.FindRepositoryInstallation(ctx, owner, name)
		},
	} {
		i, _, err := find()
		must(t, err)
		eq(t, what, i.GetID(), w.install.ID)
	}
	_, _, err = api.Apps.GetInstallation(ctx, 1)
	refused(t, err, 404)
	_, _, err = api.Apps.FindRepositoryInstallation(ctx, owner, "nothing")
	refused(t, err, 404)
}

func TestInstallationTokensCanBeNarrowed(t *testing.T) {
	w := newWorld(t, githubsim.Options{})
	other := w.CreateRepo(owner, "other", githubsim.Files{"a": "b"})
	api := w.asApp()

	token, _, err := api.Apps.CreateInstallationToken(ctx, w.install.ID, &github.InstallationTokenOptions{
		Repositories: []string{name}, Permissions: &github.InstallationPermissions{Contents: github.String("read")},
	})
	must(t, err)
	if len(token.Repositories) != 1 || token.GetPermissions().GetContents() != "read" {
		t.Errorf("token: %v", token)
	}
	if left := time.Until(token.GetExpiresAt().Time); left > time.Hour || left < 59*time.Minute {
		t.Errorf("the token lives for %v", left)
	}
	narrow := w.client(nil).WithAuthToken(token.GetToken())
	_, _, err = narrow.Git.GetTree(ctx, owner, name, "main", false)
	must(t, err)
	_, _, err = narrow.Git.CreateBlob(ctx, owner, name, &github.Blob{Content: github.String("x")})
	refused(t, err, 403)
	_, _, err = narrow.Issues.CreateLabel(ctx, owner, name, &github.Label{Name: github.String("x")})
	refused(t, err, 403)
	list, _, err := narrow.Apps.ListRepos(ctx, nil)
	must(t, err)
	eq(t, "repositories", list.GetTotalCount(), 1)

	other.SetPrivate(true)
	_, _, err = narrow.Git.GetTree(ctx, owner, "other", "main", false)
	refused(t, err, 404)

	_, _, err = api.Apps.CreateInstallationToken(ctx, w.install.ID, &github.InstallationTokenOptions{Permissions: &github.InstallationPermissions{Workflows: github.String("write")}})
	refused(t, err, 422)
	_, _, err = api.Apps.CreateInstallationToken(ctx, w.install.ID, &github.InstallationTokenOptions{Repositories: []string{"nothing"}})
	refused(t, err, 422)
	_, _, err = api.Apps.CreateInstallationToken(ctx, w.install.ID, &github.InstallationTokenOptions{RepositoryIDs: []int64{other.ID()}})
	must(t, err)
}

func TestInstallationTokensEnd(t *testing.T) {
	w := newWorld(t, githubsim.Options{TokenTTL: 3 * time.Second})
	short := w.client(nil).WithAuthToken(w.InstallationToken(w.install))
	_, _, err := short.Repositories.Get(ctx, owner, name)
	must(t, err)
	eventually(t, "the token expires", func() bool {
		_, _, err := short.Repositories.Get(ctx, owner, name)
		return err != nil && refused(t, err, 401).Message == "Bad credentials"
	})

	revoked := w.client(nil).WithAuthToken(w.InstallationToken(w.install))
	_, err = revoked.Apps.RevokeInstallationToken(ctx)
	must(t, err)
	_, _, err = revoked.Repositories.Get(ctx, owner, name)
	refused(t, err, 401)

	ended := w.client(nil).WithAuthToken(w.InstallationToken(w.install))
	w.ExpireTokens(w.install)
	_, _, err = ended.Repositories.Get(ctx, owner, name)
	refused(t, err, 401)
}

func TestSuspendedAndRemovedInstallations(t *testing.T) {
	w := newWorld(t, githubsim.Options{})
	client := w.client(nil).WithAuthToken(w.InstallationToken(w.install))
	w.Suspend(w.install, true)
	_, _, err := client.Repositories.Get(ctx, owner, name)
	eq(t, "message", refused(t, err, 403).Message, "This installation has been suspended")
	_, _, err = w.asApp().Apps.CreateInstallationToken(ctx, w.install.ID, nil)
	refused(t, err, 403)
	w.Suspend(w.install, false)
	_, _, err = client.Repositories.Get(ctx, owner, name)
	must(t, err)

	w.Uninstall(w.install)
	_, _, err = client.Repositories.Get(ctx, owner, name)
	refused(t, err, 401)
	_, _, err = w.asApp().Apps.CreateInstallationToken(ctx, w.install.ID, nil)
	refused(t, err, 404)
}

func TestAnInstallationOnSelectedRepositories(t *testing.T) {
	w := newWorld(t, githubsim.Options{})
	other := w.CreateRepo(owner, "other", githubsim.Files{"a": "b"})
	app := w.CreateApp(githubsim.AppOptions{Slug: "other-app", Permissions: all})
	i := w.InstallApp(app, owner, other)
	api := w.installed(app, i)
	_, _, err := api.Git.CreateBlob(ctx, owner, "other", &github.Blob{Content: github.String("x")})
	must(t, err)
	_, _, err = api.Git.CreateBlob(ctx, owner, name, &github.Blob{Content: github.String("x")})
	refused(t, err, 403)
	w.SelectRepos(i, w.repo, true)
	_, _, err = api.Git.CreateBlob(ctx, owner, name, &github.Blob{Content: github.String("x")})
	must(t, err)
	w.SelectRepos(i, w.repo, false)
	_, _, err = api.Git.CreateBlob(ctx, owner, name, &github.Blob{Content: github.String("x")})
	refused(t, err, 403)
}

func TestARotatedKeyIsRefused(t *testing.T) {
	w := newWorld(t, githubsim.Options{})
	before := w.asApp()
	w.RotateKey(w.app)
	_, _, err := before.Apps.Get(ctx, "")
	refused(t, err, 401)
	_, _, err = w.asApp().Apps.Get(ctx, "")
	must(t, err)
}

func TestEachKindOfCredentialHasItsEndpoints(t *testing.T) {
	w := newWorld(t, githubsim.Options{})
	w.repo.SetPrivate(true)
	token, err := jwt.NewWithClaims(jwt.SigningMethodRS256, jwt.MapClaims{
		"iss": w.app.ClientID, "iat": time.Now().Unix() - 10, "exp": time.Now().Unix() + 300,
	}).SignedString(privateKey(t, w.app))
	must(t, err)
	install, person := w.InstallationToken(w.install), w.Token("maintainer")
	repo := "/repos/" + owner + "/" + name
	for _, c := range []struct {
		what, path, token string
		status            int
	}{
		{"App on a repository", repo, token, 401},
		{"App as a person", "/user", token, 401},
		{"installation as the App", "/app", install, 401},
		{"installation as a person", "/user", install, 403},
		{"person as the App", "/app", person, 401},
		{"person as an installation", "/installation/repositories", person, 403},
		{"stranger as the App", "/app", "", 401},
		{"stranger as a person", "/user", "", 401},
		{"stranger on a private repository", repo, "", 404},
		{"somebody on a private repository", repo, w.Token("stranger"), 404},
		{"reader of a private repository", repo, person, 200},
		{"nonsense", repo, "nonsense", 401},
		{"person", "/user", person, 200},
		{"anybody", "/users/maintainer", "", 200},
		{"anybody about nobody", "/users/nobody", "", 404},
		{"anybody about limits", "/rate_limit", "", 200},
	} {
		if status, body := w.do("GET", c.path, c.token, ""); status != c.status {
			t.Errorf("%s: got %d %s, want %d", c.what, status, body, c.status)
		}
	}
	req, err := http.NewRequest(http.MethodGet, w.URL()+repo, nil)
	must(t, err)
	req.SetBasicAuth("maintainer", person)
	resp, err := http.DefaultClient.Do(req)
	must(t, err)
	resp.Body.Close()
	eq(t, "password", resp.StatusCode, 401)
}

// TestEveryEndpointAsksForItsPermission takes each permission away and sees 403 at each endpoint that needs it.
func TestEveryEndpointAsksForItsPermission(t *testing.T) {
	w := newWorld(t, githubsim.Options{})
	pr := w.contribute(githubsim.Files{"a": "b"})
	for endpoint, needs := range githubsim.EndpointsNeedingPermission() {
		if strings.HasPrefix(needs[0], "metadata") {
			continue // every App has it
		}
		short := githubsim.Permissions{}
		for permission := range all {
			short[permission] = "write"
		}
		for _, need := range needs {
			permission, level, _ := strings.Cut(need, " ")
			short[permission] = ""
			if level == "write" {
				short[permission] = "read"
			}
		}
		w.SetPermissions(w.install, short)
		method, path, _ := strings.Cut(endpoint, " ")
		status, body := w.do(method, concrete(path, pr.Number), w.InstallationToken(w.install), "")
		if status != 403 || !strings.Contains(body, "Resource not accessible by integration") {
			t.Errorf("%s without %v: got %d %s", endpoint, needs, status, body)
		}
	}
	w.ClearViolations() // the bodies were empty
}

// concrete fills a path template.
func concrete(template string, number int) string {
	n := strconv.Itoa(number)
	return strings.NewReplacer(
		"{owner}", owner, "{repo}", name, "{pull_number}", n, "{issue_number}", n, "{ref}", "heads/main", "{branch}", "main",
		"{basehead}", "main...main", "{path}", "README.md", "{username}", "maintainer",
	).Replace(template)
}

func TestPeopleNeedARole(t *testing.T) {
	w := newWorld(t, githubsim.Options{})
	pr := w.contribute(githubsim.Files{"a": "b"})
	w.repo.SetPermission("triager", githubsim.Triage)
	blob := &github.Blob{Content: github.String("x")}
	_, _, err := w.as("stranger").Git.CreateBlob(ctx, owner, name, blob)
	refused(t, err, 403)
	_, _, err = w.as("maintainer").Git.CreateBlob(ctx, owner, name, blob)
	must(t, err)
	_, _, err = w.as("stranger").Issues.CreateComment(ctx, owner, name, pr.Number, &github.IssueComment{Body: github.String("me too")})
	must(t, err)
	_, _, err = w.as("stranger").Issues.AddLabelsToIssue(ctx, owner, name, pr.Number, []string{"x"})
	refused(t, err, 403)
	_, _, err = w.as("triager").Issues.AddLabelsToIssue(ctx, owner, name, pr.Number, []string{"x"})
	must(t, err)
	_, _, err = w.as("stranger").PullRequests.Merge(ctx, owner, name, pr.Number, "", nil)
	refused(t, err, 403)
	_, _, err = w.as("maintainer").Repositories.GetBranchProtection(ctx, owner, name, "main")
	refused(t, err, 404)
	_, _, err = w.as("maintainer").Checks.CreateCheckRun(ctx, owner, name, github.CreateCheckRunOptions{Name: "x", HeadSHA: pr.State().HeadSHA})
	refused(t, err, 403)
}

func TestAManifestBecomesAnApp(t *testing.T) {
	w := newWorld(t, githubsim.Options{})
	browser := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	submit := func(path, manifest string) (status int, location *url.URL) {
		resp, err := browser.PostForm(w.URL()+path, map[string][]string{"manifest": {manifest}, "state": {"s1"}})
		must(t, err)
		resp.Body.Close()
		location, _ = resp.Location()
		return resp.StatusCode, location
	}
	manifest := `{"name":"My Gate","url":"https://gate.example","redirect_url":"https://gate.example/setup?x=1","hook_attributes":{"url":"https://gate.example/webhook"},
		"default_permissions":{"checks":"write"},"default_events":["pull_request"]}`
	status, back := submit("/organizations/acme/settings/apps/new", manifest)
	eq(t, "status", status, 302)
	q := back.Query()
	if back.Host != "gate.example" || q.Get("state") != "s1" || q.Get("x") != "1" || q.Get("code") == "" {
		t.Fatalf("sent back to %s", back)
	}
	config, _, err := w.client(nil).Apps.CompleteAppManifest(ctx, q.Get("code"))
	must(t, err)
	if config.GetSlug() != "my-gate" || config.GetPEM() == "" || config.GetWebhookSecret() == "" || config.GetClientSecret() == "" || config.GetOwner().GetLogin() != owner {
		t.Errorf("App: %v", config)
	}
	app := w.App(config.GetID())
	if app == nil || string(app.PrivateKey) != config.GetPEM() {
		t.Fatal("no such App")
	}
	_, _, err = w.client(nil).Apps.CompleteAppManifest(ctx, q.Get("code"))
	refused(t, err, 404) // once only

	status, _ = submit("/settings/apps/new", manifest)
	eq(t, "own account", status, 302)
	for what, bad := range map[string]string{
		"no JSON": "{", "no url": `{"redirect_url":"https://a.example"}`, "no redirect": `{"url":"https://a.example"}`,
		"hook without url": `{"url":"https://a.example","redirect_url":"https://a.example","hook_attributes":{}}`,
	} {
		status, _ = submit("/settings/apps/new", bad)
		eq(t, what, status, 422)
	}
	got, err := http.Get(w.URL() + "/settings/apps/new")
	must(t, err)
	got.Body.Close()
	eq(t, "GET", got.StatusCode, 405)
}
