package githubsim

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"

	"github.com/go-git/go-git/v5/plumbing"
)

// gitCommand prepares the git program to run on a git directory, cut off from the configuration of the machine.
func gitCommand(dir string, args ...string) *exec.Cmd {
	cmd := exec.Command("git", append([]string{"--git-dir", dir}, args...)...)
	cmd.Dir = dir
	cmd.Env = []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + dir, "LC_ALL=C", "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=" + os.DevNull,
		"GIT_TERMINAL_PROMPT=0", "GIT_OPTIONAL_LOCKS=0",
	}
	return cmd
}

func gitFailure(err error, stderr string) error {
	return fmt.Errorf("git: %w: %s", err, strings.TrimSpace(stderr))
}

// initBare makes an empty bare repository. One with a parent borrows its parent's objects.
func initBare(dir, defaultBranch, parent string) error {
	for _, sub := range []string{"objects/info", "objects/pack", "refs/heads", "refs/tags"} {
		if err := os.MkdirAll(filepath.Join(dir, sub), 0o755); err != nil {
			return err
		}
	}
	files := map[string]string{
		"HEAD":   "ref: refs/heads/" + defaultBranch + "\n",
		"config": "[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = true\n[gc]\n\tauto = 0\n",
	}
	if parent != "" {
		files["objects/info/alternates"] = filepath.Join(parent, "objects") + "\n"
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// merges merges commits with git and remembers the outcomes.
type merges struct {
	objects *objects
	mu      sync.Mutex
	trees   map[[2]string]string // of ours and theirs; empty: conflict
}

// maxRemembered bounds what is kept of earlier merges and diffs.
const maxRemembered = 512

// merge returns the tree that results from merging two commits, or false where they conflict.
func (m *merges) merge(ours, theirs string) (tree string, clean bool, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	key := [2]string{ours, theirs}
	tree, known := m.trees[key]
	if known {
		return tree, tree != "", nil
	}
	if tree, err = m.run(ours, theirs); err != nil {
		return "", false, err
	}
	if len(m.trees) >= maxRemembered {
		clear(m.trees)
	}
	m.trees[key] = tree
	return tree, tree != "", nil
}

func (m *merges) run(ours, theirs string) (string, error) {
	if inside, err := m.objects.graph.contains(theirs, ours); err != nil || inside {
		if err != nil {
			return "", err
		}
		return m.objects.treeOf(theirs)
	}
	cmd := gitCommand(m.objects.dir, "merge-tree", "--write-tree", "--no-messages", "--allow-unrelated-histories", ours, theirs)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	var exit *exec.ExitError
	if errors.As(err, &exit) && exit.ExitCode() == 1 {
		return "", nil
	}
	if err != nil {
		return "", gitFailure(err, stderr.String())
	}
	tree := strings.TrimSpace(string(out))
	if !m.objects.has(plumbing.TreeObject, tree) {
		return "", fmt.Errorf("git: merge-tree wrote no tree: %q", tree)
	}
	return tree, nil
}
