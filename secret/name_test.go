package secret

import (
	"strings"
	"testing"
)

func TestCredentialName(t *testing.T) {
	for name, want := range map[string]bool{
		"GITHUB_TOKEN": true, "API_KEY": true, "apiKey": true, "APIKey": true, "apikey": true, "X-Api-Key": true, "x-goog-api-key": true,
		"DB_PASS": true, "DB_PASSWORD": true, "PGPASS": true, "PGPASSWORD": true, "GPG_PASSPHRASE": true, "MYSQL_PWD": true, "GH_PAT": true,
		"AZURE_DEVOPS_EXT_PAT": true, "AUTH": true, "JWT": true, "JWT_SECRET": true, "Authorization": true, "Proxy-Authorization": true,
		"CLIENT_SECRET": true, "clientSecret": true, "AWS_SECRET_ACCESS_KEY": true, "PRIVATE_KEY": true, "ENCRYPTION_KEY": true, "KEY": true,
		"STRIPE_KEY": true, "API_KEY_PROD": true, "API_KEY_2": true, "KEY1": true, "TOKEN_VALUE": true, "API_KEY_OPENAI": true, "PASSWORD_SMTP": true,
		"--token": true, "--api-key": true, "-password": true, "access_token": true, "session": true, "SESSION_ID": true, "Cookie": true,
		"GOOGLE_CREDENTIALS": true, "BOT_TOKEN": true, "githubtoken": true, "dbpassword": true, "SUPABASE_SERVICE_ROLE_KEY": true,
		"TELEGRAM_API_HASH": true, "SEED_PHRASE": true, "MNEMONIC": true, "exaApiKey": true, "_authToken": true, "INPUT_GITHUB_TOKEN": true,

		"PASSENGER_LIMIT": false, "PASSENGERS": false, "COMPASS": false, "AUTHOR": false, "X-Author-Email": false, "X-Authority": false,
		"OAUTH_ISSUER": false, "AUTHN_MODE": false, "KEYBOARD": false, "KEYBOARD_LAYOUT": false, "MONKEY_PATCH": false, "KEYCLOAK_URL": false,
		"CACHE_KEY": false, "KEY_PREFIX": false, "PUBLIC_KEY": false, "STRIPE_PUBLISHABLE_KEY": false, "SUPABASE_ANON_KEY": false, "SSH_KEY_PATH": false,
		"LLM_SECRET_NAME": false, "TOKEN_ENDPOINT": false, "TOKEN_URL": false, "MAX_TOKENS": false, "max_tokens": false, "TOKENIZERS_PARALLELISM": false,
		"INPUT_COST_PER_TOKEN": false, "NUM_SPECULATIVE_TOKENS": false, "EOS_TOKEN": false, "PASSWORD_MIN_LENGTH": false, "HOTKEY": false,
		"KEYSPACE": false, "SEARCH_KEYWORDS": false, "KMS_KEY_ARN": false, "SECRET_VERSION": false, "AUTH_TYPE": false,
		"USE_TOKEN": false, "REQUIRE_AUTH": false, "--api-key-file": false, "--password-stdin": false, "CREDENTIAL_HELPER": false, "SSH_HOST_KEY": false,
		"TWILIO_ACCOUNT_SID": false, "JIRA_PROJECT_KEY": false, "X-Idempotency-Key": false, "GPG_KEY": false, "": false, "___": false, "PATH": false,
		"LOG_LEVEL": false, "description": false,
	} {
		if CredentialName(name) != want {
			t.Errorf("%q: got %v", name, !want)
		}
	}
}

func TestInputID(t *testing.T) {
	for name, want := range map[string]string{
		"GITHUB_TOKEN": "github-token", "apiKey": "api-key", "APIKey": "api-key", "X-Api-Key": "api-key", "--figma-api-key": "figma-api-key",
		"CONTEXT7_API_KEY": "context7-api-key", "KEY_2": "key-2", "Authorization": "authorization", "": "credential", "…": "credential",
		strings.Repeat("LONG_", 20) + "KEY": strings.Repeat("long-", 12) + "long",
	} {
		if got := InputID(name); got != want {
			t.Errorf("%q: got %q, want %q", name, got, want)
		}
	}
}
