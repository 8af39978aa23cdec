package config

import (
	"fmt"
	"strings"
)

// maxEdits is how far a word may be from the one that was meant.
const maxEdits = 2

// minPrefix is the length from which the beginning of a word stands for the whole.
const minPrefix = 3

// nearest returns the one candidate that word was most likely meant to be: the one with the fewest edits, else the one that
// it is the beginning of.
func nearest(word string, candidates []string) (string, bool) {
	word = strings.ToLower(word)
	var best choices
	for _, c := range candidates {
		lower := strings.ToLower(c)
		if d := distance(word, lower); d <= maxEdits && 2*d <= len(c) { // more is kept than changed
			best.add(c, d)
		} else if len(word) >= minPrefix && strings.HasPrefix(lower, word) {
			best.add(c, maxEdits+1)
		}
	}
	return best.word, best.count == 1
}

// choices are the words that are nearest so far.
type choices struct {
	word  string
	edits int
	count int
}

func (b *choices) add(word string, edits int) {
	switch {
	case b.count == 0 || edits < b.edits:
		*b = choices{word, edits, 1}
	case edits == b.edits:
		b.count++
	}
}

// didYouMean is the end of a message about an unknown word.
func didYouMean(word string, ok bool) string {
	if !ok {
		return ""
	}
	return fmt.Sprintf("; did you mean %q?", word)
}

// distance is the number of bytes to insert, delete or replace, or of neighbours to swap, to make b of a. It gives up, with
// more than maxEdits, where the lengths tell.
func distance(a, b string) int {
	if abs(len(a)-len(b)) > maxEdits {
		return maxEdits + 1
	}
	before, previous, current := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range current {
		current[j] = j
	}
	for i := 1; i <= len(a); i++ {
		before, previous, current = previous, current, before
		current[0] = i
		for j := 1; j <= len(b); j++ {
			replaced := previous[j-1]
			if a[i-1] != b[j-1] {
				replaced++
			}
			current[j] = min(replaced, previous[j]+1, current[j-1]+1)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				current[j] = min(current[j], before[j-2]+1)
			}
		}
	}
	return current[len(b)]
}

func abs(n int) int { return max(n, -n) }
