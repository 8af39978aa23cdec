package secret

import "testing"

func TestPlaceholders(t *testing.T) {
	checkSamples(t, Placeholder, []sample{
		{Env, "API_KEY", ""}, {Env, "DB_PASSWORD", ""}, {Env, "API_KEY", "  "}, {Env, "A_TOKEN", "-"}, {Env, "A_TOKEN", "***"},
		{Env, "API_KEY", "YOUR_API_KEY"}, {Env, "API_KEY", "your-api-key-here"}, {Env, "API_KEY", "<API_KEY>"},
		{Env, "API_KEY", "<your api key>"}, {Env, "API_KEY", "[YOUR KEY]"}, {Env, "API_KEY", "{{API_KEY}}"},
		{Env, "API_KEY", "{api_key}"}, {Env, "API_KEY", "${API_KEY}"}, {Env, "API_KEY", "$API_KEY"},
		{Env, "API_KEY", "%API_KEY%"}, {Env, "API_KEY", "${env:API_KEY}"}, {Env, "API_KEY", "${{ secrets.API_KEY }}"},
		{Env, "API_KEY", "$(cat /run/secrets/key)"}, {Env, "API_KEY", "op://vault/item/field"},
		{Env, "API_KEY", "xxx"}, {Env, "API_KEY", "xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx"}, {Env, "API_KEY", "sk-xxxxxxxxxxxxxxxxxxxx"},
		{Env, "API_KEY", "sk-..."}, {Env, "API_KEY", "sk-proj-abc..."}, {Env, "API_KEY", "sk-your-key"}, {Env, "API_KEY", "sk_live_..."},
		{Env, "API_KEY", "changeme"}, {Env, "API_KEY", "change-me"}, {Env, "API_KEY", "REPLACE_ME"}, {Env, "API_KEY", "replace-with-your-key"},
		{Env, "API_KEY", "INSERT_KEY_HERE"}, {Env, "API_KEY", "enter your key"}, {Env, "API_KEY", "TODO"}, {Env, "API_KEY", "placeholder"},
		{Env, "API_KEY", "example"}, {Env, "API_KEY", "example-key"}, {Env, "API_KEY", "dummy"}, {Env, "API_KEY", "dummy_token_123"},
		{Env, "API_KEY", "test"}, {Env, "API_KEY", "test-key"}, {Env, "API_KEY", "my-api-key"}, {Env, "API_KEY", "my_secret_token"},
		{Env, "API_KEY", "api-key"}, {Env, "API_KEY", "apikey"}, {Env, "API_KEY", "secret"}, {Env, "API_KEY", "token"}, {Env, "API_KEY", "none"},
		{Env, "API_KEY", "123456"}, {Env, "API_KEY", "1234567890abcdef"}, {Env, "API_KEY", "abc123"}, {Env, "API_KEY", "sk-1234567890"},
		{Env, "API_KEY", "00000000-0000-0000-0000-000000000000"}, {Env, "API_KEY", "Your API key from the dashboard"},
		{Env, "API_KEY", "Get it from https://console.acme.dev"}, {Env, "API_KEY", "(optional) leave blank"},
		{Env, "API_KEY", "[REDACTED]"}, {Env, "API_KEY", "REDACTED"}, {Env, "API_KEY", "sk-****abcd"}, {Env, "API_KEY", "••••••••"},
		{Env, "AWS_ACCESS_KEY_ID", "AKIAIOSFODNN7EXAMPLE"}, {Env, "AWS_SECRET_ACCESS_KEY", "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"},
		{Env, "BRAVE_API_KEY", "brave_api_key"}, {Env, "NEEDLE_TOKEN", "needle-token"}, {Env, "ACME_SECRET", "acme-client-secret"},
		{Env, "DB_PASSWORD", "password"}, {Env, "DB_PASSWORD", "Password123"}, {Env, "DB_PASSWORD", "P@ssw0rd"}, {Env, "DB_PASSWORD", "postgres"},
		{Env, "DB_PASSWORD", "root"}, {Env, "DB_PASSWORD", "admin123"}, {Env, "DB_PASSWORD", "minioadmin"}, {Env, "NEO4J_PASSWORD", "neo4j"},
		{Env, "DB_PASSWORD", "secret"}, {Env, "DB_PASSWORD", "mypassword"}, {Env, "DB_PASSWORD", "my-password"}, {Env, "DB_PASS", "pass"},
		{Env, "DB_PASSWORD", "letmein"}, {Env, "DB_PASSWORD", "your_db_password"}, {Env, "DB_PASSWORD", "test123"},
		{Env, "API_KEY", "a1b2c3d4e5f6"}, {Env, "API_KEY", "1a2b3c4d5e6f7g8h"}, {Env, "API_KEY", "abcd1234efgh5678"}, {Env, "API_KEY", "sk-abc123"},
		{Env, "GITHUB_TOKEN", "ghp_abc123def456ghi789jkl012mno345pqr678"}, {Env, "BOT_TOKEN", "123456789:ABCdefGHIjklMNOpqrsTUVwxyz"},
		{Env, "SLACK_TOKEN", "xoxb-1234567890-1234567890-abcdefghijklmnop"}, {Env, "JWT_SECRET", "super-secret-jwt-token-with-at-least-32-characters-long"},
		{Env, "API_KEY", "not-needed"}, {Env, "API_KEY", "<你的 API Key>"}, {Env, "API_KEY", "你的API密钥"}, {Env, "API_KEY", "votre-clé-api"}, {Env, "API_KEY", "ollama"}, {Env, "API_KEY", "fake-key"}, {Env, "API_KEY", "no-key"}, {Env, "API_KEY", "anything"},
		{Env, "DB_PASSWORD", "not-used"}, {Env, "DB_PASSWORD", "change-me"}, {Env, "DB_PASSWORD", "change_this"}, {Env, "DB_PASSWORD", "yourpassword"},
		{Env, "DB_PASSWORD", "YourStrong!Passw0rd"}, {Env, "DB_PASSWORD", "mysecretpassword"}, {Env, "DB_PASSWORD", "adminpass"}, {Env, "DB_PASSWORD", "Passw0rd!"},
		{Env, "DB_PASSWORD", "1q2w3e4r"}, {Env, "DB_PASSWORD", "aaaa"}, {Env, "DB_PASSWORD", "abcdef"}, {Env, "DB_PASSWORD", "P@ssw0rd123"}, {Env, "DB_PASSWORD", "s3cr3t"},
		{Env, "CLICKHOUSE_PASSWORD", "clickhouse"}, {Env, "DATABASE_URL", "postgres://u:p@host/db"}, {Env, "DATABASE_URL", "postgresql://postgres:[YOUR-PASSWORD]@db/postgres"},
		{Env, "DATABASE_URL", "postgresql://postgres:mysecretpassword@db/postgres"}, {Env, "STRIPE_KEY", "sk_test_4eC39Hq" + "LyjWDarjtT1zdp7dc"},
		{Header, "Authorization", "Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ=="}, {Header, "Authorization", "Bearer your_token_here"},
		{Header, "Authorization", "Bearer"}, {Header, "Authorization", "Bearer <token>"}, {Header, "Authorization", "Bearer YOUR_TOKEN"},
		{Header, "Authorization", "Bearer ${TOKEN}"}, {Header, "Authorization", "Bearer {token}"}, {Header, "Authorization", "Basic <base64>"},
		{Header, "Authorization", "Basic «base64:user:password»"}, {Header, "Authorization", "Basic «base64:username:your_password»"},
		{Header, "Authorization", "Token your_token"}, {Header, "X-Api-Key", "your-key"}, {Header, "X-Upstream", "Bearer ${TOKEN}"},
		{Env, "DATABASE_URL", "postgresql://username:password@localhost:5432/dbname"}, {Env, "DATABASE_URL", "postgres://postgres:postgres@db/app"},
		{Env, "DATABASE_URL", "postgresql://user:pass@host/db"}, {Env, "DATABASE_URL", "mysql://root:root@localhost/app"},
		{Env, "DATABASE_URL", "postgresql://user:<password>@host/db"}, {Env, "DATABASE_URL", "postgres://app:app@localhost/app"},
		{Env, "DATABASE_URL", "postgres://${DB_USER}:${DB_PASS}@db/app"}, {Env, "DATABASE_URL", "mongodb://USERNAME:PASSWORD@host"},
		{URL, "url", "https://mcp.acme.dev/mcp?api_key=YOUR_API_KEY"}, {URL, "url", "https://mcp.acme.dev/mcp?token=%3CTOKEN%3E"},
		{URL, "url", "https://mcp.acme.dev/mcp?token=${TOKEN}"}, {URL, "url", "https://mcp.acme.dev/{tenant}/mcp"},
		{Env, "MSSQL", "Server=db;User Id=sa;Password=<password>;"}, {Env, "MSSQL", "Server=db;User Id=sa;Password=your_password;"},
		{Env, "CONFIG", `{"apiKey":"YOUR_KEY"}`}, {Env, "CONFIG", `{"apiKey":"${API_KEY}"}`},
		{Env, "PRIVATE_KEY", "-----BEGIN PRIVATE KEY-----\n...\n-----END PRIVATE KEY-----"},
		{Env, "PRIVATE_KEY", "-----BEGIN PRIVATE KEY-----\\nYOUR_KEY\\n-----END PRIVATE KEY-----"},
		{Env, "AWS_PROFILE", "your-profile"}, {Env, "PROJECT", "<project>"}, {Env, "ORG", "${ORG}"}, {Env, "LOG_DIR", "${env:HOME}/logs"},
		{Env, "SMTP_USER", "your.email@example.com"}, {Env, "SITE", "[your site]"},
	})
}

