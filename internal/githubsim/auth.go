package githubsim

import (
	"crypto/rand"
	"encoding/json"
	"errors"
	"strconv"
	"strings"
	"time"

	"github.com/golang-jwt/jwt/v4"
)

// actor is who asks: a person by a personal token, an App by its JWT, or an installation by its token. The zero actor is
// a stranger.
type actor struct {
	account  *account      // person, or bot of the App; nil for a stranger and for a JWT
	app      *App          // nil for people
	install  *Installation // nil but for installation tokens
	perms    Permissions   // of the token
	repos    map[int64]bool
	limitKey string
}

// credential is a token and whose it is.
type credential struct {
	actor
	expires time.Time // zero: never
}

const anonymousKey = "anonymous"

func (a actor) anonymous() bool { return a.account == nil && a.app == nil }

// byJWT reports whether an App speaks for itself, not for an installation.
func (a actor) byJWT() bool { return a.app != nil && a.install == nil }

// names is what the call log keeps of an actor.
func (a actor) names() (login string, app, installation int64) {
	if a.account != nil {
		login = a.account.login
	}
	if a.app != nil {
		app = a.app.ID
	}
	if a.install != nil {
		installation = a.install.ID
	}
	return login, app, installation
}

// authenticate finds out who asks.
func (s *Sim) authenticate(r *request) error {
	r.actor = actor{limitKey: anonymousKey}
	header := r.http.Header.Get("Authorization")
	if header == "" {
		return nil
	}
	scheme, token, _ := strings.Cut(header, " ")
	if !strings.EqualFold(scheme, "bearer") && !strings.EqualFold(scheme, "token") {
		return unauthorized("Bad credentials")
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if strings.Count(token, ".") == 2 {
		app, err := s.verifyJWT(token)
		r.actor = actor{app: app, limitKey: "app " + strconv.FormatInt(app.id(), 10)}
		return err
	}
	c := s.tokens[token]
	if c == nil || !c.expires.IsZero() && time.Now().After(c.expires) {
		return unauthorized("Bad credentials")
	}
	r.actor = c.actor
	if c.install != nil && c.install.suspended {
		return forbidden("This installation has been suspended")
	}
	return nil
}

// errNoJWT is what GitHub says of whatever it can't read as a token that one of its Apps signed.
var errNoJWT = unauthorized("A JSON web token could not be decoded")

// maxJWTLife is how far ahead a JWT may expire.
const maxJWTLife = 10 * time.Minute

// verifyJWT checks an App's token: RS256 with the App's key, whole-second claims, not from the future, and good for ten
// minutes at most.
func (s *Sim) verifyJWT(token string) (*App, error) {
	var app *App
	var claimed error
	parser := jwt.NewParser(jwt.WithValidMethods([]string{"RS256"}), jwt.WithoutClaimsValidation(), jwt.WithJSONNumber())
	_, err := parser.Parse(token, func(t *jwt.Token) (any, error) {
		claims, _ := t.Claims.(jwt.MapClaims)
		if app = s.appOf(claims["iss"]); app == nil {
			claimed = &apiError{status: 404, message: "Integration not found"}
			return nil, claimed
		}
		claimed = checkClaims(claims)
		return &app.private.PublicKey, nil
	})
	switch {
	case claimed != nil:
		return nil, claimed
	case err != nil:
		return nil, errNoJWT
	}
	return app, nil
}

// appOf finds an App by the issuer of its token: the App's id, as a number or a text, or its client id.
func (s *Sim) appOf(issuer any) *App {
	var name string
	switch v := issuer.(type) {
	case string:
		name = v
	case json.Number:
		name = v.String()
	}
	for _, a := range s.apps {
		if name == strconv.FormatInt(a.ID, 10) || name == a.ClientID {
			return a
		}
	}
	return nil
}

func checkClaims(claims jwt.MapClaims) error {
	issued, err := wholeSeconds(claims["iat"])
	if err != nil {
		return unauthorized("'Issued at' claim ('iat') must be an Integer representing the time that the assertion was issued")
	}
	expires, err := wholeSeconds(claims["exp"])
	switch {
	case err != nil || !time.Now().Before(expires):
		return unauthorized("'Expiration time' claim ('exp') must be a numeric value representing the future time at which the assertion expires")
	case time.Until(expires) > maxJWTLife || expires.Sub(issued) > maxJWTLife+time.Minute:
		return unauthorized("'Expiration time' claim ('exp') is too far in the future")
	case time.Now().Before(issued):
		return unauthorized("'Issued at' claim ('iat') must be an Integer representing the time that the assertion was issued")
	}
	return nil
}

func wholeSeconds(claim any) (time.Time, error) {
	number, isNumber := claim.(json.Number)
	if !isNumber {
		return time.Time{}, errors.New("not a number")
	}
	seconds, err := number.Int64()
	return time.Unix(seconds, 0), err
}

// newSecret returns an unguessable token of GitHub's shape.
func newSecret(prefix string) string { return prefix + rand.Text() + rand.Text()[:10] }
