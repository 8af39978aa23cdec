package likeness

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

const (
	halftone  = "Halftone dot screens for comic shading and manga inking, with seven angles and adjustable density."
	portraits = "Warm film looks for portraits: gentle highlights, deep amber shadows and skin that stays natural."
)

var here = []Profile{
	{ID: "com.acme.halftone", Name: "Comic Screentone", Description: halftone, Shape: []string{"asset", "asset brush"}, Digests: []string{"a", "b", "c", "d", "e"}},
	{ID: "com.acme.weather", Name: "Acme Weather", Description: "Tells the weather.", Shape: []string{"mcp", "tool forecast", "tool now"}, Digests: []string{"w"}},
	{ID: "org.river.looks", Name: "Riverside", Description: portraits, Shape: []string{"pack"}},
	{ID: "org.river.files", Name: "File Tools"},
	{ID: "org.river.notes", Name: "Field Notes 2", Description: "Keeps notes in a folder"},
	{ID: "org.kyoto.tenki", Name: "京都の天気予報", Description: "京都府の各地域について、一時間ごとの天気と気温と降水確率を表示します。"},
}

func TestNear(t *testing.T) {
	x := New(here)
	for _, c := range []struct {
		what string
		is   Profile
		want string
	}{
		{"another package", Profile{ID: "net.b.x", Name: "Ink Brushes", Description: "Hand drawn brushes for ink, with paper grain and a little bleeding at the edges of wide strokes.", Digests: []string{"x"}}, ""},
		{"itself", here[0], ""},
		{"the same name", Profile{ID: "net.b.x", Name: "acme  weather"}, "name com.acme.weather"},
		{"a digit for a letter", Profile{ID: "net.b.x", Name: "Acrne Weather"}, "name com.acme.weather"},
		{"Cyrillic letters", Profile{ID: "net.b.x", Name: "Асmе Wеаthеr"}, "name com.acme.weather"},
		{"wide letters and an invisible one", Profile{ID: "net.b.x", Name: "Ａｃｍｅ Wea\u200bther"}, "name com.acme.weather"},
		{"accents", Profile{ID: "net.b.x", Name: "Ácmé Wëather"}, "name com.acme.weather"},
		{"a slip", Profile{ID: "net.b.x", Name: "Comic Screntone"}, "name com.acme.halftone"},
		{"a slip in the first letter", Profile{ID: "net.b.x", Name: "Gomic Screentone"}, "name com.acme.halftone"},
		{"two slips", Profile{ID: "net.b.x", Name: "Conic Screntones"}, ""},
		{"a name that says what it does", Profile{ID: "net.b.x", Name: "File Tools"}, ""},
		{"the next number", Profile{ID: "net.b.x", Name: "Field Notes 3"}, ""},
		{"the same number", Profile{ID: "net.b.x", Name: "Field Note 2"}, "name org.river.notes"},
		{"a longer name", Profile{ID: "net.b.x", Name: "Acme Weather for Sailors"}, ""},
		{"a name without spaces in its script", Profile{ID: "net.b.x", Name: "京都の天気予報"}, "name org.kyoto.tenki"},
		{"the same description", Profile{ID: "net.b.x", Description: strings.ToUpper(portraits)}, "description org.river.looks"},
		{"a description with a word more", Profile{ID: "net.b.x", Description: strings.Replace(portraits, "Warm", "Very warm", 1)}, "description org.river.looks"},
		{"a description of another thing", Profile{ID: "net.b.x", Description: "Cold film looks for landscapes: hard highlights, deep blue shadows and snow that stays white."}, ""},
		{"a short description", Profile{ID: "net.b.x", Description: "Keeps notes in a folder"}, ""},
		{"a description in a script without blanks", Profile{ID: "net.b.x", Description: here[5].Description}, "description org.kyoto.tenki"},
		{"half a description", Profile{ID: "net.b.x", Shape: []string{"asset", "asset brush"}, Description: "Halftone dot screens for comic shading, old newspaper photographs."}, ""},
		{"most of a description", Profile{ID: "net.b.x", Shape: []string{"asset", "asset lut"}, Description: "Halftone dot screens for comic shading and manga inking, with nine angles and smooth edges."}, ""},
		{"most of a description, of the same shape", Profile{ID: "net.b.x", Shape: []string{"asset", "asset brush"}, Description: "Halftone dot screens for comic shading and manga inking, with nine angles and smooth edges."}, "description com.acme.halftone"},
		{"the same files", Profile{ID: "net.b.x", Digests: []string{"a", "b", "c", "d", "e"}}, "payload com.acme.halftone"},
		{"most of the files, and many more", Profile{ID: "net.b.x", Digests: []string{"q", "a", "r", "b", "s", "c"}}, "payload com.acme.halftone"},
		{"some of the files", Profile{ID: "net.b.x", Digests: []string{"a", "b"}}, ""},
		{"nothing", Profile{ID: "net.b.x"}, ""},
	} {
		var got []string
		for _, m := range x.Near(c.is) {
			got = append(got, []string{"name", "description", "payload"}[m.Trait]+" "+m.ID)
		}
		if strings.Join(got, ", ") != c.want {
			t.Errorf("%s: near %q, want %q", c.what, got, c.want)
		}
	}
}

