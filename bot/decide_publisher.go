package bot

import (
	"fmt"
	"slices"

	"github.com/azphalt/submissions/internal/config"
	"github.com/azphalt/submissions/internal/githubapp"
	"github.com/azphalt/submissions/registry"
)

// packages judges who publishes what.
func (d *decider) packages() {
	if d.f.Judged.Head == "" {
		return // said already
	}
	if len(d.f.Packages) == 0 && len(d.f.Changes.Removed) == 0 && d.f.Judged.Errors == 0 {
		d.not(CodeNoPackage, Hold, "It changes files of a submission, but brings no new package.", "The author adds the package, or a maintainer merges by hand.")
	}
	publishers := map[string]bool{}
	for _, p := range d.f.Packages {
		publishers[p.publisher()] = true
		d.version(p)
		if !p.Signed && d.f.Merge.Unsigned != config.UnsignedSign {
			d.not(CodeUnsigned, NoMerge, fmt.Sprintf("%q is not signed.", p.Path), "The author signs it: `azp keygen -o key.pem`, then `azp pack FOLDER --key key.pem`, or `azp sign FILE --key key.pem`.")
		}
		d.owner(p)
	}
	if len(publishers) > 1 {
		d.not(CodePublishers, Hold, "Its packages are signed by more than one publisher.", "The author opens a pull request for each.")
	}
}

// publisher names who stands behind a package.
func (p PackageFacts) publisher() string {
	if p.Signed {
		return p.Signer
	}
	return "author"
}

// version judges whether the version is free.
func (d *decider) version(p PackageFacts) {
	switch p.Published {
	case Unpublished:
		d.ok(CodePublished, fmt.Sprintf("%q is a new version of %q.", p.Version, p.ID))
	case PublishedSame:
		d.not(CodePublished, NoMerge, fmt.Sprintf("%q of %q is published already, with these bytes.", p.Version, p.ID), "Nothing: close the pull request, or raise the version.")
	default:
		d.not(CodePublishedOther, NoMerge, fmt.Sprintf("%q of %q is published already, with other bytes; versions never change.", p.Version, p.ID), "The author raises the version.")
	}
}

// owner judges whether this publisher may use the id.
func (d *decider) owner(p PackageFacts) {
	switch registry.Relate(p.Owner.pinned(), d.author(p)) {
	case registry.Newcomer:
		d.newcomer(p)
	case registry.SameAccount:
		d.ok(CodePublisherChange, fmt.Sprintf("%q comes from the account that it belongs to.", p.ID))
	case registry.OtherAccount:
		d.change(p, CodeForeignID, fmt.Sprintf("%q belongs to another account (%q).", p.ID, p.Owner.Login))
	case registry.SameKey:
		d.ok(CodePublisherChange, fmt.Sprintf("%q is signed by the key that it belongs to.", p.ID))
	case registry.Vouched:
		d.ok(CodePublisherChange, fmt.Sprintf("%q is signed by a key that the earlier publisher vouches for.", p.ID))
	case registry.Unsigned:
		d.change(p, CodePublisherChange, fmt.Sprintf("%q was signed by its publisher so far; this package is not.", p.ID))
	default:
		d.change(p, CodePublisherChange, fmt.Sprintf("%q was published by someone else so far: publisher change.", p.ID))
	}
}

// author is who stands behind a package, as far as its id is concerned.
func (d *decider) author(p PackageFacts) registry.Author {
	if !p.Signed {
		return registry.Author{GitHubID: d.f.Pull.AuthorID}
	}
	return registry.Author{PublicKey: p.Signer, Chain: p.Chain}
}

// pinned is the owner as the registry knows it.
func (o *Owner) pinned() *registry.Owner {
	if o == nil {
		return nil
	}
	return &registry.Owner{PublicKey: o.Key, GitHubID: o.GitHubID, Login: o.Login}
}

// change holds a publisher change unless somebody answered for it by name.
func (d *decider) change(p PackageFacts, code Code, sentence string) {
	if p.ChangeApprovedBy != "" {
		d.ok(code, fmt.Sprintf("%q approved the new publisher of %q.", p.ChangeApprovedBy, p.ID))
		return
	}
	d.not(code, Hold, sentence, "Only someone who can write to this repository and knows both publishers lets this pass, by the comment `/azp approve-publisher`; an approving review is not enough.")
}

