// Package testtool finds the programs of other people that tests run: archivers, a browser.
package testtool

import (
	"os"
	"os/exec"
	"strings"
	"testing"
)

// Required names the environment variable that makes a missing program a failure: a test that is skipped proves nothing.
const Required = "AZP_TEST_TOOLS"

// Find returns the path of a program, the first of its names that is there. Without it the test is skipped, or fails where
// Required is "required".
func Find(t testing.TB, names ...string) string {
	t.Helper()
	for _, name := range names {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	missing := strings.Join(names, " or ") + " is not on this machine"
	if os.Getenv(Required) == "required" {
		t.Fatal(missing)
	}
	t.Skip(missing)
	return ""
}