// What several publishers have in common belongs to none of them.
func TestCommonTraits(t *testing.T) {
	var profiles []Profile
	for i := range 5 {
		profiles = append(profiles, Profile{ID: fmt.Sprintf("net.p%d.x", i), Name: "Slacker", Digests: []string{"shared"}})
	}
	if got := New(profiles).Near(Profile{ID: "org.new.x", Name: "Slacker", Digests: []string{"shared"}}); len(got) > 0 {
		t.Errorf("near %v", got)
	}
	for i := range profiles {
		profiles[i].ID = fmt.Sprintf("net.p.x%d", i) // all of one publisher
	}
	if got := New(profiles).Near(Profile{ID: "org.new.x", Name: "Slacker", Digests: []string{"shared"}}); len(got) != 10 {
		t.Errorf("near %v", got)
	}
}

// TestCandidatesAreBounded fills an index with what is nearly the same: no look-up goes through all of it.
func TestCandidatesAreBounded(t *testing.T) {
	var profiles []Profile
	for i := range 2_000 {
		profiles = append(profiles, Profile{ID: fmt.Sprintf("net.p.x%d", i), Name: fmt.Sprintf("Comic Screen%ctones", 'a'+i%26), Description: halftone, Digests: []string{"a"}})
	}
	x := New(profiles)
	for _, in := range []map[string][]int{x.byName, x.byEnd, x.byWord, x.byFile} {
		for key, list := range in {
			if len(list) > maxBucket+1 {
				t.Errorf("%q leads to %d packages", key, len(list))
			}
		}
	}
	if n := len(x.Near(profiles[0])); n > 3*maxBucket {
		t.Errorf("%d are near", n)
	}
}

func FuzzNear(f *testing.F) {
	f.Add("Acme Weather", halftone, "Acrne Weather", portraits)
	f.Add("\xff\u202e", strings.Repeat("e\u0301", 5000), "ﷺ", "京都")
	f.Fuzz(func(t *testing.T, name, description, other, otherDescription string) {
		p := Profile{ID: "a.b", Name: name, Description: description, Shape: []string{"pack", description}, Digests: []string{name}}
		q := Profile{ID: "c.d", Name: other, Description: otherDescription, Shape: []string{"pack"}, Digests: []string{other}}
		if len(words(name, maxName)) > 20*maxName {
			t.Error("a name grows without bound")
		}
		found := New([]Profile{p}).Near(q)
		if back := New([]Profile{q}).Near(p); !slices.EqualFunc(found, back, func(a, b Match) bool { return a.Trait == b.Trait && a.Share == b.Share }) {
			t.Errorf("one is near the other, %v, which is not near the one, %v", found, back)
		}
	})
}

// BenchmarkNear looks one package up among many; its yardstick is a tenth of them.
func BenchmarkNear(b *testing.B) {
	for _, n := range []int{1_000, 10_000} {
		var profiles []Profile
		for i := range n {
			profiles = append(profiles, Profile{ID: fmt.Sprintf("com.p%d.x%d", i%97, i), Name: fmt.Sprintf("Package %x of %d", i*7919, i%97), Description: fmt.Sprintf("%s Number %d of %d.", halftone, i, i%31)})
		}
		x := New(profiles)
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			for b.Loop() {
				x.Near(profiles[n/2])
			}
		})
	}
}
