package rulecase

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"
	"testing/fstest"

	"github.com/azphalt/submissions/azp"
	"github.com/azphalt/submissions/internal/jsontree"
	"github.com/azphalt/submissions/internal/wat"
	"github.com/azphalt/submissions/registry"
)

var errWritten = errors.New("the archive has been written: entries can no longer be changed")

// entry returns the entry that a directive is about.
func (b *builder) entry(name string) (*entry, error) {
	if b.bytes != nil {
		return nil, errWritten
	}
	if e := b.lookup(name); e != nil {
		return e, nil
	}
	return nil, fmt.Errorf("there is no %s", name)
}

func (b *builder) edit(args []string) error { return b.replace(args[0], args[1], args[2]) }

func (b *builder) repeat(args []string) error {
	n, err := strconv.Atoi(args[2])
	if err != nil {
		return err
	}
	return b.replace(args[0], args[1], strings.Repeat(args[1], n))
}

func (b *builder) replace(name, old, new string) error {
	e, err := b.entry(name)
	if err != nil {
		return err
	}
	if !bytes.Contains(e.data, []byte(old)) {
		return fmt.Errorf("%s does not hold %q", name, old)
	}
	e.data = bytes.Replace(e.data, []byte(old), []byte(new), 1)
	return nil
}

func (b *builder) rename(args []string) error {
	e, err := b.entry(args[0])
	if err == nil {
		e.name = args[1]
	}
	return err
}

func (b *builder) add(args []string) error {
	if b.bytes != nil {
		return errWritten
	}
	b.entries = append(b.entries, &entry{name: args[0], data: []byte(args[1])})
	return nil
}

func (b *builder) remove(args []string) error {
	e, err := b.entry(args[0])
	if err == nil {
		b.entries = slices.DeleteFunc(b.entries, func(other *entry) bool { return other == e })
	}
	return err
}

func (b *builder) assemble(args []string) error {
	e, err := b.entry(args[0])
	if err == nil {
		e.data, err = wat.Assemble(string(e.data))
	}
	return err
}

func (b *builder) link(args []string) error {
	b.entries = append(b.entries, &entry{name: args[0], target: args[1]})
	return nil
}

func (b *builder) pack([]string) error {
	folder := fstest.MapFS{}
	for _, e := range b.entries {
		folder[e.name] = e.file()
	}
	source, err := azp.ReadSource(b.ctx, folder, azp.Limits{})
	if err != nil {
		return err
	}
	var archive bytes.Buffer
	if err := source.Pack(&archive); err != nil {
		return err
	}
	return b.load(archive.Bytes())
}

func (b *builder) zip([]string) error {
	b.built = true
	return nil
}

func (b *builder) list([]string) error {
	e, err := b.entry(azp.ManifestName)
	if err != nil {
		return err
	}
	var files []jsontree.Pair
	for _, f := range b.entries {
		if f.name != azp.ManifestName && f.name != azp.SignatureName {
			files = append(files, jsontree.Pair{Name: f.name, Value: azp.DigestOf(f.data).String()})
		}
	}
	doc, _ := jsontree.Parse(e.data)
	text, ok := jsontree.Stringify(doc.Root(), int(azp.DefaultLimits.Manifest), []string{"files"}, jsontree.Field{Name: "files", Strings: files})
	if !ok {
		return errors.New("the manifest would become too long")
	}
	e.data = slices.Concat(text, []byte{'\n'})
	return nil
}

// key returns the key of a name: the same in every run, and known to anyone who reads this.
func key(name string) (azp.PrivateKey, error) {
	seed := sha256.Sum256([]byte("the key of " + name + " in the examples of the rules"))
	return azp.PrivateKeyFromSeed(seed[:])
}

func (b *builder) sign(args []string) error {
	k, err := key(args[0])
	if err != nil {
		return err
	}
	archive := b.written()
	p, err := azp.Read(b.ctx, bytes.NewReader(archive), int64(len(archive)), azp.Limits{})
	if err != nil {
		return err
	}
	var signed bytes.Buffer
	if err := p.Sign(&signed, k, ""); err != nil {
		return err
	}
	return b.load(signed.Bytes())
}

func (b *builder) countersign(args []string) error {
	k, err := key(args[0])
	if err != nil {
		return err
	}
	below, err := key(args[1])
	if err != nil {
		return err
	}
	signature, err := k.Sign(below.Public().DER())
	if err != nil {
		return err
	}
	link := fmt.Sprintf(",\n  \"countersignature\": {\n    \"publicKey\": %q,\n    \"signature\": %q\n  }\n}", k.Public(), base64.StdEncoding.EncodeToString(signature))
	return b.replace(azp.SignatureName, "\n}", link)
}

func (b *builder) duplicate(args []string) error {
	e, err := b.entry(args[0])
	if err == nil {
		b.entries = append(b.entries, &entry{name: e.name, data: e.data})
	}
	return err
}

