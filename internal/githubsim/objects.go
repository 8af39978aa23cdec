package githubsim

import (
	"errors"
	"io"
	"sync"

	"github.com/go-git/go-billy/v5/osfs"
	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/cache"
	"github.com/go-git/go-git/v5/plumbing/filemode"
	"github.com/go-git/go-git/v5/plumbing/object"
	"github.com/go-git/go-git/v5/storage/filesystem"
)

// objects is the object database of a repository and all its forks. They share one, as on GitHub, where whatever was
// pushed to a fork can be read through its parent by id.
type objects struct {
	dir string // the git directory of the repository that is not a fork

	mu    sync.Mutex // guards store, which is not safe for concurrent use
	store *filesystem.Storage

	graph graph
	diffs differ
	merge merges
}

// cacheSize bounds the memory of objects kept after they were read.
const cacheSize = 8 << 20

func openObjects(dir string) *objects {
	o := &objects{dir: dir, store: filesystem.NewStorage(osfs.New(dir), cache.NewObjectLRU(cacheSize))}
	o.graph = graph{objects: o, nodes: map[string]node{}}
	o.diffs = differ{objects: o}
	o.merge = merges{objects: o, trees: map[[2]string]string{}}
	return o
}

func (o *objects) close() { o.diffs.close() }

// isSHA reports whether text is an object id in full.
func isSHA(text string) bool {
	if len(text) != 40 {
		return false
	}
	for _, c := range text {
		if (c < '0' || c > '9') && (c < 'a' || c > 'f') {
			return false
		}
	}
	return true
}

// errNoObject says that there is no object of this id and kind.
var errNoObject = plumbing.ErrObjectNotFound

func (o *objects) get(kind plumbing.ObjectType, sha string) (plumbing.EncodedObject, error) {
	if !isSHA(sha) {
		return nil, errNoObject
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.store.EncodedObject(kind, plumbing.NewHash(sha))
}

// has reports whether there is an object of this id and kind.
func (o *objects) has(kind plumbing.ObjectType, sha string) bool {
	_, err := o.get(kind, sha)
	return err == nil
}

// put stores an object, unless it is there, and returns its id.
func (o *objects) put(kind plumbing.ObjectType, data []byte) (string, error) {
	obj := &plumbing.MemoryObject{}
	obj.SetType(kind)
	obj.Write(data) //nolint:errcheck // memory takes everything
	sha := obj.Hash().String()
	if o.has(kind, sha) {
		return sha, nil
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	_, err := o.store.SetEncodedObject(obj)
	return sha, err
}

func (o *objects) putBlob(data []byte) (string, error) { return o.put(plumbing.BlobObject, data) }

func (o *objects) blob(sha string) ([]byte, error) {
	enc, err := o.get(plumbing.BlobObject, sha)
	if err != nil {
		return nil, err
	}
	r, err := enc.Reader()
	if err != nil {
		return nil, err
	}
	data, err := io.ReadAll(r)
	return data, errors.Join(err, r.Close())
}

// blobSize returns the size of a blob, 0 where there is none.
func (o *objects) blobSize(sha string) int64 {
	o.mu.Lock()
	defer o.mu.Unlock()
	size, err := o.store.EncodedObjectSize(plumbing.NewHash(sha))
	if err != nil {
		return 0
	}
	return size
}

func (o *objects) commit(sha string) (*object.Commit, error) {
	enc, err := o.get(plumbing.CommitObject, sha)
	if err != nil {
		return nil, err
	}
	c := &object.Commit{}
	return c, c.Decode(enc)
}

func (o *objects) tree(sha string) (*object.Tree, error) {
	if sha == emptyTree {
		return &object.Tree{Hash: plumbing.NewHash(emptyTree)}, nil
	}
	enc, err := o.get(plumbing.TreeObject, sha)
	if err != nil {
		return nil, err
	}
	t := &object.Tree{}
	return t, t.Decode(enc)
}

// emptyTree is the id of the tree without entries, which git knows without storing it.
const emptyTree = "4b825dc642cb6eb9a060e54bf8d69288fbee4904"

// encode stores a commit or tree that was built in memory.
func (o *objects) encode(kind plumbing.ObjectType, value object.Object) (string, error) {
	var mem plumbing.MemoryObject
	mem.SetType(kind)
	if err := value.Encode(&mem); err != nil {
		return "", err
	}
	r, err := mem.Reader()
	if err != nil {
		return "", err
	}
	data, err := io.ReadAll(r)
	if err != nil {
		return "", err
	}
	return o.put(kind, data)
}

// treeOf returns the id of a commit's tree.
func (o *objects) treeOf(commit string) (string, error) {
	c, err := o.commit(commit)
	if err != nil {
		return "", err
	}
	return c.TreeHash.String(), nil
}

// entryKind is the type of object that a mode of a tree entry points at.
func entryKind(mode filemode.FileMode) plumbing.ObjectType {
	switch mode {
	case filemode.Dir:
		return plumbing.TreeObject
	case filemode.Submodule:
		return plumbing.CommitObject
	}
	return plumbing.BlobObject
}
