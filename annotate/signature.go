package annotate

import "github.com/azphalt/submissions/finding"

// signature says in a few words who signed p and whether that is trusted, "" for a package without a signature.
func signature(p *finding.Package, fullKey bool) string {
	if !p.Signed {
		return ""
	}
	text := "signed"
	if s := p.Signer; s != nil {
		text += " by key " + keyName(s.PublicKey, fullKey)
		if s.KeyID != "" {
			text += ` ("` + visible(s.KeyID, maxName) + `")`
		}
	}
	t := p.Trust
	switch {
	case t == nil:
		return text
	case t.Trusted && t.Via != "":
		text += ", trusted through key " + keyName(t.Via, fullKey)
	case t.Trusted:
		text += ", trusted"
	default:
		text += ", not trusted"
	}
	if t.Reason != "" {
		text += ": " + visible(t.Reason, maxMessage)
	}
	return text
}

// keyName shortens a public key to its end: all Ed25519 keys begin with the same 16 characters.
func keyName(key string, full bool) string {
	const end = 16
	if n := len(key); !full && n > end {
		return "…" + visible(key[n-end:], maxName)
	}
	return visible(key, maxName)
}
