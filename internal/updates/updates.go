// Package updates tells those who review a change what is new in the packages that have an earlier version.
package updates

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/azphalt/submissions/azp"
	"github.com/azphalt/submissions/check"
	"github.com/azphalt/submissions/diff"
	"github.com/azphalt/submissions/internal/published"
)

const (
	maxUpdates = 20       // packages of a change that are compared
	maxSection = 16 << 10 // bytes of what is said of one
)

// Markdown compares each of the targets in a tree with the newest version that is published, and returns a section for
// each that has one, of limit bytes together; "" where none has. The error means that we could not look.
func Markdown(ctx context.Context, shelf *published.Shelf, tree fs.FS, targets []check.Target, limit int) (string, error) {
	var out strings.Builder
	left := 0
	for i, t := range targets {
		if i >= maxUpdates {
			left = len(targets) - i
			break
		}
		text, err := section(ctx, shelf, tree, t)
		if err != nil {
			return "", fmt.Errorf("comparing %s with its earlier version: %w", t.Path, err)
		}
		if out.Len()+len(text)+maxLastWords > limit {
			left++
			continue
		}
		out.WriteString(text)
	}
	if left > 0 && limit > maxLastWords {
		fmt.Fprintf(&out, "\nOf %d more packages there is no room to say what changed: `azp diff OLD NEW` does.\n", left)
	}
	return out.String(), nil
}

const maxLastWords = 200

// section is what is said of one package. A package that can't be compared has findings that say why.
func section(ctx context.Context, shelf *published.Shelf, tree fs.FS, t check.Target) (string, error) {
	if t.Link {
		return "", nil
	}
	after, err := diff.Open(ctx, tree, t.Location, t.Path, azp.Limits{})
	if errors.Is(err, diff.ErrNoManifest) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	newest, err := shelf.Newest(ctx, after.ID())
	if err != nil || newest == nil {
		return "", err
	}
	before, err := diff.Open(ctx, shelf.Tree(), newest.Location, newest.Location, azp.Limits{})
	if err != nil {
		return "", err
	}
	d := diff.Compare(before, after)
	if len(d.Changes) == 0 {
		return "", nil
	}
	return "\n### " + d.Title() + "\n\n" + d.Markdown(maxSection), nil
}
