package githubsim

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strconv"
	"strings"
	"sync"
)

// fileChange is a file that differs between two trees.
type fileChange struct {
	path, previous string // previous: the old name of a renamed file
	status         string // "added", "removed", "modified", "renamed", "changed"
	sha            string // blob after the change; of a removed file, before it
	added, deleted int    // lines
	patch          string // hunks; empty for a binary or a pure rename
}

// differ compares trees with one long-lived git process, renames detected, and remembers the outcomes.
type differ struct {
	objects *objects

	mu    sync.Mutex
	known map[[2]string][]fileChange
	git   *exec.Cmd
	in    io.WriteCloser
	out   *bufio.Reader
}

// endOfDiff is a line that git diff-tree echoes, as it is no object id, when all before it is done.
const endOfDiff = "end of diff"

// between returns the changes from one tree to another, in the order of their paths.
func (d *differ) between(from, to string) ([]fileChange, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	key := [2]string{from, to}
	if changes, known := d.known[key]; known {
		return changes, nil
	}
	changes, err := d.run(from, to)
	if err != nil {
		d.stop()
		return nil, err
	}
	if d.known == nil || len(d.known) >= maxRemembered {
		d.known = map[[2]string][]fileChange{}
	}
	d.known[key] = changes
	return changes, nil
}

func (d *differ) start() error {
	d.git = gitCommand(d.objects.dir, "diff-tree", "--stdin", "-r", "-z", "-M", "-l0", "--raw", "--numstat", "-p", "--full-index", "--no-color", "--no-ext-diff")
	var err error
	if d.in, err = d.git.StdinPipe(); err != nil {
		return err
	}
	out, err := d.git.StdoutPipe()
	if err != nil {
		return err
	}
	d.out = bufio.NewReaderSize(out, 64<<10)
	return d.git.Start()
}

func (d *differ) stop() {
	if d.git == nil {
		return
	}
	d.in.Close()
	d.git.Wait() //nolint:errcheck // nothing more is wanted of it
	d.git = nil
}

func (d *differ) close() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.stop()
}

func (d *differ) run(from, to string) ([]fileChange, error) {
	if from == to {
		return nil, nil
	}
	if d.git == nil {
		if err := d.start(); err != nil {
			return nil, err
		}
	}
	if _, err := fmt.Fprintf(d.in, "%s %s\n%s\n", from, to, endOfDiff); err != nil {
		return nil, fmt.Errorf("git diff-tree: %w", err)
	}
	var buf bytes.Buffer
	for {
		line, err := d.out.ReadSlice('\n')
		buf.Write(line)
		if errors.Is(err, bufio.ErrBufferFull) {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("git diff-tree %s %s: %w", from, to, err)
		}
		if out, done := bytes.CutSuffix(buf.Bytes(), []byte(endOfDiff+"\n")); done && (len(out) == 0 || out[len(out)-1] == '\n' || out[len(out)-1] == 0) {
			return parseDiff(out)
		}
	}
}

// parseDiff reads the three parts of git's answer: the raw list and the counts, with NUL as separators, and the patch.
func parseDiff(out []byte) ([]fileChange, error) {
	_, rest, _ := bytes.Cut(out, []byte("\n")) // the two ids, repeated
	p := fieldReader{rest: rest}
	var changes []fileChange
	for bytes.HasPrefix(p.rest, []byte(":")) {
		changes = append(changes, p.raw())
	}
	for i := range changes {
		p.counts(&changes[i])
	}
	p.rest = bytes.TrimPrefix(p.rest, []byte{0})
	sections := splitPatch(p.rest)
	for i := range changes {
		n := 1
		if changes[i].status == "changed" {
			n = 2 // a file that became a link, say: removed and added
		}
		if len(sections) < n {
			return nil, fmt.Errorf("git diff-tree: no patch for %q", changes[i].path)
		}
		if n == 1 {
			changes[i].patch = hunks(sections[0])
		}
		sections = sections[n:]
	}
	return changes, nil
}

type fieldReader struct{ rest []byte }

func (p *fieldReader) next(separator byte) string {
	field, rest, _ := bytes.Cut(p.rest, []byte{separator})
	p.rest = rest
	return string(field)
}

// statuses names git's letters as GitHub does.
var statuses = map[byte]string{'A': "added", 'D': "removed", 'M': "modified", 'R': "renamed", 'C': "copied", 'T': "changed"}

// raw reads ":100644 100644 OLD NEW R100", NUL, path, NUL, and for a rename the new path.
func (p *fieldReader) raw() fileChange {
	meta := strings.Fields(p.next(0))
	c := fileChange{status: statuses[meta[4][0]], sha: meta[3], path: p.next(0)}
	switch c.status {
	case "removed":
		c.sha = meta[2]
	case "renamed", "copied":
		c.previous, c.path = c.path, p.next(0)
	}
	return c
}

// counts reads "3\t1\tpath" and a NUL, or for a rename "3\t1\t", NUL, old path, NUL, new path, NUL.
func (p *fieldReader) counts(c *fileChange) {
	c.added, _ = strconv.Atoi(p.next('\t'))
	c.deleted, _ = strconv.Atoi(p.next('\t')) // a binary has "-": no lines
	if p.next(0) == "" {
		p.next(0)
		p.next(0)
	}
}

// splitPatch cuts a patch into the parts of its files. Lines of files start with a space, a sign or a backslash.
func splitPatch(patch []byte) []string {
	var sections []string
	for part := range strings.SplitSeq("\n"+string(patch), "\ndiff --git ") {
		sections = append(sections, part)
	}
	return sections[1:]
}

// hunks is a file's part of a patch without its head and its last line feed.
func hunks(section string) string {
	_, body, found := strings.Cut(section, "\n@@ ")
	if !found {
		return ""
	}
	return "@@ " + strings.TrimSuffix(body, "\n")
}
