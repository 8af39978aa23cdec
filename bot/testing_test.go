package bot_test

import (
	"os"
	"strconv"
	"testing"
)

// fromEnvironment is a number that makes a test longer or shorter.
func fromEnvironment(t *testing.T, name string, def int) int {
	t.Helper()
	text := os.Getenv(name)
	if text == "" {
		return def
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 {
		t.Fatalf("%s is no positive number", name)
	}
	return n
}

// raceStride is how many calls are skipped between two that a race is tried before; 1 tries all.
func raceStride(t *testing.T) int { return fromEnvironment(t, "AZP_RACE_STRIDE", 4) }
