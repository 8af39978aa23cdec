package config

import (
	"fmt"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"
)

// hostile returns texts that are made to be slow, large or ambiguous, each of about size bytes.
func hostile(size int) map[string]string {
	fill := func(s string) string { return strings.Repeat(s, size/len(s)) }
	numbered := func(format string) string {
		var out strings.Builder
		for i := 0; out.Len() < size; i++ {
			fmt.Fprintf(&out, format, i)
		}
		return out.String()
	}
	stairs := func(line string) string {
		var out strings.Builder
		for i := 0; out.Len() < size; i++ {
			out.WriteString(strings.Repeat(" ", i) + line)
		}
		return out.String()
	}
	laughs := "a0: &a0 [x]\n"
	for i := range 30 {
		laughs += fmt.Sprintf("a%d: &a%d [%s]\n", i+1, i+1, strings.Repeat(fmt.Sprintf("*a%d,", i), 9))
	}
	return map[string]string{
		"aliases":           laughs,
		"alias to itself":   "a: &a [*a]\n",
		"anchors":           numbered("- &a%d x\n"),
		"brackets":          fill("["),
		"braces":            fill("{"),
		"brackets and keys": fill("[?"),
		"dashes":            fill("- "),
		"question marks":    fill("? "),
		"colons":            fill(":\n"),
		"stairs":            stairs("k:\n"),
		"stairs in text":    "a: |\n" + stairs("k:\n"),
		"keys":              numbered("k%d: 1\n"),
		"equal keys":        fill("k: 1\n"),
		"known keys":        fill("merge: {}\n"),
		"near keys":         "merge: {" + fill("approvas: 1,") + "}",
		"near rules":        "rules: {" + numbered("secret/valu%d: of,") + "}",
		"items":             "[" + fill("a,") + "]",
		"waivers":           "waivers: [" + fill("{},") + "]",
		"approvals":         "merge: { approvals: " + fill("1") + " }",
		"quotes":            fill(`"a" `),
		"open quote":        `a: "` + fill("\t"),
		"escapes":           `a: "` + fill(`\n`) + `"`,
		"long word":         fill("a"),
		"long key":          fill("a") + ": 1\n",
		"long rule":         "rules: { " + fill("a") + ": off }",
		"long reason":       "waivers: [ { reason: " + fill("a ") + " } ]",
		"long pattern":      "waivers: [ { path: a" + fill("/*") + " } ]",
		"comments":          fill("a: 1 #x\n#y\n"),
		"documents":         fill("---\n"),
		"document ends":     fill("...\n"),
		"directives":        numbered("%%TAG !%d! x\n") + "---\na: 1\n",
		"tags":              fill("- !!str x\n"),
		"merge keys":        fill("<<: {}\n"),
		"nulls":             fill("\x00"),
		"byte order marks":  fill("\ufeff"),
		"separators":        fill("\u2028"),
		"not UTF-8":         fill("\xff"),
		"half a character":  "a: \xe2\x82",
		"carriage returns":  fill("\r"),
		"line feeds":        fill("\n"),
		"spaces":            fill(" "),
		"tabs":              fill("\t"),
	}
}

// TestHostileFiles proves that a text of the largest size comes to an end and costs little memory, and that what it gets is
// either nothing or findings with places.
func TestHostileFiles(t *testing.T) {
	for name, text := range hostile(maxSize) {
		t.Run(name, func(t *testing.T) {
			data := []byte(text)
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			got, faults := Parse(Path, data[:min(len(data), maxSize)], catalogue)
			runtime.ReadMemStats(&after)
			if spent := (after.TotalAlloc - before.TotalAlloc) >> 20; spent > 400 {
				t.Errorf("allocated %d MiB", spent)
			}
			if !reflect.DeepEqual(got, Default()) {
				t.Errorf("%+v", got)
			}
			checkPlaces(t, data, faults)
		})
	}
}

func TestTooLargeFileIsRefusedUnread(t *testing.T) {
	for _, size := range []int{maxSize + 1, 10 << 20} {
		_, faults := Parse(Path, []byte(strings.Repeat("# no\n", size/5+1)), catalogue)
		if len(faults) != 1 || faults[0].Message != "the file is larger than 1024 KiB" || faults[0].Line != 1 {
			t.Errorf("%d bytes:\n%s", size, render(faults))
		}
	}
	line := "#" + strings.Repeat(" ", 62) + "\n"
	if _, faults := Parse(Path, []byte(strings.Repeat(line, maxSize/len(line))), catalogue); len(faults) > 0 {
		t.Errorf("a file of the largest size:\n%s", render(faults))
	}
}

