package gitsource

import (
	"bytes"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"strconv"

	"github.com/go-git/go-git/v5/plumbing"
)

// Commit is a commit of a repository.
type Commit struct {
	repo    *Repo
	id      plumbing.Hash
	tree    plumbing.Hash
	parents []plumbing.Hash
	when    int64 // committer's clock, seconds of the Unix epoch; nobody has checked it
}

// ID returns the commit's id in hexadecimal digits.
func (c *Commit) ID() string { return c.id.String() }

// Parents returns the ids of the commit's parents, as the commit names them: in a shallow clone they may be absent.
func (c *Commit) Parents() []string {
	ids := make([]string, len(c.parents))
	for i, p := range c.parents {
		ids[i] = p.String()
	}
	return ids
}

// FS returns the commit's tree. It implements fs.ReadDirFS, fs.ReadFileFS and fs.StatFS. An open regular file streams its
// content to Read; it also implements io.ReaderAt, for which all of it is taken into memory up to 8 MiB, above that into a
// temporary file that Close removes.
//
// Links are never followed: a symbolic link has the type fs.ModeSymlink, a submodule fs.ModeIrregular, and neither can be
// read. Names are as git has them, and need not be UTF-8. A folder that no git program would check out (a name is "..",
// ".git" or holds a slash, or stands there twice) can't be read, nor a path of more than 4,096 bytes. Files have no time.
func (c *Commit) FS() fs.FS { return newTreeFS(c.repo.objects, c.tree) }

// Commit returns a commit by its id of 40 hexadecimal digits, or by that of a tag that points to it; false where it is
// absent.
func (r *Repo) Commit(id string) (*Commit, bool, error) {
	h, err := parseID(id)
	if err != nil {
		return nil, false, err
	}
	return r.commit(h)
}

func parseID(s string) (h plumbing.Hash, err error) {
	if len(s) == 64 {
		return h, fmt.Errorf("object id %.64q is SHA-256, only SHA-1 is supported", s)
	}
	if n, err := hex.Decode(h[:], []byte(s[:min(len(s), 2*len(h))])); err != nil || n != len(h) || len(s) != 2*len(h) {
		return h, fmt.Errorf("object id %.64q is not 40 hexadecimal digits", s)
	}
	return h, nil
}

const (
	maxCommit   = 32 << 20 // largest commit and tag that are read, in bytes
	maxTagChain = 8        // tags that point to tags
)

func (r *Repo) commit(id plumbing.Hash) (*Commit, bool, error) {
	o, err := r.peel(id)
	if errors.Is(err, ErrAbsent) {
		return nil, false, nil
	}
	if err != nil {
		return nil, false, err
	}
	data, err := o.read(plumbing.CommitObject, maxCommit)
	if err != nil {
		return nil, false, err
	}
	c := &Commit{repo: r, id: o.id}
	if err := c.parse(data); err != nil {
		return nil, false, fmt.Errorf("commit %s: %w: %w", o.id, ErrCorrupt, err)
	}
	return c, true, nil
}

// peel returns the object that is no tag at the end of a chain of tags.
func (r *Repo) peel(id plumbing.Hash) (*object, error) {
	for range maxTagChain {
		o, err := r.objects.find(id)
		if err != nil || o.kind != plumbing.TagObject {
			return o, err
		}
		data, err := o.read(plumbing.TagObject, maxCommit)
		if err != nil {
			return nil, err
		}
		target, _, ok := header(data, "object ")
		if !ok {
			return nil, fmt.Errorf("tag %s: %w: it points to nothing", id, ErrCorrupt)
		}
		if id, err = parseID(string(target)); err != nil {
			return nil, fmt.Errorf("tag %s: %w: %w", o.id, ErrCorrupt, err)
		}
	}
	return nil, fmt.Errorf("tag %s: more than %d tags on one another", id, maxTagChain)
}

// header reads the first line of data, which must begin with the given key.
func header(data []byte, key string) (value, rest []byte, ok bool) {
	line, rest, _ := bytes.Cut(data, []byte("\n"))
	value, ok = bytes.CutPrefix(line, []byte(key))
	if !ok {
		return nil, data, false
	}
	return value, rest, true
}

// parse reads a commit's headers.
func (c *Commit) parse(data []byte) (err error) {
	tree, data, ok := header(data, "tree ")
	if !ok {
		return errors.New("it names no tree")
	}
	if c.tree, err = parseID(string(tree)); err != nil {
		return err
	}
	for {
		var parent []byte
		if parent, data, ok = header(data, "parent "); !ok {
			break
		}
		id, err := parseID(string(parent))
		if err != nil {
			return err
		}
		c.parents = append(c.parents, id)
	}
	if _, data, ok = header(data, "author "); !ok {
		return errors.New("it names no author")
	}
	committer, _, ok := header(data, "committer ")
	if !ok {
		return errors.New("it names no committer")
	}
	c.when = clock(committer)
	return nil
}

// clock returns the time of an author or committer line, "name <address> seconds zone"; 0 where it has none, as git does.
func clock(line []byte) int64 {
	fields := bytes.Fields(line[bytes.LastIndexByte(line, '>')+1:])
	if len(fields) == 0 {
		return 0
	}
	n, err := strconv.ParseInt(string(fields[0]), 10, 64)
	if err != nil {
		return 0
	}
	return n
}
