package bot

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/singleflight"

	"github.com/azphalt/submissions/azp"
	"github.com/azphalt/submissions/check"
	"github.com/azphalt/submissions/internal/catalog"
	"github.com/azphalt/submissions/internal/config"
	"github.com/azphalt/submissions/registry"
)

// Index serves what a registry has published, as its branch holds it now. It is safe for concurrent use, and no request costs
// more than a look at whether the branch moved.
type Index struct {
	*Bot
	// Repository is the registry's, as owner/name; "" stands for the only one that the App is installed on, unless it is private.
	Repository string
	// FormerKeys are keys that the registry signed with before.
	FormerKeys []azp.TrustedKey

	group singleflight.Group
	mu    sync.Mutex
	seen  *indexed // by the last look; nil before the first
}

// indexed is what a look found.
type indexed struct {
	at      time.Time
	merges  int64    // of the bot's own, by then
	home    home     // where the registry is
	lost    bool     // it could not be read there, and may have moved
	tips    []string // of the branches that it was read from
	entries map[indexKey]registry.Entry
	catalog *catalog.Catalog
	err     error // where there is no catalogue
}

// home is where a registry is.
type home struct {
	Repository
	branch string
}

// indexKey is a file of the index: its name below the index's folder, and the id of its blob.
type indexKey struct{ name, blob string }

const (
	indexFresh    = 10 * time.Second // how long what was read is not asked for again
	indexPatience = 3 * time.Second  // how long a request waits for news where there is an older catalogue
	indexFirst    = 20 * time.Second // how long it waits where there is none
	indexTimeout  = 10 * time.Minute // of a look; the first one reads each version's entry
)

// Catalog returns what is published. Where GitHub can't be asked, what was known before still counts.
func (x *Index) Catalog(ctx context.Context) (*catalog.Catalog, error) {
	before := x.last()
	if x.fresh(before) {
		return before.catalog, before.err
	}
	look := x.group.DoChan("", func() (any, error) {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), indexTimeout)
		defer cancel()
		return x.look(ctx), nil
	})
	patience := indexFirst
	if before != nil && before.catalog != nil {
		patience = indexPatience
	}
	select {
	case r := <-look:
		now := r.Val.(*indexed)
		return now.catalog, now.err
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-time.After(patience):
		if before != nil && before.catalog != nil {
			return before.catalog, nil
		}
		return nil, errors.New("the registry is still being read")
	}
}

func (x *Index) last() *indexed {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.seen
}

// fresh reports whether a look needs no other after it yet.
func (x *Index) fresh(s *indexed) bool {
	return s != nil && s.merges == x.merges.Load() && x.now().Sub(s.at) < indexFresh
}

// look finds out what is published now. A look that fails leaves what was known before.
func (x *Index) look(ctx context.Context) *indexed {
	before := x.last()
	if x.fresh(before) {
		return before
	}
	if before == nil {
		before = &indexed{}
	}
	at, merges := x.now(), x.merges.Load()
	now, err := x.read(ctx, before)
	if err != nil && before.catalog != nil {
		x.Log.Warn("the registry can't be read; what was read before is served", "error", err)
		now, err = *before, nil
		now.lost = true
	}
	now.at, now.merges, now.err = at, merges, err
	x.mu.Lock()
	defer x.mu.Unlock()
	x.seen = &now
	return &now
}

