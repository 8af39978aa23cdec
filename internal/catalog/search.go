package catalog

import (
	"cmp"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/azphalt/submissions/internal/jsontree"
)

// pageSize is how many packages a page has.
const pageSize = 50

// query is what a host looks for. Empty parts ask for nothing.
type query struct {
	words        []string // of which a package has all
	kinds, types []string // of which it has one
	tags         []string // of which it has all
	app          string   // it is for this one, or for all
	capabilities []string // it needs no others
	mediaDomains []string // it is about one of these
	sort         order
	page         int
}

// order is what comes first.
type order string

// The orders. A registry without statistics takes what is new for what is popular.
const (
	byPopularity order = "popular"
	byTime       order = "recent"
	byRating     order = "rating"
	byName       order = "name"
)

const (
	maxQuery = 1 << 10 // bytes of a parameter
	maxWords = 32      // words and tags that are looked for in each package
)

// parseQuery reads a query. The error is for who asks.
func parseQuery(v url.Values) (query, error) {
	q := query{
		words: strings.Fields(strings.ToLower(v.Get("q"))), kinds: list(v.Get("kind")), types: list(v.Get("types")), tags: list(strings.ToLower(v.Get("tags"))),
		app: strings.TrimSpace(v.Get("app")), capabilities: list(v.Get("capabilities")), mediaDomains: list(v.Get("mediaDomains")),
		sort: order(v.Get("sort")), page: 1,
	}
	for _, values := range v {
		if len(values) > 1 || len(values[0]) > maxQuery {
			return q, fmt.Errorf("each parameter is given once, in at most %d bytes; several values are separated by commas", maxQuery)
		}
	}
	if len(q.words)+len(q.tags) > maxWords {
		return q, fmt.Errorf("a query has at most %d words and tags", maxWords)
	}
	switch q.sort {
	case "", byPopularity, byTime, byRating, byName:
	default:
		return q, errors.New("sort is popular, recent, rating or name")
	}
	if text := v.Get("page"); text != "" {
		n, err := strconv.Atoi(text)
		if err != nil || n < 1 {
			return q, errors.New("page is a number from 1")
		}
		q.page = n
	}
	return q, nil
}

func list(text string) []string {
	var out []string
	for part := range strings.SplitSeq(text, ",") {
		if part = strings.TrimSpace(part); part != "" {
			out = append(out, part)
		}
	}
	return out
}

// searchable is what words are looked for in, in lower case.
type searchable struct {
	name, id, description, author, types string
	tags                                 []string
}

func newSearchable(s Summary, manifest jsontree.Value) searchable {
	lower := strings.ToLower
	x := searchable{name: lower(s.Name), id: lower(s.ID), description: lower(s.Description), author: lower(s.Author), types: lower(strings.Join(append([]string{s.Kind}, s.Types...), " "))}
	for _, name := range []string{"tags", "keywords"} {
		for _, t := range texts(manifest.Get(name)) {
			x.tags = append(x.tags, lower(t))
		}
	}
	return x
}

// score says how well a package fits words, 0 where it lacks one.
func (x searchable) score(words []string) int {
	total := 0
	for _, w := range words {
		n := 0
		for _, field := range []struct {
			text   string
			weight int
		}{{x.name, 5}, {x.id, 4}, {x.types, 3}, {x.description, 2}, {x.author, 2}} {
			if strings.Contains(field.text, w) {
				n += field.weight
			}
		}
		if slices.Contains(x.tags, w) {
			n += 5
		}
		if n == 0 {
			return 0
		}
		total += n
	}
	return total
}

// tagged reports whether a package has a tag or, as the format knows no tags yet, speaks of it.
func (x searchable) tagged(tag string) bool {
	return slices.Contains(x.tags, tag) || x.score([]string{tag}) > 0
}

// fits reports whether a package is one of those that are asked for, words apart.
func (q query) fits(p *pkg) bool {
	s := p.summary
	anyOf := func(wanted, has []string) bool {
		return len(wanted) == 0 || slices.ContainsFunc(wanted, func(w string) bool { return slices.Contains(has, w) })
	}
	return anyOf(q.kinds, []string{s.Kind}) && anyOf(q.types, s.Types) && anyOf(q.mediaDomains, s.MediaDomains) &&
		(q.app == "" || len(s.TargetApps) == 0 || slices.Contains(s.TargetApps, q.app)) &&
		(len(q.capabilities) == 0 || !slices.ContainsFunc(s.Capabilities, func(c string) bool { return !slices.Contains(q.capabilities, c) })) &&
		!slices.ContainsFunc(q.tags, func(t string) bool { return !p.search.tagged(t) })
}

// results is a page of what was found.
type results struct {
	Packages []Summary `json:"packages"`
	Total    int       `json:"total"`
	Page     int       `json:"page"`
	Pages    int       `json:"pages"`
}

// search returns a page of the packages that fit. A page after the last one is the last one.
func (c *Catalog) search(q query) results {
	type hit struct {
		*pkg
		score int
	}
	var hits []hit
	for _, p := range c.listed {
		if score := p.search.score(q.words); q.fits(p) && (score > 0 || len(q.words) == 0) {
			hits = append(hits, hit{p, score})
		}
	}
	switch q.sort {
	case byName:
		slices.SortStableFunc(hits, func(a, b hit) int { return strings.Compare(a.search.name, b.search.name) })
	case "":
		slices.SortStableFunc(hits, func(a, b hit) int { return cmp.Compare(b.score, a.score) })
	}
	r := results{Packages: []Summary{}, Total: len(hits), Pages: max(1, (len(hits)+pageSize-1)/pageSize)}
	r.Page = min(q.page, r.Pages)
	start := (r.Page - 1) * pageSize
	for _, h := range hits[start:min(start+pageSize, len(hits))] {
		r.Packages = append(r.Packages, h.summary)
	}
	return r
}
