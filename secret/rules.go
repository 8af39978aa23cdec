package secret

import (
	"strings"

	"github.com/azphalt/submissions/finding"
)

// The ids of the rules that a Match names.
const (
	rulePlaceholder = "mcp/placeholder"
	ruleUnresolved  = "mcp/variable-unsupported"
	ruleArgument    = "secret/argument"
	ruleConnection  = "secret/connection-string"
	ruleHeader      = "secret/header"
	ruleName        = "secret/name"
	rulePrivateKey  = "secret/private-key"
	ruleText        = "secret/text"
	ruleURL         = "secret/url"
	ruleValue       = "secret/value"
)

const (
	rotate = "What was published is known, and stays so in every copy and in the history of the repository: revoke the " +
		"credential where it was issued, then declare an input and refer to it as ${input:ID}. The host asks its user for the " +
		"value and keeps it."
	samplePassword = "Winter-Coat-22"
)

// Rules returns the rules that a Match can name, in the order of their ids, but for that of variables, which is one of the
// rules for servers.
func Rules() []finding.Rule {
	return []finding.Rule{
		{
			ID: rulePlaceholder, Severity: finding.Warning,
			Title: "stand-in where a value has to be filled in",
			Why: "No host replaces a stand-in such as <YOUR_KEY> or changeme: the server is started with the very text and " +
				"fails, or is open to everybody who knows the default. Declare an input and refer to it as ${input:ID}.",
			Bad:  withEnv("DB_PASS", "your-password"),
			Good: withInput("db-pass", envOf("DB_PASS", "${input:db-pass}")),
		},
		{
			ID: ruleArgument, Severity: finding.Error,
			Title: "literal credential in a command argument",
			Why:   "Arguments are published with the package and seen by every process of the machine that runs it. " + rotate,
			Bad:   example("", argsOf("--password", samplePassword)),
			Good:  withInput("password", argsOf("--password", "${input:password}")),
		},
		{
			ID: ruleConnection, Severity: finding.Error,
			Title: "literal password in a connection string",
			Why: "The address of a database often carries the password of its user, under a name that says nothing of it. " + rotate +
				" Only the password has to be an input; the rest of the address may stay.",
			Bad:  withEnv("DATABASE_URL", "postgres://svc:"+samplePassword+"@db.example.com/app"),
			Good: withInput("database-password", envOf("DATABASE_URL", "postgres://svc:${input:database-password}@db.example.com/app")),
		},
		{
			ID: ruleHeader, Severity: finding.Error,
			Title: "literal credential in an HTTP header",
			Why: "A Bearer token, the base64 of a Basic header and a session cookie are credentials whatever the header is called; " +
				"base64 hides nothing. " + rotate,
			Bad:  example("", remoteOf("https://mcp.example.com/mcp", "X-Upstream", "Basic c3ZjOldpbnRlci1Db2F0LTIy")),
			Good: withInput("upstream", remoteOf("https://mcp.example.com/mcp", "X-Upstream", "Basic ${input:upstream}")),
		},
		{
			ID: ruleName, Severity: finding.Warning,
			Title: "literal under the name of a password",
			Why: "The name says that the value is a password, its look says nothing: people choose words, and settings have such " +
				"names too; a setting is better off with another one. " + rotate,
			Bad:  withEnv("DB_PASS", samplePassword),
			Good: withInput("db-pass", envOf("DB_PASS", "${input:db-pass}")),
		},
		{
			ID: rulePrivateKey, Severity: finding.Error,
			Title: "private key",
			Why:   "Whoever has the private key is its owner. " + rotate,
			Bad:   withEnv("SSH_IDENTITY", `-----BEGIN PRIVATE KEY-----\n`+strings.Repeat("Kx7q", 16)+`\n-----END PRIVATE KEY-----\n`),
			Good:  withInput("ssh-identity", envOf("SSH_IDENTITY", "${input:ssh-identity}")),
		},
		{
			ID: ruleText, Severity: finding.Error,
			Title: "literal credential in a text file of the payload",
			Why:   "Scripts, settings and documents are published with the package. " + rotate + " A script takes the value from its environment.",
			Bad:   withEnv("LOG_LEVEL", "info") + "-- config/app.env --\nDB_PASS=" + samplePassword + "\n",
			Good:  withInput("db-pass", envOf("DB_PASS", "${input:db-pass}")) + "-- config/app.env --\nDB_PASS=${DB_PASS}\n",
		},
		{
			ID: ruleURL, Severity: finding.Error,
			Title: "literal credential in a URL",
			Why: "Addresses end up in logs and histories. The user's password, parameters such as api_key, and paths that are a " +
				"permission by themselves, like those of webhooks, are credentials. " + rotate,
			Bad:  example("", remoteOf("https://mcp.example.com/mcp?pass="+samplePassword, "Accept", "text/event-stream")),
			Good: withInput("pass", remoteOf("https://mcp.example.com/mcp?pass=${input:pass}", "Accept", "text/event-stream")),
		},
		{
			ID: ruleValue, Severity: finding.Error,
			Title: "literal credential",
			Why: "The value has the shape of a provider's token, or it stands under the name of a credential and is neither a " +
				"stand-in nor a setting. " + rotate,
			Bad:  withEnv("DB_PASS", "kX9vL27qWz4mT"),
			Good: withInput("db-pass", envOf("DB_PASS", "${input:db-pass}")),
		},
	}
}

// example returns the archive of a submission with one server. inputs are the members of mcp.inputs.
func example(inputs, server string) string {
	return `-- manifest.json --
{
  "azphalt": "0.1",
  "id": "com.example.demo",
  "name": "Demo",
  "version": "1.0.0",
  "kind": "mcp",
  "license": "MIT",
  "compat": ">=0.1",
  "mcp": {
    "inputs": [` + inputs + `],
    "servers": [{ "id": "demo", ` + server + ` }]
  }
}
-- LICENSE --
MIT
`
}

func withInput(id, server string) string {
	return example(`{ "id": "`+id+`", "type": "promptString", "description": "`+id+`", "password": true }`, server)
}

func withEnv(name, value string) string { return example("", envOf(name, value)) }

func envOf(name, value string) string {
	return `"local": { "platforms": { "desktop": { "command": "demo-mcp", "env": { "` + name + `": "` + value + `" } } } }`
}

func argsOf(args ...string) string {
	return `"local": { "platforms": { "desktop": { "command": "demo-mcp", "args": ["` + strings.Join(args, `", "`) + `"] } } }`
}

func remoteOf(url, header, value string) string {
	return `"remote": { "type": "http", "url": "` + url + `", "headers": { "` + header + `": "` + value + `" } }`
}
