package check

import (
	"bytes"
	"io"
	"path"
	"slices"
	"strings"

	"github.com/azphalt/submissions/azp"
	"github.com/azphalt/submissions/finding"
	"github.com/azphalt/submissions/internal/jsontree"
	"github.com/azphalt/submissions/secret"
)

// maxTextPayload bounds the files of the payload that are read for secrets, in bytes. Longer ones are data.
const maxTextPayload = 1 << 20

// textExtensions are the endings of files in which people leave credentials: programs, settings, keys and documents.
var textExtensions = strings.Fields(`
	.bash .bat .c .cjs .cmd .cpp .cs .cts .dart .ex .exs .fish .go .gradle .groovy .java .jl .js .jsx .kt .kts .ksh .lua .mjs .mts
	.php .pl .pm .ps1 .psm1 .py .r .rb .rs .scala .sh .sql .svelte .swift .ts .tsx .vbs .vue .zsh
	.cfg .cnf .conf .dockerfile .env .gitconfig .hcl .htpasswd .ini .json .json5 .jsonc .jsonl .netrc .nix .npmrc .ovpn .pgpass
	.plist .properties .pypirc .service .tf .tfvars .toml .xml .yaml .yml
	.asc .key .p8 .pem .ppk
	.adoc .csv .htm .html .ipynb .log .md .mdx .org .rst .text .txt`)

// holdsText reports whether a file of the payload is read for secrets: by its ending, or for want of one, as those of keys and
// of the settings of many programs.
func holdsText(name string, size int64) bool {
	base := strings.ToLower(path.Base(name))
	base = strings.TrimSuffix(base, ".example")
	return size <= maxTextPayload && name != azp.ManifestName && name != azp.SignatureName &&
		(strings.HasPrefix(base, ".env") || path.Ext(base) == "" || slices.Contains(textExtensions, path.Ext(base)))
}

// judgeText reports the credentials in a text of the payload, and has the license judged if it is that.
func (r *reporter) judgeText(name string, text []byte, license func(text []byte)) error {
	if name == azp.LicenseName {
		license(text)
	}
	return secret.Text(bytes.NewReader(text), func(m secret.TextMatch) {
		r.add(m.Rule, place{entry: name}, looksLiteral(m), fix("remove it; a script takes such a value from its environment"), onLines(m.Range))
	})
}

func looksLiteral(m secret.TextMatch) string {
	return "this looks like a literal credential: it " + m.Reason + ". Everyone who downloads the package can read it; if it was ever valid, revoke it"
}

// judgeBroken reports the credentials in a manifest that can't be read as JSON, as in any text, and keeps them out of the
// excerpts of what is wrong with it.
func (r *reporter) judgeBroken(manifest *jsontree.Doc) {
	if manifest.Root().Exists() || manifest.Text() == nil {
		return
	}
	_ = secret.Text(bytes.NewReader(manifest.Text().Bytes()), func(m secret.TextMatch) { // reading bytes gives no error
		r.mask(m.Start, m.End)
		r.add(m.Rule, place{in: azp.ManifestName, start: m.Start, end: m.End}, looksLiteral(m), fix("remove it, and let the host ask for it"))
	})
}

// unjudged takes the text of a license with which no manifest can be compared.
func unjudged([]byte) {}

// onLines gives a finding a place in a text that is not kept.
func onLines(r finding.Range) option { return func(f *rawFinding) { f.Range = r } }

// judgeTexts reads the text payload of an archive, each file once. The error is about reading alone.
func (r *reporter) judgeTexts(p *azp.Package, license func(text []byte)) error {
	for _, e := range p.Entries {
		if e.Broken || e.IsDir() || !holdsText(e.Name, e.Size) {
			continue
		}
		text, ok, err := p.ReadEntry(e)
		if err != nil {
			return err
		}
		if ok {
			if err := r.judgeText(e.Name, text, license); err != nil {
				return err
			}
		}
	}
	return nil
}

// judgeSourceTexts reads the text payload of a source folder, each file once. The error is about reading alone.
func (r *reporter) judgeSourceTexts(src *azp.SourceFolder, license func(text []byte)) error {
	for _, f := range src.Files {
		if !holdsText(f.Path, f.Size) {
			continue
		}
		file, err := src.Open(f.Path)
		if err != nil {
			return err
		}
		text, err := io.ReadAll(io.LimitReader(file, maxTextPayload))
		file.Close()
		if err != nil {
			return err
		}
		if err := r.judgeText(f.Path, text, license); err != nil {
			return err
		}
	}
	return nil
}
