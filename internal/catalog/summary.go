package catalog

import (
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/azphalt/submissions/azp"
	"github.com/azphalt/submissions/internal/jsontree"
	"github.com/azphalt/submissions/registry"
)

// Summary is a package as lists show it. What a registry without accounts and statistics does not know, downloads and
// ratings, is left out.
type Summary struct {
	ID                   string          `json:"id"`
	Name                 string          `json:"name"`
	NameLocalized        json.RawMessage `json:"nameLocalized,omitempty"`
	Description          string          `json:"description,omitempty"`
	DescriptionLocalized json.RawMessage `json:"descriptionLocalized,omitempty"`
	Author               string          `json:"author,omitempty"`
	Version              string          `json:"version"` // the newest that can be installed
	Latest               string          `json:"latest"`  // likewise
	Kind                 string          `json:"kind"`
	License              string          `json:"license,omitempty"`
	Types                []string        `json:"types"` // of its assets
	PriceStatus          string          `json:"priceStatus"`
	Maturity             string          `json:"maturity"`
	TargetApps           []string        `json:"targetApps"` // empty: for all
	Capabilities         []string        `json:"capabilities"`
	MediaDomains         []string        `json:"mediaDomains"`
	App                  *appSummary     `json:"app,omitempty"` // of a package of kind app
	UpdatedAt            time.Time       `json:"updatedAt"`
	ByteSize             int64           `json:"byteSize"`
	Preview              json.RawMessage `json:"preview,omitempty"`
}

// appSummary is what a list says of an app: what it is, and where it is to be had.
type appSummary struct {
	Roles     []string        `json:"roles"`
	HostID    string          `json:"hostId,omitempty"`
	Platforms json.RawMessage `json:"platforms,omitempty"`
}

func newSummary(e registry.Entry, manifest jsontree.Value) Summary {
	s := Summary{
		ID: e.ID, Version: e.Version, Latest: e.Version, UpdatedAt: e.PublishedAt, ByteSize: e.Size, PriceStatus: "free", Maturity: "general",
		Name: manifest.Get("name").Str(), Description: manifest.Get("description").Str(), Author: manifest.Get("author").Str(),
		Kind: manifest.Get("kind").Str(), License: manifest.Get("license").Str(),
		NameLocalized: object(manifest.Get("nameLocalized")), DescriptionLocalized: object(manifest.Get("descriptionLocalized")),
		Preview: object(manifest.Get("preview")), Types: assetTypes(manifest),
		TargetApps: texts(manifest.Get("targetApps")), Capabilities: texts(manifest.Get("capabilities")), MediaDomains: mediaDomains(manifest),
	}
	if m := manifest.Get("maturity").Str(); m != "" {
		s.Maturity = m
	}
	if app := manifest.Get("app"); s.Kind == "app" && app.Is(jsontree.Object) {
		s.App = &appSummary{Roles: texts(app.Get("roles")), HostID: app.Get("hostId").Str(), Platforms: object(app.Get("platforms"))}
		if len(s.App.Roles) == 0 {
			s.App.Roles = []string{companion}
		}
	}
	return s
}

// companion is the role of an app that names none.
const companion = "companion"

// object returns an object as it is written, nothing of all else.
func object(v jsontree.Value) json.RawMessage {
	if !v.Is(jsontree.Object) {
		return nil
	}
	return v.Raw()
}

// texts returns the distinct strings of an array, in their order.
func texts(v jsontree.Value) []string {
	out := []string{}
	for _, e := range v.Elements() {
		if s := e.Str(); s != "" && !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	return out
}

func assetTypes(manifest jsontree.Value) []string {
	out := []string{}
	for _, a := range manifest.Get("assets").Elements() {
		if t := a.Get("type").Str(); t != "" && !slices.Contains(out, t) {
			out = append(out, t)
		}
	}
	return out
}

// domains is what asset types, capabilities and contributions are about. What serves stills and moving pictures is about
// both.
var domains = struct{ assets, capabilities map[string]string }{
	assets: map[string]string{
		"brush": "image", "image": "image", "palette": "image", "pattern": "image", "stamp": "image", "vector": "image",
		"lut": "image video", "overlay": "image video", "shader": "image video", "template": "image video",
		"motion": "video", "transition": "video", "video": "video",
		"audio": "audio", "font": "font", "hdri": "3d", "material": "3d", "mesh": "3d",
		"litert": "model", "model": "model", "onnx": "model", "sherpa-bundle": "model", "task": "model", "tflite": "model", "vosk-bundle": "model",
	},
	capabilities: map[string]string{
		"audio": "audio", "bitmap": "image", "canvas": "image", "color": "image", "layers": "image", "selection": "image", "time": "video",
	},
}

// mediaDomains returns what a package is about, in the order of the manifest.
func mediaDomains(manifest jsontree.Value) []string {
	out := []string{}
	add := func(words string) {
		for w := range strings.FieldsSeq(words) {
			if !slices.Contains(out, w) {
				out = append(out, w)
			}
		}
	}
	for _, t := range assetTypes(manifest) {
		add(domains.assets[t])
	}
	for _, c := range texts(manifest.Get("capabilities")) {
		add(domains.capabilities[c])
	}
	if manifest.Get("contributes", "transitions").Len() > 0 {
		add("video")
	}
	return out
}

// index describes the registry itself.
type index struct {
	Name           string           `json:"name"`
	Version        string           `json:"version"` // of this interface
	SupportedTypes []string         `json:"supportedTypes"`
	Profiles       []string         `json:"profiles"`
	SigningKeys    []azp.TrustedKey `json:"signingKeys"`
}

// interfaceVersion is the version of the registry read API.
const interfaceVersion = "0.1"

// newIndex says which types and kinds of hosts there is something for.
func newIndex(s Shelf, listed []*pkg) index {
	x := index{Name: s.Name, Version: interfaceVersion, SupportedTypes: []string{}, Profiles: []string{}, SigningKeys: append([]azp.TrustedKey{}, s.Keys...)}
	add := func(list *[]string, value string) {
		if !slices.Contains(*list, value) {
			*list = append(*list, value)
		}
	}
	for _, p := range listed {
		for _, t := range p.summary.Types {
			add(&x.SupportedTypes, t)
		}
		for _, profile := range profiles(p.summary) {
			add(&x.Profiles, profile)
		}
	}
	slices.Sort(x.SupportedTypes)
	slices.Sort(x.Profiles)
	return x
}

// profiles returns the kinds of hosts that a package is for.
func profiles(s Summary) []string {
	var out []string
	for _, d := range s.MediaDomains {
		switch d {
		case "image":
			out = append(out, "image")
		case "video", "audio":
			out = append(out, "video-audio")
		}
	}
	switch {
	case s.Kind == "mcp" || s.Kind == "skill" || s.Kind == "script":
		out = append(out, s.Kind)
	case s.App != nil && slices.Contains(s.App.Roles, companion):
		out = append(out, companion)
	}
	return out
}
