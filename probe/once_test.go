package probe

import (
	"context"
	"errors"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/azphalt/submissions/check"
)

func TestOnceAsksOnce(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	ctx, starts, fetches, broken := context.Background(), 0, 0, true
	p, forget := Once(check.Probe{
		Start: func(_ context.Context, l check.Launch) (*check.Answer, error) {
			starts++
			if broken {
				return nil, errors.New("the machine is out of memory")
			}
			if string(l.Module) == "bad" {
				return nil, failed("it crashed")
			}
			return &check.Answer{Name: string(l.Module) + l.Env["A"]}, nil
		},
		Fetch: func(_ context.Context, url string) (io.ReadCloser, error) {
			fetches++
			if url == "none" {
				return nil, failed("the answer was 404 Not Found")
			}
			return io.NopCloser(io.MultiReader(strings.NewReader("module"), endless{})), nil
		},
	})
	if p.Connect != nil {
		t.Error("it connects, which nobody asked for")
	}
	start := func(module, env string, want int) {
		t.Helper()
		a, err := p.Start(ctx, check.Launch{Module: []byte(module), Env: map[string]string{"A": env}})
		if starts != want || err == nil && a.Name != module+env || (err != nil) != (module == "bad" || broken) {
			t.Errorf("%d starts, want %d: %+v %v", starts, want, a, err)
		}
	}
	start("a", "1", 1)
	broken = false
	start("a", "1", 2) // that we could not look is no answer
	start("a", "1", 2)
	start("a", "2", 3)
	start("bad", "", 4)
	start("bad", "", 4)
	for range 2 {
		if _, err := p.Fetch(ctx, "none"); !isFailure(err) {
			t.Error(err)
		}
		body, err := p.Fetch(ctx, "there")
		if err != nil {
			t.Fatal(err)
		}
		var text strings.Builder
		if _, err := io.Copy(&text, body); text.String() != "module" || !isFailure(err) {
			t.Errorf("%q %v", text.String(), err)
		}
		body.Close()
	}
	if fetches != 2 {
		t.Errorf("%d fetches", fetches)
	}
	forget()
	if left, err := os.ReadDir(os.TempDir()); err != nil || len(left) > 0 {
		t.Errorf("%v is left: %v", left, err)
	}
}

// endless is what comes behind a module that is too long.
type endless struct{}

func (endless) Read([]byte) (int, error) { return 0, failed("it has no end") }