func TestReferences(t *testing.T) {
	checkSamples(t, Reference, []sample{
		{Env, "API_KEY", "${input:key}"}, {Header, "Authorization", "Bearer ${input:token}"}, {Header, "Authorization", "Basic ${input:basic}"},
		{Header, "Authorization", "Token token=${input:token}"}, {Header, "Authorization", "Bot ${input:token}"},
		{Header, "X-Upstream", "Basic ${input:basic}"}, {Header, "Cookie", "session=${input:session}; lang=en"},
		{Header, "Cookie", "a=${input:a}; b=${input:b}"},
		{Env, "DATABASE_URL", "postgres://svc:${input:pw}@db/app"}, {Env, "DATABASE_URL", "postgres://${input:user}:${input:pw}@${input:host}/app"},
		{Env, "DATABASE_URL", "${input:url}"}, {Env, "MSSQL", "Server=db;User Id=svc;Password=${input:pw};"},
		{URL, "url", "https://${input:host}/mcp?api_key=${input:key}"}, {URL, "url", "https://mcp.acme.dev/${input:path}/mcp"},
		{Env, "CONFIG", `{"apiKey":"${input:key}"}`}, {Env, "API_KEY", "sk-${input:rest}"}, {Env, "API_KEY", "prefix_${input:key}_suffix"},
		{Env, "PRIVATE_KEY", "-----BEGIN PRIVATE KEY-----\n${input:key}\n-----END PRIVATE KEY-----"},
		{Env, "CREDS", "${input:user}:${input:pw}"}, {Env, "LOGIN", "${input:user}"}, {Env, "DIR", "${input:home}/data"},
	})
}

