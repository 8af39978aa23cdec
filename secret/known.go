package secret

import (
	"encoding/base64"
	"encoding/json"
	"strings"
)

// isPublic reports whether s is public by design.
func isPublic(s, name string) bool {
	switch {
	case strings.HasSuffix(s, ".apps.googleusercontent.com"):
		return true
	case strings.HasPrefix(s, "pk_live_"), strings.HasPrefix(s, "pk_test_"), strings.HasPrefix(s, "pk_prod_"),
		strings.HasPrefix(s, "pk-lf-"), strings.HasPrefix(s, "pk.eyJ"), strings.HasPrefix(s, "sb_publishable_"),
		strings.HasPrefix(s, "phc_"), strings.HasPrefix(s, "pub-c-"), strings.HasPrefix(s, "sub-c-"),
		strings.HasPrefix(s, "pubkey-"), strings.HasPrefix(s, "xpub6"), strings.HasPrefix(s, "age1"), strings.HasPrefix(s, "FLWPUBK"),
		strings.HasPrefix(s, "ssh-"), strings.HasPrefix(s, "ecdsa-sha2-"),
		strings.HasPrefix(s, "AAAAB3NzaC1"), strings.HasPrefix(s, "AAAAC3NzaC1"), strings.HasPrefix(s, "AAAAE2VjZHNh"):
		return true
	}
	return strings.HasPrefix(s, "eyJ") && (anonymous(s) || roleOf(name) == nothing && !privileged(s))
}

// isResource reports whether s is the id of a thing, by the prefix and length that its service gives to ids of that kind.
func isResource(s string) bool {
	switch len(s) {
	case 17: // Airtable
		switch s[:3] {
		case "app", "tbl", "viw", "rec", "fld", "wsp", "usr", "itf", "wfl":
			return strings.IndexFunc(s, func(r rune) bool { return !wordByte(byte(r)) || r == '_' }) < 0
		}
	case 27: // a place of Google
		return strings.HasPrefix(s, "ChIJ")
	case 34: // Twilio, but for its keys
		return s[:2] != "SK" && kindOf[s[0]] == upper && kindOf[s[1]] == upper && textureOf(s[2:]).hexadecimal()
	case 33, 43, 44, 46: // a file of Google, a Solana address, or an IPFS name
		if len(s) == 33 || len(s) == 44 && s[0] == '1' && !isBase58(s) {
			return s[0] == '1' && strings.IndexFunc(s, func(r rune) bool { return !wordByte(byte(r)) && r != '-' }) < 0
		}
		if len(s) == 46 && !strings.HasPrefix(s, "Qm") {
			return false
		}
		return isBase58(s)
	}
	prefix, rest, ok := strings.Cut(s, "_")
	if !ok {
		prefix, rest, ok = strings.Cut(s, "-")
	}
	if !ok || strings.ContainsAny(rest, " ./:=") {
		return false
	}
	switch prefix {
	case "price", "prod", "plan", "acct", "cus", "sub", "pi", "ch", "evt", "we", "org", "proj", "asst", "thread", "file",
		"vs", "team", "prj", "dpl", "usr", "user", "ws", "inst", "conn", "i", "vpc", "subnet", "sg", "vol", "ami", "eni":
		return true
	}
	return false
}

// isBase58 reports whether s is spelled in the letters and digits that look like no others.
func isBase58(s string) bool {
	for i := range len(s) {
		if kindOf[s[i]] == other || strings.IndexByte("0OIl", s[i]) >= 0 {
			return false
		}
	}
	return true
}

// anonymous reports whether s is a JWT for everybody, such as the anonymous key of a Supabase project.
func anonymous(s string) bool { return jwtRole(s) == "anon" }

// privileged reports whether s is a JWT with a role that only servers have.
func privileged(s string) bool { return jwtRole(s) == "service_role" }

// jwtRole returns the role that a JWT claims.
func jwtRole(s string) string {
	parts := strings.SplitN(s, ".", 4)
	if len(parts) != 3 || len(parts[1]) > 4<<10 {
		return ""
	}
	payload, err := base64.RawURLEncoding.DecodeString(strings.TrimRight(parts[1], "="))
	if err != nil {
		return ""
	}
	var claims struct {
		Role string `json:"role"`
	}
	if json.Unmarshal(payload, &claims) != nil {
		return ""
	}
	return claims.Role
}

// isSwitch reports whether s chooses a way to authenticate instead of doing so.
func isSwitch(s string) bool {
	if len(s) > 12 {
		return false
	}
	switch strings.ToLower(s) {
	case "true", "false", "yes", "no", "on", "off", "auto", "oauth", "oauth2", "basic", "bearer", "jwt",
		"keychain", "keyring", "stdin", "prompt", "file", "env", "required", "optional", "enabled", "disabled",
		"inherit":
		return true
	}
	return false
}

// isNumber reports whether s is a short number.
func isNumber(s string) bool {
	if len(s) > 12 {
		return false
	}
	for i := range len(s) {
		if kindOf[s[i]] != digit && s[i] != '.' && s[i] != '-' {
			return false
		}
	}
	return true
}

// isPath reports whether s names a file.
func isPath(s string) bool {
	switch {
	case strings.HasPrefix(s, "/") && strings.Count(s, "/") > 1 && !strings.ContainsAny(s, "+=") && !drawn(s),
		strings.HasPrefix(s, "~/"), strings.HasPrefix(s, "./"), strings.HasPrefix(s, "../"),
		len(s) > 2 && s[1] == ':' && (s[2] == '\\' || s[2] == '/') && kindOf[fold(s[0])] == lower:
		return true
	}
	i := strings.LastIndexByte(s, '.')
	if i < 1 || len(s)-i > 6 {
		return false
	}
	switch strings.ToLower(s[i+1:]) {
	case "json", "pem", "key", "crt", "cer", "cert", "p12", "pfx", "jks", "txt", "env", "yaml", "yml", "toml",
		"ini", "conf", "cfg", "js", "mjs", "cjs", "ts", "py", "sh", "md", "sock", "db", "pub", "asc", "gpg",
		"kdbx":
		return true
	}
	return false
}

// harmless reports whether s has the form of something that is no credential however it looks: a digest, an address, a
// resource name, an e-mail address.
func harmless(s string) bool {
	switch {
	case isDigest(s):
		return true
	case len(s) == 42 && s[:2] == "0x" && textureOf(s[2:]).hexadecimal(): // the address of an account or a contract
		return true
	case strings.HasPrefix(s, "arn:"), strings.HasPrefix(s, "urn:"), strings.HasPrefix(s, "did:"),
		strings.HasPrefix(s, "projects/"), strings.HasPrefix(s, "data:"):
		return true
	case strings.Contains(s, "://"):
		return true
	}
	if at := strings.IndexByte(s, '@'); at > 0 {
		host := s[at+1:]
		return strings.IndexByte(host, '.') > 0 && !strings.ContainsAny(s, ":/ ") && wordy(host) && wordy(s[:at])
	}
	return false
}

// isDigest reports whether s is a digest that names its algorithm.
func isDigest(s string) bool {
	if i := strings.IndexAny(s, ":-"); i > 0 && i < 8 {
		switch strings.ToLower(s[:i]) {
		case "sha1", "sha256", "sha384", "sha512", "md5", "h1", "blake2", "blake3":
			return true
		}
	}
	return false
}
