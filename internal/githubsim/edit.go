package githubsim

import (
	"errors"
	"slices"
	"sort"
	"strings"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/filemode"
	"github.com/go-git/go-git/v5/plumbing/object"
)

// edit puts an object at a path of a tree, or with an empty id takes away what is there.
type edit struct {
	path string
	mode filemode.FileMode
	sha  string
}

// errNothingThere says that an edit takes away what is not there.
type errNothingThere struct{ path string }

func (e errNothingThere) Error() string { return "nothing to delete at " + e.path }

// editTree writes the tree that results from laying edits over base, which may be empty for none, and returns its id.
// Folders that become empty vanish. Of two edits of one path the later counts.
func (o *objects) editTree(base string, edits []edit) (string, error) {
	var old object.Tree
	if base != "" {
		t, err := o.tree(base)
		if err != nil {
			return "", err
		}
		old = *t
	}
	entries := map[string]object.TreeEntry{}
	for _, e := range old.Entries {
		entries[e.Name] = e
	}
	below := map[string][]edit{}
	for _, e := range edits {
		name, rest, nested := strings.Cut(e.path, "/")
		switch {
		case nested:
			below[name] = append(below[name], edit{rest, e.mode, e.sha})
		case e.sha != "":
			entries[name] = object.TreeEntry{Name: name, Mode: e.mode, Hash: plumbing.NewHash(e.sha)}
			delete(below, name)
		default:
			if _, there := entries[name]; !there {
				return "", errNothingThere{e.path}
			}
			delete(entries, name)
			delete(below, name)
		}
	}
	for name, edits := range below {
		if err := o.editFolder(entries, name, edits); err != nil {
			return "", err
		}
	}
	return o.writeTree(entries)
}

// editFolder replaces the entry of a folder by the result of the edits below it.
func (o *objects) editFolder(entries map[string]object.TreeEntry, name string, edits []edit) error {
	base := ""
	if e, there := entries[name]; there && e.Mode == filemode.Dir {
		base = e.Hash.String()
	}
	sub, err := o.editTree(base, edits)
	if missing, isMissing := errors.AsType[errNothingThere](err); isMissing {
		return errNothingThere{name + "/" + missing.path}
	}
	if err != nil {
		return err
	}
	if sub == emptyTree {
		delete(entries, name)
		return nil
	}
	entries[name] = object.TreeEntry{Name: name, Mode: filemode.Dir, Hash: plumbing.NewHash(sub)}
	return nil
}

func (o *objects) writeTree(entries map[string]object.TreeEntry) (string, error) {
	t := &object.Tree{}
	for _, e := range entries {
		t.Entries = append(t.Entries, e)
	}
	sort.Sort(object.TreeEntrySorter(t.Entries))
	return o.encode(plumbing.TreeObject, t)
}

// treeEntry is an entry of a tree with its path from the root.
type treeEntry struct {
	path string
	mode filemode.FileMode
	sha  string
}

// walk returns the entries of a tree, with recursive those of its folders too, in git's order; limit stops it early.
func (o *objects) walk(sha string, recursive bool, limit int) (list []treeEntry, truncated bool, err error) {
	err = o.walkInto(sha, "", recursive, limit+1, &list)
	if len(list) > limit {
		list, truncated = list[:limit], true
	}
	return list, truncated, err
}

func (o *objects) walkInto(sha, prefix string, recursive bool, limit int, list *[]treeEntry) error {
	t, err := o.tree(sha)
	if err != nil {
		return err
	}
	for _, e := range t.Entries {
		if len(*list) >= limit {
			return nil
		}
		*list = append(*list, treeEntry{prefix + e.Name, e.Mode, e.Hash.String()})
		if recursive && e.Mode == filemode.Dir {
			if err := o.walkInto(e.Hash.String(), prefix+e.Name+"/", true, limit, list); err != nil {
				return err
			}
		}
	}
	return nil
}

// lookup finds what is at a path of a tree.
func (o *objects) lookup(root, path string) (treeEntry, error) {
	at := treeEntry{mode: filemode.Dir, sha: root}
	for name := range strings.SplitSeq(strings.Trim(path, "/"), "/") {
		if name == "" {
			return at, nil
		}
		if at.mode != filemode.Dir {
			return treeEntry{}, errNoObject
		}
		t, err := o.tree(at.sha)
		if err != nil {
			return treeEntry{}, err
		}
		i := slices.IndexFunc(t.Entries, func(e object.TreeEntry) bool { return e.Name == name })
		if i < 0 {
			return treeEntry{}, errNoObject
		}
		at = treeEntry{strings.TrimPrefix(at.path+"/"+name, "/"), t.Entries[i].Mode, t.Entries[i].Hash.String()}
	}
	return at, nil
}
