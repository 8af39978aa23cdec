package githubsim

import (
	"bytes"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"strconv"
)

// request is an API request on its way to a handler.
type request struct {
	sim    *Sim
	http   *http.Request
	body   []byte
	path   string // escaped, without the /api/v3 prefix
	prefix string // "/api/v3" or ""
	route  *route
	params map[string]string
	actor  actor
	repo   *Repo // of {owner}/{repo}
	stale  bool  // answer as of before the last push
}

// reply is the answer of a handler.
type reply struct {
	status int
	body   any // rendered as JSON, unless it is raw; nil: no body
	header http.Header
}

// raw is a body that is not JSON.
type raw struct {
	data      []byte
	mediaType string
}

func ok(body any) (reply, error)      { return reply{status: http.StatusOK, body: body}, nil }
func created(body any) (reply, error) { return reply{status: http.StatusCreated, body: body}, nil }
func noContent() (reply, error)       { return reply{status: http.StatusNoContent}, nil }

// number returns a parameter of the path that is an id; one that is none names nothing.
func (r *request) number(param string) (int64, error) {
	n, err := strconv.ParseInt(r.params[param], 10, 64)
	if err != nil || n < 0 {
		return 0, notFound()
	}
	return n, nil
}

func (r *request) query() url.Values { return r.http.URL.Query() }

// decode reads the JSON body into v. GitHub ignores members that it does not know and refuses wrong types.
func (r *request) decode(v any) error {
	body := r.body
	if len(bytes.TrimSpace(body)) == 0 {
		body = []byte("{}")
	}
	err := json.Unmarshal(body, v)
	var wrongType *json.UnmarshalTypeError
	switch {
	case errors.As(err, &wrongType):
		return unprocessable("Invalid request.\n\nFor 'properties/%s', %s is of the wrong type.", wrongType.Field, wrongType.Value)
	case err != nil:
		return &apiError{status: http.StatusBadRequest, message: "Problems parsing JSON"}
	}
	return nil
}

// accepts reports whether the client asked for a media type of GitHub's, such as "raw".
func (r *request) accepts(kind string) bool {
	accept := r.http.Header.Get("Accept")
	for _, form := range []string{"application/vnd.github." + kind, "application/vnd.github.v3." + kind} {
		if accept == form || accept == form+"+json" {
			return true
		}
	}
	return false
}
