// Package environ reads settings from the environment.
package environ

import (
	"errors"
	"fmt"
	"os"
)

// Reader reads variables, each of which may also be given as the name of a file, in a variable with _FILE at its end.
type Reader struct {
	Getenv func(string) string
	failed []error
}

// Get returns the value of a variable, or of the file that its other form names; def where neither is set.
func (r *Reader) Get(name, def string) string {
	if v := r.Getenv(name); v != "" {
		return v
	}
	file := r.Getenv(name + "_FILE")
	if file == "" {
		return def
	}
	data, err := os.ReadFile(file)
	if err != nil {
		r.Fail(fmt.Errorf("%s_FILE: %w", name, err))
	}
	return string(data)
}

// Fail notes what is wrong with a value. The error must not hold it, as it may be a secret.
func (r *Reader) Fail(err error) { r.failed = append(r.failed, err) }

// Err returns all that went wrong.
func (r *Reader) Err() error { return errors.Join(r.failed...) }
