package check

import (
	"fmt"
	"strings"

	"github.com/azphalt/submissions/azp"
	"github.com/azphalt/submissions/internal/jsontree"
	"github.com/azphalt/submissions/internal/lazyregexp"
)

// FormatVersion is the version of the format that packages declare.
const FormatVersion = "0.1"

// idPattern is a reverse-DNS id with at least two parts (the format, section 5). Letter case does not count, of ASCII.
var idPattern = lazyregexp.New(`^[A-Za-z0-9]+(\.[A-Za-z0-9-]+)+$`)

// requiredFields are the fields that every package declares, id apart.
var requiredFields = []string{"azphalt", "name", "version", "kind", "license", "compat"}

// judgeIdentity judges the fields that every package declares. The rules are those of submissions where the package is
// one, with the folder that it lies in; by themselves, packages are held to the same under the group "manifest".
func (m *manifest) judgeIdentity(target Target) {
	group := "manifest"
	if target.Submission {
		group = "submission"
	}
	m.judgeID(group, target)
	for _, name := range requiredFields {
		if v := m.root.Get(name); v.Empty() {
			m.claim(orElse(v, m.root))
			m.add(group+"/field-missing", opening(orElse(v, m.root)), fmt.Sprintf("the manifest needs %s", quote(name)), fix("%s", fieldHint[name]))
		}
	}
	m.judgeKindName(group)
	if v := m.root.Get("version"); !v.Empty() && !azp.ValidVersion(v.Str()) {
		m.claim(v)
		m.add(group+"/version-invalid", opening(v), fmt.Sprintf("the version has to be semantic versioning; this is %s", describe(v)), fix("write MAJOR.MINOR.PATCH, as in 1.0.0"))
	}
	if apps, ok := m.root.Member("targetApps"); ok && !isStringArray(apps.Value) {
		m.claimAll(apps.Value)
		m.add(group+"/target-apps", opening(apps.Value), "targetApps has to be an array of strings, the ids of the apps that the package is for", fix(`write the ids as a list, as in ["com.example.editor"], or remove targetApps`))
	}
	m.judgeDeclarations()
}

// fieldHint says what to write into a field.
var fieldHint = map[string]string{
	"azphalt": `add "azphalt": "` + FormatVersion + `", the version of the format`,
	"name":    `add "name", what people call the package`,
	"version": `add "version", as in "1.0.0"`,
	"kind":    `add "kind", one of asset, code, mixed, app, mcp, pack, skill, script`,
	"license": `add "license", an SPDX id such as "MIT"`,
	"compat":  `add "compat", the host version that is needed, as in ">=0.1"`,
}

func (m *manifest) judgeID(group string, target Target) {
	id := m.root.Get("id")
	if !id.Is(jsontree.String) || !idPattern().MatchString(id.Str()) {
		m.claim(orElse(id, m.root))
		message := "the manifest needs an id"
		if id.Exists() {
			message = "the id " + describe(id) + " is not a reverse-DNS name"
		}
		m.add(group+"/id-invalid", opening(orElse(id, m.root)), message, fix("write at least two parts of letters, digits and hyphens with dots between them, such as com.example.my-package"))
	}
	if nonEmptyString(id) && target.Folder != "" && id.Str() != target.Folder {
		m.add("submission/folder-mismatch", at(id), fmt.Sprintf("the submission lies in the folder %s, but its id is %s: a submission's folder is named for its id", quote(target.Folder), quote(id.Str())),
			fix("rename the folder or the id; letter case counts"))
	}
}

func (m *manifest) judgeKindName(group string) {
	kind := m.root.Get("kind")
	if kind.Empty() {
		return
	}
	if _, ok := kinds[kind.Str()]; ok && kind.Is(jsontree.String) {
		return
	}
	m.claim(kind)
	names := []string{"asset", "code", "mixed", "app", "mcp", "pack", "skill", "script"}
	m.add(group+"/kind-invalid", opening(kind), fmt.Sprintf("%s is no kind of package; the kinds are %s", describe(kind), strings.Join(names, ", ")), choose(kind, names, "write one of them"))
}

// judgeDeclarations judges what the required fields say, beyond the reference.
func (m *manifest) judgeDeclarations() {
	if v := m.root.Get("azphalt"); nonEmptyString(v) && v.Str() != FormatVersion {
		start, end := v.Span()
		m.add("manifest/format-version", at(v), "there is no version "+quote(v.Str())+" of the format", fixBy([]edit{{start, end, jsonString(FormatVersion)}}, "write %s", quote(FormatVersion)))
	}
	if v := m.root.Get("compat"); nonEmptyString(v) {
		if _, ok := azp.ParseCompat(v.Str()); !ok {
			m.add("manifest/compat-invalid", at(v), "hosts can't read the compat "+quote(v.Str())+": it has to be one comparator and a version", fix(`write >=, >, <=, < or = and a version, as in ">=0.1"`))
		}
	}
	m.judgeLicense()
}

// judgePayloadReferences judges that what the manifest refers to is in the folder or the package.
func (m *manifest) judgePayloadReferences() {
	if assets, ok := m.root.Member("assets"); ok && !m.isClaimed(assets.Value) {
		if !assets.Value.Is(jsontree.Array) {
			m.claim(assets.Value)
			m.add("submission/assets-type", opening(assets.Value), "assets has to be an array", fix("write a list of objects"))
		}
		for _, a := range assets.Value.Elements() {
			m.judgeAsset(a)
		}
	}
	entry := m.root.Get("entry")
	if entry.Empty() || m.isClaimed(entry) || m.listed[entry.Str()] && entry.Str() != azp.LicenseName {
		return
	}
	m.claim(entry)
	m.add("submission/entry-missing", opening(entry), "the entry module "+describe(entry)+" is not in the submission", m.suggestPath(entry.Str()))
}

func (m *manifest) judgeAsset(a jsontree.Value) {
	if !a.Is(jsontree.Object) && !a.Is(jsontree.Array) {
		m.claim(a)
		m.add("submission/asset-invalid", opening(a), "an asset has to be an object", fix(`write { "type": "…", "path": "…" }`))
		return
	}
	path := a.Get("path")
	switch {
	case path.Empty() && a.Get("remoteUrl").Empty():
		m.claim(orElse(path, a))
		m.add("submission/asset-remote-url", opening(orElse(path, a)), "the asset has neither a path in the package nor a remoteUrl to fetch it from", fix("write the path, or add remoteUrl and checksum"))
	case !path.Empty() && (!path.Is(jsontree.String) || !m.listed[path.Str()] || path.Str() == azp.LicenseName):
		m.claim(path)
		m.add("submission/asset-path-missing", opening(path), "the asset "+describe(path)+" is not in the submission", m.suggestPath(path.Str()))
	}
	if kind := a.Get("type"); !nonEmptyString(kind) && a.Is(jsontree.Object) {
		m.claim(orElse(kind, a))
		m.add("manifest/asset-type-missing", opening(orElse(kind, a)), "an asset needs a type, by which hosts know what to do with it", fix(`add "type", such as "lut"`))
	}
}
