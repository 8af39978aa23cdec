package azp

import (
	"bytes"
	"crypto/ed25519"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/asn1"
	"errors"
)

// spkiPrefix is the DER of a SubjectPublicKeyInfo for Ed25519 up to the key itself (RFC 8410, section 4). The encoding
// has no freedom: every such key has exactly these bytes before it.
var spkiPrefix = []byte{0x30, 0x2a, 0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x70, 0x03, 0x21, 0x00}

// ParsePublicKey reads the base64 of the SPKI DER of an Ed25519 key.
func ParsePublicKey(text string) (PublicKey, error) {
	k, err := parsePublicKey(text)
	switch {
	case err != nil:
		return PublicKey{}, err
	case k.weak():
		return PublicKey{}, errors.New("the key is of low order: anyone could sign in its name")
	default:
		return k, nil
	}
}

// parsePublicKey reads the base64 of an SPKI DER, strictly. With errNotCanonical it returns the key that lenient readers
// take the text for.
func parsePublicKey(text string) (PublicKey, error) {
	der, err := decodeBase64(text)
	if err != nil {
		if k, ok := lenientKey(lenientBase64(text)); ok {
			return k, errNotCanonical
		}
		return PublicKey{}, err
	}
	if len(der) == len(spkiPrefix)+ed25519.PublicKeySize && bytes.HasPrefix(der, spkiPrefix) {
		return PublicKey{der[len(spkiPrefix):]}, nil
	}
	if k, ok := lenientKey(der); ok {
		return k, errNotCanonical
	}
	if isOtherKey(der) {
		return PublicKey{}, errKeyType
	}
	return PublicKey{}, errKeyUnread
}

// Tags of ASN.1, as the first byte of an element.
const (
	tagSequence  = 0x30
	tagObjectID  = 0x06
	tagBitString = 0x03
)

// lenientKey reads what lenient readers take for the SPKI of an Ed25519 key: with lengths that take more bytes than they
// need, bytes that follow the structure, or bits that are said to be unused.
func lenientKey(der []byte) (PublicKey, bool) {
	spki := takeElement(&der, tagSequence)
	algorithm := takeElement(&spki, tagSequence)
	id, bits := takeElement(&algorithm, tagObjectID), takeElement(&spki, tagBitString)
	if !bytes.Equal(id, spkiPrefix[6:9]) || len(algorithm) > 0 || len(spki) > 0 || len(bits) != 1+ed25519.PublicKeySize || bits[0] > 7 {
		return PublicKey{}, false
	}
	key := bytes.Clone(bits[1:])
	key[len(key)-1] &= 0xff << bits[0]
	return PublicKey{key}, true
}

// takeElement cuts the element that data starts with off it and returns its content; nothing is left of data, and nothing
// returned, where that is no whole element of the tag.
func takeElement(data *[]byte, tag byte) []byte {
	rest := *data
	*data = nil
	if len(rest) < 2 || rest[0] != tag {
		return nil
	}
	length, rest := int(rest[1]), rest[2:]
	if length >= 0x80 {
		digits := length & 0x7f
		if digits > len(rest) {
			return nil
		}
		length = 0
		for _, d := range rest[:digits] {
			if length = length<<8 | int(d); length > len(rest) {
				return nil
			}
		}
		rest = rest[digits:]
	}
	if length > len(rest) {
		return nil
	}
	*data = rest[length:]
	return rest[:length]
}

// otherKeys are the kinds of keys that the standard library does not read, with the length of the key in bits, 0 where it
// is not fixed (RFC 4055, 3279, 2631, 8410; elliptic curves are read on the curves of NIST alone).
var otherKeys = []struct {
	algorithm asn1.ObjectIdentifier
	bits      int
}{
	{asn1.ObjectIdentifier{1, 2, 840, 113549, 1, 1, 10}, 0}, // RSA-PSS
	{asn1.ObjectIdentifier{1, 2, 840, 10045, 2, 1}, 0},      // elliptic curves
	{asn1.ObjectIdentifier{1, 2, 840, 113549, 1, 3, 1}, 0},  // Diffie-Hellman
	{asn1.ObjectIdentifier{1, 2, 840, 10046, 2, 1}, 0},      // Diffie-Hellman, X9.42
	{asn1.ObjectIdentifier{1, 3, 101, 111}, 448},            // X448
	{asn1.ObjectIdentifier{1, 3, 101, 113}, 456},            // Ed448
}

// isOtherKey reports whether the bytes are the SPKI of a key of another kind.
func isOtherKey(der []byte) bool {
	if key, err := x509.ParsePKIXPublicKey(der); err == nil {
		_, same := key.(ed25519.PublicKey) // in a structure that has something more at its end
		return !same
	}
	var spki struct {
		Algorithm pkix.AlgorithmIdentifier
		Key       asn1.BitString
	}
	if _, err := asn1.Unmarshal(der, &spki); err != nil {
		return false
	}
	for _, k := range otherKeys {
		if k.algorithm.Equal(spki.Algorithm.Algorithm) {
			return k.bits == 0 || k.bits == spki.Key.BitLength
		}
	}
	return false
}
