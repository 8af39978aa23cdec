// Package paging goes through the lists of GitHub's API, which come in pages.
package paging

import (
	"errors"
	"fmt"
	"iter"
	"net/http"
	"reflect"

	"github.com/google/go-github/v62/github"
)

const (
	perPage  = 100   // items, the most that GitHub gives at once
	maxPages = 1_000 // of a list, after which it is taken for one without an end
)

// ErrEndless says that a server has a next page for every page.
var ErrEndless = errors.New("a list without an end")

// Items goes through a list, and asks for each page when it is needed. After an error there is nothing more.
func Items[T any](get func(*github.ListOptions) ([]T, *github.Response, error)) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		var none T
		var before []T
		o := &github.ListOptions{PerPage: perPage}
		for range maxPages {
			page, resp, err := get(o)
			if err != nil {
				yield(none, err)
				return
			}
			if len(before) > 0 && reflect.DeepEqual(page, before) {
				return // a server that knows no pages gave all it has already
			}
			for _, item := range page {
				if !yield(item, nil) {
					return
				}
			}
			if o.Page = nextPage(o, resp, len(page)); o.Page == 0 {
				return
			}
			before = page
		}
		yield(none, fmt.Errorf("%w: it has more than %d pages", ErrEndless, maxPages))
	}
}

// nextPage returns the number of the page after one with so many items, 0 where that was the last. GitHub says so in a header,
// which it leaves out where everything is on one page, and other servers always: there may be more after a page that is full.
func nextPage(o *github.ListOptions, resp *github.Response, items int) int {
	switch {
	case resp == nil:
		return 0
	case len(resp.Header[http.CanonicalHeaderKey("Link")]) > 0:
		return resp.NextPage
	case items == o.PerPage:
		return max(o.Page, 1) + 1
	default:
		return 0
	}
}
