package githubsim

// TB is the part of testing.TB that Start needs.
type TB interface {
	Helper()
	Cleanup(func())
	Fatalf(format string, args ...any)
	Errorf(format string, args ...any)
}

// Start starts a Sim for a test: mistakes in staging fail it at once, the Sim is closed at its end, and whatever
// Violations then holds fails it.
func Start(t TB, o Options) *Sim {
	t.Helper()
	o.Fatal = t.Fatalf
	s, err := New(o)
	if err != nil {
		t.Fatalf("start the stand-in for GitHub: %v", err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Errorf("close the stand-in for GitHub: %v", err)
		}
		for _, v := range s.Violations() {
			t.Errorf("%s", v)
		}
	})
	return s
}
