package botserver

import (
	"strings"
	"testing"

	"github.com/azphalt/submissions/azp"
)

func TestEnvironmentOfTheRegistry(t *testing.T) {
	key, err := azp.NewPrivateKey()
	if err != nil {
		t.Fatal(err)
	}
	read := func(name, value string) (environment, error) {
		return readEnvironment(func(n string) string { return map[string]string{name: value}[n] })
	}
	e, err := read("AZP_REGISTRY_FORMER_KEYS", `{"keys":[{"publicKey":"`+key.Public().String()+`","keyId":"2025"}]}`)
	if err != nil || len(e.formerKeys) != 1 || e.formerKeys[0].PublicKey != key.Public().String() || e.formerKeys[0].KeyID != "2025" {
		t.Errorf("former keys: %v %+v", err, e.formerKeys)
	}
	if e, err := read("AZP_REGISTRY_REPOSITORY", " acme/azp-registry\n"); err != nil || e.repository != "acme/azp-registry" {
		t.Errorf("repository: %v %q", err, e.repository)
	}
	for _, bad := range [][2]string{
		{"AZP_REGISTRY_FORMER_KEYS", "{"}, {"AZP_REGISTRY_FORMER_KEYS", `{"keys":[]}`}, {"AZP_REGISTRY_FORMER_KEYS", `{"keys":[{"publicKey":"none"}]}`},
		{"AZP_REGISTRY_REPOSITORY", "acme"}, {"AZP_REGISTRY_REPOSITORY", "acme/"}, {"AZP_REGISTRY_REPOSITORY", "https://example.com/acme/registry"},
	} {
		if _, err := read(bad[0], bad[1]); err == nil || !strings.Contains(err.Error(), bad[0]) {
			t.Errorf("%s=%s: %v", bad[0], bad[1], err)
		}
	}
}
