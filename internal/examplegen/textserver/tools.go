package main

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// toolList describes the tools to clients.
//
//go:embed tools.json
var toolList json.RawMessage

// tools are the tools by name. They return what their output schema describes; an error is for the model to read.
var tools = map[string]func(arguments json.RawMessage) (any, error){
	"count_text": countText,
	"slugify":    slugify,
}

func listTools(params json.RawMessage) (object, *failure) {
	var p struct {
		Cursor *string `json:"cursor"`
	}
	if fault := decode(params, &p); fault != nil {
		return nil, fault
	}
	if p.Cursor != nil {
		return nil, &failure{Code: invalidParams, Message: "the list has one page: there is no such cursor"}
	}
	return object{"tools": toolList}, nil
}

func callTool(params json.RawMessage) (object, *failure) {
	var p struct {
		Name      string          `json:"name"`
		Arguments json.RawMessage `json:"arguments"`
	}
	if fault := decode(params, &p); fault != nil {
		return nil, fault
	}
	tool, ok := tools[p.Name]
	if !ok {
		return nil, &failure{Code: invalidParams, Message: "Unknown tool: " + p.Name}
	}
	structured, err := tool(p.Arguments)
	if err != nil {
		return object{"content": textContent(err.Error()), "isError": true}, nil
	}
	text, err := json.Marshal(structured)
	if err != nil {
		panic(err) // the tools return structs of strings and numbers
	}
	return object{"content": textContent(string(text)), "structuredContent": structured, "isError": false}, nil
}

func textContent(text string) []object {
	return []object{{"type": "text", "text": text}}
}

// arguments are those of both tools.
type arguments struct {
	Text      *string `json:"text"`
	MaxLength *int    `json:"maxLength"`
}

// parseArguments reads arguments as strictly as the input schemas describe them.
func parseArguments(raw json.RawMessage) (arguments, error) {
	var a arguments
	d := json.NewDecoder(bytes.NewReader(raw))
	d.DisallowUnknownFields()
	if len(raw) > 0 {
		if err := d.Decode(&a); err != nil {
			return a, fmt.Errorf("the arguments do not fit the tool: %w", err)
		}
	}
	if a.Text == nil {
		return a, errors.New(`the argument "text" is required`)
	}
	return a, nil
}

type counts struct {
	Characters int `json:"characters"`
	Words      int `json:"words"`
	Lines      int `json:"lines"`
}

func countText(raw json.RawMessage) (any, error) {
	a, err := parseArguments(raw)
	if err != nil {
		return nil, err
	}
	if a.MaxLength != nil {
		return nil, errors.New(`count_text has no argument "maxLength"`)
	}
	text := *a.Text
	lines := strings.Count(text, "\n")
	if text != "" && !strings.HasSuffix(text, "\n") {
		lines++
	}
	return counts{Characters: utf8.RuneCountInString(text), Words: len(strings.Fields(text)), Lines: lines}, nil
}

type slug struct {
	Slug string `json:"slug"`
}

// Bounds of a slug's length, in characters.
const (
	defaultSlug = 60
	longestSlug = 200
)

func slugify(raw json.RawMessage) (any, error) {
	a, err := parseArguments(raw)
	if err != nil {
		return nil, err
	}
	limit := defaultSlug
	if a.MaxLength != nil {
		limit = *a.MaxLength
	}
	if limit < 1 || limit > longestSlug {
		return nil, fmt.Errorf(`"maxLength" has to be between 1 and %d`, longestSlug)
	}
	var out []rune
	for _, r := range *a.Text {
		switch {
		case unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r):
			out = append(out, unicode.ToLower(r))
		case r == '\'' || r == '’':
		case len(out) > 0 && out[len(out)-1] != '-':
			out = append(out, '-')
		}
		if len(out) > limit {
			break
		}
	}
	s := strings.TrimRight(string(out[:min(len(out), limit)]), "-")
	if s == "" {
		return nil, errors.New("the text has no letter and no digit to make a slug of")
	}
	return slug{Slug: s}, nil
}
