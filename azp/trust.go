package azp

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/azphalt/submissions/internal/jsontree"
)

// TrustStore is the set of keys that someone trusts.
type TrustStore struct {
	keys map[string]TrustedKey
	// Malformed says that the text is no trust store: then nothing is trusted.
	Malformed bool
}

// TrustedKey is a key of a trust store. The key alone counts; the names are for people.
type TrustedKey struct {
	PublicKey string `json:"publicKey" yaml:"publicKey"` // base64 of the SPKI DER
	KeyID     string `json:"keyId,omitempty" yaml:"keyId"`
	Label     string `json:"label,omitempty" yaml:"label"`
}

// NewTrustStore returns the store of the given keys. Keys that are none, or that could never match one, are left out.
func NewTrustStore(keys ...TrustedKey) TrustStore {
	s := TrustStore{keys: map[string]TrustedKey{}}
	for _, k := range keys {
		if key, err := ParsePublicKey(k.PublicKey); err == nil {
			s.keys[key.String()] = k
		}
	}
	return s
}

// ParseTrustStore reads `{"keys":[{"publicKey":"…","keyId":"…","label":"…"}]}`. Only a text that is not JSON is an error:
// a store of another shape trusts nobody.
func ParseTrustStore(data []byte) (TrustStore, error) {
	doc, problems := jsontree.Parse(data)
	if !doc.Root().Exists() {
		line, column := doc.Text().Position(problems[0].Start)
		return TrustStore{}, fmt.Errorf("the trust store is not JSON (line %d, column %d): %s", line, column, problems[0].Detail)
	}
	list := doc.Root().Get("keys")
	if !list.Is(jsontree.Array) || len(problems) > 0 {
		return TrustStore{Malformed: true}, nil
	}
	var keys []TrustedKey
	for _, k := range list.Elements() {
		keys = append(keys, TrustedKey{PublicKey: k.Get("publicKey").Str(), KeyID: k.Get("keyId").Str(), Label: k.Get("label").Str()})
	}
	return NewTrustStore(keys...), nil
}

// Join returns a store that trusts what either trusts. Where one is malformed, the result is.
func (s TrustStore) Join(other TrustStore) TrustStore {
	joined := TrustStore{keys: maps.Clone(s.keys), Malformed: s.Malformed || other.Malformed}
	maps.Copy(joined.keys, other.keys)
	return joined
}

// Keys returns the keys of the store, in order.
func (s TrustStore) Keys() []TrustedKey {
	return slices.SortedFunc(maps.Values(s.keys), func(a, b TrustedKey) int { return strings.Compare(a.PublicKey, b.PublicKey) })
}

// Lookup returns the entry of a key.
func (s TrustStore) Lookup(k PublicKey) (TrustedKey, bool) {
	t, ok := s.keys[k.String()]
	return t, ok
}

// Trust says whether a signer is trusted, and why.
type Trust struct {
	Trusted bool
	Reason  string
	// Via is the trusted counter-signer, where trust comes through one.
	Via *PublicKey
}

// Judge decides whether the signer of a valid package is trusted: its key is in the store, or one up the chain is and
// every counter-signature down to the signer verifies.
func (s TrustStore) Judge(p *Package) Trust {
	switch {
	case !p.Signed:
		return Trust{Reason: "the package is unsigned"}
	case p.invalid():
		return Trust{Reason: "the package is invalid"}
	case s.Malformed:
		return Trust{Reason: "the trust store is malformed: it has no list of keys"}
	}
	sig := p.Signature
	if _, ok := s.Lookup(sig.PublicKey); ok {
		return Trust{Trusted: true, Reason: "the signer's key is in the trust store"}
	}
	for i, cs := range sig.Chain {
		if _, ok := s.Lookup(cs.PublicKey); ok {
			reason := "the signer's key is counter-signed by a trusted key"
			if i > 0 {
				reason = fmt.Sprintf("the signer's key is counter-signed by a trusted key, %d hops up", i+1)
			}
			return Trust{Trusted: true, Reason: reason, Via: &cs.PublicKey}
		}
	}
	switch {
	case sig.ChainFault != "":
		return Trust{Reason: sig.ChainFault}
	case len(sig.Chain) > 0:
		return Trust{Reason: "neither the signer's key nor one of its counter-signers' is in the trust store"}
	default:
		return Trust{Reason: "the signer's key is not in the trust store"}
	}
}

// tolerated are the problems that leave a package valid.
var tolerated = map[Code]bool{ChainInvalid: true, JSONDeep: true, NotPortable: true}

// invalid reports whether the package has a fault that makes it worthless.
func (p *Package) invalid() bool {
	for _, problem := range p.Problems {
		if !tolerated[problem.Code] {
			return true
		}
	}
	return p.Signed && p.Signature == nil
}
