// Package githubapp says what the bot is to GitHub: what its App may do, what it hears, what its check run is called, and
// where the API of a server is.
package githubapp

import (
	"cmp"
	"fmt"
	"net/url"
	"strings"
)

// CheckName is the name of the bot's check run; a commit has one.
const CheckName = "azphalt / submission"

// Permissions are what the App asks for, each with its level, and Events what it hears.
var (
	Permissions = map[string]string{
		"checks": "write", "contents": "write", "pull_requests": "write", "issues": "write",
		"metadata": "read", "administration": "read", "merge_queues": "read",
	}
	Events = []string{"pull_request", "pull_request_review", "issue_comment", "check_run", "check_suite", "merge_group", "push"}
)

// API returns where a server's REST API is, with a slash at its end: that of github.com where the address is empty, below
// /api/v3 on GitHub Enterprise, unless the address names a path of its own.
func API(server string) (*url.URL, error) {
	u, err := url.Parse(strings.TrimSuffix(cmp.Or(server, "https://api.github.com"), "/") + "/")
	if err != nil || u.Host == "" {
		return nil, fmt.Errorf("%q is no address of a GitHub server", server)
	}
	if u.Host == "github.com" {
		u.Host = "api.github.com"
	}
	if u.Path == "/" && !strings.HasPrefix(u.Host, "api.") {
		u.Path = "/api/v3/"
	}
	return u, nil
}

// Pages returns where a server's pages for people are, without a slash at its end.
func Pages(server string) string {
	u, err := url.Parse(server)
	if err != nil || u.Host == "" || u.Host == "github.com" || u.Host == "api.github.com" {
		return "https://github.com"
	}
	return u.Scheme + "://" + strings.TrimPrefix(u.Host, "api.")
}
