package azp

import (
	"slices"
	"testing"

	"github.com/azphalt/submissions/internal/jsontree"
)

// TestNamesInASignature holds that a name which some parsers take for a known one is refused, at every hop.
func TestNamesInASignature(t *testing.T) {
	doc, _ := jsontree.Parse([]byte(`{"alg":"ed25519","Signature":"","note":"","publicKey":"MCowBQYDK2VwAyEA15cnpIppqmuMUyiuGM/KmjAQc4SGqnLDtz/5YPrUZP8=","signature":"",` +
		`"countersignature":{"publicKey":"","signature":"","ſignature":""}}`))
	_, problems := readSignature(doc, []byte("{}"))
	var got []string
	for _, p := range problems {
		if p.Code == JSONConfusableKey {
			got = append(got, p.Pointer)
		}
	}
	if want := []string{"/Signature", "/countersignature/ſignature"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q: %+v", got, want, problems)
	}
}
