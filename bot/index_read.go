package bot

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
	"sync"

	"golang.org/x/sync/errgroup"

	"github.com/azphalt/submissions/internal/catalog"
	"github.com/azphalt/submissions/internal/config"
	"github.com/azphalt/submissions/registry"
)

const (
	indexReaders = 8       // entries that are read at once
	maxEntry     = 4 << 20 // bytes of an entry: those of a manifest, and some more
	maxEntries   = 100_000 // versions of a registry
)

// build makes the catalogue of what lies in trees.
func (x *Index) build(ctx context.Context, gh GitHub, cfg *config.Config, trees []*Tree, before map[indexKey]registry.Entry, now *indexed) error {
	name := cmp.Or(cfg.Registry.Name, now.home.FullName())
	s := catalog.Shelf{Name: name, Keys: x.keys(name)}
	s.Denied = func(e registry.Entry) bool {
		return slices.Contains(cfg.Deny.Digests, e.Digest) || slices.Contains(cfg.Deny.Digests, e.Submitted) ||
			e.Publisher.PublicKey != "" && slices.Contains(cfg.Deny.Keys, e.Publisher.PublicKey)
	}
	now.entries = map[indexKey]registry.Entry{}
	byName := map[string]registry.Entry{} // a version may have been published in both trees; what counts is the last
	for _, t := range trees {
		text, err := readOwn(ctx, gh, t, path.Join(cfg.Registry.Path, registry.RevocationsPath), maxRegistryFile)
		if err != nil {
			return err
		}
		pulled, err := registry.ParseRevocations(text)
		if err != nil {
			return err
		}
		s.Revocations = append(s.Revocations, pulled...)
		entries, err := x.readEntries(ctx, gh, t, path.Join(cfg.Registry.Path, registry.IndexPath), before)
		if err != nil {
			return err
		}
		maps.Copy(now.entries, entries)
		for key, e := range entries {
			byName[key.name] = e
		}
	}
	slices.SortStableFunc(s.Revocations, func(a, b registry.Revocation) int { return b.RevokedAt.Compare(a.RevokedAt) })
	s.Entries = slices.Collect(maps.Values(byName))
	var problems []error
	now.catalog, problems = catalog.New(s)
	for _, p := range problems {
		x.Log.Warn("a package is left out of the registry", "error", p)
	}
	return nil
}

// readEntries reads the entries below a folder but those that were read before. One that is damaged is left out, so that it
// does not take the others with it.
func (x *Index) readEntries(ctx context.Context, gh GitHub, t *Tree, folder string, before map[indexKey]registry.Entry) (map[indexKey]registry.Entry, error) {
	var mu sync.Mutex
	entries := map[indexKey]registry.Entry{}
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(indexReaders)
	count := 0
	for name, file := range t.Files {
		name, inside := strings.CutPrefix(name, folder+"/")
		if !inside || !strings.HasSuffix(name, ".json") || !file.isFile() {
			continue
		}
		if count++; count > maxEntries {
			return nil, fmt.Errorf("the index has more than %d entries", maxEntries)
		}
		key := indexKey{name, file.ID}
		e, ok := before[key]
		if ok {
			mu.Lock()
			entries[key] = e
			mu.Unlock()
			continue
		}
		group.Go(func() error {
			e, err := readEntry(ctx, gh, t, folder, name)
			if errors.Is(err, errShelf) {
				x.Log.Warn("an entry of the index is left out", "entry", name, "error", err)
				return nil
			}
			if err != nil {
				return err
			}
			mu.Lock()
			defer mu.Unlock()
			entries[key] = e
			return nil
		})
	}
	return entries, group.Wait()
}

// readEntry reads an entry; errShelf says that it is damaged.
func readEntry(ctx context.Context, gh GitHub, t *Tree, folder, name string) (registry.Entry, error) {
	text, err := readOwn(ctx, gh, t, path.Join(folder, name), maxEntry)
	if err != nil {
		return registry.Entry{}, err
	}
	e, err := registry.ReadEntry(name, text)
	if err != nil {
		err = fmt.Errorf("%w: %w", errShelf, err)
	}
	return e, err
}