// newcomer judges the first package of a publisher.
func (d *decider) newcomer(p PackageFacts) {
	switch by := d.approvals(); {
	case p.KnownHere:
		d.ok(CodeNewPublisher, fmt.Sprintf("The publisher of %q is known in this namespace.", p.ID))
	case d.f.Merge.NewPublisher == config.NewPublisherAuto:
		d.ok(CodeNewPublisher, "This registry admits new publishers by itself.")
	case len(by) > 0:
		d.ok(CodeNewPublisher, fmt.Sprintf("%q approved the new publisher of %q.", by[0], p.ID))
	case p.ChangeApprovedBy != "":
		d.ok(CodeNewPublisher, fmt.Sprintf("%q approved the new publisher of %q.", p.ChangeApprovedBy, p.ID))
	default:
		d.not(CodeNewPublisher, Hold, fmt.Sprintf("This is the first package of a new publisher under %q.", p.ID), "Someone who can write to this repository, and is not the author, approves the pull request at its present head.")
	}
}

// approvals returns the logins of those whose approval counts: given at this very head, by someone who can write to the
// repository and is not the author.
func (d *decider) approvals() []string {
	var by []string
	for _, r := range d.f.Reviews {
		if r.State == "APPROVED" && r.CommitID != "" && r.CommitID == d.f.Pull.HeadSHA && r.CanWrite && r.Login != d.f.Pull.Author {
			by = append(by, r.Login)
		}
	}
	return by
}

// reviews judges what reviewers said.
func (d *decider) reviews() {
	by, want := d.approvals(), d.f.Merge.Approvals
	stale, undated := false, false
	for _, r := range d.f.Reviews {
		if r.Unlearnt {
			d.unlearnt(r)
		}
		if r.State == "CHANGES_REQUESTED" && r.CanWrite {
			d.not(CodeChangesRequested, NoMerge, fmt.Sprintf("%q asks for changes.", r.Login), "The author makes them; then the reviewer approves or takes the review back.")
		}
		if r.State == "APPROVED" {
			stale = stale || r.CommitID != "" && r.CommitID != d.f.Pull.HeadSHA
			undated = undated || r.CommitID == ""
		}
	}
	if len(by) < want {
		d.not(CodeApprovals, Hold, fmt.Sprintf("It has %d of %s at its present head.", len(by), count(want, "approval")), "Someone who can write to this repository, and is not the author, approves it.")
	} else if want > 0 {
		d.ok(CodeApprovals, fmt.Sprintf("It has %s.", count(len(by), "approval")))
	}
	awaited := len(by) < want || d.Has(CodeNewPublisher)
	if undated && awaited {
		d.not(CodeUnknown, Hold, "GitHub does not say which commit an approval is for, so it does not count.", "A maintainer merges by hand.")
	}
	if stale && awaited {
		d.not(CodeStaleApproval, Hold, "An approval is for an older commit and does not count for this one.", "The reviewer looks at what has changed since and approves again.")
	}
}

// unlearnt holds where a review would matter if its author could write, and GitHub does not say so.
func (d *decider) unlearnt(r Review) {
	if r.State == "APPROVED" && !d.Has(CodeNewPublisher) && len(d.approvals()) >= d.f.Merge.Approvals {
		return // nothing waits for it
	}
	d.not(CodeUnknown, Hold, fmt.Sprintf("GitHub does not say whether %q, who reviewed it, can write to this repository.", r.Login),
		"Someone whose permission is known reviews it, or a maintainer merges by hand.")
}

// checks judges the results that the configuration requires. The bot's own name counts only from its own App: anybody can
// give a check that name.
func (d *decider) checks() {
	for _, name := range d.f.Merge.RequiredChecks {
		switch state := d.check(name); state {
		case "success", "neutral", "skipped":
			d.ok(CodeRequiredCheck, fmt.Sprintf("The required check %q passed.", name))
		case "", "missing":
			d.not(CodeRequiredCheck, Hold, fmt.Sprintf("The required check %q has no result for this commit yet.", name), "The bot goes on by itself when it passes.")
		default:
			d.not(CodeRequiredCheck, NoMerge, fmt.Sprintf("The required check %q ended as %q.", name, state), "The author mends what it complains about, or a maintainer runs it again.")
		}
	}
}

// check returns the conclusion of a check of this head: the worst of those that have the name.
func (d *decider) check(name string) string {
	state := "missing"
	for _, c := range d.f.Checks {
		if c.Name != name || c.HeadSHA != d.f.Pull.HeadSHA || name == githubapp.CheckName && c.App != d.f.OwnApp {
			continue
		}
		if passed := slices.Contains([]string{"success", "neutral", "skipped"}, c.Conclusion); !passed || state == "missing" {
			state = c.Conclusion
			if !passed {
				return state
			}
		}
	}
	return state
}
