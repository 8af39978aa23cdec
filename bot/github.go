package bot

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/google/go-github/v62/github"

	"github.com/azphalt/submissions/internal/checkrun"
	"github.com/azphalt/submissions/internal/paging"
)

// GitHub is what the bot asks of GitHub about one repository. Everything is read by object id; the few names (branches) are
// resolved once, and what they gave is checked again before a write.
type GitHub interface {
	Reader
	Writer
}

// Reader reads. An answer 404 is an error for which [Status] gives 404, and so on.
type Reader interface {
	Pull(ctx context.Context, number int) (Pull, error)
	OpenPulls(ctx context.Context) ([]Pull, error)
	// Compare resolves a base, a branch or a commit, and compares it with a head commit. The number of the pull request
	// that they belong to, 0 where there is none, helps where a server can't compare.
	Compare(ctx context.Context, base, head string, number int) (Comparison, error)
	Commit(ctx context.Context, sha string) (Commit, error)
	// Tree returns all entries of a tree, those of its subtrees included.
	Tree(ctx context.Context, id string) (*Tree, error)
	// TreeOf is Tree for that of a commit.
	TreeOf(ctx context.Context, commit string) (*Tree, error)
	// TreeWithout is Tree for one that may well be another without some of its files, which needs no request then.
	TreeWithout(ctx context.Context, id string, other *Tree, paths []string) (*Tree, error)
	// Blob returns a blob's content, which has been checked against its id.
	Blob(ctx context.Context, e Entry) (Blob, error)
	// Branch returns the commit at the tip of a branch.
	Branch(ctx context.Context, name string) (string, error)
	// Home returns the repository's main branch, and whether it is hidden from others.
	Home(ctx context.Context) (branch string, private bool, err error)
	// Reviews returns each person's last word, without CanWrite.
	Reviews(ctx context.Context, number int) ([]Review, error)
	// CanWrite asks for a person's permission. The error of somebody who GitHub does not know is 404.
	CanWrite(ctx context.Context, login string) (bool, error)
	CheckResults(ctx context.Context, sha string) ([]CheckResult, error)
}

// Writer writes.
type Writer interface {
	// Check runs.
	FindCheck(ctx context.Context, sha, externalID string) (id int64, annotations int, err error) // id 0: there is none
	StartCheck(ctx context.Context, r checkrun.Run) (int64, error)
	CompleteCheck(ctx context.Context, id int64, r checkrun.Run) error

	// Comments. FindComment returns the id of the bot's own comment that holds a marker, 0 where there is none.
	FindComment(ctx context.Context, number int, marker string) (int64, error)
	Comment(ctx context.Context, number int, body string) (int64, error)
	EditComment(ctx context.Context, id int64, body string) error
	Suggest(ctx context.Context, number int, commit, body string, suggestions []Suggestion) error

	// FileComment comments on a file of the pull request as a whole.
	FileComment(ctx context.Context, number int, commit, path, body string) (int64, error)
	EditFileComment(ctx context.Context, id int64, body string) error

	// Git data. UpdateBranch moves a branch forward only.
	CreateBlob(ctx context.Context, content []byte) (string, error)
	CreateTree(ctx context.Context, base string, entries []NewEntry) (string, error)
	CreateCommit(ctx context.Context, c NewCommit) (string, error)
	CreateBranch(ctx context.Context, name, sha string) error
	UpdateBranch(ctx context.Context, name, sha string) error
	DeleteBranch(ctx context.Context, name string) error
	// MergePull uses the merge endpoint, pinned to the head.
	MergePull(ctx context.Context, number int, head, method string) (string, error)
}

// Comparison is how two commits relate.
type Comparison struct {
	Base, MergeBase Commit
	Commits         []Commit // from the merge base to the head, oldest first
	Complete        bool     // Commits is all of them
	// Added are the files that the head is said to add, where it is said to change no other: a hint, to be proved.
	Added []string
}

// Commit is a commit, its tree and its parents.
type Commit struct {
	SHA, Tree string
	Parents   []string
}

// Entry is a file of a tree.
type Entry struct {
	ID   string
	Mode string // as git writes it: 100644, 100755, 120000 (a link), 160000 (a submodule)
	Size int64  // -1 where the server does not say
}

// isFile reports whether an entry is a file, and not a link or a submodule.
func (e Entry) isFile() bool { return (fileInfo{entry: e}).Mode().IsRegular() }

// Blob is the content of a file.
type Blob interface {
	io.ReaderAt
	io.Closer
	Size() int64
}

// NewEntry is a file to be put into a tree; with neither a blob nor content it is taken out.
type NewEntry struct {
	Path, Mode string
	Blob       string  // id
	Size       int64   // of the blob
	Content    *string // text, instead of a blob
}

// NewCommit is a commit to be made.
type NewCommit struct {
	Tree, Message string
	Parents       []string
}

// Suggestion is a comment on lines of a file, with a replacement where one is known.
type Suggestion struct {
	Path           string
	Line, LastLine int
	Body           string
}

// Status returns the HTTP status with which GitHub refused, 0 where the error is another one.
func Status(err error) int {
	var refused *github.ErrorResponse
	var abuse *github.AbuseRateLimitError
	var limit *github.RateLimitError
	switch {
	case errors.As(err, &refused) && refused.Response != nil:
		return refused.Response.StatusCode
	case errors.As(err, &abuse), errors.As(err, &limit):
		return http.StatusTooManyRequests
	default:
		return 0
	}
}

// absent reports whether an endpoint, or what it names, is not there or out of reach for this App: what is not worth
// trying again.
func absent(err error) bool {
	switch Status(err) {
	case http.StatusNotFound, http.StatusForbidden, http.StatusGone, http.StatusNotImplemented, http.StatusMethodNotAllowed, http.StatusUnavailableForLegalReasons:
		return true
	}
	return false
}

// errUnfit says that what GitHub gave can't be worked with, and that asking again would not change it.
var errUnfit = errors.New("the bot can't work with what it read")

// unfit reports whether an error says that.
func unfit(err error) bool { return errors.Is(err, errUnfit) || errors.Is(err, paging.ErrEndless) }

// hopeless reports whether an error will be the same the next time.
func hopeless(err error) bool { return absent(err) || unfit(err) }

// RetryAfter returns how long GitHub wants to be left alone, 0 where the error says nothing of it.
func RetryAfter(err error, now time.Time) time.Duration {
	var abuse *github.AbuseRateLimitError
	var limit *github.RateLimitError
	switch {
	case errors.As(err, &limit):
		return max(limit.Rate.Reset.Sub(now), time.Second)
	case errors.As(err, &abuse):
		return max(abuse.GetRetryAfter(), time.Minute)
	default:
		return 0
	}
}

// message is what GitHub said when it refused.
func message(err error) string {
	var refused *github.ErrorResponse
	switch {
	case errors.As(err, &refused) && refused.Message != "":
		return strings.Join(strings.Fields(refused.Message), " ")
	case errors.As(err, &refused) && refused.Response != nil:
		return http.StatusText(refused.Response.StatusCode)
	case unfit(err):
		return err.Error()
	default:
		return "no reason given"
	}
}
