package githubsim

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"net/http"
	"path"
	"strconv"
	"strings"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/filemode"
)

// maxBlob is the largest blob that the API serves and takes.
const maxBlob = 100 << 20

func gitDataRoutes() []*route {
	return []*route{
		{method: "GET", path: "/repos/{owner}/{repo}/git/blobs/{file_sha}", access: reads("contents"), handle: getBlob, unlocked: true},
		{method: "POST", path: "/repos/{owner}/{repo}/git/blobs", access: writes(Write, "contents"), handle: createBlob, unlocked: true},
		{method: "GET", path: "/repos/{owner}/{repo}/git/trees/{tree_sha}", access: reads("contents"), handle: getTree, unlocked: true},
		{method: "POST", path: "/repos/{owner}/{repo}/git/trees", access: writes(Write, "contents"), handle: createTree, unlocked: true},
	}
}

// base64Lines encodes as GitHub does, with a line feed after every 60 characters.
func base64Lines(data []byte) string {
	text := base64.StdEncoding.EncodeToString(data)
	var b strings.Builder
	for len(text) > 60 {
		b.WriteString(text[:60] + "\n")
		text = text[60:]
	}
	if text != "" {
		b.WriteString(text + "\n")
	}
	return b.String()
}

func getBlob(r *request) (reply, error) {
	sha := r.params["file_sha"]
	if !isSHA(sha) {
		return reply{}, unprocessable("The sha parameter must be exactly 40 characters and contain only [0-9a-f].")
	}
	data, err := r.repo.objects.blob(sha)
	if err != nil {
		return reply{}, notFound()
	}
	if len(data) > maxBlob {
		return reply{}, forbidden("This API returns blobs up to 100 MB in size. The requested blob is too large to fetch via the API.")
	}
	if r.accepts("raw") {
		return ok(raw{data, "application/vnd.github.raw; charset=utf-8"})
	}
	return ok(obj{
		"sha": sha, "node_id": nodeID("Blob", sha), "size": len(data), "url": r.repo.api("/git/blobs/%s", sha),
		"content": base64Lines(data), "encoding": "base64",
	})
}

func createBlob(r *request) (reply, error) {
	var in struct {
		Content  *string
		Encoding string
	}
	if err := r.decode(&in); err != nil {
		return reply{}, err
	}
	if in.Content == nil {
		return reply{}, unprocessable("Invalid request.\n\n\"content\" wasn't supplied.")
	}
	data := []byte(*in.Content)
	switch in.Encoding {
	case "base64":
		var err error
		if data, err = base64.StdEncoding.DecodeString(*in.Content); err != nil {
			return reply{}, unprocessable("content is not valid Base64")
		}
	case "", "utf-8":
	default:
		return reply{}, invalid("Blob", "encoding", "invalid", "")
	}
	if len(data) > maxBlob {
		return reply{}, unprocessable("Sorry, your input was too large to process. Consider breaking your input into smaller pieces.")
	}
	sha, err := r.repo.objects.putBlob(data)
	if err != nil {
		return reply{}, err
	}
	url := r.repo.api("/git/blobs/%s", sha)
	return reply{status: http.StatusCreated, body: obj{"sha": sha, "url": url}, header: http.Header{"Location": {url}}}, nil
}

// getTree serves a tree by its id, or by that of a commit, or by a branch. Any value of "recursive", even "0" or "false",
// asks for the whole tree.
func getTree(r *request) (reply, error) {
	o := r.repo.objects
	sha := r.params["tree_sha"]
	if !o.has(plumbing.TreeObject, sha) {
		r.sim.mu.Lock()
		commit, err := r.repo.resolve(sha, r.stale)
		r.sim.mu.Unlock()
		if err != nil {
			return reply{}, notFound()
		}
		if sha, err = o.treeOf(commit); err != nil {
			return reply{}, err
		}
	}
	entries, truncated, err := o.walk(sha, r.query().Has("recursive"), r.sim.opts.TreeLimit)
	if err != nil {
		return reply{}, err
	}
	return ok(r.repo.treeJSON(sha, entries, truncated))
}

func (r *Repo) treeJSON(sha string, entries []treeEntry, truncated bool) obj {
	list := make([]any, 0, len(entries))
	for _, e := range entries {
		list = append(list, r.entryJSON(e))
	}
	return obj{"sha": sha, "url": r.api("/git/trees/%s", sha), "tree": list, "truncated": truncated}
}

