package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"

	"github.com/azphalt/submissions/azp"
)

// The keys of the example. None of them is a secret: each is made from a phrase that is published here, so that everyone
// can sign in its name. Never trust one outside of a test.
var (
	author   = publishedKey("author")
	studio   = publishedKey("studio")
	registry = publishedKey("registry")
	stranger = publishedKey("stranger")
)

// The names by which the keys go; they identify nobody.
const (
	authorID   = "example-author"
	studioID   = "example-studio"
	registryID = "example-registry"
)

// publishedKey makes the key of a name.
func publishedKey(name string) azp.PrivateKey {
	seed := sha256.Sum256([]byte("azphalt submissions example, published test key: " + name))
	key, err := azp.PrivateKeyFromSeed(seed[:])
	if err != nil {
		panic(err) // the seed has the right length
	}
	return key
}

// trustStore is the text of the trust store that trusts the registry of the example.
func trustStore() ([]byte, error) {
	store := struct {
		Keys []azp.TrustedKey `json:"keys"`
	}{[]azp.TrustedKey{{
		PublicKey: registry.Public().String(),
		KeyID:     registryID,
		Label:     "Registry of the example (a published test key: never trust it for real)",
	}}}
	return indented(store)
}

// indented writes JSON for people to read.
func indented(v any) ([]byte, error) {
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	err := e.Encode(v)
	return out.Bytes(), err
}
