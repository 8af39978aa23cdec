package check

import (
	"context"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/azphalt/submissions/internal/labelled"
)

// Every kind of text in a payload is read for credentials; pictures, modules and what is too long for a text are not.
func TestTextPayloadIsReadForCredentials(t *testing.T) {
	token := labelled.NewDraws(1, 1).Fill("ghp_«b62:36»")
	key := labelled.NewDraws(2, 1).Fill("-----BEGIN OPENSSH PRIVATE KEY-----\n«s64:70»\n«s64:70»\n-----END OPENSSH PRIVATE KEY-----\n")
	for name, c := range map[string]struct{ text, want string }{
		"SKILL.md":           {"Set the header to `Bearer " + token + "`.\n", "secret/header 1"},
		"run.sh":             {"#!/bin/sh\nexport GITHUB_TOKEN=" + token + "\n", "secret/text 2"},
		"bin/start":          {"#!/bin/sh\nexec srv --token " + token + "\n", "secret/text 2"},
		".env":               {"A=1\nDB_PASSWORD=Winter-Coat-22\n", "secret/text 2"},
		".env.production":    {"DB_PASSWORD=Winter-Coat-22\n", "secret/text 1"},
		".env.example":       {"DB_PASSWORD=your-password\n", ""},
		".npmrc":             {"//npm.pkg.github.com/:_authToken=" + token + "\n", "secret/text 1"},
		"config/app.yaml":    {"db:\n  password: kX9vL27qWz4mT\n", "secret/text 2"},
		"config/app.json":    {"{\n  \"url\": \"postgres://svc:Winter-Coat-22@db.example.com/app\"\n}\n", "secret/connection-string 2"},
		"keys/id_ed25519":    {key, "secret/private-key 1"},
		"keys/server.pem":    {key, "secret/private-key 1"},
		"main.tf":            {"token = \"" + token + "\"\n", "secret/text 1"},
		"Dockerfile":         {"ENV API_TOKEN=" + token + "\n", "secret/text 1"},
		"notes.txt":          {"the token is " + token + "\n", "secret/text 1"},
		"windows.ps1":        {"$env:API_TOKEN = '" + token + "'\r\n", "secret/text 1"},
		"picture.png":        {token, ""},
		"big.txt":            {strings.Repeat(" ", maxTextPayload) + token, ""},
		"docs/signature.txt": {"see signature.json\n", ""},
	} {
		t.Run(name, func(t *testing.T) {
			folder := fstest.MapFS{
				"manifest.json": {Data: []byte(`{"azphalt":"0.1","id":"com.example.demo","name":"Demo","version":"1.0.0","kind":"asset","license":"MIT","compat":">=0.1"}`)},
				"LICENSE":       {Data: []byte("MIT License\n")},
				name:            {Data: []byte(c.text)},
			}
			p, err := New(Options{}).Source(context.Background(), Target{Path: "com.example.demo"}, folder)
			if err != nil {
				t.Fatal(err)
			}
			got := ""
			for _, f := range p.Findings {
				if strings.HasPrefix(f.Rule, "secret/") {
					got += f.Rule + " " + string(rune('0'+f.Line))
					if f.File != "com.example.demo/"+name {
						t.Errorf("file %q", f.File)
					}
				}
			}
			if got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}
