package githubsim

import (
	"cmp"
	"net/http"
	"net/url"
	"path"
	"strings"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/filemode"
)

const (
	maxInlineContent = 1 << 20 // above, the content of a file is left out
	maxFolderEntries = 1000    // of a folder, more are left out
)

// escapePath escapes a path for an address, part by part.
func escapePath(p string) string {
	parts := strings.Split(p, "/")
	for i := range parts {
		parts[i] = url.PathEscape(parts[i])
	}
	return strings.Join(parts, "/")
}

func getContents(r *request) (reply, error) {
	ref := cmp.Or(r.query().Get("ref"), r.repo.defaultBranch)
	commit, err := r.repo.resolve(ref, r.stale)
	if err != nil {
		return reply{}, &apiError{status: http.StatusNotFound, message: "No commit found for the ref " + ref}
	}
	o := r.repo.objects
	root, err := o.treeOf(commit)
	if err != nil {
		return reply{}, err
	}
	at, err := o.lookup(root, r.params["path"])
	if err != nil {
		return reply{}, notFound()
	}
	if at.mode != filemode.Dir {
		return r.file(at, ref)
	}
	entries, _, err := o.walk(at.sha, false, maxFolderEntries)
	if err != nil {
		return reply{}, err
	}
	list := make([]any, 0, len(entries))
	for _, e := range entries {
		e.path = path.Join(at.path, e.path)
		list = append(list, r.repo.contentJSON(e, ref))
	}
	return ok(list)
}

func (r *request) file(at treeEntry, ref string) (reply, error) {
	out := r.repo.contentJSON(at, ref)
	if at.mode == filemode.Submodule {
		return ok(with(out, obj{"submodule_git_url": nil}))
	}
	data, err := r.repo.objects.blob(at.sha)
	if err != nil {
		return reply{}, err
	}
	switch {
	case len(data) > maxBlob:
		return reply{}, forbidden("This API returns blobs up to 100 MB in size. The requested blob is too large to fetch via the API.")
	case r.accepts("raw"):
		return ok(raw{data, "application/vnd.github.raw; charset=utf-8"})
	case at.mode == filemode.Symlink:
		return ok(with(out, obj{"target": string(data)}))
	case len(data) > maxInlineContent:
		return ok(with(out, obj{"content": "", "encoding": "none"}))
	}
	return ok(with(out, obj{"content": base64Lines(data), "encoding": "base64"}))
}

// contentTypes are the words of this endpoint for what an entry is.
var contentTypes = map[filemode.FileMode]string{filemode.Dir: "dir", filemode.Submodule: "submodule", filemode.Symlink: "symlink"}

func (r *Repo) contentJSON(e treeEntry, ref string) obj {
	place := escapePath(e.path)
	self := r.api("/contents/%s?ref=%s", place, url.QueryEscape(ref))
	kind, size := entryKind(e.mode), int64(0)
	html, download := r.html("/%s/%s/%s", kind, ref, place), any(nil)
	gitURL := r.api("/git/%ss/%s", kind, e.sha)
	if kind == plumbing.BlobObject {
		size = r.objects.blobSize(e.sha)
		download = r.html("/raw/%s/%s", ref, place)
	}
	return obj{
		"type": cmp.Or(contentTypes[e.mode], "file"), "name": path.Base(e.path), "path": e.path, "sha": e.sha, "size": size, "url": self,
		"html_url": html, "git_url": gitURL, "download_url": download, "_links": obj{"self": self, "git": gitURL, "html": html},
	}
}
