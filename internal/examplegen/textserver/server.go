package main

import (
	"bytes"
	"encoding/json"
	"slices"
)

// The versions of the protocol that are served. 2025-03-26 is not one: it alone asks servers to take batches.
const modernVersion = "2026-07-28"

var (
	legacyVersions = []string{"2025-11-25", "2025-06-18", "2024-11-05"}
	versions       = append([]string{modernVersion}, legacyVersions...)
)

// Error codes of JSON-RPC 2.0 and of MCP.
const (
	parseError         = -32700
	invalidRequest     = -32600
	methodNotFound     = -32601
	invalidParams      = -32602
	unsupportedVersion = -32022
)

// session is what one process knows of its client.
type session struct {
	initialized bool // the handshake of the older era has been made
}

// object is a JSON object to be sent.
type object map[string]any

// message is what a client sends. A request has an id, a notification none.
type message struct {
	JSONRPC string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id"`
	Method  *string         `json:"method"`
	Params  json.RawMessage `json:"params"`
	Result  json.RawMessage `json:"result"`
	Error   json.RawMessage `json:"error"`
}

// failure is the error of a request.
type failure struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
	Data    any    `json:"data,omitempty"`
}

// handleLine returns the answer to a line, nil where there is none to give.
func (s *session) handleLine(line []byte, tooLong bool) []byte {
	switch {
	case tooLong:
		return encode(nil, nil, &failure{Code: invalidRequest, Message: "the message is too long"})
	case len(line) == 0:
		return nil
	case !json.Valid(line):
		return encode(nil, nil, &failure{Code: parseError, Message: "the message is not JSON"})
	}
	var m message
	err := json.Unmarshal(line, &m)
	isCall := m.ID != nil
	switch {
	case err == nil && m.JSONRPC == "2.0" && m.Method != nil && !isCall:
		return nil // a notification: none of them changes anything here
	case err == nil && m.Method == nil && (m.Result != nil || m.Error != nil):
		return nil // an answer, though nothing was asked
	case err != nil, m.JSONRPC != "2.0", m.Method == nil, !validID(m.ID):
		return encode(m.ID, nil, &failure{Code: invalidRequest, Message: "the message is no JSON-RPC 2.0 request"})
	}
	result, fault := s.answer(*m.Method, m.Params)
	return encode(m.ID, result, fault)
}

// validID reports whether an id is a string or an integer: null, which JSON-RPC allows, is none for MCP.
func validID(id json.RawMessage) bool {
	return len(id) > 0 && (id[0] == '"' || len(bytes.Trim(id, "-0123456789")) == 0)
}

// encode writes a response in one line. An id that is none is answered by null.
func encode(id json.RawMessage, result object, fault *failure) []byte {
	out := object{"jsonrpc": "2.0", "id": nil}
	if validID(id) {
		out["id"] = id
	}
	if fault != nil {
		out["error"] = fault
	} else {
		out["result"] = result
	}
	data, err := json.Marshal(out)
	if err != nil {
		panic(err) // everything in it is made here, or was JSON before
	}
	return data
}

// answer answers a request in the era that it belongs to.
func (s *session) answer(method string, params json.RawMessage) (object, *failure) {
	modern, fault := eraOf(params)
	switch {
	case fault != nil:
		return nil, fault
	case modern:
		return answerModern(method, params)
	default:
		return s.answerLegacy(method, params)
	}
}

// eraOf tells the era of a request: in the newer one each carries its version and the client's capabilities.
func eraOf(params json.RawMessage) (modern bool, fault *failure) {
	var p struct {
		Meta struct {
			Version      json.RawMessage `json:"io.modelcontextprotocol/protocolVersion"`
			Capabilities json.RawMessage `json:"io.modelcontextprotocol/clientCapabilities"`
		} `json:"_meta"`
	}
	if fault := decode(params, &p); fault != nil {
		return false, fault
	}
	if p.Meta.Version == nil && p.Meta.Capabilities == nil {
		return false, nil
	}
	var version *string
	if json.Unmarshal(p.Meta.Version, &version) != nil || version == nil {
		return true, &failure{Code: invalidParams, Message: "_meta needs a protocolVersion, a string"}
	}
	if *version != modernVersion {
		data := object{"supported": versions, "requested": *version}
		return true, &failure{Code: unsupportedVersion, Message: "Unsupported protocol version", Data: data}
	}
	var capabilities map[string]json.RawMessage
	if json.Unmarshal(p.Meta.Capabilities, &capabilities) != nil || capabilities == nil {
		return true, &failure{Code: invalidParams, Message: "_meta needs clientCapabilities, an object"}
	}
	return true, nil
}

// decode reads params, which may be absent.
func decode(params json.RawMessage, into any) *failure {
	if params == nil {
		return nil
	}
	if err := json.Unmarshal(params, into); err != nil {
		return &failure{Code: invalidParams, Message: "the parameters have the wrong shape"}
	}
	return nil
}

var (
	serverInfo   = object{"name": "text-tools", "title": "Text tools", "version": "1.0.0"}
	capabilities = object{"tools": object{}}
)

const instructions = "Counts text and makes slugs of it. Both tools are pure functions of their arguments."

// listLifetime is for how long clients may keep what never changes, in milliseconds.
const listLifetime = 24 * 60 * 60 * 1000

// answerModern serves the stateless era.
func answerModern(method string, params json.RawMessage) (object, *failure) {
	var result object
	var fault *failure
	cacheable := true
	switch method {
	case "server/discover":
		result = object{"supportedVersions": versions, "capabilities": capabilities, "instructions": instructions}
	case "tools/list":
		result, fault = listTools(params)
	case "tools/call":
		result, fault = callTool(params)
		cacheable = false
	default:
		return nil, unknownMethod(method)
	}
	if fault != nil {
		return nil, fault
	}
	result["resultType"] = "complete"
	result["_meta"] = object{"io.modelcontextprotocol/serverInfo": serverInfo}
	if cacheable {
		result["ttlMs"], result["cacheScope"] = listLifetime, "public"
	}
	return result, nil
}

// answerLegacy serves the era of the handshake.
func (s *session) answerLegacy(method string, params json.RawMessage) (object, *failure) {
	switch {
	case method == "initialize":
		return s.initialize(params)
	case method == "ping":
		return object{}, nil
	case !s.initialized:
		return nil, &failure{Code: invalidRequest, Message: "the session has to be initialized first"}
	case method == "tools/list":
		return listTools(params)
	case method == "tools/call":
		return callTool(params)
	default:
		return nil, unknownMethod(method)
	}
}

// initialize agrees on the client's version, where it is served, and offers the latest otherwise.
func (s *session) initialize(params json.RawMessage) (object, *failure) {
	var p struct {
		Version *string `json:"protocolVersion"`
	}
	if fault := decode(params, &p); fault != nil {
		return nil, fault
	}
	switch {
	case p.Version == nil:
		return nil, &failure{Code: invalidParams, Message: "initialize needs a protocolVersion, a string"}
	case s.initialized:
		return nil, &failure{Code: invalidRequest, Message: "the session is initialized already"}
	}
	s.initialized = true
	version := legacyVersions[0]
	if slices.Contains(legacyVersions, *p.Version) {
		version = *p.Version
	}
	return object{"protocolVersion": version, "capabilities": capabilities, "serverInfo": serverInfo, "instructions": instructions}, nil
}

func unknownMethod(method string) *failure {
	return &failure{Code: methodNotFound, Message: "Method not found: " + method}
}
