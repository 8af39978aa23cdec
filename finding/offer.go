package finding

// Offer is what a server said when it was asked what it offers. All text of strangers in it can be shown; long ones are cut.
type Offer struct {
	Server       string    `json:"server"`    // its id in the manifest
	Transport    string    `json:"transport"` // "wasi" or "remote"
	Name         string    `json:"name,omitempty"`
	Instructions string    `json:"instructions,omitempty"`
	Tools        []Offered `json:"tools,omitempty"`
	Resources    []Offered `json:"resources,omitempty"`
	Prompts      []Offered `json:"prompts,omitempty"`
}

// Offered is a tool, a resource or a prompt.
type Offered struct {
	Name        string `json:"name"`
	Title       string `json:"title,omitempty"`
	Description string `json:"description,omitempty"`
	Schema      string `json:"schema,omitempty"` // JSON of what it takes, as text
}
