package githubsim

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/filemode"
	"github.com/go-git/go-git/v5/plumbing/object"
)

// Change is a commit to be made.
type Change struct {
	Files   Files             // to be written
	Delete  []string          // to be removed
	Rename  map[string]string // old path to new path, content unchanged
	Modes   map[string]string // of files written, where not "100644": "100755", "120000"
	Message string            // "Change" unless set
	Author  string            // login of who commits and pushes; "contributor" unless set
	Parents []string          // the tip of the branch unless set; another commit makes this a forced push, two make it a merge
	Time    time.Time         // now unless set
}

// Commit makes a commit on a branch, as if its author had pushed it, and returns its id. Protection does not apply. A
// branch that does not exist starts at the default branch.
func (r *Repo) Commit(branch string, c Change) string {
	r.sim.mu.Lock()
	defer r.sim.mu.Unlock()
	setDefault(&c.Author, "contributor")
	return r.stage(branch, c, r.sim.account(c.Author))
}

func (r *Repo) stage(branch string, c Change, author *account) string {
	old := r.ref("refs/heads/" + branch)
	if c.Parents == nil {
		if tip := old; tip != "" {
			c.Parents = []string{tip}
		} else if tip := r.ref("refs/heads/" + r.defaultBranch); tip != "" {
			c.Parents = []string{tip}
		}
	}
	sha := r.makeCommit(c, author)
	r.stagePush(branch, sha, author)
	return sha
}

// stagePush moves a branch to a commit in the name of somebody.
func (r *Repo) stagePush(branch, sha string, who *account) {
	name := "refs/heads/" + branch
	forced := false
	if old := r.ref(name); old != "" && sha != "" {
		forward, err := r.objects.graph.contains(sha, old)
		r.sim.must(err)
		forced = !forward
	}
	r.sim.must(r.sim.push(r, refUpdate{name: name, sha: sha, actor: actor{account: who}, forced: forced, staged: true}))
}

// MoveBranch makes a branch point at a commit, as if somebody had pushed that, forced where need be. An empty commit
// deletes the branch.
func (r *Repo) MoveBranch(branch, commit, login string) {
	r.sim.mu.Lock()
	defer r.sim.mu.Unlock()
	r.stagePush(branch, commit, r.sim.account(login))
}

// makeCommit writes the commit and what it needs.
func (r *Repo) makeCommit(c Change, author *account) string {
	base := ""
	if len(c.Parents) > 0 {
		tree, err := r.objects.treeOf(c.Parents[0])
		if err != nil {
			r.sim.fatal("parent %s: %v", c.Parents[0], err)
		}
		base = tree
	}
	tree, err := r.objects.editTree(base, r.edits(base, c))
	if err != nil {
		r.sim.fatal("change of %s: %v", r.FullName(), err)
	}
	setDefault(&c.Message, "Change")
	setDefault(&c.Time, time.Now())
	who := signature(author, c.Time)
	sha, err := r.objects.writeCommit(commitData{tree: tree, parents: c.Parents, message: c.Message, author: who, committer: who})
	r.sim.must(err)
	return sha
}

// edits turns a change into edits of a tree, deletions first.
func (r *Repo) edits(base string, c Change) []edit {
	var list []edit
	for _, path := range c.Delete {
		list = append(list, edit{path: path})
	}
	for _, old := range slices.Sorted(maps.Keys(c.Rename)) {
		e, err := r.objects.lookup(base, old)
		if err != nil || base == "" {
			r.sim.fatal("nothing to rename at %s", old)
		}
		list = append(list, edit{path: old}, edit{c.Rename[old], e.mode, e.sha})
	}
	for _, path := range slices.Sorted(maps.Keys(c.Files)) {
		sha, err := r.objects.putBlob([]byte(c.Files[path]))
		r.sim.must(err)
		mode := filemode.Regular
		if text := c.Modes[path]; text != "" {
			if mode, err = filemode.New(text); err != nil {
				r.sim.fatal("mode of %s: %v", path, err)
			}
		}
		list = append(list, edit{path, mode, sha})
	}
	return list
}

// commitData is what a commit consists of.
type commitData struct {
	tree              string
	parents           []string
	message           string
	author, committer object.Signature
	signature         string // armoured, empty for none
}

func (o *objects) writeCommit(d commitData) (string, error) {
	c := &object.Commit{
		Author: d.author, Committer: d.committer, Message: d.message, TreeHash: plumbing.NewHash(d.tree), PGPSignature: d.signature,
	}
	for _, p := range d.parents {
		c.ParentHashes = append(c.ParentHashes, plumbing.NewHash(p))
	}
	return o.encode(plumbing.CommitObject, c)
}

// signature is how an account signs its commits.
func signature(a *account, at time.Time) object.Signature {
	return object.Signature{Name: a.login, Email: a.email(), When: at.UTC().Truncate(time.Second)}
}

func (a *account) email() string { return fmt.Sprintf("%d+%s@users.noreply.github.com", a.id, a.login) }

// authorOf finds the account that a commit's e-mail address belongs to; nil for a stranger's.
func (s *Sim) authorOf(sig object.Signature) *account {
	for _, a := range s.accounts {
		if a.email() == sig.Email {
			return a
		}
	}
	return nil
}
