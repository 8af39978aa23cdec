package main

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
)

// converse sends lines to a new server and returns what it says.
func converse(t testing.TB, lines ...string) []string {
	t.Helper()
	var out bytes.Buffer
	if err := serve(strings.NewReader(strings.Join(lines, "\n")), &out); err != nil {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n")
}

const (
	handshake = `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}`
	meta      = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}`
)

func TestAnswersOfALegacySession(t *testing.T) {
	for _, c := range []struct{ name, send, want string }{
		{"ping", `{"jsonrpc":"2.0","id":"a","method":"ping"}`, `{"id":"a","jsonrpc":"2.0","result":{}}`},
		{"count", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"count_text","arguments":{"text":"één twee\ndrie\n"}}}`,
			`{"id":1,"jsonrpc":"2.0","result":{"content":[{"text":"{\"characters\":14,\"words\":3,\"lines\":2}","type":"text"}],"isError":false,"structuredContent":{"characters":14,"words":3,"lines":2}}}`},
		{"slug", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"slugify","arguments":{"text":"  It’s a Façade: Part 2!  "}}}`,
			`{"id":1,"jsonrpc":"2.0","result":{"content":[{"text":"{\"slug\":\"its-a-façade-part-2\"}","type":"text"}],"isError":false,"structuredContent":{"slug":"its-a-façade-part-2"}}}`},
		{"cut slug", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"slugify","arguments":{"text":"ab cd","maxLength":3}}}`,
			`{"id":1,"jsonrpc":"2.0","result":{"content":[{"text":"{\"slug\":\"ab\"}","type":"text"}],"isError":false,"structuredContent":{"slug":"ab"}}}`},
		{"nothing to slug", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"slugify","arguments":{"text":"…"}}}`,
			`{"id":1,"jsonrpc":"2.0","result":{"content":[{"text":"the text has no letter and no digit to make a slug of","type":"text"}],"isError":true}}`},
		{"length out of bounds", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"slugify","arguments":{"text":"a","maxLength":0}}}`,
			`{"id":1,"jsonrpc":"2.0","result":{"content":[{"text":"\"maxLength\" has to be between 1 and 200","type":"text"}],"isError":true}}`},
		{"no argument", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"count_text"}}`,
			`{"id":1,"jsonrpc":"2.0","result":{"content":[{"text":"the argument \"text\" is required","type":"text"}],"isError":true}}`},
		{"unknown argument", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"count_text","arguments":{"text":"a","x":1}}}`,
			`{"id":1,"jsonrpc":"2.0","result":{"content":[{"text":"the arguments do not fit the tool: json: unknown field \"x\"","type":"text"}],"isError":true}}`},
		{"argument of the other tool", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"count_text","arguments":{"text":"a","maxLength":1}}}`,
			`{"id":1,"jsonrpc":"2.0","result":{"content":[{"text":"count_text has no argument \"maxLength\"","type":"text"}],"isError":true}}`},
		{"unknown tool", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"rm"}}`,
			`{"error":{"code":-32602,"message":"Unknown tool: rm"},"id":1,"jsonrpc":"2.0"}`},
		{"params of a wrong type", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":[1]}`,
			`{"error":{"code":-32602,"message":"the parameters have the wrong shape"},"id":1,"jsonrpc":"2.0"}`},
		{"a cursor that was never given", `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"cursor":"x"}}`,
			`{"error":{"code":-32602,"message":"the list has one page: there is no such cursor"},"id":1,"jsonrpc":"2.0"}`},
		{"unknown method", `{"jsonrpc":"2.0","id":1,"method":"resources/list"}`,
			`{"error":{"code":-32601,"message":"Method not found: resources/list"},"id":1,"jsonrpc":"2.0"}`},
		{"discovery belongs to the newer era", `{"jsonrpc":"2.0","id":1,"method":"server/discover"}`,
			`{"error":{"code":-32601,"message":"Method not found: server/discover"},"id":1,"jsonrpc":"2.0"}`},
		{"second handshake", handshake, `{"error":{"code":-32600,"message":"the session is initialized already"},"id":0,"jsonrpc":"2.0"}`},
		{"not JSON", `{"jsonrpc":`, `{"error":{"code":-32700,"message":"the message is not JSON"},"id":null,"jsonrpc":"2.0"}`},
		{"batch", `[{"jsonrpc":"2.0","id":1,"method":"ping"}]`, `{"error":{"code":-32600,"message":"the message is no JSON-RPC 2.0 request"},"id":null,"jsonrpc":"2.0"}`},
		{"id of null", `{"jsonrpc":"2.0","id":null,"method":"ping"}`, `{"error":{"code":-32600,"message":"the message is no JSON-RPC 2.0 request"},"id":null,"jsonrpc":"2.0"}`},
		{"id of a fraction", `{"jsonrpc":"2.0","id":1.5,"method":"ping"}`, `{"error":{"code":-32600,"message":"the message is no JSON-RPC 2.0 request"},"id":null,"jsonrpc":"2.0"}`},
		{"other JSON-RPC", `{"id":7,"method":"ping"}`, `{"error":{"code":-32600,"message":"the message is no JSON-RPC 2.0 request"},"id":7,"jsonrpc":"2.0"}`},
		{"method of a wrong type", `{"jsonrpc":"2.0","id":7,"method":1}`, `{"error":{"code":-32600,"message":"the message is no JSON-RPC 2.0 request"},"id":7,"jsonrpc":"2.0"}`},
		{"too long", `{"jsonrpc":"2.0","id":7,"method":"` + strings.Repeat("a", maxMessage) + `"}`,
			`{"error":{"code":-32600,"message":"the message is too long"},"id":null,"jsonrpc":"2.0"}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := converse(t, handshake, `{"jsonrpc":"2.0","method":"notifications/initialized"}`, "", c.send)
			if len(got) != 2 || got[1] != c.want {
				t.Errorf("got  %s\nwant %s", got[1:], c.want)
			}
		})
	}
}

func TestVersionsAreNegotiated(t *testing.T) {
	for requested, want := range map[string]string{
		"2024-11-05": "2024-11-05", "2025-03-26": "2025-11-25", "2025-06-18": "2025-06-18", "2025-11-25": "2025-11-25",
		"2026-07-28": "2025-11-25", // has no handshake
		"1900-01-01": "2025-11-25",
	} {
		got := converse(t, strings.Replace(handshake, "2025-06-18", requested, 1))
		if !strings.Contains(got[0], `"protocolVersion":"`+want+`"`) {
			t.Errorf("%s: want %s, got %s", requested, want, got[0])
		}
	}
}

func TestNothingIsServedBeforeTheHandshake(t *testing.T) {
	got := converse(t, `{"jsonrpc":"2.0","id":1,"method":"ping"}`, `{"jsonrpc":"2.0","id":2,"method":"tools/list"}`,
		`{"jsonrpc":"2.0","id":3,"method":"initialize"}`)
	want := []string{
		`{"id":1,"jsonrpc":"2.0","result":{}}`,
		`{"error":{"code":-32600,"message":"the session has to be initialized first"},"id":2,"jsonrpc":"2.0"}`,
		`{"error":{"code":-32602,"message":"initialize needs a protocolVersion, a string"},"id":3,"jsonrpc":"2.0"}`,
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestAnswersOfTheStatelessEra(t *testing.T) {
	for _, c := range []struct{ name, send, want string }{
		{"discovery", `{"jsonrpc":"2.0","id":1,"method":"server/discover","params":{` + meta + `}}`, `"supportedVersions":["2026-07-28","2025-11-25"`},
		{"list", `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{` + meta + `}}`, `"resultType":"complete","tools":[{"name":"count_text"`},
		{"call", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"count_text","arguments":{"text":""},` + meta + `}}`, `"structuredContent":{"characters":0,"words":0,"lines":0}`},
		{"no ping any more", `{"jsonrpc":"2.0","id":1,"method":"ping","params":{` + meta + `}}`, `"code":-32601`},
		{"unknown version", `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{` + strings.Replace(meta, "2026-07-28", "2030-01-01", 1) + `}}`,
			`"error":{"code":-32022,"message":"Unsupported protocol version","data":{"requested":"2030-01-01","supported":["2026-07-28",`},
		{"no version", `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/clientCapabilities":{}}}}`, `"code":-32602`},
		{"no capabilities", `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}}`, `"code":-32602`},
		{"capabilities of a wrong type", `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{` + strings.Replace(meta, "{}", "1", 1) + `}}`, `"code":-32602`},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := converse(t, c.send); len(got) != 1 || !strings.Contains(got[0], c.want) {
				t.Errorf("got %s\nwant %s in it", got, c.want)
			}
		})
	}
}

