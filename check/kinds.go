package check

import (
	"fmt"
	"strings"

	"github.com/azphalt/submissions/internal/jsontree"
)

// judgeApp runs the rules of kind "app".
func (m *manifest) judgeApp() {
	app, ok := m.blockOf("app")
	if !ok {
		return
	}
	m.judgeHeader("app")
	m.judgeAppPlatforms(app)
	companion, host := m.judgeRoles(app)
	if handoffs := app.Get("handoffs"); companion && (!handoffs.Is(jsontree.Array) || handoffs.Len() == 0) {
		m.claim(orElse(handoffs, app))
		m.add("app/handoff-missing", opening(orElse(handoffs, app)), "a companion app needs handoffs, an array with at least one: without, a host has no way to call it",
			fix(`add a handoff; an app that only runs packages has "roles": ["host"] instead`))
	}
	id, exists := app.Member("hostId")
	switch {
	case !host && exists:
		m.add("app/host-id-unexpected", at(id.Value), `hostId means something only for an app whose roles include "host"`, fix(`remove hostId, or add "host" to roles`))
	case !host:
	case !nonEmptyString(id.Value):
		m.claim(orElse(id.Value, app))
		m.add("app/host-id-missing", opening(orElse(id.Value, app)), "a host app needs a hostId, the id that packages name in targetApps", fix(`add "hostId", a reverse-DNS name such as "com.example.editor"`))
	case !reverseDNS(id.Value.Str()):
		m.add("app/host-id-format", at(id.Value), "the hostId "+quote(id.Value.Str())+" is not a reverse-DNS name", fix("write at least two parts with dots between them, such as com.example.editor"))
	}
}

// reverseDNS reports whether an id has at least two parts between dots and no white space.
func reverseDNS(id string) bool {
	parts := strings.Split(id, ".")
	for _, p := range parts {
		if p == "" || strings.ContainsAny(p, ecmaSpace) {
			return false
		}
	}
	return len(parts) > 1
}

const platformsHint = `"android": { "packageId": "…" } or "pwa": { "startUrl": "…" }`

func (m *manifest) judgeAppPlatforms(app jsontree.Value) {
	platforms := app.Get("platforms")
	if !platforms.Is(jsontree.Object) && !platforms.Is(jsontree.Array) {
		m.claim(orElse(platforms, app))
		m.add("app/platforms-missing", opening(orElse(platforms, app)), "an app needs platforms, an object that says how to install it", fix(`add "platforms" with %s`, platformsHint))
		return
	}
	android, pwa := platforms.Get("android"), platforms.Get("pwa")
	if android.Empty() && pwa.Empty() {
		m.add("app/platforms-empty", opening(platforms), "platforms needs android or pwa, at least one of them", fix("add %s", platformsHint))
	}
	if id := android.Get("packageId"); !android.Empty() && !nonEmptyString(id) {
		m.claim(orElse(id, android))
		m.add("app/android-package-id", opening(orElse(id, android)), "the android platform needs a packageId, a string that is not empty", fix(`add "packageId", the application id of the build`))
	}
	if url, ok := pwa.Member("startUrl"); ok && !nonEmptyString(url.Value) {
		m.claim(url.Value)
		m.add("app/pwa-start-url", at(url.Value), "startUrl, where present, has to be a string that is not empty", fix("write the address of the start page, or remove startUrl"))
	}
}

// judgeRoles judges roles and returns which an app has; without roles it is a companion. Text is searched for the names,
// as the reference does, so that a wrong type hides no other fault.
func (m *manifest) judgeRoles(app jsontree.Value) (companion, host bool) {
	roles, ok := app.Member("roles")
	if !ok {
		return true, false
	}
	list := roles.Value
	if !list.Is(jsontree.Array) || list.Len() == 0 {
		m.claim(list)
		m.add("app/roles-empty", opening(list), `roles, where present, has to be an array with "companion", "host" or both`, fix("write at least one of them, or remove roles: without, an app is a companion"))
		if text := list.Str(); text != "" {
			return strings.Contains(text, "companion"), strings.Contains(text, "host")
		}
		return true, false
	}
	for _, role := range list.Elements() {
		switch role.Str() {
		case "companion":
			companion = true
		case "host":
			host = true
		default:
			m.claim(role)
			m.add("app/role-unknown", opening(role), describe(role)+" is no role of an app", fix(`write "companion" or "host"`))
		}
	}
	return companion, host
}

// describe names a value in a message: a short string by its text, all else by its kind.
func describe(v jsontree.Value) string {
	if v.Is(jsontree.String) {
		return quote(v.Str())
	}
	return v.Kind().String()
}

