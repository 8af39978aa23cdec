package paging

import (
	"errors"
	"net/http"
	"testing"

	"github.com/google/go-github/v62/github"
)

func TestItems(t *testing.T) {
	for _, c := range []struct {
		what        string
		items       int
		link        bool // the server sends the header
		deaf        bool // it gives the first page, whatever is asked for
		want, calls int
	}{
		{"none", 0, false, false, 0, 1},
		{"a page that is not full", perPage - 1, false, false, perPage - 1, 1},
		{"a full page, then none", perPage, false, false, perPage, 2},
		{"more than a page", perPage + 1, false, false, perPage + 1, 2},
		{"three pages", 2*perPage + 7, false, false, 2*perPage + 7, 3},
		{"one page from GitHub", perPage - 1, true, false, perPage - 1, 1},
		{"two pages from GitHub, the last one full", 2 * perPage, true, false, 2 * perPage, 2},
		{"the same page again", 3 * perPage, false, true, perPage, 2},
	} {
		t.Run(c.what, func(t *testing.T) {
			calls, got := 0, map[int]int{}
			for item, err := range Items(func(o *github.ListOptions) ([]*int, *github.Response, error) {
				calls++
				return numbered(o, c.items, c.link, c.deaf)
			}) {
				if err != nil {
					t.Fatal(err)
				}
				got[*item]++
			}
			if len(got) != c.want || calls != c.calls {
				t.Errorf("%d items with %d calls, want %d with %d", len(got), calls, c.want, c.calls)
			}
			for item, times := range got {
				if times != 1 {
					t.Fatalf("item %d came %d times", item, times)
				}
			}
		})
	}
}

// numbered is a page of a list of numbers.
func numbered(o *github.ListOptions, items int, link, deaf bool) ([]*int, *github.Response, error) {
	number := max(o.Page, 1)
	if deaf {
		number = 1
	}
	var page []*int
	for n := (number - 1) * o.PerPage; n < min(number*o.PerPage, items); n++ {
		page = append(page, &n)
	}
	resp := &github.Response{Response: &http.Response{Header: http.Header{}}}
	if link && items > o.PerPage {
		resp.Header.Set("Link", "<…>")
	}
	if link && number*o.PerPage < items {
		resp.NextPage = number + 1
	}
	return page, resp, nil
}

func TestAListWithoutAnEndIsRefused(t *testing.T) {
	calls := 0
	for _, err := range Items(func(o *github.ListOptions) ([]*int, *github.Response, error) {
		calls++
		return numbered(o, 1<<30, false, false)
	}) {
		if errors.Is(err, ErrEndless) {
			break
		}
	}
	if calls != maxPages {
		t.Errorf("%d calls, want %d", calls, maxPages)
	}
}

func TestAListThatBreaksOff(t *testing.T) {
	broken := errors.New("broken")
	var items int
	var last error
	for _, err := range Items(func(o *github.ListOptions) ([]*int, *github.Response, error) {
		if o.Page > 1 {
			return nil, nil, broken
		}
		return numbered(o, 3*perPage, false, false)
	}) {
		if last = err; err == nil {
			items++
		}
	}
	if items != perPage || !errors.Is(last, broken) {
		t.Errorf("%d items, then %v", items, last)
	}
}