func TestBenign(t *testing.T) {
	checkSamples(t, Benign, []sample{
		// Names that only look like credentials.
		{Env, "MAX_TOKENS", "4096"}, {Env, "TOKENIZERS_PARALLELISM", "false"}, {Env, "INPUT_COST_PER_TOKEN", "1.4e-06"},
		{Env, "KEYBOARD_LAYOUT", "de"}, {Env, "MONKEY_PATCH", "1"}, {Env, "KEYCLOAK_URL", "https://sso.acme.dev"}, {Env, "CACHE_KEY", "v3"},
		{Env, "KEY_PREFIX", "app:"}, {Env, "PUBLIC_KEY", "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI«s64:43»"}, {Env, "SSH_KEY_PATH", "/home/u/.ssh/id"},
		{Env, "LLM_SECRET_NAME", "prod/llm"}, {Env, "TOKEN_ENDPOINT", "https://sso.acme.dev/token"}, {Env, "AUTHOR", "Jane Doe"},
		{Env, "PASSENGER_LIMIT", "40"}, {Env, "COMPASS", "north"}, {Env, "PASSWORD_MIN_LENGTH", "12"}, {Env, "TOKEN_TTL", "3600"},
		{Env, "AUTH_TYPE", "oauth2"}, {Env, "AUTH_METHOD", "basic"}, {Env, "AUTH", "none"}, {Env, "USE_TOKEN", "true"}, {Env, "REQUIRE_AUTH", "true"},
		{Env, "SECRET_MANAGER", "vault"}, {Env, "SECRETS_DIR", "/run/secrets"}, {Env, "API_KEY_HEADER", "X-Api-Key"}, {Env, "AUTH_HEADER", "Authorization"},
		{Env, "API_KEY_FILE", "/run/secrets/api_key"}, {Env, "GOOGLE_APPLICATION_CREDENTIALS", "/etc/gcp/key.json"},
		{Env, "GOOGLE_APPLICATION_CREDENTIALS", `C:\Users\me\key.json`}, {Env, "CREDENTIALS", "./credentials.json"}, {Env, "PRIVATE_KEY", "~/.ssh/id_rsa"},
		{Env, "JIRA_PROJECT_KEY", "OPS"}, {Env, "HOTKEY", "ctrl+k"}, {Env, "SORT_KEY", "created_at"}, {Env, "PARTITION_KEY", "tenant_id"},
		{Env, "SEARCH_KEYWORDS", "a,b,c"}, {Env, "TOKEN_URL", "https://login.acme.dev/oauth/token"}, {Env, "SECRET_ARN", "arn:aws:secretsmanager:eu-west-1:123456789012:secret:db-AbCdEf"},
		{Env, "EOS_TOKEN", "<|endoftext|>"}, {Env, "KMS_KEY_ID", "«uuid»"}, {Env, "KMS_KEY", "arn:aws:kms:eu-west-1:123456789012:key/«uuid»"},
		{Header, "X-Api-Key-Version", "2024-10-01"}, {Header, "X-Author-Email", "a@acme.dev"}, {Header, "X-Authority", "eu"}, {Header, "X-Mode", "Basic"},

		{Env, "SECRET_STORE", "aws-secrets-manager"}, {Env, "TOKEN_STRATEGY", "sliding-window"}, {Env, "KEYSTORE_TYPE", "PKCS12"}, {Env, "TLS_KEY", "/etc/tls/tls.key"},
		{Env, "CREDENTIAL_HELPER", "osxkeychain"}, {Env, "SSH_HOST_KEY", "SHA256:«s64:43»"}, {Env, "GPG_KEY", "«h:40»"}, {Env, "TOKEN_SYMBOL", "USDC"}, {Env, "TOKENS", "usdc,eth"},
		{Env, "PASS_THROUGH", "true"}, {Env, "MULTI_PASS", "2"}, {Env, "SSH_AUTH_SOCK", "/tmp/ssh-Ab3dE9fK2m/agent.123"}, {Env, "SESSION_DRIVER", "redis"}, {Env, "KEYMAP", "vim"},
		{Env, "SSH_KNOWN_HOSTS", "github.com ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAA«s64:44»"}, {Env, "TOKEN_SCOPES", "repo,read:org"}, {Env, "FIGMA_FILE_KEY", "«b62:22»"},
		{Env, "ICON", "data:image/png;base64,«s64:400»"}, {Env, "PWD", "/srv/app"}, {Header, "X-Token-Type", "Bearer"}, {Header, "X-Idempotency-Key", "«uuid»"},

		// Public by design.
		{Env, "STRIPE_KEY", "pk_live_«b62:24»"}, {Env, "CLERK_PUBLISHABLE_KEY", "pk_test_«b62:40»"}, {Env, "SUPABASE_ANON_KEY", "«jwt:anon»"},
		{Env, "SUPABASE_KEY", "«jwt:anon»"}, {Env, "SUPABASE_KEY", "sb_publishable_«u64:31»"}, {Env, "GOOGLE_CLIENT_ID", "«d:12»-«b36:32».apps.googleusercontent.com"},
		{Env, "AUTH0_CLIENT_ID", "«b62:32»"}, {Env, "AZURE_TENANT_ID", "«uuid»"}, {Env, "AZURE_CLIENT_ID", "«uuid»"}, {Env, "GITHUB_CLIENT_ID", "Iv1.«h:16»"},
		{Env, "SPOTIFY_CLIENT_ID", "«h:32»"}, {Env, "POSTHOG_KEY", "phc_«b62:43»"}, {Env, "RECAPTCHA_SITE_KEY", "6L«u64:38»"}, {Env, "MAPBOX", "pk.eyJ1Ijoi«u64:60».«u64:22»"},
		{Env, "VAPID_PUBLIC_KEY", "B«u64:86»"}, {Env, "LANGFUSE_PUBLIC_KEY", "pk-lf-«uuid»"}, {Env, "AGE_RECIPIENT", "age1«b36:58»"},
		{Env, "JWT_PUBLIC_KEY", "-----BEGIN PUBLIC KEY-----\n«s64:64»\n-----END PUBLIC KEY-----"}, {Env, "CA", "-----BEGIN CERTIFICATE-----\n«s64:64»\n«s64:64»\n-----END CERTIFICATE-----"},

		{Env, "VAPID_PUBLIC", "B«u64:86»"}, {Env, "JWKS", `{"kty":"RSA","n":"«u64:342»","e":"AQAB","kid":"«u64:27»"}`}, {Env, "SHEET", "1«u64:43»"}, {Env, "LORA", "acme/Foo-7B-v0.3@«h:40»"},

		// Ids, digests and other long things.
		{Env, "SUPABASE_PROJECT_REF", "«l:20»"}, {Env, "PROJECT_ID", "acme-prod-«d:6»"}, {Env, "NOTION_DATABASE_ID", "«h:32»"}, {Env, "SHEET_ID", "1«u64:43»"},
		{Env, "AIRTABLE_BASE_ID", "app«b62:14»"}, {Env, "SLACK_TEAM_ID", "T0«u:9»"}, {Env, "CHANNEL_ID", "«d:18»"}, {Env, "CHAT_ID", "-100«d:10»"},
		{Env, "COMMIT_SHA", "«h:40»"}, {Env, "IMAGE", "ghcr.io/acme/app@sha256:«h:64»"}, {Env, "CHECKSUM", "sha256-«h:64»"}, {Env, "INTEGRITY", "sha512-«s64:86»=="},
		{Env, "MODEL_HASH", "«h:64»"}, {Env, "VERCEL_PROJECT_ID", "prj_«b62:28»"}, {Env, "OPENAI_ORG_ID", "org-«b62:24»"}, {Env, "PRICE", "price_1N«b62:20»"},
		{Env, "ASSISTANT_ID", "asst_«b62:24»"}, {Env, "SESSION_ID_PREFIX", "abc"}, {Env, "WALLET_ADDRESS", "0x«h:40»"}, {Env, "RELEASE", "app@1.2.3+«h:12»"},
		{Env, "TRACE", "00-«h:32»-«h:16»-01"}, {Env, "UUID", "«uuid»"}, {Env, "INSTANCE", "«uuid»"}, {Env, "ETAG", "«h:32»"},
		{Env, "POD", "api-7f9c6d5b4-x2v9k"}, {Env, "HOST", "ip-10-0-3-17.eu-west-1.compute.internal"}, {Env, "BUCKET", "acme-assets-«b36:12»"},

		// Everyday settings.
		{Env, "LOG_LEVEL", "debug"}, {Env, "PORT", "8080"}, {Env, "AWS_REGION", "eu-central-1"}, {Env, "MODEL", "claude-3-7-sonnet-20250219"}, {Env, "MODEL", "gpt-4o-mini-2024-07-18"},
		{Env, "MODEL", "meta-llama/Llama-3.1-8B-Instruct-q4_K_M.gguf"}, {Env, "MODEL", "sentence-transformers/all-MiniLM-L6-v2"}, {Env, "PATH", "/usr/local/bin:/usr/bin:/bin"},
		{Env, "PYTHONPATH", "F:/Projects/app"}, {Env, "NODE_OPTIONS", "--max-old-space-size=4096"}, {Env, "NODE_OPTIONS", "--require ./preload.cjs"}, {Env, "TZ", "Europe/Berlin"},
		{Env, "LANG", "en_US.UTF-8"}, {Env, "USER_AGENT", "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/124.0.0.0 Safari/537.36"},
		{Env, "ORIGINS", "https://a.acme.dev,https://b.acme.dev"}, {Env, "SCHEDULE", "0 */6 * * *"}, {Env, "EMAIL", "ops@acme.dev"}, {Env, "DRIVER", "{ODBC Driver 18 for SQL Server}"},
		{Env, "TIMEOUT", "30s"}, {Env, "FEATURES", `{"search":true,"limit":10}`}, {Env, "FEATURES", `{"tokens":4096,"key":"title"}`}, {Env, "EMPTY", ""}, {Env, "CSP", "default-src 'self'; img-src *"},
		{Env, "ALLOW", "read_file,write_file,list_directory"}, {Env, "CLASS", "com.acme.security.TokenAuthenticationProviderFactory"}, {Env, "REGEX", `^[a-z0-9]{8,32}$`},
		{Env, "SQL", "SELECT token FROM sessions WHERE key = 'a'"}, {Env, "MESSAGE", "Sign in with your password to go on"}, {Env, "DATE", "2026-01-31T12:00:00Z"},

		// Addresses.
		{Env, "DATABASE_URL", "postgres://app@db.internal:5432/app"}, {Env, "DATABASE_URL", "sqlite:///var/lib/app.db"}, {Env, "CACHE_URL", "redis://cache.internal:6379/0"},
		{Env, "API_URL", "https://api.acme.dev/v1"}, {Env, "API_URL", "http://localhost:3000"}, {Env, "PROXY", "http://127.0.0.1:8080"}, {Env, "REPO", "git@github.com:acme/app.git"},
		{Env, "REPO", "https://github.com/acme/app/commit/«h:40»"}, {Env, "DOC", "https://docs.google.com/spreadsheets/d/1«u64:43»/edit#gid=0"}, {Env, "PAGE", "https://acme.notion.site/Guide-«h:32»"},
		{Env, "LOGIN", "https://login.microsoftonline.com/«uuid»/v2.0"}, {URL, "url", "https://mcp.acme.dev/mcp?lang=en&max_tokens=4096"}, {URL, "url", "https://mcp.acme.dev/mcp?project_ref=«l:20»"},
		{URL, "url", "https://mcp.acme.dev/v1/projects/«uuid»/mcp"}, {URL, "url", "https://mcp.eu.acme.dev:8443/sse"}, {Unknown, "homepage", "https://github.com/acme/mcp-server#readme"},
		{Env, "ENDPOINT", "https://bedrock-runtime.us-east-1.amazonaws.com"}, {Env, "ISSUER", "https://acme.eu.auth0.com/"}, {Env, "PKG", "npm:@acme/tool@1.2.3"}, {Env, "IMAGE", "registry.acme.dev:5000/team/app:1.2"},
		{URL, "url", "https://github.com/krzysztofgrzyb«l:4»/mcp"}, {URL, "url", "https://raw.githubusercontent.com/grzegorz«d:4»xpl/Api-Spec/main/v2.yaml"}, {Arg, "", "git+https://github.com/szczrbk«d:4»gh/x.git"},
		{Env, "TARBALL", "https://registry.npmjs.org/hook-std/-/hook-std-4.0.0.tgz"}, {URL, "url", "https://acme.dev/files/QT_«b62:16».pdf"}, {URL, "url", "https://acme.dev/grzegorzbrzeczyszcz/mcp"},
		{Env, "WEBHOOK_URL", "https://acme.dev/webhook/github"}, {Env, "WEBHOOK_PATH", "/hooks/incoming"},

		// What documents say.
		{Unknown, "description", "Reads your API key from the environment; see https://acme.dev/docs#token for how to get a Bearer token."},
		{Unknown, "description", "Personal access token (classic) with repo scope, for instance from Settings > Developer settings."},
		{Unknown, "description", "Password of the database user. Default: none."}, {Unknown, "name", "Secret Santa"}, {Unknown, "title", "API Key"}, {Unknown, "id", "github-token"},
		{Unknown, "type", "promptString"}, {Unknown, "license", "MIT"}, {Unknown, "publicKey", "MCowBQYDK2VwAyEA«s64:43»="}, {Unknown, "checksum", "sha256-«h:64»"},
		{Unknown, "entry", "code/main.wasm"}, {Unknown, "LICENSE", "sha256-«h:64»"},
	})
}
