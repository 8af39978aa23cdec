package azp

import (
	"bytes"
	"crypto/ed25519"
	"errors"
	"fmt"
	"slices"

	"github.com/azphalt/submissions/internal/jsontree"
	"github.com/azphalt/submissions/internal/source"
	"github.com/go-json-experiment/json/jsontext"
)

// MaxHops is the number of counter-signatures that a chain may have.
const MaxHops = 10

// Signature is a signature.json that has been read.
type Signature struct {
	PublicKey PublicKey
	KeyID     string
	// Chain are the counter-signatures from the one over the author's key up.
	Chain []Countersignature
	// ChainFault says why the chain ends before its end in the file; "" where it does not. The link with the fault is not
	// in Chain.
	ChainFault string
}

// Countersignature vouches for the key below it: it verifies over that key's DER.
type Countersignature struct {
	PublicKey PublicKey
	KeyID     string
}

// readSignature checks a signature.json over the stored bytes of the manifest. The signature is nil where it has no
// readable key.
func readSignature(doc *jsontree.Doc, manifest []byte) (*Signature, []Problem) {
	r := signatureReader{doc: doc}
	sig := r.read(manifest)
	return sig, r.problems
}

type signatureReader struct {
	doc      *jsontree.Doc
	problems []Problem
}

func (r *signatureReader) fault(code Code, at jsontree.Value, format string, args ...any) {
	r.problems = append(r.problems, problem(code, "", format, args...).at(SignatureName, at))
}

func (r *signatureReader) read(manifest []byte) *Signature {
	root := r.doc.Root()
	if !root.Is(jsontree.Object) {
		r.fault(SignatureMalformed, root, "signature.json holds %s; want an object with alg, publicKey and signature", root.Kind())
		return nil
	}
	r.names(root, "alg", "publicKey", "keyId", "signature", "countersignature")
	alg, key, sig := root.Get("alg"), root.Get("publicKey"), root.Get("signature")
	if alg.Str() != "ed25519" {
		r.fault(SignatureMalformed, orRoot(alg, root), `"alg" has to be "ed25519"`)
	}
	if !key.Is(jsontree.String) {
		r.fault(SignatureMalformed, orRoot(key, root), `"publicKey" has to be a string of base64`)
	}
	if !sig.Is(jsontree.String) {
		r.fault(SignatureMalformed, orRoot(sig, root), `"signature" has to be a string of base64`)
	}
	if !key.Is(jsontree.String) {
		return nil
	}
	public, err := parsePublicKey(key.Str())
	if err != nil {
		r.fault(keyCode(err), key, "publicKey: %s", err)
	}
	readable := err == nil || errors.Is(err, errNotCanonical)
	if readable && alg.Str() == "ed25519" && sig.Is(jsontree.String) {
		r.verify(public, sig, manifest)
	}
	if err != nil {
		return nil
	}
	s := &Signature{PublicKey: public, KeyID: root.Get("keyId").Str()}
	r.readChain(s, root)
	return s
}

// maxFolded is the length up to which a name can be taken for a known one.
const maxFolded = 64

// names reports names that some parsers take for a known one.
func (r *signatureReader) names(object jsontree.Value, known ...string) {
	for m := range object.Members() {
		name := m.Name()
		if slices.Contains(known, name) || len(name) > maxFolded {
			continue
		}
		folded := jsontree.FoldName(name)
		if i := slices.IndexFunc(known, func(k string) bool { return jsontree.FoldName(k) == folded }); i >= 0 {
			r.fault(JSONConfusableKey, m.Key, "the key %s is not %q, but some parsers take it for that", source.Quote(name), known[i])
		}
	}
}

func orRoot(v, root jsontree.Value) jsontree.Value {
	if v.Exists() {
		return v
	}
	return root
}

// keyCode tells a key of another kind from one that can't be read, and from one that only some can read.
func keyCode(err error) Code {
	switch {
	case errors.Is(err, errKeyType):
		return SignatureKeyType
	case errors.Is(err, errNotCanonical):
		return NotCanonical
	default:
		return SignatureUnreadable
	}
}

