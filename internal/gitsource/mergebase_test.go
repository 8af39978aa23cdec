package gitsource

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/azphalt/submissions/internal/gittest"
)

// history is commits by name: each is written as "name: parents", the oldest first.
func history(t *testing.T, g *gittest.Repo, lines ...string) map[string]string {
	t.Helper()
	ids := map[string]string{}
	tree := emptyTreeOf(g)
	for _, line := range lines {
		name, parents, _ := strings.Cut(line, ":")
		var of []string
		for p := range strings.FieldsSeq(parents) {
			of = append(of, ids[p])
		}
		ids[name] = g.CommitTree(tree, of...)
		g.Git("update-ref", "refs/heads/"+name, ids[name])
	}
	return ids
}

// base returns the merge base, "" where it isn't known.
func base(t *testing.T, r *Repo, a, b string) string {
	t.Helper()
	c, ok, err := MergeBase(commit(t, r, a), commit(t, r, b))
	if err != nil {
		t.Fatal(err)
	}
	if ok != (c != nil) {
		t.Fatalf("%v but %v", ok, c)
	}
	if !ok {
		return ""
	}
	return c.ID()
}

func TestMergeBase(t *testing.T) {
	g := gittest.New(t)
	ids := history(t, g, "root:", "m1: root", "h1: root", "m2: m1", "h2: h1 m1", "h3: h2", "m3: m2",
		"x1: m3 h3", "x2: h3 m3", "alone:")
	r := open(t, g)
	for _, c := range []struct{ base, head, want string }{
		{"m2", "h1", "root"},
		{"m2", "h2", "m1"}, // the base branch was merged into the head
		{"m1", "m3", "m1"}, // fast-forward
		{"m3", "m1", "m1"}, // the head is behind
		{"m3", "m3", "m3"},
		{"x1", "h3", "h3"},
		{"m3", "alone", ""},
	} {
		if got := base(t, r, ids[c.base], ids[c.head]); got != ids[c.want] {
			t.Errorf("%s and %s: %s, want %s", c.base, c.head, got, c.want)
		}
	}
	// Two are as good: the younger is taken.
	if got := base(t, r, ids["x1"], ids["x2"]); got != ids["m3"] {
		t.Errorf("criss-cross: %s, want %s", got, ids["m3"])
	}
}

// Random histories, against git.
func TestMergeBaseIsGits(t *testing.T) {
	g := gittest.New(t)
	random := rand.New(rand.NewPCG(1, 2))
	const commits = 60
	lines := []string{"c0:"}
	for i := 1; i < commits; i++ {
		line := fmt.Sprintf("c%d:", i)
		for range 1 + random.IntN(2) {
			line += fmt.Sprintf(" c%d", max(0, i-1-random.IntN(6)))
		}
		lines = append(lines, line)
	}
	ids := history(t, g, lines...)
	r := open(t, g)
	for range 60 {
		a, b := ids[fmt.Sprint("c", random.IntN(commits))], ids[fmt.Sprint("c", random.IntN(commits))]
		want := g.Git("merge-base", "--all", a, b)
		if got := base(t, r, a, b); !strings.Contains(want, got) || got == "" {
			t.Errorf("%s and %s: %s, want one of %s", a, b, got, want)
		}
	}
}

func TestMergeBaseInCutHistory(t *testing.T) {
	g := gittest.New(t)
	ids := history(t, g, "root:", "m1: root", "h1: m1", "m2: m1", "h2: h1", "m3: m2", "merge: m3 h2",
		"n1: m3", "pull: m3 n1")
	for _, c := range []struct {
		depth int
		want  string
	}{
		{2, ""},   // m3 and h2, nothing below
		{3, ""},   // m2 and h1
		{4, "m1"}, // which is at the cut itself
		{5, "m1"},
	} {
		clone := g.Checkout(ids["merge"], c.depth)
		if got := base(t, open(t, clone), ids["m3"], ids["h2"]); got != ids[c.want] {
			t.Errorf("depth %d: %q, want %s", c.depth, got, c.want)
		}
	}
	// The head was branched off the tip of the base: that is seen in a clone of depth 2.
	if got := base(t, open(t, g.Checkout(ids["pull"], 2)), ids["m3"], ids["n1"]); got != ids["m3"] {
		t.Errorf("child of the base: %q", got)
	}
}

// A common ancestor is found, but another way down from the head is cut: a better one may be there.
func TestMergeBaseBehindACutIsNotGuessed(t *testing.T) {
	g := gittest.New(t)
	ids := history(t, g, "root:", "m1: root", "m2: m1", "m3: m2", "side: m2", "h1: root", "h2: h1 side")
	clone := gittest.New(t)
	clone.Git("remote", "add", "origin", "file://"+g.Dir)
	clone.Git("fetch", "-q", "origin", ids["h1"])
	clone.Git("fetch", "-q", "origin", ids["m1"])
	// m3 and side without what is between them and m1, h2 with its way by h1 to the root.
	for _, name := range []string{"m3", "side", "h2"} {
		clone.Object("commit", []byte(g.Git("cat-file", "commit", ids[name])+"\n"))
	}
	clone.Object("tree", nil)
	if got := base(t, open(t, clone), ids["m3"], ids["h2"]); got != "" {
		t.Errorf("%q, though m2 is absent", got)
	}
	if got := base(t, open(t, clone), ids["m1"], ids["h1"]); got != ids["root"] {
		t.Errorf("%q, want root", got)
	}
}
