package action

import (
	"crypto/rand"
	"fmt"
	"io"
	"os"
	"path"

	"github.com/azphalt/submissions/annotate"
	"github.com/azphalt/submissions/check"
	"github.com/azphalt/submissions/finding"
)

// reportFile is where the JSON report is written in the workspace.
const reportFile = "azphalt-report.json"

// writeInWorkspace writes a file of the workspace, whole or not at all. The pull request fills the workspace: no link in
// it is followed.
func writeInWorkspace(workspace, name string, fill func(io.Writer) error) (err error) {
	root, err := os.OpenRoot(workspace)
	if err != nil {
		return err
	}
	defer root.Close()
	dir := path.Dir(name)
	if err := root.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	temp := path.Join(dir, fmt.Sprintf(".azphalt-%s", rand.Text()))
	f, err := root.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_ = f.Close() // it may be closed already
			_ = root.Remove(temp)
		}
	}()
	if err := fill(f); err != nil {
		return err
	}
	if err := f.Close(); err != nil {
		return err
	}
	return root.Rename(temp, name)
}

// maxListed bounds what is listed beside the report.
const maxListed = 20

// removedNotes says which submissions are gone.
func removedNotes(removed []string) []string {
	var notes []string
	for i, p := range removed {
		if i == maxListed {
			return append(notes, fmt.Sprintf("%d more submissions are removed.", len(removed)-i))
		}
		notes = append(notes, p+" is removed: there is nothing to check.")
	}
	return notes
}

// sarif writes the report for code scanning.
func sarif(w io.Writer, r *finding.Report) error {
	return annotate.SARIF(w, r, annotate.SARIFOptions{Rules: check.Rules(), RuleURL: check.RuleURL})
}
