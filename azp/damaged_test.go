package azp

import (
	"bytes"
	"context"
	"os"
	"slices"
	"testing"
)

// TestDamagedArchives holds what is still judged of an archive whose bytes were changed on the way: everything that can be
// read for certain, and nothing that can't.
func TestDamagedArchives(t *testing.T) {
	archive, err := os.ReadFile(vectors + "/azp/valid-stored.azp")
	if err != nil {
		t.Fatal(err)
	}
	sound, err := OpenArchive(bytes.NewReader(archive), int64(len(archive)), Limits{})
	if err != nil || len(sound.Problems) > 0 {
		t.Fatal(err, sound.Problems)
	}
	asset := slices.IndexFunc(sound.Entries, func(e *Entry) bool { return e.Name != ManifestName && e.Name != LicenseName })
	payload, manifest := sound.Entries[asset], sound.Lookup(ManifestName)
	record := func(n int) int { // where the n-th record of the central directory starts
		at := -1
		for range n + 1 {
			at += 1 + bytes.Index(archive[at+1:], []byte(centralSignature))
		}
		return at
	}
	for name, c := range map[string]struct {
		change func(b []byte)
		want   []Code
	}{
		"payload byte":                   {func(b []byte) { b[payload.data] ^= 1 }, []Code{DigestMismatch}},
		"payload checksum":               {func(b []byte) { b[payload.header+14] ^= 1; b[record(asset)+16] ^= 1 }, []Code{ChecksumMismatch}},
		"manifest byte":                  {func(b []byte) { b[manifest.data] = ' ' }, []Code{ManifestNotJSON, ChecksumMismatch}},
		"second record of the directory": {func(b []byte) { b[record(1)] = 'X' }, []Code{EndRecord, HiddenData}},
	} {
		t.Run(name, func(t *testing.T) {
			damaged := bytes.Clone(archive)
			c.change(damaged)
			p, err := Read(context.Background(), bytes.NewReader(damaged), int64(len(damaged)), Limits{})
			if err != nil {
				t.Fatal(err)
			}
			var got []Code
			for _, problem := range p.Problems {
				got = append(got, problem.Code)
			}
			slices.Sort(got)
			if got = slices.Compact(got); !slices.Equal(got, c.want) {
				t.Errorf("got %v, want %v\n%+v", got, c.want, p.Problems)
			}
		})
	}
}
