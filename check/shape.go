package check

import (
	"bytes"
	_ "embed"
	"slices"
	"strings"
	"sync"
	"unicode"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"

	"github.com/azphalt/submissions/internal/jsontree"
)

//go:embed manifest.schema.json
var schemaText []byte

// manifestSchema compiles the schema. The library reads and checks it; the tree is walked here, so that each fault has
// its place and members with repeated names are looked at, too.
var manifestSchema = sync.OnceValue(func() *jsonschema.Schema {
	const url = "https://azphalt.dev/manifest.schema.json"
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(schemaText))
	if err != nil {
		panic(err) // the schema is part of the program
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource(url, doc); err != nil {
		panic(err)
	}
	return c.MustCompile(url)
})

// judgeShape reports values of a wrong type, fields that the format does not know, and keys that some parsers take for a
// known one.
func (m *manifest) judgeShape() { m.shape(m.root, manifestSchema(), property) }

// position is where a value stands in its parent.
type position int

const (
	property position = iota // under a name that the schema knows: a value that reads as absent is harmless there
	item                     // in an array or a map
)

func (m *manifest) shape(v jsontree.Value, s *jsonschema.Schema, pos position) {
	if s.Ref != nil {
		m.shape(v, s.Ref, pos)
	}
	for _, part := range s.AllOf {
		m.shape(v, part, pos)
	}
	if !hasType(v, s) {
		m.wrongType(v, s, pos)
		return
	}
	for _, e := range v.Elements() {
		if s.Items2020 != nil {
			m.shape(e, s.Items2020, item)
		}
	}
	known := fieldsOf(s)
	for member := range v.Members() {
		m.shapeMember(member, s, known)
	}
}

// shapeMember judges a member of an object that the schema describes.
func (m *manifest) shapeMember(member jsontree.Member, s *jsonschema.Schema, known *fields) {
	name := member.Name()
	if sub, ok := s.Properties[name]; ok {
		m.shape(member.Value, sub, property)
		return
	}
	if sub, ok := s.AdditionalProperties.(*jsonschema.Schema); ok {
		m.shape(member.Value, sub, item)
		return
	}
	if len(known.names) == 0 {
		return
	}
	if twin := known.confusable(name); twin != "" {
		m.add("json/confusable-key", at(member.Key), "the key "+quote(name)+" is not "+quote(twin)+", but some parsers take it for that", fix("write %s, or another name", quote(twin)))
		return
	}
	if closed, ok := s.AdditionalProperties.(bool); !ok || closed {
		return
	}
	var opts []option
	message := "the format knows no field " + quote(name) + " here; hosts ignore it"
	if near := nearest(name, known.names); near != "" {
		message += ". Did you mean " + quote(near) + "?"
		opts = append(opts, fix("write %s", quote(near)))
	}
	m.add("manifest/unknown-field", at(member.Key), message, opts...)
}

// fields are the names of a schema's properties.
type fields struct {
	names  []string          // in order
	folded map[string]string // by what parsers may take them for
}

var fieldCache sync.Map // of *fields by *jsonschema.Schema

func fieldsOf(s *jsonschema.Schema) *fields {
	if f, ok := fieldCache.Load(s); ok {
		return f.(*fields)
	}
	f := &fields{folded: map[string]string{}}
	for name := range s.Properties {
		f.names = append(f.names, name)
		f.folded[foldKey(name)] = name
	}
	slices.Sort(f.names)
	fieldCache.Store(s, f)
	return f
}

// confusable returns the known key that a parser which folds letter case, Unicode forms or invisible characters could
// take a key for; "" where there is none.
func (f *fields) confusable(key string) string {
	if len(key) > maxSuggestLength {
		return ""
	}
	return f.folded[foldKey(key)]
}

func hasType(v jsontree.Value, s *jsonschema.Schema) bool {
	if s.Types == nil {
		return true
	}
	return slices.Contains(s.Types.ToStrings(), typeName(v.Kind()))
}

func typeName(k jsontree.Kind) string {
	switch k {
	case jsontree.Null:
		return "null"
	case jsontree.True, jsontree.False:
		return "boolean"
	case jsontree.Number:
		return "number"
	case jsontree.String:
		return "string"
	case jsontree.Array:
		return "array"
	default:
		return "object"
	}
}

// wrongType reports a value of a wrong type, unless a finding is about it already.
func (m *manifest) wrongType(v jsontree.Value, s *jsonschema.Schema, pos position) {
	if !m.claim(v) {
		return
	}
	want := strings.Join(typesInWords(s), " or ")
	switch {
	case pos == property && v.Empty():
		m.add("manifest/type-ignored", at(v), "this is "+v.Kind().String()+", not "+want+"; hosts read it as absent", fix("leave the field out, or write %s", want))
	case strings.Contains(s.Location, "/$defs/advisory/"):
		m.add("manifest/type-ignored", opening(v), "this is "+v.Kind().String()+", not "+want+"; hosts may ignore it", fix("write %s", want))
	default:
		m.add("manifest/type", opening(v), "this is "+v.Kind().String()+"; want "+want)
	}
}

func typesInWords(s *jsonschema.Schema) []string {
	words := map[string]string{"object": "an object", "array": "an array", "string": "a string", "number": "a number", "boolean": "true or false", "null": "null"}
	var out []string
	for _, t := range s.Types.ToStrings() {
		out = append(out, words[t])
	}
	return out
}

// foldKey folds letter case (with the long s and the Kelvin sign) and compatibility forms, and drops what is invisible.
func foldKey(key string) string {
	visible := strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) || unicode.IsSpace(r) {
			return -1
		}
		return r
	}, key)
	if isPlain(visible) {
		return strings.ToLower(visible)
	}
	return cases.Fold().String(norm.NFKC.String(visible))
}

func isPlain(s string) bool {
	for i := range len(s) {
		if s[i] >= 0x80 {
			return false
		}
	}
	return true
}
