package main

import (
	"bytes"
	"context"
	"embed"
	"fmt"
	"path"
	"strings"
	"testing/fstest"

	"golang.org/x/tools/txtar"

	"github.com/azphalt/submissions/azp"
)

// The sources of the archives, and the license of all of them.
//
//go:embed packages
var sources embed.FS

const (
	textTools = "com.example.good.text-tools-1.0.0" // the package that carries the server
	module    = "server/text-tools.wasm"            // where it carries it
)

// server is the module of the example's server, and the toolchain that built it.
type server struct {
	module    []byte
	toolchain string
}

// generate returns the generated files of the example by their path in it.
func generate(ctx context.Context, s server) (map[string][]byte, error) {
	store, err := trustStore()
	if err != nil {
		return nil, err
	}
	files := map[string][]byte{"trust-store.json": store}
	for _, r := range recipes {
		if err := r.generate(ctx, s, files); err != nil {
			return nil, fmt.Errorf("%s: %w", r.name, err)
		}
	}
	return files, nil
}

// generate adds the files of one package.
func (r recipe) generate(ctx context.Context, s server, files map[string][]byte) error {
	folder, err := r.folder(s)
	if err != nil {
		return err
	}
	src, err := azp.ReadSource(ctx, folder, azp.Limits{})
	if err != nil {
		return err
	}
	var out bytes.Buffer
	if err := src.Pack(&out); err != nil {
		return err
	}
	archive := out.Bytes()
	for _, do := range r.steps {
		if archive, err = do(archive); err != nil {
			return err
		}
	}
	id, _ := r.split()
	file := r.file
	if file == "" {
		file = r.name + ".azp"
	}
	files[path.Join(id, file)] = archive
	if r.beside {
		files[path.Join(id, azp.ManifestName)] = folder[azp.ManifestName].Data
	}
	return nil
}

// split returns the id and the version in the recipe's name.
func (r recipe) split() (id, version string) {
	i := strings.LastIndexByte(r.name, '-')
	return r.name[:i], r.name[i+1:]
}

// folder is the source folder of the package.
func (r recipe) folder(s server) (fstest.MapFS, error) {
	source := r.name
	if r.about != "" {
		source = "film"
	}
	text, err := sources.ReadFile("packages/" + source + ".txtar")
	if err != nil {
		return nil, err
	}
	license, err := sources.ReadFile("packages/LICENSE")
	if err != nil {
		return nil, err
	}
	id, version := r.split()
	fill := strings.NewReplacer("{{id}}", id, "{{version}}", version, "{{about}}", r.about, "{{toolchain}}", s.toolchain)
	folder := fstest.MapFS{azp.LicenseName: {Data: license}}
	for _, f := range txtar.Parse([]byte(fill.Replace(string(text)))).Files {
		folder[f.Name] = &fstest.MapFile{Data: f.Data}
	}
	if r.name == textTools {
		folder[module] = &fstest.MapFile{Data: s.module}
	}
	return folder, nil
}
