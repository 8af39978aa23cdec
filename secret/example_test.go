package secret_test

import (
	"fmt"
	"strings"

	"github.com/azphalt/submissions/secret"
)

func ExampleJudge() {
	value := "postgres://svc:Winter-Coat-22@db.example.com/app"
	for _, m := range secret.Judge(value, secret.Context{Key: "DATABASE_URL", Kind: secret.Env}).Matches {
		fmt.Printf("%s: it %s\n", m.Rule, m.Reason)
		fmt.Println(value[:m.Start] + "${input:" + m.InputID + "}" + value[m.End:])
	}
	// Output:
	// secret/connection-string: it is a literal password
	// postgres://svc:${input:database-password}@db.example.com/app
}

func ExampleArgs() {
	args := []string{"--port", "8080", "--password", "Winter-Coat-22", "-e", "DB_PASS"}
	for i, r := range secret.Args(args, secret.Context{Key: "args"}) {
		fmt.Println(i, r.Verdict)
	}
	// Output:
	// 0 benign
	// 1 benign
	// 2 benign
	// 3 secret
	// 4 benign
	// 5 benign
}

func ExampleText() {
	script := "#!/bin/sh\nexport DB_PASS=Winter-Coat-22\nexec server\n"
	err := secret.Text(strings.NewReader(script), func(m secret.TextMatch) {
		fmt.Printf("%d:%d-%d:%d %s\n", m.Line, m.Column, m.EndLine, m.EndColumn, m.Rule)
	})
	fmt.Println(err)
	// Output:
	// 2:16-2:30 secret/text
	// <nil>
}
