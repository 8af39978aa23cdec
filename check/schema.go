package check

import (
	_ "embed"
	"encoding/json"
	"slices"
	"sync"

	"github.com/azphalt/submissions/internal/jsontree"
)

//go:embed manifest.schema.json
var schemaText []byte

// schema is the part of JSON Schema that manifest.schema.json uses. A validator from a library would judge decoded
// values, which have neither places nor repeated names, and would double the time that the program takes to start; a test
// has one read the schema.
type schema struct {
	Ref                  string             `json:"$ref"`
	Type                 typeNames          `json:"type"`
	AllOf                []*schema          `json:"allOf"`
	Properties           map[string]*schema `json:"properties"`
	AdditionalProperties json.RawMessage    `json:"additionalProperties"`
	Items                *schema            `json:"items"`
	Absent               typeNames          `json:"absent"` // our own keyword; see the schema's description

	ref        *schema           // what Ref names
	additional *schema           // of AdditionalProperties, where that is a schema
	closed     bool              // AdditionalProperties is false
	advisory   bool              // stands under $defs/advisory: a wrong type is a warning
	names      []string          // of Properties, in order
	folded     map[string]string // of Properties, by what some parsers may take them for
}

// typeNames is one name or a list of them.
type typeNames []string

func (t *typeNames) UnmarshalJSON(data []byte) error {
	var one string
	if json.Unmarshal(data, &one) == nil {
		*t = typeNames{one}
		return nil
	}
	return json.Unmarshal(data, (*[]string)(t))
}

// schemaDefs are the definitions of the schema.
type schemaDefs struct {
	Strings   *schema            `json:"strings"`
	Arguments *schema            `json:"arguments"`
	Record    *schema            `json:"record"`
	Advisory  map[string]*schema `json:"advisory"`
}

// manifestSchema is the schema of manifest.json.
var manifestSchema = sync.OnceValue(func() *schema {
	var doc struct {
		schema
		Defs schemaDefs `json:"$defs"`
	}
	if err := json.Unmarshal(schemaText, &doc); err != nil {
		panic(err) // the schema is part of the program
	}
	defs := map[string]*schema{"#/$defs/strings": doc.Defs.Strings, "#/$defs/arguments": doc.Defs.Arguments, "#/$defs/record": doc.Defs.Record}
	for name, s := range doc.Defs.Advisory {
		defs["#/$defs/advisory/"+name] = s
		s.advise()
	}
	for _, s := range defs {
		s.resolve(defs)
	}
	doc.schema.resolve(defs)
	return &doc.schema
})

// advise marks a definition and what it contains.
func (s *schema) advise() {
	s.advisory = true
	if s.Items != nil {
		s.Items.advise()
	}
}

// resolve looks up references and prepares the names, in the whole schema.
func (s *schema) resolve(defs map[string]*schema) {
	if s.Ref != "" {
		if s.ref = defs[s.Ref]; s.ref == nil {
			panic("check: the schema refers to " + s.Ref)
		}
	}
	for _, part := range s.AllOf {
		part.resolve(defs)
	}
	if s.Items != nil {
		s.Items.resolve(defs)
	}
	switch text := string(s.AdditionalProperties); text {
	case "", "true":
	case "false":
		s.closed = true
	default:
		s.additional = new(schema)
		if err := json.Unmarshal(s.AdditionalProperties, s.additional); err != nil {
			panic(err)
		}
		s.additional.resolve(defs)
	}
	s.folded = map[string]string{}
	for name, property := range s.Properties {
		s.names = append(s.names, name)
		s.folded[jsontree.FoldName(name)] = name
		property.resolve(defs)
	}
	slices.Sort(s.names)
}

// confusable returns the known key that a parser which folds letter case, Unicode forms or invisible characters could
// take a key for; "" where there is none.
func (s *schema) confusable(key string) string {
	if len(key) > maxSuggestLength {
		return ""
	}
	return s.folded[jsontree.FoldName(key)]
}
