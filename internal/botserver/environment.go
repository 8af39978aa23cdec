package botserver

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/azphalt/submissions/azp"
	"github.com/azphalt/submissions/internal/environ"
)

// environment is what the bot is set up by.
type environment struct {
	appID    int64
	appKey   []byte
	secret   []byte
	registry azp.Signer // nil where there is no key: then nothing is merged
	keyID    string
	// formerKeys are those that the registry signed with before, repository is where it is.
	formerKeys []azp.TrustedKey
	repository string
	database   string
	listen     string
	github     string
	publicURL  string
}

// readEnvironment reads the variables; each may also be given as the name of a file, in a variable with _FILE at its end.
// Errors name variables, never what is in them.
func readEnvironment(getenv func(string) string) (environment, error) {
	r := environ.Reader{Getenv: getenv}
	e := environment{
		appKey: []byte(r.Get("AZP_GITHUB_PRIVATE_KEY", "")), secret: []byte(strings.TrimSpace(r.Get("AZP_WEBHOOK_SECRET", ""))),
		keyID: strings.TrimSpace(r.Get("AZP_REGISTRY_KEY_ID", "")), database: strings.TrimSpace(r.Get("AZP_DATABASE_URL", "sqlite:azp-bot.db")),
		listen: r.Get("AZP_LISTEN", ":8080"), github: strings.TrimSpace(r.Get("AZP_GITHUB_URL", "")),
		publicURL: strings.TrimSuffix(strings.TrimSpace(r.Get("AZP_PUBLIC_URL", "")), "/"),
	}
	if id := strings.TrimSpace(r.Get("AZP_GITHUB_APP_ID", "")); id != "" {
		var err error
		if e.appID, err = strconv.ParseInt(id, 10, 64); err != nil {
			r.Fail(errors.New("AZP_GITHUB_APP_ID is no number"))
		}
	}
	if pem := r.Get("AZP_REGISTRY_KEY", ""); pem != "" {
		key, err := azp.ParsePrivateKey([]byte(pem))
		if err != nil {
			r.Fail(errors.New("AZP_REGISTRY_KEY is no Ed25519 key in PKCS#8 PEM, as `openssl genpkey -algorithm ed25519` writes it"))
		} else {
			e.registry = key
		}
	}
	if text := r.Get("AZP_REGISTRY_FORMER_KEYS", ""); text != "" {
		store, err := azp.ParseTrustStore([]byte(text))
		if err != nil || store.Malformed || len(store.Keys()) == 0 {
			r.Fail(errors.New(`AZP_REGISTRY_FORMER_KEYS is no trust store, as in {"keys":[{"publicKey":"…","keyId":"…"}]}`))
		}
		e.formerKeys = store.Keys()
	}
	e.repository = strings.TrimSpace(r.Get("AZP_REGISTRY_REPOSITORY", ""))
	if owner, name, _ := strings.Cut(e.repository, "/"); e.repository != "" && (owner == "" || name == "" || strings.Contains(name, "/")) {
		r.Fail(errors.New("AZP_REGISTRY_REPOSITORY is no OWNER/NAME"))
	}
	return e, r.Err()
}

// complete reports what is missing to serve as an App; nothing at all is there before the App was created.
func (e environment) complete() (ok bool, err error) {
	if e.appID == 0 && len(e.appKey) == 0 && len(e.secret) == 0 {
		return false, nil
	}
	var missing []string
	for name, there := range map[string]bool{"AZP_GITHUB_APP_ID": e.appID != 0, "AZP_GITHUB_PRIVATE_KEY": len(e.appKey) > 0, "AZP_WEBHOOK_SECRET": len(e.secret) > 0} {
		if !there {
			missing = append(missing, name)
		}
	}
	slices.Sort(missing)
	if len(missing) > 0 {
		return false, fmt.Errorf("not set: %s", strings.Join(missing, ", "))
	}
	return true, nil
}
