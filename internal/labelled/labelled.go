// Package labelled holds values of server configurations with labels that say what they are, for tests of the rules about
// secrets.
package labelled

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
)

//go:embed labelled.tsv
var table string

// Value is a line of the table, with its random parts drawn.
type Value struct {
	Label string // secret, placeholder, reference or benign
	Place string // env, header, url or arg
	Name  string // of the variable or the header
	Args  []string
	At    int    // the argument that the label is about
	Text  string // the value, or that argument

	Template string   // the line of the table
	Drawn    []string // its random parts
}

// Values returns the values of the table, drawn from a seed.
func Values(seed uint64) ([]Value, error) {
	var values []Value
	for i, line := range strings.Split(strings.TrimSpace(table), "\n") {
		if strings.HasPrefix(line, "#") {
			continue
		}
		v, err := parse(line, NewDraws(seed, uint64(i)))
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", i+1, err)
		}
		values = append(values, v)
	}
	return values, nil
}

func parse(line string, d Draws) (Value, error) {
	columns := strings.Split(line, "\t")
	if len(columns) != 4 {
		return Value{}, fmt.Errorf("there are %d columns, not 4", len(columns))
	}
	v := Value{Label: columns[0], Place: columns[1], Name: columns[2], Template: line}
	if v.Place != "arg" {
		err := json.Unmarshal([]byte(columns[3]), &v.Text)
		v.Text = d.Fill(v.Text)
		v.Drawn = d.Drawn()
		return v, err
	}
	if err := json.Unmarshal([]byte(columns[3]), &v.Args); err != nil {
		return v, err
	}
	for i, arg := range v.Args {
		v.Args[i] = d.Fill(arg)
	}
	at, err := strconv.Atoi(v.Name)
	if err != nil || at >= len(v.Args) {
		return v, fmt.Errorf("there is no argument %q", v.Name)
	}
	v.Name, v.At, v.Text, v.Drawn = "", at, v.Args[at], d.Drawn()
	return v, nil
}

// Manifest returns a manifest with the value at its place, and the pointer to it.
func (v Value) Manifest() (manifest []byte, pointer string) {
	type object = map[string]any
	desktop := object{"command": "demo-mcp"}
	remote := object{"type": "http", "url": "https://mcp.example.com/mcp"}
	server := object{"id": "demo"}
	escaped := strings.NewReplacer("~", "~0", "/", "~1").Replace(v.Name)
	switch v.Place {
	case "env":
		desktop["env"], pointer = object{v.Name: v.Text}, "local/platforms/desktop/env/"+escaped
	case "arg":
		desktop["args"], pointer = v.Args, "local/platforms/desktop/args/"+strconv.Itoa(v.At)
	case "header":
		remote["headers"], pointer = object{v.Name: v.Text}, "remote/headers/"+escaped
	case "url":
		remote["url"], pointer = v.Text, "remote/url"
	}
	if v.Place == "env" || v.Place == "arg" {
		server["local"] = object{"platforms": object{"desktop": desktop}}
	} else {
		server["remote"] = remote
	}
	manifest, err := json.MarshalIndent(object{
		"azphalt": "0.1", "id": "com.example.demo", "name": "Demo", "version": "1.0.0", "kind": "mcp", "license": "MIT", "compat": ">=0.1",
		"mcp": object{"servers": []object{server}},
	}, "", "  ")
	if err != nil {
		panic(err) // it is made of strings
	}
	return manifest, "/mcp/servers/0/" + pointer
}
