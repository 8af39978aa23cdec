package roleblock

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
)

// Secret is a text that is compared but never shown.
type Secret string

const hidden = "[secret]"

// Format hides the secret from every verb of package fmt.
func (Secret) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, hidden) }

// MarshalText hides the secret from encoders.
func (Secret) MarshalText() ([]byte, error) { return []byte(hidden), nil }

// UnmarshalText takes the secret as it is.
func (s *Secret) UnmarshalText(text []byte) error {
	*s = Secret(text)
	return nil
}

// Estate is what discovery knows of a deployment beside the tree.
type Estate struct {
	Deployed    []string                     `json:"deployed"`    // roles; empty: all
	Tokens      map[string]map[string]Secret `json:"tokens"`      // owner, key: of source token_store
	Credentials map[string]map[string]Secret `json:"credentials"` // role, key: of source credentials
}

// ReadEstate reads an estate as a JSON object. No error holds anything of what was read but line numbers.
func ReadEstate(r io.Reader) (Estate, error) {
	data, err := io.ReadAll(r)
	if err != nil {
		return Estate{}, fmt.Errorf("estate: %w", err)
	}
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.DisallowUnknownFields()
	var e Estate
	if err := decoder.Decode(&e); err != nil {
		return Estate{}, estateError(data, decoder.InputOffset(), err)
	}
	if _, err := decoder.Token(); err != io.EOF {
		return Estate{}, errors.New("estate: something follows the object")
	}
	return e, nil
}

// estateError says where the file is at fault, and how, in words that hold nothing of it.
func estateError(data []byte, offset int64, err error) error {
	var (
		syntax  *json.SyntaxError
		mistype *json.UnmarshalTypeError
	)
	what := "expected deployed (a list of roles), tokens (owner, key, secret), credentials (role, key, secret) and no more"
	switch {
	case errors.As(err, &syntax):
		offset, what = syntax.Offset, "not JSON"
	case errors.As(err, &mistype):
		offset = mistype.Offset
	}
	line := 1 + bytes.Count(data[:min(offset, int64(len(data)))], []byte("\n"))
	return fmt.Errorf("estate: line %d: %s", line, what)
}

// secret returns what a provider's credential stands for; ok is false where it is absent or blank.
func (e *Estate) secret(provider string, c credential) (secret Secret, ok bool) {
	if c.source == tokenStore {
		secret = e.Tokens[c.owner][c.key]
	} else {
		secret = e.Credentials[provider][c.key]
	}
	secret = Secret(strings.TrimSpace(string(secret)))
	return secret, secret != ""
}

// deployed returns a test for a role's being deployed, nil where all are.
func (e *Estate) deployed() func(role string) bool {
	if len(e.Deployed) == 0 {
		return nil
	}
	set := make(map[string]bool, len(e.Deployed))
	for _, name := range e.Deployed {
		set[name] = true
	}
	return func(role string) bool { return set[role] }
}
