package config

import (
	"fmt"
	"maps"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
)

func documentation(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile("../../docs/config.md")
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestDocumentedExampleHasNoFaults(t *testing.T) {
	_, rest, _ := strings.Cut(documentation(t), "```yaml\n")
	example, _, found := strings.Cut(rest, "```\n")
	if !found {
		t.Fatal("no example")
	}
	got, faults := Parse(Path, []byte(example), catalogue)
	if len(faults) > 0 || !got.Merge.Enabled {
		t.Errorf("%+v\n%s", got, render(faults))
	}
	for key := range documentedKeys(t) {
		last := key[strings.LastIndexAny(key, ".]")+1:]
		if last != "keyId" && !strings.Contains(example, last+":") {
			t.Errorf("the example lacks %s", key)
		}
	}
}

func TestEveryKeyIsDocumentedWithItsDefault(t *testing.T) {
	documented := documentedKeys(t)
	if got, want := slices.Sorted(maps.Keys(documented)), allKeys(t); !slices.Equal(got, want) {
		t.Errorf("documented\n%v, there are\n%v", got, want)
	}
	for key, value := range documented {
		if value == "–" {
			continue
		}
		section, name, nested := strings.Cut(key, ".")
		text := fmt.Sprintf("%s: { %s: %s }\n", section, name, value)
		if !nested {
			text = fmt.Sprintf("%s: %s\n", key, value)
		}
		if got, faults := Parse(Path, []byte(text), catalogue); len(faults) > 0 || !reflect.DeepEqual(got, Default()) {
			t.Errorf("%s is not the default:\n%s", text, render(faults))
		}
	}
}

// documentedKeys returns the keys of the documentation's table with their defaults.
func documentedKeys(t *testing.T) map[string]string {
	row := regexp.MustCompile("(?m)^\\| `([a-zA-Z.\\[\\]-]+)` \\| [^|]+ \\| (?:`([^`]+)`|(–)) \\| [^|]+ \\|$")
	out := map[string]string{}
	for _, m := range row.FindAllStringSubmatch(documentation(t), -1) {
		out[m[1]] = m[2] + m[3]
	}
	return out
}

// allKeys returns the keys that Parse knows, from its advice about one that it does not.
func allKeys(t *testing.T) []string {
	advice := func(text string) []string {
		_, faults := Parse(Path, []byte(text), catalogue)
		for _, f := range faults {
			if names, ok := strings.CutPrefix(f.Fix.Description, "use one of: "); ok {
				return strings.Split(names, ", ")
			}
		}
		return nil
	}
	var out []string
	for _, top := range advice("zzzzzz: 1\n") {
		inner := advice(top + ": { zzzzzz: 1 }\n")
		if len(inner) == 0 {
			out = append(out, top)
		}
		for _, name := range inner {
			out = append(out, top+"."+name)
		}
	}
	for _, list := range []string{"waivers", "trust.keys"} {
		text := list + ": [ { zzzzzz: 1 } ]\n"
		if section, name, ok := strings.Cut(list, "."); ok {
			text = section + ": { " + name + ": [ { zzzzzz: 1 } ] }\n"
		}
		for _, name := range advice(text) {
			out = append(out, list+"[]."+name)
		}
	}
	if len(out) < 20 {
		t.Fatalf("only %v", out)
	}
	slices.Sort(out)
	return out
}