func (b *builder) nest(args []string) error {
	inner, err := b.entry(args[0])
	if err != nil {
		return err
	}
	outer, err := b.entry(args[1])
	if err != nil {
		return err
	}
	inner.outer, inner.at = outer, len(outer.data)
	outer.data = append(inner.appendLocal(outer.data), inner.data...)
	return nil
}

func (b *builder) insert(args []string) error {
	e, err := b.entry(args[0])
	if err == nil {
		e.gap = []byte(args[1])
	}
	return err
}

func (b *builder) set(args []string) error {
	e, fault, err := b.fault(args)
	if err == nil {
		e.both = append(e.both, fault)
	}
	return err
}

func (b *builder) setLocal(args []string) error {
	e, fault, err := b.fault(args)
	if err == nil {
		e.local = append(e.local, fault)
	}
	return err
}

// fault returns an entry and what sets a field of its headers.
func (b *builder) fault(args []string) (*entry, func(*header), error) {
	e, err := b.entry(args[0])
	if err != nil {
		return nil, nil, err
	}
	if args[1] == "name" {
		return e, func(h *header) { h.name = args[2] }, nil
	}
	if (&header{}).fields()[args[1]] == nil {
		return nil, nil, fmt.Errorf("there is no field %s", args[1])
	}
	value, err := strconv.ParseUint(args[2], 0, 32)
	return e, func(h *header) { *h.fields()[args[1]] = uint32(value) }, err
}

func (b *builder) records(args []string) error {
	return number(&b.end.records, args[0])
}

func (b *builder) comment(args []string) error {
	b.end.comment = args[0]
	return nil
}

func (b *builder) padDirectory(args []string) error {
	return number(&b.end.padding, args[0])
}

func (b *builder) appendBytes(args []string) error {
	b.bytes = append(b.written(), args[0]...)
	return nil
}

func (b *builder) truncate(args []string) error {
	var n int
	if err := number(&n, args[0]); err != nil {
		return err
	}
	if n > len(b.written()) {
		return fmt.Errorf("the archive has only %d bytes", len(b.bytes))
	}
	b.bytes = b.bytes[:n]
	return nil
}

func (b *builder) seal([]string) error {
	b.unreadable = true
	return nil
}

func (b *builder) manifestAlone([]string) error {
	b.alone = true
	_, err := b.entry(azp.ManifestName)
	return err
}

func (b *builder) leaveBeside([]string) error {
	e, err := b.entry(azp.ManifestName)
	if err == nil {
		manifest := *e
		b.beside = &manifest
	}
	return err
}

func (b *builder) judgeLoose([]string) error {
	b.loose = true
	return nil
}

func (b *builder) nameFolder(args []string) error {
	b.folder = args[0]
	return nil
}

func (b *builder) publish([]string) error {
	if b.base == nil {
		b.base = fstest.MapFS{}
	}
	dir := path.Join(b.config.Submissions, b.folder)
	if b.built {
		b.base[path.Join(dir, b.file)] = &fstest.MapFile{Data: b.write()}
		return nil
	}
	for _, e := range b.entries {
		b.base[path.Join(dir, e.name)] = e.file()
	}
	return nil
}

// own records an owner among the publishers that the base branch holds.
func (b *builder) own(args []string) error {
	account, err := strconv.ParseInt(args[0], 10, 64)
	if err != nil {
		return err
	}
	none, err := registry.ParsePublishers(nil)
	if err != nil {
		return err
	}
	if b.base == nil {
		b.base = fstest.MapFS{}
	}
	record := none.With(b.folder, registry.Pin{Owner: registry.Owner{GitHubID: account}})
	b.base[path.Join(b.config.Registry.Path, registry.PublishersPath)] = &fstest.MapFile{Data: record.Text()}
	return nil
}

func (b *builder) from(args []string) (err error) {
	b.account, err = strconv.ParseInt(args[0], 10, 64)
	return err
}

func (b *builder) nameFile(args []string) error {
	b.file = args[0]
	return nil
}

func (b *builder) limit(args []string) error {
	var n int
	if err := number(&n, args[1]); err != nil {
		return err
	}
	lim := &b.limits
	switch args[0] {
	case "entries":
		lim.Entries = n
	case "depth":
		lim.Depth = n
	case "unpacked":
		lim.Unpacked = int64(n)
	case "package":
		lim.Package = int64(n)
	case "manifest":
		lim.Manifest = int64(n)
	default:
		return fmt.Errorf("there is no limit %s", args[0])
	}
	return nil
}

func (b *builder) deny(args []string) error {
	if args[0] == "archive" {
		b.denyArchive = true
		return nil
	}
	k, err := key(args[0])
	b.config.Deny.Keys = append(b.config.Deny.Keys, k.Public().String())
	return err
}

func number(to *int, text string) (err error) {
	*to, err = strconv.Atoi(text)
	return err
}
