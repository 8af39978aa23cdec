package bot

import (
	"container/list"
	"context"
	"crypto/sha1" //nolint:gosec // git's object ids
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"os"
	"path/filepath"
	"sync"
)

// Cache keeps git objects by id: blobs as files below a folder, trees and commits in memory. An id names the same bytes for ever, so
// nothing in it goes stale; what was used longest ago makes room. It is safe for concurrent use.
type Cache struct {
	dir       string
	maxBytes  int64
	files     int // of all trees
	mu        sync.Mutex
	bytes     int64
	blobs     map[string]*list.Element // of cachedBlob
	blobOrder *list.List
	trees     map[string]*list.Element // of cachedTree
	treeOrder *list.List
	commits   map[string]Commit
}

type cachedBlob struct {
	key  string
	size int64
}

type cachedTree struct {
	key  string
	tree *Tree
}

// CacheBytes is how much disk git objects may take.
const CacheBytes = 2 << 30

// NewCache returns a cache that keeps up to so many bytes of blobs in a folder, which it empties.
func NewCache(dir string, maxBytes int64) (*Cache, error) {
	dir = filepath.Join(dir, "objects")
	if err := os.RemoveAll(dir); err != nil {
		return nil, err
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	return &Cache{dir: dir, maxBytes: maxBytes, blobs: map[string]*list.Element{}, blobOrder: list.New(),
		trees: map[string]*list.Element{}, treeOrder: list.New(), commits: map[string]Commit{}}, nil
}

// knownTree returns a tree that is in the cache.
func (c *Cache) knownTree(key string) (*Tree, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	e, ok := c.trees[key]
	if !ok {
		return nil, false
	}
	c.treeOrder.MoveToFront(e)
	return e.Value.(cachedTree).tree, true
}

// maxCachedFiles bounds the files of all trees in the cache together, at some 150 bytes each.
const maxCachedFiles = 500_000

// addTree enters a tree, which nobody may change from now on.
func (c *Cache) addTree(key string, t *Tree) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, ok := c.trees[key]; !ok {
		c.trees[key] = c.treeOrder.PushFront(cachedTree{key, t})
		c.files += len(t.Files)
	}
	for c.files > maxCachedFiles && c.treeOrder.Len() > 1 {
		last := c.treeOrder.Remove(c.treeOrder.Back()).(cachedTree)
		delete(c.trees, last.key)
		c.files -= len(last.tree.Files)
	}
}

// knownCommit returns a commit that is in the cache.
func (c *Cache) knownCommit(key string) (Commit, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	k, ok := c.commits[key]
	return k, ok
}

// maxCachedCommits is after how many commits the cache begins anew with them; they are small, and few are asked for twice.
const maxCachedCommits = 10_000

func (c *Cache) addCommit(key string, k Commit) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.commits) >= maxCachedCommits {
		clear(c.commits)
	}
	c.commits[key] = k
}

// blob opens a blob, fetched by the function where it is not known yet. A repository is part of the key, so that none sees
// what belongs to another.
func (c *Cache) blob(ctx context.Context, repo string, e Entry, fetch func(context.Context, io.Writer) error) (Blob, error) {
	key := hex.EncodeToString([]byte(repo)) + "-" + e.ID
	if b, err := c.open(key); err == nil {
		return b, nil
	}
	tmp, err := os.CreateTemp(c.dir, "fetch-")
	if err != nil {
		return nil, err
	}
	defer os.Remove(tmp.Name())
	size, err := fetchChecked(ctx, tmp, e, fetch)
	if err != nil {
		return nil, errors.Join(err, tmp.Close())
	}
	if err := tmp.Close(); err != nil {
		return nil, err
	}
	if err := os.Rename(tmp.Name(), filepath.Join(c.dir, key)); err != nil {
		return nil, err
	}
	return c.admit(key, size)
}

// errWrongBlob says that what came is not what the id names.
var errWrongBlob = errors.New("the blob that GitHub sent is not the one with this id")

// maxUnsized bounds a blob of which the server does not say the size.
const maxUnsized = 1 << 30

// fetchChecked writes a blob to a file, checks its id, and returns its size.
func fetchChecked(ctx context.Context, f *os.File, e Entry, fetch func(context.Context, io.Writer) error) (int64, error) {
	if e.Size < 0 {
		return fetchUnsized(ctx, f, e, fetch)
	}
	sum := newBlobSum(e.Size)
	bounded := &limitedWriter{w: io.MultiWriter(f, sum), left: e.Size}
	if err := fetch(ctx, bounded); err != nil {
		return 0, err
	}
	if hex.EncodeToString(sum.Sum(nil)) != e.ID || bounded.left != 0 {
		return 0, fmt.Errorf("%s: %w", e.ID, errWrongBlob)
	}
	return e.Size, nil
}

// fetchUnsized is fetchChecked for a blob whose size, which its id begins with, shows at its end.
func fetchUnsized(ctx context.Context, f *os.File, e Entry, fetch func(context.Context, io.Writer) error) (int64, error) {
	bounded := &limitedWriter{w: f, left: maxUnsized}
	if err := fetch(ctx, bounded); err != nil {
		return 0, err
	}
	size := maxUnsized - bounded.left
	sum := newBlobSum(size)
	if _, err := io.Copy(sum, io.NewSectionReader(f, 0, size)); err != nil {
		return 0, err
	}
	if hex.EncodeToString(sum.Sum(nil)) != e.ID {
		return 0, fmt.Errorf("%s: %w", e.ID, errWrongBlob)
	}
	return size, nil
}

// newBlobSum begins the id of a blob.
func newBlobSum(size int64) hash.Hash {
	sum := sha1.New() //nolint:gosec // likewise
	fmt.Fprintf(sum, "blob %d\x00", size)
	return sum
}

// limitedWriter takes no more than was announced.
type limitedWriter struct {
	w    io.Writer
	left int64
}

func (l *limitedWriter) Write(p []byte) (int, error) {
	if int64(len(p)) > l.left {
		return 0, errWrongBlob
	}
	n, err := l.w.Write(p)
	l.left -= int64(n)
	return n, err
}

// admit enters a blob that lies in the folder, and opens it before anything can push it out.
func (c *Cache) admit(key string, size int64) (Blob, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	f, err := os.Open(filepath.Join(c.dir, key))
	if err != nil {
		return nil, err
	}
	if _, ok := c.blobs[key]; !ok {
		c.blobs[key] = c.blobOrder.PushFront(cachedBlob{key, size})
		c.bytes += size
	}
	for c.bytes > c.maxBytes && c.blobOrder.Len() > 1 {
		last := c.blobOrder.Back()
		b := last.Value.(cachedBlob)
		c.blobOrder.Remove(last)
		delete(c.blobs, b.key)
		c.bytes -= b.size
		os.Remove(filepath.Join(c.dir, b.key)) // readers keep it open
	}
	return fileBlob{f, size}, nil
}

func (c *Cache) open(key string) (Blob, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	e, ok := c.blobs[key]
	if !ok {
		return nil, os.ErrNotExist
	}
	f, err := os.Open(filepath.Join(c.dir, key))
	if err != nil {
		return nil, err
	}
	c.blobOrder.MoveToFront(e)
	return fileBlob{f, e.Value.(cachedBlob).size}, nil
}

type fileBlob struct {
	*os.File
	size int64
}

func (b fileBlob) Size() int64 { return b.size }
