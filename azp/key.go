package azp

import (
	"bytes"
	"crypto/ed25519"
	"crypto/rand"
	"crypto/x509"
	"encoding/base64"
	"encoding/pem"
	"errors"
	"fmt"
	"strings"

	"filippo.io/edwards25519"
)

// PublicKey is an Ed25519 key.
type PublicKey struct{ key ed25519.PublicKey }

// DER returns the key's SubjectPublicKeyInfo.
func (k PublicKey) DER() []byte { return append(bytes.Clone(spkiPrefix), k.key...) }

// String returns the base64 of the DER, by which the format names keys.
func (k PublicKey) String() string { return base64.StdEncoding.EncodeToString(k.DER()) }

// Verify reports whether sig is the key's signature over message. A key of low order fits no signature.
func (k PublicKey) Verify(message, sig []byte) bool {
	return len(sig) == ed25519.SignatureSize && !k.weak() && ed25519.Verify(k.key, message, sig)
}

// weak reports whether the key is no point, not canonically encoded, or of low order. For a key of low order signatures
// can be made that fit every message, by anyone.
func (k PublicKey) weak() bool {
	p, err := new(edwards25519.Point).SetBytes(k.key)
	if err != nil || !bytes.Equal(p.Bytes(), k.key) {
		return true
	}
	return new(edwards25519.Point).MultByCofactor(p).Equal(edwards25519.NewIdentityPoint()) == 1
}

// Errors of reading a key or a signature.
var (
	errKeyType      = errors.New("the key is not an Ed25519 key")
	errKeyUnread    = errors.New("the key is no SubjectPublicKeyInfo")
	errBase64       = errors.New("the text is not base64")
	errNotCanonical = errors.New("the text is not in its one canonical form, so that only lenient readers take it")
)

// decodeBase64 accepts the standard alphabet with padding and without freedom: no white space, no left-over bits.
func decodeBase64(text string) ([]byte, error) {
	out, err := base64.StdEncoding.Strict().DecodeString(text)
	if err != nil || base64.StdEncoding.EncodeToString(out) != text {
		return nil, errBase64
	}
	return out, nil
}

// lenientBase64 decodes as lenient readers do: both alphabets, junk skipped, padding the end, left-over bits dropped.
func lenientBase64(text string) []byte {
	text, _, _ = strings.Cut(text, "=")
	digits := strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '+', r == '/':
			return r
		case r == '-':
			return '+'
		case r == '_':
			return '/'
		default:
			return -1
		}
	}, text)
	if len(digits)%4 == 1 {
		digits = digits[:len(digits)-1]
	}
	out, _ := base64.RawStdEncoding.DecodeString(digits)
	return out
}

// PrivateKey signs.
type PrivateKey struct{ key ed25519.PrivateKey }

// Public returns the public half.
func (k PrivateKey) Public() PublicKey { return PublicKey{k.key.Public().(ed25519.PublicKey)} }

// Sign returns the signature over message.
func (k PrivateKey) Sign(message []byte) ([]byte, error) { return ed25519.Sign(k.key, message), nil }

// NewPrivateKey makes a key from the system's randomness.
func NewPrivateKey() (PrivateKey, error) {
	_, key, err := ed25519.GenerateKey(rand.Reader)
	return PrivateKey{key}, err
}

// PrivateKeyFromSeed returns the key of a 32-byte seed.
func PrivateKeyFromSeed(seed []byte) (PrivateKey, error) {
	if len(seed) != ed25519.SeedSize {
		return PrivateKey{}, fmt.Errorf("the seed has %d bytes, want %d", len(seed), ed25519.SeedSize)
	}
	return PrivateKey{ed25519.NewKeyFromSeed(seed)}, nil
}

// ParsePrivateKey reads a PKCS#8 PEM, as `openssl genpkey -algorithm ed25519` writes it. Errors never hold a part of it.
func ParsePrivateKey(data []byte) (PrivateKey, error) {
	block, rest := pem.Decode(data)
	switch {
	case block == nil:
		return PrivateKey{}, errors.New("no PEM block found: want a PKCS#8 Ed25519 key as `azp keygen` writes it")
	case block.Type == "ENCRYPTED PRIVATE KEY":
		return PrivateKey{}, errors.New("the key is encrypted: decrypt it first, with `openssl pkey`")
	case block.Type != "PRIVATE KEY":
		return PrivateKey{}, errors.New(`the PEM block is not a "PRIVATE KEY": want PKCS#8`)
	case len(bytes.TrimSpace(rest)) > 0:
		return PrivateKey{}, errors.New("something follows the key's PEM block")
	}
	key, err := x509.ParsePKCS8PrivateKey(block.Bytes)
	if err != nil {
		return PrivateKey{}, errors.New("the PEM block holds no readable PKCS#8 key")
	}
	private, ok := key.(ed25519.PrivateKey)
	if !ok {
		return PrivateKey{}, errors.New("the key is not an Ed25519 key")
	}
	return PrivateKey{private}, nil
}

// PEM returns the key as PKCS#8 PEM.
func (k PrivateKey) PEM() ([]byte, error) {
	der, err := x509.MarshalPKCS8PrivateKey(k.key)
	if err != nil {
		return nil, err
	}
	return pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der}), nil
}

// Signer signs with a key that may be out of reach: a file, an environment variable, a KMS or an HSM.
type Signer interface {
	Public() PublicKey
	Sign(message []byte) ([]byte, error)
}
