// Package gitsource reads commits, trees and files out of a git repository's object database, by object id, without a git
// program and without a working tree. Nothing is written to the repository, no configuration, hook or filter of it is
// obeyed, and who owns its files does not matter.
//
// Every object that is handed out has been checked against its id. An object that is not there, as in a shallow or partial
// clone, is told by ErrAbsent or by a false result; damaged ones by ErrCorrupt.
package gitsource

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/go-git/go-billy/v5/osfs"
	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/format/config"
	"github.com/go-git/go-git/v5/storage/filesystem/dotgit"
)

// What can be wrong with a repository.
var (
	ErrNoRepository = errors.New("no git repository")
	ErrAbsent       = errors.New("object is not in the repository")
	ErrCorrupt      = errors.New("corrupt object")
)

// Repo is an open repository. Its methods, and those of what it hands out, may be called by several goroutines.
type Repo struct {
	refs    *dotgit.DotGit
	objects *database
}

// Open opens the repository of a checkout: dir holds the folder .git, or the file .git that a linked working tree or a
// submodule has in its place. The caller closes it.
func Open(dir string) (*Repo, error) {
	own, common, err := gitDirs(dir)
	if err != nil {
		return nil, err
	}
	r := &Repo{refs: dotgit.New(dotgit.NewRepositoryFilesystem(osfs.New(own), osfs.New(common)))}
	if err = checkFormat(filepath.Join(common, "config")); err == nil {
		r.objects, err = openDatabase(filepath.Join(common, "objects"))
	}
	if err != nil {
		return nil, fmt.Errorf("opening the repository of %q: %w", dir, err)
	}
	return r, nil
}

// Close releases the repository's files. What was opened from it can't be read any more.
func (r *Repo) Close() error { return r.objects.Close() }

// Head returns the commit that is checked out; false where there is none yet or its objects are absent.
func (r *Repo) Head() (*Commit, bool, error) {
	name := plumbing.HEAD
	for range 5 { // as many symbolic steps as git follows
		ref, err := r.refs.Ref(name)
		if errors.Is(err, plumbing.ErrReferenceNotFound) {
			return nil, false, nil
		}
		if err != nil {
			return nil, false, fmt.Errorf("reading HEAD: %w", err)
		}
		if ref.Type() == plumbing.HashReference {
			return r.commit(ref.Hash())
		}
		name = ref.Target()
	}
	return nil, false, errors.New("reading HEAD: too many symbolic references")
}

// gitDirs finds the repository's folder, and the one that it shares with other working trees; mostly the same.
func gitDirs(dir string) (own, common string, err error) {
	own = filepath.Join(dir, ".git")
	info, err := os.Stat(own)
	if errors.Is(err, fs.ErrNotExist) {
		return "", "", fmt.Errorf("%w in %q", ErrNoRepository, dir)
	}
	if err != nil {
		return "", "", err
	}
	if !info.IsDir() {
		if own, err = pointer(own, "gitdir: "); err != nil {
			return "", "", err
		}
	}
	common, err = pointer(filepath.Join(own, "commondir"), "")
	if errors.Is(err, fs.ErrNotExist) {
		return own, own, nil
	}
	return own, common, err
}

// maxPointer bounds the files that name another folder, in bytes.
const maxPointer = 8 << 10

// pointer reads a file that names a folder, relative to its own.
func pointer(file, prefix string) (string, error) {
	f, err := os.Open(file)
	if err != nil {
		return "", err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxPointer))
	if err != nil {
		return "", err
	}
	target, ok := strings.CutPrefix(strings.TrimRight(string(data), "\r\n"), prefix)
	if !ok || target == "" {
		return "", fmt.Errorf("%w: %q does not name one", ErrNoRepository, file)
	}
	if !filepath.IsAbs(target) {
		target = filepath.Join(filepath.Dir(file), target)
	}
	if info, err := os.Stat(target); err != nil || !info.IsDir() {
		return "", fmt.Errorf("%w: %q names the folder %q, which is not there", ErrNoRepository, file, target)
	}
	return target, nil
}

// checkFormat refuses a repository whose object ids are not SHA-1. A configuration that go-git can't read is left alone:
// nothing else in it matters here.
func checkFormat(file string) error {
	data, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	cfg := config.New()
	if config.NewDecoder(bytes.NewReader(data)).Decode(cfg) != nil {
		return nil //nolint:nilerr // as said above
	}
	if format := cfg.Section("extensions").Option("objectformat"); format != "" && !strings.EqualFold(format, "sha1") {
		return fmt.Errorf("its object ids are %.20q; only SHA-1 is supported", format)
	}
	return nil
}
