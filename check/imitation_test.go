package check

import (
	"fmt"
	"slices"
	"testing"
)

func TestIDsThatLookAlike(t *testing.T) {
	x := newIDIndex([]string{"com.acme.fs", "com.acme.weather", "org.mountain.text-tools"})
	for id, want := range map[string]string{
		"com.acrne.fs": "com.acme.fs", "com.acme.wheather": "com.acme.weather", "com.acme.waether": "com.acme.weather", "com.acme.weathel": "com.acme.weather",
		"com.acme.w3ather": "com.acme.weather", "com.Acme.FS": "com.acme.fs", "org.mountain.texttools": "org.mountain.text-tools", "org.mountian.text-tools": "org.mountain.text-tools",
		"org.mountain.text-too1s": "org.mountain.text-tools",
		"com.acme.js":             "", "com.acme.feather-light": "", "net.acme.weather": "", "com.other.weather": "", "org.fountain.notes": "",
	} {
		found := x.like(id)
		if want == "" && len(found) > 0 || want != "" && !slices.Contains(found, want) {
			t.Errorf("%s looks like %v, want %q", id, found, want)
		}
	}
}

// BenchmarkImitation looks for likeness among 10,000 ids; its yardstick is a tenth of them.
func BenchmarkImitation(b *testing.B) {
	for _, n := range []int{1_000, 10_000} {
		var ids []string
		for i := range n {
			ids = append(ids, fmt.Sprintf("com.example-%d.package-%d", i%97, i))
		}
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			for b.Loop() {
				newIDIndex(ids).like("com.example-5.package-77")
			}
		})
	}
}