// verify checks the author's signature, which is over the exact bytes of manifest.json.
func (r *signatureReader) verify(key PublicKey, sig jsontree.Value, manifest []byte) {
	raw, err := decodeBase64(sig.Str())
	switch {
	case err != nil && key.Verify(manifest, lenientBase64(sig.Str())):
		r.fault(NotCanonical, sig, "the signature: %s", errNotCanonical)
	case err != nil:
		r.fault(SignatureInvalid, sig, "the signature is not base64")
	case key.weak():
		r.fault(SignatureInvalid, sig, "the key is no point of the curve or of low order, for which anyone can make a signature")
	case len(raw) != ed25519.SignatureSize:
		r.fault(SignatureInvalid, sig, "the signature has %d bytes; an Ed25519 signature has %d", len(raw), ed25519.SignatureSize)
	case !key.Verify(manifest, raw):
		r.fault(SignatureInvalid, sig, "the signature does not verify over manifest.json as stored%s", signedInstead(key, raw, manifest))
	}
}

// signedInstead finds out whether other bytes of the same manifest were signed: what people sign by mistake.
func signedInstead(key PublicKey, sig, manifest []byte) string {
	compact := jsontext.Value(bytes.Clone(manifest))
	forms := []struct {
		words string
		bytes func() []byte
	}{
		{"without its final newline", func() []byte { return bytes.TrimSuffix(manifest, []byte("\n")) }},
		{"with a final newline", func() []byte { return append(bytes.Clone(manifest), '\n') }},
		{"with LF line ends", func() []byte { return bytes.ReplaceAll(manifest, []byte("\r\n"), []byte("\n")) }},
		{"with CR LF line ends", func() []byte {
			return bytes.ReplaceAll(bytes.ReplaceAll(manifest, []byte("\r\n"), []byte("\n")), []byte("\n"), []byte("\r\n"))
		}},
		{"in compact form, without white space", func() []byte {
			if compact.Compact() != nil {
				return nil
			}
			return compact
		}},
		{"in compact form with a final newline", func() []byte { return append(bytes.Clone(compact), '\n') }},
	}
	for _, f := range forms {
		if b := f.bytes(); b != nil && key.Verify(b, sig) {
			return "; it verifies over the same manifest " + f.words + ": sign the stored bytes"
		}
	}
	return ""
}

// readChain follows the counter-signatures up. Whatever reads as absent (null, false, "") ends the chain.
func (r *signatureReader) readChain(s *Signature, link jsontree.Value) {
	below := s.PublicKey
	for hop := 1; ; hop++ {
		link = link.Get("countersignature")
		if link.Empty() {
			return
		}
		if hop > MaxHops {
			s.ChainFault = fmt.Sprintf("the chain has more than %d counter-signatures", MaxHops)
			r.fault(ChainInvalid, link, "%s; what is above is not looked at", s.ChainFault)
			return
		}
		cs, fault := r.readHop(link, below)
		if fault != "" {
			s.ChainFault = fmt.Sprintf("the counter-signature at hop %d %s", hop, fault)
			r.fault(ChainInvalid, link, "%s: nothing above it counts", s.ChainFault)
			return
		}
		s.Chain = append(s.Chain, cs)
		below = cs.PublicKey
	}
}

// readHop reads one counter-signature over the key below; fault says what is wrong with it.
func (r *signatureReader) readHop(link jsontree.Value, below PublicKey) (cs Countersignature, fault string) {
	r.names(link, "publicKey", "keyId", "signature", "countersignature")
	key, sig := link.Get("publicKey"), link.Get("signature")
	if !key.Is(jsontree.String) || !sig.Is(jsontree.String) {
		return cs, "is malformed"
	}
	public, err := parsePublicKey(key.Str())
	if errors.Is(err, errNotCanonical) {
		r.fault(NotCanonical, key, "the counter-signer's key: %s", errNotCanonical)
	}
	if err != nil {
		return cs, "has no readable Ed25519 key"
	}
	raw, err := decodeBase64(sig.Str())
	if err != nil && public.Verify(below.DER(), lenientBase64(sig.Str())) {
		r.fault(NotCanonical, sig, "the counter-signature: %s", errNotCanonical)
	}
	if err != nil || !public.Verify(below.DER(), raw) {
		return cs, "does not verify over the key below it"
	}
	return Countersignature{PublicKey: public, KeyID: link.Get("keyId").Str()}, ""
}