// judgePack runs the rules of kind "pack".
func (m *manifest) judgePack() {
	pack, ok := m.blockOf("pack")
	if !ok {
		return
	}
	m.judgeHeader("pack")
	entries := pack.Get("entries")
	if !entries.Is(jsontree.Array) || entries.Len() == 0 {
		m.claim(orElse(entries, pack))
		m.add("pack/no-entries", opening(orElse(entries, pack)), "a pack needs entries, an array with at least one package", fix(`add "entries": [ { "id": "…" } ]`))
		return
	}
	type member struct{ id, version string }
	seen := map[member]bool{}
	own := m.root.Get("id")
	for i, e := range entries.Elements() {
		id := e.Get("id")
		if !nonEmptyString(id) {
			m.claim(orElse(id, e))
			m.add("pack/entry-id", opening(orElse(id, e)), fmt.Sprintf("entry %d of the pack needs an id, a string that is not empty", i+1), fix(`add "id", the id of the package that is meant`))
			continue
		}
		key := member{id: id.Str(), version: "*"}
		if version, ok := e.Member("version"); ok {
			key.version = versionKey(version.Value)
			if !nonEmptyString(version.Value) {
				m.claim(version.Value)
				m.add("pack/entry-version", opening(version.Value), "the version of "+quote(id.Str())+", where present, has to be a string that is not empty", fix("write a version, or remove it for the newest one"))
			}
		}
		if own.Is(jsontree.String) && own.Str() == id.Str() {
			m.add("pack/self-reference", at(id), "the pack lists itself", fix("remove the entry"))
		}
		if seen[key] {
			m.add("pack/duplicate-entry", at(id), "the pack lists "+quote(id.Str())+" twice in the same version", fix("remove one of the entries"))
		}
		seen[key] = true
	}
}

// versionKey is by what the versions of two entries are compared; null stands for any version, as an absent one does.
func versionKey(v jsontree.Value) string {
	switch {
	case v.Is(jsontree.Null):
		return "*"
	case v.Is(jsontree.String), v.Is(jsontree.Number):
		return v.Spelling()
	default:
		return v.Kind().String()
	}
}

// judgeSkill runs the rules of kind "skill".
func (m *manifest) judgeSkill() {
	skill, ok := m.blockOf("skill")
	if !ok {
		return
	}
	m.judgeHeader("skill")
	skills := skill.Get("skills")
	if !skills.Is(jsontree.Array) || skills.Len() == 0 {
		m.claim(orElse(skills, skill))
		m.add("skill/no-skills", opening(orElse(skills, skill)), "a skill package needs skills, an array with at least one skill", fix(`add "skills": [ { "id": "…" } ]`))
		return
	}
	seen := map[string]bool{}
	for _, s := range skills.Elements() {
		id := s.Get("id")
		switch name := id.Str(); {
		case !nonEmptyString(id):
			m.claim(orElse(id, s))
			m.add("skill/skill-id", opening(orElse(id, s)), "a skill needs an id, a string that is not empty", fix(`add "id", the name of its folder below skills/`))
		case name == "." || name == ".." || strings.ContainsAny(name, `/\`+ecmaSpace):
			m.add("skill/id-unsafe", at(id), "the skill id "+quote(name)+" can't be the name of a folder: it must have no slash, backslash or white space", fix(idHint))
		case strings.ContainsFunc(name, func(r rune) bool { return r == 0 || r == 0x7f }):
			m.add("skill/id-unsafe", at(id), "the skill id "+quote(name)+" can't be the name of a folder: it has a NUL or DEL character", fix(idHint))
		case seen[name]:
			m.add("skill/duplicate-id", at(id), "the skill id "+quote(name)+" is given twice", fix("give each skill an id and a folder of its own"))
		default:
			seen[name] = true
			if path := "skills/" + name + "/SKILL.md"; !m.has(path) {
				m.add("skill/skill-md-unlisted", at(id), "the skill "+quote(name)+" has no "+quote(path)+" in the package", m.suggestPath(path))
			}
		}
	}
}

const idHint = "use letters, digits and hyphens"

// suggestPath names the file that may have been meant.
func (m *manifest) suggestPath(path string) option {
	if near := nearestPath(path, m.files); near != "" {
		return fix("there is %s: rename one or the other", quote(near))
	}
	return fix("add the file, or correct the path")
}

// judgeCode runs the rules of the kinds that carry code.
func (m *manifest) judgeCode() {
	if entry := m.root.Get("entry"); entry.Empty() {
		m.add("code/entry-missing", opening(orElse(entry, m.root)), quoteKind(m.kind)+" needs entry, the path of its module", fix(`add "entry", such as "code/main.js"`))
	}
}
