package main

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"

	"github.com/rogpeppe/go-internal/testscript"
)

// status runs azp and asks for an exit status: "status 3 verify missing.azp". What it prints goes to the files stdout.txt
// and stderr.txt.
func status(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 1 {
		ts.Fatalf("usage: status N ARG...")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	var stdout, stderr bytes.Buffer
	cmd := &exec.Cmd{Path: program(ts), Args: append([]string{"azp"}, args[1:]...), Dir: ts.MkAbs("."), Stdout: &stdout, Stderr: &stderr}
	for _, name := range []string{"PATH", "HOME", "TMPDIR", "AZP_GITHUB_URL", "AZP_GITHUB_APP_ID", "AZP_GITHUB_PRIVATE_KEY", "GITHUB_TOKEN"} {
		cmd.Env = append(cmd.Env, name+"="+ts.Getenv(name))
	}
	err = cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		ts.Check(err)
	}
	ts.Check(os.WriteFile(ts.MkAbs("stdout.txt"), stdout.Bytes(), 0o600))
	ts.Check(os.WriteFile(ts.MkAbs("stderr.txt"), stderr.Bytes(), 0o600))
	if got := cmd.ProcessState.ExitCode(); got != want {
		ts.Fatalf("status %d, want %d\n%s%s", got, want, stdout.Bytes(), stderr.Bytes())
	}
}

// program is the azp that testscript put on the script's path.
func program(ts *testscript.TestScript) string {
	for _, dir := range filepath.SplitList(ts.Getenv("PATH")) {
		if path := filepath.Join(dir, "azp"); isFile(path) {
			return path
		}
	}
	ts.Fatalf("there is no azp on the path")
	return ""
}

func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}
