package githubsim

import (
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
)

const (
	defaultPerPage = 30
	maxPerPage     = 100
)

// page is the part of a list that a request asks for.
type page struct{ number, size int }

// page reads page and per_page; GitHub corrects what is out of range instead of refusing it.
func (r *request) page(defaultSize int) page {
	p := page{number: 1, size: defaultSize}
	if n, err := strconv.Atoi(r.query().Get("page")); err == nil && n > 0 {
		p.number = n
	}
	if n, err := strconv.Atoi(r.query().Get("per_page")); err == nil && n > 0 {
		p.size = min(n, maxPerPage)
	}
	return p
}

// cut returns the bounds of the page in a list.
func (p page) cut(total int) (from, to int) {
	from = min((p.number-1)*p.size, total)
	return from, min(from+p.size, total)
}

// paged renders the requested part of a list with its Link header.
func paged[T any](r *request, list []T, render func(T) any) (reply, error) {
	items, header := pageOf(r, list, defaultPerPage, render)
	return reply{status: http.StatusOK, body: items, header: header}, nil
}

// counted is paged in the envelope that checks and installations come in.
func counted[T any](r *request, name string, list []T, render func(T) any) (reply, error) {
	items, header := pageOf(r, list, defaultPerPage, render)
	return reply{status: http.StatusOK, body: obj{"total_count": len(list), name: items}, header: header}, nil
}

func pageOf[T any](r *request, list []T, size int, render func(T) any) ([]any, http.Header) {
	p := r.page(size)
	from, to := p.cut(len(list))
	items := make([]any, 0, to-from)
	for _, v := range list[from:to] {
		items = append(items, render(v))
	}
	return items, r.links(p, (len(list)+p.size-1)/p.size)
}

// links is the Link header of a page; there is none where one page holds everything.
func (r *request) links(p page, last int) http.Header {
	var links []string
	add := func(number int, rel string) {
		links = append(links, r.link(rel, "page", strconv.Itoa(number)))
	}
	if p.number > 1 {
		add(min(p.number-1, max(last, 1)), "prev")
	}
	if p.number < last {
		add(p.number+1, "next")
		add(last, "last")
	}
	if p.number > 1 {
		add(1, "first")
	}
	if links == nil {
		return nil
	}
	return http.Header{"Link": {strings.Join(links, ", ")}}
}

// link is one entry of a Link header: the address of the request with one value of its query changed.
func (r *request) link(rel, key, value string) string {
	q := r.query()
	q.Set(key, value)
	u := url.URL{RawQuery: q.Encode()}
	return fmt.Sprintf(`<%s%s%s%s>; rel=%q`, r.sim.url, r.prefix, r.path, u.String(), rel)
}
