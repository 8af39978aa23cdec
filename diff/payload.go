package diff

import (
	"maps"
	"path"
	"slices"
	"strings"
)

// codeExtensions are the endings of files that run.
var codeExtensions = []string{
	".wasm", ".wat", ".exe", ".dll", ".so", ".dylib", ".jar", ".class", ".js", ".mjs", ".cjs", ".ts", ".py", ".rb", ".pl", ".php", ".lua", ".sh",
	".bash", ".ps1", ".bat", ".cmd", ".com", ".apk", ".node",
}

// payload compares the files, and how much there is of them.
func (c *comparison) payload() {
	was, is := c.before.files, c.after.files
	for _, p := range slices.Sorted(maps.Keys(is)) {
		k, w := kindFile, Minor
		if slices.Contains(codeExtensions, strings.ToLower(path.Ext(p))) {
			k, w = kindCode, Notable
		} else if path.Base(p) == "SKILL.md" { // text that a model acts upon
			w = Notable
		}
		switch old, there := was[p]; {
		case !there:
			c.add(k, w, "", "", sizeOf(is[p]), "the file %s is new%s", name(p), with(sizeOf(is[p])))
		case old.digest != is[p].digest:
			c.add(k, w, "", sizeOf(old), sizeOf(is[p]), "the file %s has other bytes%s", name(p), with(change(old, is[p])))
		}
	}
	for _, p := range slices.Sorted(maps.Keys(was)) {
		if _, there := is[p]; !there {
			c.add(kindFile, Minor, "", sizeOf(was[p]), "", "the file %s is gone", name(p))
		}
	}
	c.growth()
}

// growth says how much bigger the payload is: much is twice as much, and a mebibyte more.
func (c *comparison) growth() {
	const much = 1 << 20
	was, is := c.before.size(), c.after.size()
	if was == is || was == 0 || is == 0 {
		return
	}
	w, verb := Minor, "shrinks"
	if is > was {
		verb = "grows"
	}
	if is >= 2*was && is-was >= much {
		w = Notable
	}
	c.add(kindPayload, w, "", bytesOf(was), bytesOf(is), "the payload %s from %s to %s", verb, bytesOf(was), bytesOf(is))
}

func change(was, is file) string {
	if was.size < 0 || is.size < 0 {
		return ""
	}
	return sizeOf(is) + ", was " + sizeOf(was)
}

func with(detail string) string {
	if detail == "" {
		return ""
	}
	return ": " + detail
}

func sizeOf(f file) string {
	if f.size < 0 {
		return ""
	}
	return bytesOf(f.size)
}
