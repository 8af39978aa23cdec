package githubsim

import (
	"net/url"
	"strings"
)

// route binds a method and a path template to its handler. The template is the one of GitHub's OpenAPI document; the
// parameters in multiSegment span slashes.
type route struct {
	method, path string
	access       access
	handle       func(*request) (reply, error)
	unlocked     bool // reads and writes git objects alone, so runs without the lock on the state
	content      bool // counts towards the secondary limit on content
	uncounted    bool // does not count towards the rate limit
}

// multiSegment names the parameters whose values may hold slashes.
var multiSegment = map[string]bool{"{ref}": true, "{path}": true, "{basehead}": true, "{branch}": true}

// router finds the route of a request.
type router struct {
	byMethod map[string][]compiledRoute
}

type compiledRoute struct {
	*route
	segments []string
}

func newRouter(routes []*route) *router {
	rt := &router{byMethod: map[string][]compiledRoute{}}
	for _, r := range routes {
		c := compiledRoute{r, strings.Split(strings.TrimPrefix(r.path, "/"), "/")}
		rt.byMethod[r.method] = append(rt.byMethod[r.method], c)
	}
	return rt
}

// find returns the route for an escaped path and the unescaped values of its parameters; of several the one with the
// longest literal match, which is the one listed first.
func (rt *router) find(method, escapedPath string) (*route, map[string]string) {
	var segments []string
	for s := range strings.SplitSeq(strings.Trim(escapedPath, "/"), "/") {
		s, err := url.PathUnescape(s)
		if err != nil {
			return nil, nil
		}
		segments = append(segments, s)
	}
	for _, c := range rt.byMethod[method] {
		params := map[string]string{}
		if match(c.segments, segments, params) {
			return c.route, params
		}
	}
	return nil, nil
}

// match fills params when the segments of a path fit those of a template.
func match(template, path []string, params map[string]string) bool {
	if len(template) == 0 {
		return len(path) == 0
	}
	if len(path) == 0 {
		return template[0] == "{path}" && len(template) == 1
	}
	first := template[0]
	switch {
	case multiSegment[first]:
		for n := len(path) - (len(template) - 1); n >= 1; n-- {
			if match(template[1:], path[n:], params) {
				params[strings.Trim(first, "{}")] = strings.Join(path[:n], "/")
				return true
			}
		}
		return false
	case strings.HasPrefix(first, "{"):
		if path[0] == "" {
			return false
		}
		params[strings.Trim(first, "{}")] = path[0]
	case first != path[0]:
		return false
	}
	return match(template[1:], path[1:], params)
}
