package azp

import (
	"encoding/hex"
	"testing"
)

func seedKey(t testing.TB, seedHex string) PrivateKey {
	t.Helper()
	seed, err := hex.DecodeString(seedHex)
	if err != nil {
		t.Fatal(err)
	}
	key, err := PrivateKeyFromSeed(seed)
	if err != nil {
		t.Fatal(err)
	}
	return key
}
