package azp

import (
	"encoding/base64"
	"encoding/hex"
	"errors"
	"strings"
	"testing"
)

func TestParsePublicKeyForms(t *testing.T) {
	public := seedKey(t, strings.Repeat("07", 32)).Public()
	key := hex.EncodeToString(public.DER()[len(spkiPrefix):])
	for name, c := range map[string]struct {
		der  string
		want error
	}{
		"as it has to be":              {"302a300506032b6570032100" + key, nil},
		"length of two bytes":          {"30812a300506032b6570032100" + key, errNotCanonical},
		"length of five bytes":         {"30840000002a300506032b6570032100" + key, errNotCanonical},
		"inner length of two bytes":    {"302b300506032b657003812100" + key, errNotCanonical},
		"byte after the structure":     {"302a300506032b6570032100" + key + "00", errNotCanonical},
		"unused bits":                  {"302a300506032b6570032101" + key, errNotCanonical},
		"more unused bits than a byte": {"302a300506032b6570032108" + key, errKeyUnread},
		"byte inside the structure":    {"302b300506032b6570032100" + key + "00", errKeyUnread},
		"parameters":                   {"302c300706032b65700500032100" + key, errKeyUnread},
		"length beyond the end":        {"3031300506032b6570032100" + key, errKeyUnread},
		"length beyond all measure":    {"3088ffffffffffffffff300506032b6570032100" + key, errKeyUnread},
		"key too short":                {"3029300506032b6570032000" + key[2:], errKeyUnread},
		"key alone":                    {key, errKeyUnread},
		"nothing":                      {"", errKeyUnread},
		"unknown algorithm":            {"302a300506032b6572032100" + key, errKeyUnread},
		"X25519":                       {"302a300506032b656e032100" + key, errKeyType},
		"Ed448":                        {"3043300506032b6571033a00" + key + key[:50], errKeyType},
		"Ed448, too short":             {"302a300506032b6571032100" + key, errKeyUnread},
		"secp256k1":                    {"3036301006072a8648ce3d020106052b8104000a03220002" + key, errKeyType},
	} {
		t.Run(name, func(t *testing.T) {
			der, err := hex.DecodeString(c.der)
			if err != nil {
				t.Fatal(err)
			}
			got, err := parsePublicKey(base64.StdEncoding.EncodeToString(der))
			if !errors.Is(err, c.want) || c.want == nil && got.String() != public.String() {
				t.Errorf("%v, want %v", err, c.want)
			}
		})
	}
}
