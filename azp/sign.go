package azp

import (
	"encoding/base64"
	"fmt"
	"io"

	"github.com/azphalt/submissions/internal/jsontree"
)

// Refusal is the error of an operation that a package or folder does not allow. All other errors are about reading and
// writing.
type Refusal struct{ Reason string }

func (r *Refusal) Error() string { return r.Reason }

func refuse(format string, args ...any) error { return &Refusal{fmt.Sprintf(format, args...)} }

// Sign writes the package with a new signature.json: the signer's signature over the stored bytes of manifest.json. A
// signature that is there, with its chain, is replaced. A package with other faults is not signed.
func (p *Package) Sign(w io.Writer, signer Signer, keyID string) error {
	for _, problem := range p.Problems {
		if problem.In != SignatureName && problem.Entry != SignatureName && !tolerated[problem.Code] {
			return refuse("the package has faults, and a signature would vouch for them (%s: %s)", problem.Code, problem.Detail)
		}
	}
	sig, err := signer.Sign(p.Manifest.Text().Bytes())
	if err != nil {
		return fmt.Errorf("signing: %w", err)
	}
	fields := []jsontree.Pair{{Name: "alg", Value: "ed25519"}, {Name: "publicKey", Value: signer.Public().String()}}
	if keyID != "" {
		fields = append(fields, jsontree.Pair{Name: "keyId", Value: keyID})
	}
	fields = append(fields, jsontree.Pair{Name: "signature", Value: base64.StdEncoding.EncodeToString(sig)})
	return p.write(w, append(jsontree.StringifyPairs(fields), '\n'))
}

// Countersign writes the package with one more counter-signature, over the key on top of the chain: the author's, or the
// last counter-signer's. All else in signature.json keeps its value, and the author's signature stays valid.
func (p *Package) Countersign(w io.Writer, signer Signer, keyID string) error {
	switch {
	case !p.Signed:
		return refuse("the package is unsigned: there is no key that a counter-signature could vouch for")
	case p.invalid():
		return refuse("the package is invalid; `azp verify` says why")
	case p.Signature.ChainFault != "":
		return refuse("%s: nothing can be put on top of it", p.Signature.ChainFault)
	case len(p.Signature.Chain) >= MaxHops:
		return refuse("the chain has %d counter-signatures already, as many as there may be", MaxHops)
	}
	doc := p.Text(SignatureName)
	link, vouched := doc.Root(), p.Signature.PublicKey
	for _, cs := range p.Signature.Chain {
		link, vouched = link.Get("countersignature"), cs.PublicKey
	}
	sig, err := signer.Sign(vouched.DER())
	if err != nil {
		return fmt.Errorf("counter-signing: %w", err)
	}
	fields := []jsontree.Pair{
		{Name: "publicKey", Value: signer.Public().String()},
		{Name: "signature", Value: base64.StdEncoding.EncodeToString(sig)},
	}
	if keyID != "" {
		fields = append(fields, jsontree.Pair{Name: "keyId", Value: keyID})
	}
	text, ok := setMember(doc, link, "countersignature", jsontree.StringifyPairs(fields), p.lim.Manifest)
	if !ok {
		return refuse("signature.json would exceed the limit of a package's JSON texts")
	}
	return p.write(w, text)
}

// setMember writes doc anew, as the format writes JSON, with a member of an object set to a value.
func setMember(doc *jsontree.Doc, object jsontree.Value, name string, value []byte, limit int64) ([]byte, bool) {
	text := doc.Text().Bytes()
	_, end := object.Span()
	from, to := end-1, end-1
	insert := append([]byte(`,"`+name+`":`), value...)
	if m, ok := object.Member(name); ok {
		from, to = m.Value.Span()
		insert = value
	}
	spliced := append(append(append([]byte{}, text[:from]...), insert...), text[to:]...)
	again, _ := jsontree.Parse(spliced)
	out, ok := jsontree.Stringify(again.Root(), int(limit), nil)
	return append(out, '\n'), ok
}
