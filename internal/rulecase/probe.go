package rulecase

import (
	"bytes"
	"context"
	"encoding/json"
	"io"

	"github.com/azphalt/submissions/check"
)

// take removes a file from the example and returns what is in it.
func (b *builder) take(name string) ([]byte, error) {
	e, err := b.entry(name)
	if err != nil {
		return nil, err
	}
	return e.data, b.remove([]string{name})
}

// answer has every server give the answer that stands in a file, as JSON, or fail for the reason that stands there.
func (b *builder) answer(args []string) error {
	data, err := b.take(args[0])
	if err != nil {
		return err
	}
	var given struct {
		check.Answer
		Failure string
	}
	if err := json.Unmarshal(data, &given); err != nil {
		return err
	}
	b.probe.Start = func(context.Context, check.Launch) (*check.Answer, error) {
		if given.Failure != "" {
			return nil, &check.ProbeFailure{Reason: given.Failure}
		}
		return &given.Answer, nil
	}
	return nil
}

// fetch has every address give a file; an empty one stands for an address that gives nothing.
func (b *builder) fetch(args []string) error {
	data, err := b.take(args[0])
	b.probe.Fetch = func(context.Context, string) (io.ReadCloser, error) {
		if len(data) == 0 {
			return nil, &check.ProbeFailure{Reason: "the answer was 404 Not Found"}
		}
		return io.NopCloser(bytes.NewReader(data)), nil
	}
	return err
}