func TestTooManyWaiversAreRefused(t *testing.T) {
	waiver := "{ rule: secret/value, path: a, reason: r, until: 2027-01-31 }, "
	for n, want := range map[int]int{maxWaivers: 0, maxWaivers + 1: 1} {
		_, faults := Parse(Path, []byte("waivers: ["+strings.Repeat(waiver, n)+"]"), catalogue)
		if len(faults) != want {
			t.Errorf("%d waivers:\n%s", n, render(faults))
		}
	}
}

// TestNoSecretIsShown plants secrets where people paste them and looks for them in everything that is said.
func TestNoSecretIsShown(t *testing.T) {
	secrets := []string{
		"hunter2", "ghp_0123456789abcdefghijklmnopqrstuvwxyz", "AKIAIOSFODNN7EXAMPLE", "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
		"MC4CAQAwBQYDK2VwBCIEINTuctv5E1hK1bbY8fdp+K06/nwoy/HU++CXqI9EdVhC", "0123456789abcdef0123456789abcdef",
	}
	for i, text := range []string{
		"registry: { token: %s, nmae: x }\n",
		"registry: { token: \"%s\", nmae: x }\n",
		"registry:\n  tokens: [ '%s' ]\n",
		"secret: { inner: { most: [ %s ] } }\n",
		"trust: { keys: [ { publicKey: \"%s\", lable: x } ] }\n",
		"trust: { keys: [ \"%s\" ] }\ndeny: { keys: [ \"%s\" ] }\n",
		"registry: { url: \"https://bot:%s@acme.example/\", nmae: x }\n",
		"<<: { token: %s }\n",
		"? [ a ]\n: %s\n",
	} {
		for _, secret := range secrets {
			checkHidden(t, i, strings.ReplaceAll(text, "%s", secret), secret)
		}
	}
	for i, text := range []string{ // where only the look of a value tells that it is secret
		"registry: { url: https://%s\n",
		"merge: { strategy: %s }\n",
		"rules: { %s: off }\n",
		"%s: 1\n",
		"deny: { digests: [ %s ] }\n",
		"waivers: [ { rule: secret/value, path: /%s, reason: %s, until: %s } ]\n",
		"registry: { name: \"\", url: http://%s }\n",
		"token: %s\n\tx\n",
		"rules: { a: %s",
	} {
		for _, secret := range secrets[1:] {
			checkHidden(t, 100+i, strings.ReplaceAll(text, "%s", secret), secret)
		}
	}
}

func checkHidden(t *testing.T, i int, text, secret string) {
	t.Helper()
	_, faults := Parse(Path, []byte(text), catalogue)
	if len(faults) == 0 {
		t.Errorf("%d: no fault in %s", i, text)
	}
	said := render(faults)
	if strings.Contains(said, secret) || len(secret) > 16 && strings.Contains(said, secret[4:12]) {
		t.Errorf("%d: %s shows the secret:\n%s", i, text, said)
	}
}

func FuzzParse(f *testing.F) {
	files, _ := filepath.Glob("testdata/faults/*.txtar")
	for _, file := range files {
		archive, err := txtar.ParseFile(file)
		if err != nil {
			f.Fatal(err)
		}
		for _, file := range archive.Files {
			f.Add(file.Data)
		}
	}
	for _, text := range hostile(300) {
		f.Add([]byte(text))
	}
	f.Add([]byte(threeWaivers))
	f.Fuzz(func(t *testing.T, data []byte) {
		got, faults := Parse(Path, data, catalogue)
		checkPlaces(t, data, faults)
		if len(faults) > 0 && !reflect.DeepEqual(got, Default()) {
			t.Error("a file with faults has an effect")
		}
	})
}

func BenchmarkParse(b *testing.B) {
	for name, text := range map[string]string{
		"three waivers":   threeWaivers,
		"1 MiB of items":  hostile(maxSize)["items"],
		"1 MiB of quotes": hostile(maxSize)["quotes"],
		"many near rules": "rules: {" + strings.Repeat("secret/valuex: of,", maxValues/2-10) + "}",
		"many near keys":  "merge: {" + strings.Repeat("approvas: 1,", maxValues/2-10) + "}",
		"many items":      "deny: { digests: [" + strings.Repeat("a,", maxValues-10) + "] }",
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				Parse(Path, []byte(text), catalogue)
			}
		})
	}
}
