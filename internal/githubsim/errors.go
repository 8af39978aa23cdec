package githubsim

import (
	"fmt"
	"net/http"
	"strconv"
)

// apiError is an answer that refuses. GitHub gives a message, sometimes with the fields at fault.
type apiError struct {
	status  int
	message string
	errors  []any // objects, as invalid makes them, or texts
	header  http.Header
	docs    string // documentation_url, where clients look at it
}

func (e *apiError) Error() string { return fmt.Sprintf("%d %s", e.status, e.message) }

func (e *apiError) body() obj {
	b := obj{"message": e.message, "documentation_url": e.docs, "status": strconv.Itoa(e.status)}
	if e.docs == "" {
		b["documentation_url"] = "https://docs.github.com/rest"
	}
	if e.errors != nil {
		b["errors"] = e.errors
	}
	return b
}

func notFound() error { return &apiError{status: http.StatusNotFound, message: "Not Found"} }

func unauthorized(message string) error {
	return &apiError{status: http.StatusUnauthorized, message: message}
}

func forbidden(format string, args ...any) error {
	return &apiError{status: http.StatusForbidden, message: fmt.Sprintf(format, args...)}
}

func notAllowed(format string, args ...any) error {
	return &apiError{status: http.StatusMethodNotAllowed, message: fmt.Sprintf(format, args...)}
}

func conflict(format string, args ...any) error {
	return &apiError{status: http.StatusConflict, message: fmt.Sprintf(format, args...)}
}

func unprocessable(format string, args ...any) error {
	return &apiError{status: http.StatusUnprocessableEntity, message: fmt.Sprintf(format, args...)}
}

// invalid is the "Validation Failed" of a field. The code is one of missing, missing_field, invalid, already_exists and
// custom; the last carries a message.
func invalid(resource, field, code, message string) error {
	e := obj{"resource": resource, "field": field, "code": code}
	if message != "" {
		e["message"] = message
	}
	return &apiError{status: http.StatusUnprocessableEntity, message: "Validation Failed", errors: []any{e}}
}

// refused is the "Unprocessable Entity" whose errors are plain texts, as reviews and check runs give it.
func refused(texts ...string) error {
	e := &apiError{status: http.StatusUnprocessableEntity, message: "Unprocessable Entity"}
	for _, t := range texts {
		e.errors = append(e.errors, t)
	}
	return e
}