func (r *Repo) entryJSON(e treeEntry) obj {
	kind := entryKind(e.mode)
	out := obj{"path": e.path, "mode": modeText(e.mode), "type": kind.String(), "sha": e.sha, "url": r.api("/git/%ss/%s", kind, e.sha)}
	switch kind {
	case plumbing.BlobObject:
		out["size"] = r.objects.blobSize(e.sha)
	case plumbing.CommitObject:
		delete(out, "url")
	}
	return out
}

// modeText writes a mode with six digits.
func modeText(m filemode.FileMode) string {
	text := strconv.FormatUint(uint64(m), 8)
	return strings.Repeat("0", 6-len(text)) + text
}

// newEntry is an entry of a tree to be created. A sha of null, told from none, takes the path away.
type newEntry struct {
	Path, Mode, Type string
	Content          *string
	SHA              optional
}

// optional tells a JSON null from a member that is not there.
type optional struct {
	set  bool
	text *string
}

func createTree(r *request) (reply, error) {
	var in struct {
		BaseTree string `json:"base_tree"`
		Tree     []newEntry
	}
	if err := r.decode(&in); err != nil {
		return reply{}, err
	}
	o := r.repo.objects
	base := in.BaseTree
	if base != "" {
		if tree, err := o.treeOf(base); err == nil {
			base = tree
		} else if _, err := o.tree(base); err != nil {
			return reply{}, unprocessable("base_tree is not a valid tree oid")
		}
	}
	var edits []edit
	for _, e := range in.Tree {
		edit, err := r.edit(e)
		if err != nil {
			return reply{}, err
		}
		edits = append(edits, edit)
	}
	if len(edits) == 0 {
		return reply{}, unprocessable("Invalid tree info")
	}
	sha, err := o.editTree(base, edits)
	if _, missing := errors.AsType[errNothingThere](err); missing {
		return reply{}, unprocessable("GitRPC::BadObjectState")
	}
	if err != nil {
		return reply{}, err
	}
	entries, truncated, err := o.walk(sha, false, r.sim.opts.TreeLimit)
	if err != nil {
		return reply{}, err
	}
	return created(r.repo.treeJSON(sha, entries, truncated))
}

// edit checks an entry and turns it into an edit.
func (r *request) edit(e newEntry) (edit, error) {
	if e.Path == "" || path.Clean(e.Path) != e.Path || strings.HasPrefix(e.Path, "/") || hasForbiddenPart(e.Path) {
		return edit{}, unprocessable("tree.path contains a malformed path component")
	}
	if strings.HasPrefix(e.Path, ".github/workflows/") && !r.mayChangeWorkflows() {
		return edit{}, forbidden(resourceNotAccessible)
	}
	if e.SHA.set && e.SHA.text == nil && e.Content == nil {
		return edit{path: e.Path}, nil
	}
	mode, err := filemode.New(e.Mode)
	if err != nil || !validModes[e.Mode] {
		return edit{}, unprocessable("tree.mode must be one of 100644, 100755, 040000, 160000, 120000")
	}
	return r.content(e, mode)
}

// content finds or makes the object that an entry points at.
func (r *request) content(e newEntry, mode filemode.FileMode) (edit, error) {
	o := r.repo.objects
	switch {
	case e.Content != nil && e.SHA.text != nil:
		return edit{}, unprocessable("Must supply either tree.sha or tree.content, not both")
	case e.Content != nil:
		sha, err := o.putBlob([]byte(*e.Content))
		return edit{e.Path, mode, sha}, err
	case e.SHA.text == nil:
		return edit{}, unprocessable("Must supply either tree.sha or tree.content")
	}
	kind := entryKind(mode)
	if kind != plumbing.CommitObject && !o.has(kind, *e.SHA.text) {
		return edit{}, unprocessable("tree.sha %s is not a valid %s", *e.SHA.text, kind)
	}
	return edit{e.Path, mode, *e.SHA.text}, nil
}

var validModes = map[string]bool{"100644": true, "100755": true, "040000": true, "160000": true, "120000": true}

func hasForbiddenPart(p string) bool {
	for part := range strings.SplitSeq(p, "/") {
		if part == ".." || part == "." || strings.EqualFold(part, ".git") || strings.ContainsRune(part, 0) {
			return true
		}
	}
	return false
}

// mayChangeWorkflows reports whether whoever asks may touch workflow files. An App needs a permission of its own.
func (r *request) mayChangeWorkflows() bool {
	return r.actor.install == nil || r.actor.perms.holds(grant{"workflows", "write"})
}

// UnmarshalJSON notes that the member is there.
func (o *optional) UnmarshalJSON(data []byte) error {
	o.set = true
	return json.Unmarshal(data, &o.text)
}