func TestWhatIsNoRequestGetsNoAnswer(t *testing.T) {
	got := converse(t, `{"jsonrpc":"2.0","method":"tools/call"}`, `{"jsonrpc":"2.0","id":1,"result":{}}`, `{"jsonrpc":"2.0","id":1,"error":{}}`, " ")
	if strings.Join(got, "") != "" {
		t.Errorf("got %s", got)
	}
}

// The tools that are listed are those that can be called.
func TestEachListedToolExists(t *testing.T) {
	var listed []struct{ Name string }
	if err := json.Unmarshal(toolList, &listed); err != nil {
		t.Fatal(err)
	}
	if len(listed) != len(tools) {
		t.Errorf("%d tools are listed, %d exist", len(listed), len(tools))
	}
	for _, tool := range listed {
		if tools[tool.Name] == nil {
			t.Errorf("%s is listed and does not exist", tool.Name)
		}
	}
}

func FuzzServe(f *testing.F) {
	f.Add(handshake + "\n" + `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`)
	f.Add(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"slugify","arguments":{"text":"A b","maxLength":2},` + meta + `}}`)
	f.Add(`{"jsonrpc":"2.0","id":null,"method":1,"params":[]}`)
	f.Fuzz(func(t *testing.T, input string) {
		for _, line := range converse(t, input) {
			if line == "" {
				continue
			}
			var answer map[string]json.RawMessage
			if err := json.Unmarshal([]byte(line), &answer); err != nil {
				t.Fatalf("%s: %v", line, err)
			}
			if string(answer["jsonrpc"]) != `"2.0"` || answer["id"] == nil || (answer["result"] == nil) == (answer["error"] == nil) {
				t.Errorf("no JSON-RPC response: %s", line)
			}
		}
	})
}
