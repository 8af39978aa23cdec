package secret

import (
	"testing"

	"github.com/azphalt/submissions/internal/labelled"
)

func TestArgs(t *testing.T) {
	const S, P, R, B = Secret, Placeholder, Reference, Benign
	for i, c := range []struct {
		args []string
		want []Verdict
	}{
		{[]string{"--host", "0.0.0.0", "--api-token", "«jwt:user»"}, []Verdict{B, B, B, S}},
		{[]string{"--api-key=sk-«b62:48»"}, []Verdict{S}},
		{[]string{"-k", "AKIA«b32:16»"}, []Verdict{B, S}},
		{[]string{"--api-token", "${input:t}", "--api-key-file", "/run/keys/cog"}, []Verdict{B, R, B, B}},
		{[]string{"--password", "hunter2"}, []Verdict{B, S}},
		{[]string{"--password=hunter2"}, []Verdict{S}},
		{[]string{"--token", "--verbose", "run"}, []Verdict{B, B, B}},
		{[]string{"--token", "YOUR_TOKEN"}, []Verdict{B, P}},
		{[]string{"--token", "$TOKEN"}, []Verdict{B, P}},
		{[]string{"--api-key", "<key>"}, []Verdict{B, P}},
		{[]string{"--max-tokens", "4096", "--max-tokens=8192"}, []Verdict{B, B, B}},
		{[]string{"--tokenizer", "cl100k_base"}, []Verdict{B, B}},
		{[]string{"--auth", "none", "--auth-type", "oauth2"}, []Verdict{B, B, B, B}},
		{[]string{"--use-token", "server.js"}, []Verdict{B, B}},
		{[]string{"run", "-i", "--rm", "-e", "GITHUB_TOKEN", "ghcr.io/acme/app"}, []Verdict{B, B, B, B, B, B}},
		{[]string{"run", "-e", "GITHUB_TOKEN=ghp_«b62:36»"}, []Verdict{B, B, S}},
		{[]string{"run", "-e", "DB_PASSWORD=hunter2"}, []Verdict{B, B, S}},
		{[]string{"run", "--env=DB_PASSWORD=hunter2"}, []Verdict{B, S}},
		{[]string{"run", "-e", "DB_PASSWORD=${input:pw}"}, []Verdict{B, B, R}},
		{[]string{"run", "-e", "DB_PASSWORD=${DB_PASSWORD}"}, []Verdict{B, B, P}},
		{[]string{"run", "-e", "DATABASE_URL=postgres://svc:«b62:12»@db/app"}, []Verdict{B, B, S}},
		{[]string{"-H", "Authorization: Bearer «b62:40»"}, []Verdict{B, S}},
		{[]string{"--header", "Authorization:Bearer ${input:auth_token}"}, []Verdict{B, R}},
		{[]string{"--header", "Authorization: Bearer ${AUTH}"}, []Verdict{B, P}},
		{[]string{"--header", "X-Api-Key: «b62:32»"}, []Verdict{B, S}},
		{[]string{"--header=X-Api-Key:«b62:32»"}, []Verdict{S}},
		{[]string{"--header", "Accept: application/json"}, []Verdict{B, B}},
		{[]string{"--header", "Authorization: Basic «base64:svc:[b62:12]»"}, []Verdict{B, S}},
		{[]string{"-HAuthorization: Bearer «b62:40»"}, []Verdict{S}},
		{[]string{"-u", "svc:«b62:12»"}, []Verdict{B, S}},
		{[]string{"-u", "root", "-p«b62:16»", "app"}, []Verdict{B, B, S, B}},
		{[]string{"-p", "«b62:20»", "ssh", "svc@host"}, []Verdict{B, S, B, B}},
		{[]string{"-a", "«b62:24»", "ping"}, []Verdict{B, S, B}},
		{[]string{"-c", "mysql -uroot -p«b62:16» app"}, []Verdict{B, S}},
		{[]string{"-p", "8080:80", "-p", "127.0.0.1:5432:5432/tcp", "-p3000", "-pthread"}, []Verdict{B, B, B, B, B, B}},
		{[]string{"-p", "@acme/server-tools@1.2.3", "-p", "tsconfig.build.json", "-p", "AcmeProd2024East", "-p", "gpt-4o-mini-2024-07-18"}, []Verdict{B, B, B, B, B, B, B, B}},
		{[]string{"-a", "123456789012", "-a", "linux/amd64,linux/arm64", "-a", "com.acme.App2Beta", "-acodec", "libmp3lame", "-age", "30d"}, []Verdict{B, B, B, B, B, B, B, B, B, B}},
		{[]string{"-w", "packages/mcp-server", "-w", "/home/node/app", "-w", "OU=Prod2,DC=Acme3", "-widthRatio16x9"}, []Verdict{B, B, B, B, B, B, B}},
		{[]string{"-u", "user:password"}, []Verdict{B, P}},
		{[]string{"--user", "svc"}, []Verdict{B, B}},
		{[]string{"-y", "pg-mcp", "postgresql://svc:Frosty9x@db/app"}, []Verdict{B, B, S}},
		{[]string{"-y", "pg-mcp", "postgresql://username:password@localhost:5432/dbname"}, []Verdict{B, B, P}},
		{[]string{"-y", "@acme/pg-mcp@1.2.3", "postgresql://ro@db/app"}, []Verdict{B, B, B}},
		{[]string{"-y", "mcp-remote@0.1.16", "https://mcp.acme.dev/sse?api_key=«b62:24»"}, []Verdict{B, B, S}},
		{[]string{"-y", "mcp-remote", "https://mcp.acme.dev/mcp"}, []Verdict{B, B, B}},
		{[]string{"-c", "export API_KEY=«b62:32»; exec node server.js"}, []Verdict{B, S}},
		{[]string{"-c", "tool --token «b62:32» --verbose"}, []Verdict{B, S}},
		{[]string{"-c", "API_KEY=$API_KEY npx -y tool"}, []Verdict{B, P}},
		{[]string{"/c", "set KEY=%KEY% && npx tool"}, []Verdict{B, P}},
		{[]string{"-c", "import server; server.main()"}, []Verdict{B, B}},
		{[]string{"server.js", "«b62:40»"}, []Verdict{B, S}},
		{[]string{"server.js", "/home/me/project", "C:\\Users\\me"}, []Verdict{B, B, B}},
		{[]string{"--from", "git+https://github.com/acme/app@«h:40»", "app"}, []Verdict{B, B, B}},
		{[]string{"--client-id", "«b62:32»", "--tenant", "«uuid»"}, []Verdict{B, B, B, B}},
		{[]string{"--client-secret", "«b62:32»"}, []Verdict{B, S}},
		{[]string{"--config", `{"apiKey":"«b62:32»"}`}, []Verdict{B, S}},
		{[]string{"--config", "«base64:{\"apiKey\":\"[b62:32]\"}»"}, []Verdict{B, S}},
		{[]string{"--project-ref=«l:20»", "--read-only"}, []Verdict{B, B}},
		{[]string{"--key", "title", "--key", "ak-«b62:28»"}, []Verdict{B, B, B, S}},
		{[]string{"--private-key", "./id.pem"}, []Verdict{B, B}},
		{[]string{"--set", "auth.password=hunter2"}, []Verdict{B, S}},
		{[]string{"-Dspring.datasource.password=hunter2"}, []Verdict{S}},
		{[]string{"--password-stdin", "x"}, []Verdict{B, B}},
	} {
		for round := range uint64(rounds) {
			d := labelled.NewDraws(round, uint64(i))
			args := make([]string, len(c.args))
			for k := range args {
				args[k] = d.Fill(c.args[k])
			}
			for k, r := range Args(args, Context{Key: "args"}) {
				if r.Verdict != c.want[k] {
					t.Errorf("%q: argument %d is %s, want %s", c.args, k, r.Verdict, c.want[k])
					round = rounds
				}
			}
			if t.Failed() && round >= rounds {
				break
			}
		}
	}
}