// read reads the registry, unless no branch of it moved.
func (x *Index) read(ctx context.Context, before *indexed) (now indexed, err error) {
	if now.home = before.home; now.home.branch == "" || before.lost {
		if now.home, err = x.find(ctx); err != nil {
			return now, err
		}
	}
	gh, err := x.Hub.Repo(now.home.Repository)
	if err != nil {
		return now, err
	}
	base, tip, err := branchTree(ctx, gh, now.home.branch)
	if err != nil {
		return now, err
	}
	if tip == "" {
		return now, fmt.Errorf("%w: %s has no branch %q", catalog.ErrNone, now.home.FullName(), now.home.branch)
	}
	cfg := config.Default()
	if text, ok, err := readAll(ctx, gh, base, config.Path, maxConfig); err != nil {
		return now, err
	} else if ok {
		cfg, _ = config.Parse(config.Path, text, check.Rules())
	}
	now.tips = []string{tip}
	trees := []*Tree{base}
	if cfg.Merge.Strategy == config.StrategyAPI {
		apart, tip, err := branchTree(ctx, gh, config.RegistryBranch)
		if err != nil {
			return now, err
		}
		now.tips, trees = append(now.tips, tip), append(trees, apart)
	}
	if before.catalog != nil && now.home == before.home && slices.Equal(before.tips, now.tips) {
		now.entries, now.catalog = before.entries, before.catalog
		return now, nil
	}
	err = x.build(ctx, gh, cfg, trees, before.entries, &now)
	return now, err
}

// find finds the registry's repository and its branch.
func (x *Index) find(ctx context.Context) (home, error) {
	r, err := x.repository(ctx)
	if err != nil {
		return home{}, err
	}
	gh, err := x.Hub.Repo(r)
	if err != nil {
		return home{}, err
	}
	branch, hidden, err := gh.Home(ctx)
	if hidden && x.Repository == "" {
		return home{}, fmt.Errorf("%w: %s is private, and AZP_REGISTRY_REPOSITORY does not say that it is to be published", catalog.ErrNone, r.FullName())
	}
	if absent(err) || err == nil && branch == "" {
		branch, err = x.Store.LatestBase(ctx, r.ID)
	}
	if err == nil && branch == "" {
		err = fmt.Errorf("%w: %s does not say its branch, and no pull request was looked at there yet", catalog.ErrNone, r.FullName())
	}
	return home{r, branch}, err
}

func (x *Index) repository(ctx context.Context) (Repository, error) {
	if owner, name, ok := strings.Cut(x.Repository, "/"); ok {
		r, ok, err := x.Hub.Find(ctx, owner, name)
		if err == nil && !ok {
			err = fmt.Errorf("%w: the App is not installed on %s", catalog.ErrNone, x.Repository)
		}
		return r, err
	}
	all, err := x.Hub.Repositories(ctx)
	if absent(err) { // a server that does not list them
		all, err = x.Store.Repositories(ctx)
	}
	switch {
	case err != nil:
		return Repository{}, err
	case len(all) == 1:
		return all[0], nil
	case len(all) == 0:
		return Repository{}, fmt.Errorf("%w: the App is installed on no repository", catalog.ErrNone)
	default:
		return Repository{}, fmt.Errorf("%w: the App is installed on %d repositories, and AZP_REGISTRY_REPOSITORY says of none that it is the registry", catalog.ErrNone, len(all))
	}
}

// keys returns the registry's keys, the one that it signs with first.
func (x *Index) keys(name string) []azp.TrustedKey {
	if x.Key == nil {
		return x.FormerKeys
	}
	own := azp.TrustedKey{PublicKey: x.Key.Public().String(), KeyID: x.KeyID, Label: name}
	return append([]azp.TrustedKey{own}, slices.DeleteFunc(slices.Clone(x.FormerKeys), func(k azp.TrustedKey) bool { return k.PublicKey == own.PublicKey })...)
}

// Handler serves the registry read API.
func (x *Index) Handler() http.Handler { return &catalog.Handler{Source: x, Log: x.Log} }

// Open returns the bytes of a version, which git keeps whatever lies in their place by now.
func (x *Index) Open(ctx context.Context, e registry.Entry) (catalog.Content, error) {
	seen := x.last()
	if seen == nil {
		return nil, catalog.ErrNone
	}
	gh, err := x.Hub.Repo(seen.home.Repository)
	if err != nil {
		return nil, err
	}
	return gh.Blob(ctx, Entry{ID: e.Blob, Mode: "100644", Size: e.Size})
}
