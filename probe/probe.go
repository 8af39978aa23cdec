// Package probe asks MCP servers what they offer: modules for WASI by running them in a sandbox, and servers on the network
// by connecting to them. It also fetches modules. Whom it speaks to is taken for hostile: everything has limits, and what
// goes wrong is a [check.ProbeFailure] of the server, never more.
//
// The sandbox is wazero, which is WebAssembly in Go without anything of the system's; what speaks MCP is the protocol's
// official SDK.
package probe

import (
	"context"
	"encoding/json"
	"errors"
	"iter"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/azphalt/submissions/check"
)

// Limits of one server.
const (
	answerTime   = 15 * time.Second // for a session, from the handshake to the last list
	maxMessage   = 4 << 20          // bytes of one message
	maxOutput    = 16 << 20         // bytes of all that it sends
	maxOffered   = 1000             // tools, resources or prompts that are listed
	maxFieldText = 256 << 10        // bytes of one text that is kept
)

// failed is a fault of a server.
func failed(reason string) error { return &check.ProbeFailure{Reason: reason} }

// versions are those of the protocol by which a server is asked, one after the other where it does not answer: the latest,
// in which sessions are without a handshake, and the latest with one, as there are servers that end when they are asked for
// something that they do not know.
var versions = []string{"", "2025-11-25"}

// ask makes a session and lists all that the server offers.
func ask(ctx context.Context, version string, transport mcp.Transport) (*check.Answer, error) {
	client := mcp.NewClient(&mcp.Implementation{Name: "azphalt-probe", Version: "1"}, &mcp.ClientOptions{Capabilities: &mcp.ClientCapabilities{}})
	session, err := client.Connect(ctx, transport, &mcp.ClientSessionOptions{ProtocolVersion: version})
	if err != nil {
		return nil, err
	}
	defer session.Close()
	return list(ctx, session)
}

func list(ctx context.Context, session *mcp.ClientSession) (*check.Answer, error) {
	a := &check.Answer{}
	init := session.InitializeResult()
	if init == nil || init.Capabilities == nil {
		return nil, errors.New("the server names no capabilities")
	}
	a.Instructions = cut(init.Instructions)
	if init.ServerInfo != nil {
		a.Name, a.Version = cut(init.ServerInfo.Name), cut(init.ServerInfo.Version)
	}
	var err error
	if init.Capabilities.Tools != nil {
		a.Tools, err = gather(session.Tools(ctx, nil), func(t *mcp.Tool) check.Offered {
			return check.Offered{Name: t.Name, Title: t.Title, Description: t.Description, Schema: text(t.InputSchema)}
		})
	}
	if err == nil && init.Capabilities.Resources != nil {
		a.Resources, err = gather(session.Resources(ctx, nil), func(r *mcp.Resource) check.Offered {
			return check.Offered{Name: r.Name, Title: r.Title, Description: r.Description}
		})
	}
	if err == nil && init.Capabilities.Prompts != nil {
		a.Prompts, err = gather(session.Prompts(ctx, nil), func(p *mcp.Prompt) check.Offered {
			return check.Offered{Name: p.Name, Title: p.Title, Description: p.Description, Schema: text(p.Arguments)}
		})
	}
	return a, err
}

// gather takes the first of a list, which may have no end.
func gather[T any](list iter.Seq2[*T, error], offered func(*T) check.Offered) ([]check.Offered, error) {
	var out []check.Offered
	for item, err := range list {
		if err != nil {
			return nil, err
		}
		if item == nil {
			continue
		}
		o := offered(item)
		out = append(out, check.Offered{Name: cut(o.Name), Title: cut(o.Title), Description: cut(o.Description), Schema: cut(o.Schema)})
		if len(out) == maxOffered {
			break
		}
	}
	return out, nil
}

func cut(s string) string { return s[:min(len(s), maxFieldText)] }

// text returns a value as JSON, "" for none.
func text(v any) string {
	out, err := json.Marshal(v)
	if err != nil || string(out) == "null" {
		return ""
	}
	return string(out)
}
