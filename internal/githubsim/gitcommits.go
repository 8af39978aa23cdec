package githubsim

import (
	"net/http"
	"time"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/object"
)

func gitCommitRoutes() []*route {
	return []*route{
		{method: "GET", path: "/repos/{owner}/{repo}/git/commits/{commit_sha}", access: reads("contents"), handle: getGitCommit},
		{method: "POST", path: "/repos/{owner}/{repo}/git/commits", access: writes(Write, "contents"), handle: createGitCommit},
	}
}

func getGitCommit(r *request) (reply, error) {
	c, err := r.repo.objects.commit(r.params["commit_sha"])
	if err != nil {
		return reply{}, notFound()
	}
	return ok(r.repo.gitCommitJSON(c))
}

// person is an author or committer as a client writes it.
type person struct {
	Name, Email string
	Date        *time.Time
}

// signature completes a person: who is left out is whoever asks, now.
func (p *person) signature(r *request) (object.Signature, error) {
	if p == nil {
		return signature(r.actor.account, time.Now()), nil
	}
	if p.Name == "" || p.Email == "" {
		return object.Signature{}, unprocessable("Invalid request.\n\n\"name\", \"email\" weren't supplied.")
	}
	when := time.Now()
	if p.Date != nil {
		when = *p.Date
	}
	return object.Signature{Name: p.Name, Email: p.Email, When: when.Truncate(time.Second)}, nil
}

func createGitCommit(r *request) (reply, error) {
	var in struct {
		Message           *string
		Tree              string
		Parents           []string
		Author, Committer *person
		Signature         string
	}
	if err := r.decode(&in); err != nil {
		return reply{}, err
	}
	if in.Message == nil || in.Tree == "" {
		return reply{}, unprocessable("Invalid request.\n\n\"message\", \"tree\" weren't supplied.")
	}
	if _, err := r.repo.objects.tree(in.Tree); err != nil {
		return reply{}, unprocessable("Tree SHA does not exist")
	}
	for _, p := range in.Parents {
		if !r.repo.objects.has(plumbing.CommitObject, p) {
			return reply{}, unprocessable("Parent SHA does not exist or is not a commit object")
		}
	}
	author, err := in.Author.signature(r)
	if err != nil {
		return reply{}, err
	}
	committer := author
	if in.Committer != nil {
		if committer, err = in.Committer.signature(r); err != nil {
			return reply{}, err
		}
	}
	sha, err := r.repo.objects.writeCommit(commitData{in.Tree, in.Parents, *in.Message, author, committer, in.Signature})
	if err != nil {
		return reply{}, err
	}
	if r.actor.install != nil && in.Author == nil && in.Committer == nil {
		r.sim.webSigned[sha] = true
	}
	c, err := r.repo.objects.commit(sha)
	if err != nil {
		return reply{}, err
	}
	return reply{status: http.StatusCreated, body: r.repo.gitCommitJSON(c), header: http.Header{"Location": {r.repo.api("/git/commits/%s", sha)}}}, nil
}

// verification says whether a commit is signed. GitHub signs what a bot commits in its own name.
func (s *Sim) verification(c *object.Commit) obj {
	v := obj{"verified": false, "reason": "unsigned", "signature": nil, "payload": nil, "verified_at": nil}
	switch {
	case s.webSigned[c.Hash.String()]:
		v["verified"], v["reason"], v["verified_at"] = true, "valid", stamp(c.Committer.When)
	case c.PGPSignature != "":
		v["reason"], v["signature"] = "unknown_key", c.PGPSignature
	}
	return v
}

func signatureJSON(s object.Signature) obj {
	return obj{"name": s.Name, "email": s.Email, "date": stamp(s.When)}
}

func (r *Repo) gitCommitJSON(c *object.Commit) obj {
	sha := c.Hash.String()
	return obj{
		"sha": sha, "node_id": nodeID("Commit", sha), "url": r.api("/git/commits/%s", sha), "html_url": r.html("/commit/%s", sha),
		"author": signatureJSON(c.Author), "committer": signatureJSON(c.Committer), "message": c.Message,
		"tree":    obj{"sha": c.TreeHash.String(), "url": r.api("/git/trees/%s", c.TreeHash)},
		"parents": r.parentsJSON(c, "/git/commits/%s"), "verification": r.sim.verification(c),
	}
}

func (r *Repo) parentsJSON(c *object.Commit, path string) []any {
	list := []any{}
	for _, p := range c.ParentHashes {
		list = append(list, obj{"sha": p.String(), "url": r.api(path, p), "html_url": r.html("/commit/%s", p)})
	}
	return list
}

// commitJSON renders a commit as the endpoints on commits do, with the accounts of its people.
func (r *Repo) commitJSON(c *object.Commit) obj {
	sha := c.Hash.String()
	return obj{
		"sha": sha, "node_id": nodeID("Commit", sha), "url": r.api("/commits/%s", sha), "html_url": r.html("/commit/%s", sha),
		"comments_url": r.api("/commits/%s/comments", sha),
		"commit": obj{
			"url": r.api("/git/commits/%s", sha), "author": signatureJSON(c.Author), "committer": signatureJSON(c.Committer), "message": c.Message,
			"tree":          obj{"sha": c.TreeHash.String(), "url": r.api("/git/trees/%s", c.TreeHash)},
			"comment_count": 0, "verification": r.sim.verification(c),
		},
		"author": r.sim.authorOf(c.Author).json(r.sim), "committer": r.sim.authorOf(c.Committer).json(r.sim),
		"parents": r.parentsJSON(c, "/commits/%s"),
	}
}
