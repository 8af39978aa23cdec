package annotate

import (
	"strings"

	"github.com/azphalt/submissions/finding"
)

// offerItem returns a list item for what a server said that it offers. All of it is a stranger's text, and set as code.
func offerItem(o *finding.Offer) string {
	var b strings.Builder
	b.WriteString("\n- " + code(visible(o.Server, maxName)) + " was asked what it offers (" + prose(o.Transport) + ")")
	if o.Name != "" {
		b.WriteString("; it calls itself " + code(visible(o.Name, maxName)))
	}
	b.WriteString("\n")
	if o.Instructions != "" {
		b.WriteString("  - instructions: " + code(visible(o.Instructions, maxMessage)) + "\n")
	}
	for _, list := range []struct {
		what    string
		offered []finding.Offered
	}{{"tool", o.Tools}, {"resource", o.Resources}, {"prompt", o.Prompts}} {
		for _, one := range list.offered {
			b.WriteString("  - " + list.what + " " + code(visible(one.Name, maxName)) + offeredWords(one) + "\n")
		}
	}
	return b.String()
}

// offeredWords returns what a server says of one of its tools.
func offeredWords(o finding.Offered) string {
	words := ""
	if o.Title != "" {
		words += ", titled " + code(visible(o.Title, maxName))
	}
	if o.Description != "" {
		words += ": " + code(visible(o.Description, maxMessage))
	}
	if o.Schema != "" {
		words += "; takes " + code(visible(o.Schema, maxMessage))
	}
	return words
}
