package bot

import "github.com/azphalt/submissions/internal/config"

// Facts is all that a decision rests on. It is gathered first and decided on afterwards, so that the decision needs no
// network and can be tried with any facts. The zero value of each field is the careful one: what was not learnt never
// speaks for a merge.
type Facts struct {
	Merge        config.Merge
	ConfigFaults int // in the configuration on the base branch

	Pull    Pull
	HeldBy  string // login of who said /azp hold; "" where nobody did
	OwnApp  int64
	Judged  Judged
	Changes Changes

	Packages []PackageFacts
	Reviews  []Review
	Checks   []CheckResult
	// HistorySecrets are the manifests of earlier commits that hold a secret which the head does not.
	HistorySecrets []HistorySecret

	// Refused is what GitHub answered when an update of the base was refused by protection, "" where it was not.
	Refused string
	// Unknown says, a sentence each, what could not be learnt.
	Unknown []string
}

// Pull is a pull request as GitHub describes it.
type Pull struct {
	Number     int
	Title      string
	Author     string
	AuthorID   int64
	Open       bool
	Merged     bool
	Draft      bool
	Labels     []string
	HeadSHA    string
	HeadRef    string
	HeadRepo   string // full name; "" where the fork is gone
	BaseRef    string
	BaseRepo   string // full name
	Mergeable  *bool  // nil while GitHub has not worked it out
	MergeState string // GitHub's mergeable_state
}

// mergeBlocked is the MergeState of a pull request whose merge waits for a review or a check.
const mergeBlocked = "blocked"

// mergeabilityKnown reports whether GitHub has worked out if the pull request can be merged.
func (p Pull) mergeabilityKnown() bool { return p.Mergeable != nil && p.MergeState != "unknown" }

// Judged names what was verified.
type Judged struct {
	Head    string // commit; "" where nothing was
	BaseRef string
	BaseTip string // commit of the base branch
	Rules   string // version of the rules
	Errors  int    // findings that are errors
}

// Changes are the paths that a pull request changes, both sides of a rename among them.
type Changes struct {
	None      bool     // nothing below the submissions folder
	Outside   []string // that are in no submission's own folder
	Links     []string // links and submodules in a submission's folder
	Folders   []string // submissions that are touched
	Removed   []string // submissions that would be gone
	Conflicts []string // that changed on the base, too, since the two parted
}

// Publication says whether a version is in the registry already.
type Publication int

// The states of a version.
const (
	Unpublished    Publication = iota
	PublishedSame              // with these very bytes
	PublishedOther             // with other bytes
)

// PackageFacts is what matters about one package.
type PackageFacts struct {
	Path, ID, Version string
	Source            bool // a folder that is to be packed
	Signed            bool
	Signer            string   // public key of the author
	Chain             []string // public keys of its counter-signers
	Published         Publication
	Owner             *Owner // who the id is pinned to, nil where it is not
	KnownHere         bool   // the signer (or author) has another id of the same namespace
	// ChangeApprovedBy is the login of who said /azp approve-publisher at this head.
	ChangeApprovedBy string
}

// Review is a person's last word on a pull request.
type Review struct {
	Login    string
	State    string // APPROVED, CHANGES_REQUESTED, DISMISSED, COMMENTED
	CommitID string
	OwnsRepo bool // GitHub calls them its owner
	CanWrite bool // to the repository, as GitHub says
	Unlearnt bool // GitHub does not say whether they can
}

// CheckResult is a check run on a commit.
type CheckResult struct {
	Name       string
	App        int64
	HeadSHA    string
	Conclusion string // "" until it is completed
}

// HistorySecret is a secret in an earlier commit.
type HistorySecret struct{ Commit, Path string }

// Owner is who an id is pinned to: a key or, for what the registry signed, an account.
type Owner struct {
	Key      string
	GitHubID int64
	Login    string // as it was then, for people
}
