package githubsim

import (
	"bytes"
	"encoding/json"
	"slices"
)

// simplify asks for what every server knows.
func (r *request) simplify() {
	r.http.Header.Del("Accept")
	query := r.http.URL.Query()
	query.Del("recursive")
	r.http.URL.RawQuery = query.Encode()
}

// simplify takes out of an answer what not every server gives.
func (a *rendered) simplify(without []string) {
	a.header.Del("Link")
	var body any
	decoder := json.NewDecoder(bytes.NewReader(a.body))
	decoder.UseNumber()
	if decoder.Decode(&body) != nil {
		return
	}
	strip(body, without)
	text, err := json.Marshal(body)
	if err != nil {
		return // what was read can be written
	}
	a.body = text
}

func strip(v any, without []string) {
	switch v := v.(type) {
	case obj:
		for name, member := range v {
			if slices.Contains(without, name) {
				delete(v, name)
			} else {
				strip(member, without)
			}
		}
	case []any:
		for _, item := range v {
			strip(item, without)
		}
	}
}
