package check

import (
	"bytes"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

func TestSchemaIsJSONSchema(t *testing.T) {
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(schemaText))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("manifest.schema.json", doc); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile("manifest.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	for text, valid := range map[string]bool{
		`{"kind":"mcp","mcp":{"servers":[{"id":"s","remote":{"type":"http","url":"https://x.example"}}]}}`: true,
		`{"mcp":{"servers":[{"id":5}]}}`: false,
		`{"files":["a"]}`:                false,
		`{"unknown":1}`:                  false,
	} {
		v, err := jsonschema.UnmarshalJSON(bytes.NewReader([]byte(text)))
		if err != nil {
			t.Fatal(err)
		}
		if got := s.Validate(v) == nil; got != valid {
			t.Errorf("%s: valid %v", text, got)
		}
	}
}
