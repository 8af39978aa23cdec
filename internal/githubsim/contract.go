package githubsim

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers"
)

// Violation is a breach of GitHub's own contract, by a request or by an answer.
type Violation struct {
	Method, Path string
	Status       int // of the answer at fault; 0: the request is
	Problem      string
}

func (v Violation) String() string {
	if v.Status == 0 {
		return fmt.Sprintf("request %s %s: %s", v.Method, v.Path, v.Problem)
	}
	return fmt.Sprintf("answer %d to %s %s: %s", v.Status, v.Method, v.Path, v.Problem)
}

// contract holds requests and answers against GitHub's OpenAPI document.
type contract struct {
	doc     *openapi3.T
	options *openapi3filter.Options

	mu         sync.Mutex
	violations []Violation
}

func loadContract(file string) (*contract, error) {
	c := &contract{options: &openapi3filter.Options{
		AuthenticationFunc: openapi3filter.NoopAuthenticationFunc, IncludeResponseStatus: true, MultiError: false,
	}}
	if file == "" {
		return c, nil
	}
	load, _ := documents.LoadOrStore(file, sync.OnceValues(func() (*openapi3.T, error) {
		doc, err := openapi3.NewLoader().LoadFromFile(file)
		if err != nil {
			return nil, fmt.Errorf("load the contract: %w", err)
		}
		mend(doc)
		return doc, nil
	}))
	var err error
	c.doc, err = load.(func() (*openapi3.T, error))()
	return c, err
}

// documents are the contracts that were loaded, by file: it takes longer than most tests.
var documents sync.Map

// mend corrects the document where it is wrong. The account of a listed installation is a user or an enterprise, which it
// asks to be both, and the head's repository of a pull request is null once it is deleted.
func mend(doc *openapi3.T) {
	if item := doc.Paths.Value("/app/installations"); item != nil {
		list := item.Get.Responses.Status(http.StatusOK).Value.Content.Get("application/json").Schema.Value
		account := list.Items.Value.Properties["account"].Value
		account.AnyOf, account.AllOf = account.AllOf, nil
	}
	for _, name := range []string{"pull-request", "pull-request-simple"} {
		if pull := doc.Components.Schemas[name]; pull != nil {
			head := pull.Value.Properties["head"].Value
			head.Properties["repo"] = openapi3.NewSchemaRef("", openapi3.NewSchema().WithNullable())
		}
	}
}

// operation finds what the document says of a route; nil where it says nothing.
func (c *contract) operation(r *request) *openapi3filter.RequestValidationInput {
	if c.doc == nil {
		return nil
	}
	item := c.doc.Paths.Value(r.route.path)
	if item == nil || item.GetOperation(r.http.Method) == nil {
		return nil
	}
	hr := r.http.Clone(context.Background())
	hr.Body = io.NopCloser(bytes.NewReader(r.body))
	if len(r.body) > 0 && hr.Header.Get("Content-Type") == "" {
		hr.Header.Set("Content-Type", "application/json")
	}
	return &openapi3filter.RequestValidationInput{
		Request: hr, PathParams: r.params, Options: c.options,
		Route: &routers.Route{Spec: c.doc, Path: r.route.path, PathItem: item, Method: r.http.Method, Operation: item.GetOperation(r.http.Method)},
	}
}

// checkRequest notes where a request breaks the contract.
func (c *contract) checkRequest(r *request) {
	in := c.operation(r)
	if in == nil || r.beyondContract() {
		return
	}
	if err := openapi3filter.ValidateRequest(context.Background(), in); err != nil {
		c.violate(Violation{r.http.Method, r.path, 0, brief(err)})
	}
}

// beyondContract knows the requests that GitHub takes although its document does not: a bare list of labels, the null that
// stands for an empty body, the contents of the root, and an answer to a comment, which needs no commit.
func (r *request) beyondContract() bool {
	body := bytes.TrimSpace(r.body)
	switch {
	case string(body) == "null":
		return true
	case strings.HasSuffix(r.route.path, "/labels"):
		return bytes.HasPrefix(body, []byte("["))
	case strings.HasSuffix(r.route.path, "/{path}"):
		return r.params["path"] == ""
	}
	return strings.HasSuffix(r.route.path, "/comments") && bytes.Contains(body, []byte(`"in_reply_to"`))
}

// checkAnswer notes where an answer breaks the contract.
func (c *contract) checkAnswer(r *request, a rendered) {
	in := c.operation(r)
	if in == nil || a.status >= http.StatusInternalServerError {
		return
	}
	documented := in.Route.Operation.Responses.Status(a.status)
	if documented == nil {
		if a.status < 300 {
			c.violate(Violation{r.http.Method, r.path, a.status, "the contract knows no such status"})
		}
		return
	}
	err := openapi3filter.ValidateResponse(context.Background(), &openapi3filter.ResponseValidationInput{
		RequestValidationInput: in, Status: a.status, Header: a.header, Body: io.NopCloser(bytes.NewReader(a.body)), Options: c.options,
	})
	if err != nil && !strings.Contains(a.header.Get("Content-Type"), "github.raw") {
		c.violate(Violation{r.http.Method, r.path, a.status, brief(err)})
	}
}

// brief keeps an error to the length of a line or two; kin-openapi repeats schema and value.
func brief(err error) string {
	text, _, _ := strings.Cut(err.Error(), "\nSchema:")
	if len(text) > 500 {
		text = text[:500] + "…"
	}
	return text
}

func (c *contract) violate(v Violation) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.violations = append(c.violations, v)
}

func (s *Sim) violate(endpoint, problem string) {
	method, path, _ := strings.Cut(endpoint, " ")
	s.contract.violate(Violation{method, path, 0, problem})
}

// Violations returns what broke GitHub's contract so far: requests and answers that its OpenAPI document, where
// Options.Contract names it, does not allow, and requests to endpoints that are not simulated.
func (s *Sim) Violations() []Violation {
	s.contract.mu.Lock()
	defer s.contract.mu.Unlock()
	return slices.Clone(s.contract.violations)
}

// ClearViolations forgets them, for a test that breaks the contract on purpose.
func (s *Sim) ClearViolations() {
	s.contract.mu.Lock()
	defer s.contract.mu.Unlock()
	s.contract.violations = nil
}
