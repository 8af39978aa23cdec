// Package registry is what a registry keeps about the packages that it admitted: a signed record of each version, and who
// each id belongs to.
package registry

import (
	"context"
	"crypto"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"strings"

	"github.com/secure-systems-lab/go-securesystemslib/dsse"

	"github.com/azphalt/submissions/azp"
)

// The types of a record: an in-toto Statement (in-toto attestation, v1) in a DSSE envelope.
const (
	StatementType = "https://in-toto.io/Statement/v1"
	PredicateType = "https://github.com/azphalt/submissions/admission/v1"
	PayloadType   = "application/vnd.in-toto+json"
)

// Statement says that the registry admitted a package.
type Statement struct {
	Type          string    `json:"_type"`
	Subject       []Subject `json:"subject"` // the package as it is published
	PredicateType string    `json:"predicateType"`
	Predicate     Admission `json:"predicate"`
}

// Subject is an artifact by its digest.
type Subject struct {
	Name   string            `json:"name"`
	Digest map[string]string `json:"digest"` // "sha256": hex
}

// Admission is why a version is in the registry.
type Admission struct {
	ID          string `json:"id"`
	Version     string `json:"version"`
	Submitted   string `json:"submittedDigest"` // of the archive as submitted, or as packed from a source folder before it was signed
	Publisher   Owner  `json:"publisher"`
	Repository  string `json:"repository"`
	PullRequest int    `json:"pullRequest"`
	Head        string `json:"headCommit"`
	Base        string `json:"baseCommit"`
	Rules       string `json:"rulesVersion"`
	Report      string `json:"reportDigest"` // of the JSON report
}

// Owner is who an id belongs to: the key that signed its first version or, where the registry signed that, an account.
type Owner struct {
	PublicKey string `json:"publicKey,omitempty"` // base64 of the SPKI DER
	KeyID     string `json:"keyId,omitempty"`
	GitHubID  int64  `json:"githubId,omitempty"`
	Login     string `json:"login,omitempty"` // as it was then
}

// PackagesPath is where packages lie below the registry's folder that have no place among the submissions, in a folder for
// each id.
const PackagesPath = "packages"

// RecordPath is where the record of a version lies below the registry's folder.
func RecordPath(id, version string) string { return path.Join("records", id, version+".json") }

// NewStatement returns the statement about a package with the digest that it is published with.
func NewStatement(name string, published azp.Digest, a Admission) Statement {
	sum := strings.TrimPrefix(published.String(), azp.DigestPrefix)
	return Statement{Type: StatementType, Subject: []Subject{{Name: name, Digest: map[string]string{"sha256": sum}}}, PredicateType: PredicateType, Predicate: a}
}

// Seal signs a statement with the registry's key.
func Seal(ctx context.Context, s Statement, key azp.Signer, keyID string) ([]byte, error) {
	payload, err := json.Marshal(s)
	if err != nil {
		return nil, err
	}
	signer, err := dsse.NewEnvelopeSigner(envelopeKey{key, keyID})
	if err != nil {
		return nil, err
	}
	envelope, err := signer.SignPayload(ctx, PayloadType, payload)
	if err != nil {
		return nil, fmt.Errorf("signing the record: %w", err)
	}
	text, err := json.MarshalIndent(envelope, "", "  ")
	return append(text, '\n'), err
}

// Read reads a record without verifying it.
func Read(text []byte) (Statement, error) {
	var e dsse.Envelope
	if err := json.Unmarshal(text, &e); err != nil {
		return Statement{}, fmt.Errorf("the record is no DSSE envelope: %w", err)
	}
	payload, err := e.DecodeB64Payload()
	if err != nil {
		return Statement{}, fmt.Errorf("the record's payload is not base64: %w", err)
	}
	return statement(e.PayloadType, payload)
}

// Open verifies a record against the registry's key and reads it.
func Open(ctx context.Context, text []byte, key azp.PublicKey) (Statement, error) {
	var e dsse.Envelope
	if err := json.Unmarshal(text, &e); err != nil {
		return Statement{}, fmt.Errorf("the record is no DSSE envelope: %w", err)
	}
	verifier, err := dsse.NewEnvelopeVerifier(verifyingKey{key})
	if err != nil {
		return Statement{}, err
	}
	_, payload, err := verifier.VerifyAndDecode(ctx, &e)
	if err != nil {
		return Statement{}, fmt.Errorf("the record is not signed by this key: %w", err)
	}
	return statement(e.PayloadType, payload)
}

func statement(payloadType string, payload []byte) (Statement, error) {
	var s Statement
	if payloadType != PayloadType {
		return s, fmt.Errorf("the record's payload is %q", payloadType)
	}
	if err := json.Unmarshal(payload, &s); err != nil {
		return s, fmt.Errorf("the record's statement is not JSON: %w", err)
	}
	if s.Type != StatementType || s.PredicateType != PredicateType || len(s.Subject) != 1 {
		return s, errors.New("the record is no statement about an admission")
	}
	return s, nil
}

// envelopeKey signs envelopes.
type envelopeKey struct {
	azp.Signer
	id string
}

func (k envelopeKey) Sign(_ context.Context, data []byte) ([]byte, error) { return k.Signer.Sign(data) }
func (k envelopeKey) KeyID() (string, error) {
	if k.id != "" {
		return k.id, nil
	}
	return Fingerprint(k.Public()), nil
}

// verifyingKey verifies envelopes, whatever key id they name: an id is no identity.
type verifyingKey struct{ key azp.PublicKey }

func (k verifyingKey) Verify(_ context.Context, data, sig []byte) error {
	if !k.key.Verify(data, sig) {
		return errors.New("the signature does not verify")
	}
	return nil
}
func (k verifyingKey) KeyID() (string, error) { return "", nil }

// Public returns nothing: the library wants it for keys of its own types alone.
func (k verifyingKey) Public() crypto.PublicKey { return nil }

// Fingerprint is a short name of a key: the SHA-256 of its DER, in hex.
func Fingerprint(k azp.PublicKey) string {
	sum := sha256.Sum256(k.DER())
	return hex.EncodeToString(sum[:])
}
