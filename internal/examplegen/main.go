// Command examplegen makes the generated files of submissions-example: the archives, the manifests that stand beside them
// and the trust store. Run it from the root of the module:
//
//	go run ./internal/examplegen
//
// Sources of archives are in packages/, the faults that they get in recipe.go, the server that one of them carries in
// textserver/. Submissions in source form are kept by hand.
package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
)

const example = "submissions-example"

func main() {
	if err := run(context.Background()); err != nil {
		fmt.Fprintln(os.Stderr, "examplegen:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context) error {
	s, err := buildServer(ctx)
	if err != nil {
		return err
	}
	files, err := generate(ctx, s)
	if err != nil {
		return err
	}
	for name, data := range files {
		file := filepath.Join(example, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(file, data, 0o644); err != nil {
			return err
		}
	}
	return nil
}
