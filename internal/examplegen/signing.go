package main

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"io"

	"github.com/azphalt/submissions/azp"
)

// reading is a step that writes anew what the package's reader has read.
func reading(how func(p *azp.Package, w io.Writer) error) step {
	return func(archive []byte) ([]byte, error) {
		p, err := azp.Read(context.Background(), bytes.NewReader(archive), int64(len(archive)), azp.Limits{})
		if err != nil {
			return nil, err
		}
		var out bytes.Buffer
		err = how(p, &out)
		return out.Bytes(), err
	}
}

func sign(key azp.PrivateKey, keyID string) step {
	return reading(func(p *azp.Package, w io.Writer) error { return p.Sign(w, key, keyID) })
}

func countersign(key azp.PrivateKey, keyID string) step {
	return reading(func(p *azp.Package, w io.Writer) error { return p.Countersign(w, key, keyID) })
}

// signature is a signature.json.
type signature struct {
	Alg              string          `json:"alg"`
	PublicKey        string          `json:"publicKey"`
	Signature        string          `json:"signature"`
	Countersignature json.RawMessage `json:"countersignature,omitempty"`
}

// signatureOf returns the signature.json of an archive after the given steps.
func signatureOf(archive []byte, steps ...step) (s signature, err error) {
	for _, do := range steps {
		if archive, err = do(archive); err != nil {
			return s, err
		}
	}
	list, err := unpack(archive)
	if err != nil {
		return s, err
	}
	for _, e := range list {
		if e.name == azp.SignatureName {
			err = json.Unmarshal(e.data, &s)
		}
	}
	return s, err
}

// withSignature adds a signature.json to an archive.
func withSignature(archive []byte, s signature) ([]byte, error) {
	text, err := indented(s)
	if err != nil {
		return nil, err
	}
	return add(azp.SignatureName, string(text))(archive)
}

// liftedChain signs as the stranger and puts the registry's counter-signature of the author's key on top.
func liftedChain(archive []byte) ([]byte, error) {
	own, err := signatureOf(archive, sign(stranger, ""))
	if err != nil {
		return nil, err
	}
	other, err := signatureOf(archive, sign(author, ""), countersign(registry, registryID))
	if err != nil {
		return nil, err
	}
	own.Countersignature = other.Countersignature
	return withSignature(archive, own)
}

// lowOrderKey signs with the neutral element of the curve, for which this one signature fits every message.
func lowOrderKey(archive []byte) ([]byte, error) {
	neutral := append([]byte{1}, make([]byte, 31)...)
	spki := author.Public().DER()
	return withSignature(archive, signature{
		Alg:       "ed25519",
		PublicKey: base64.StdEncoding.EncodeToString(append(spki[:len(spki)-len(neutral)], neutral...)),
		Signature: base64.StdEncoding.EncodeToString(append(neutral, make([]byte, 32)...)),
	})
}
