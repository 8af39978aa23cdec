package launch

import "strings"

// maxCommands bounds the commands of a script that are looked at.
const maxCommands = 100

// scripted returns the packages that the commands of a script fetch, which a shell reads from an argument of the line.
func (l Line) scripted() []Package {
	s, ok := l.Script()
	if !ok || s.Arg < 0 {
		return nil
	}
	var all []Package
	for _, words := range commands(l.Args[s.Arg]) {
		inner := Line{Command: words[0].text}
		for _, w := range words[1:] {
			inner.Args = append(inner.Args, w.text)
		}
		for _, p := range inner.plain() {
			from := words[p.Arg+1].start
			p.Arg, p.Start, p.End = s.Arg, from+p.Start, from+p.End
			all = append(all, p)
		}
	}
	return all
}

// word is a word of a script, as it is written but for quotes around all of it.
type word struct {
	text  string
	start int // in the script
}

// commands splits a script into simple commands, and these into words. A word that only a shell could work out, as one with
// quotes in its middle, counts as a variable.
func commands(script string) [][]word {
	script = script[:min(len(script), maxScript)]
	var all [][]word
	var words []word
	end := func() {
		for len(words) > 0 && (assigns(words[0].text) || leading[words[0].text]) {
			words = words[1:]
		}
		if len(words) > 0 && len(all) < maxCommands {
			all = append(all, words)
		}
		words = nil
	}
	for i := 0; i < len(script); {
		switch c := script[i]; {
		case strings.IndexByte(" \t\r", c) >= 0:
			i++
		case strings.IndexByte("\n;&|()", c) >= 0:
			end()
			i++
		case c == '#': // a comment
			i += len(strings.SplitN(script[i:], "\n", 2)[0])
		default:
			next := wordEnd(script, i)
			words = append(words, unquoted(script[i:next], i))
			i = next
		}
	}
	end()
	return all
}

// leading are the words that stand before a command.
var leading = map[string]bool{"{": true, "!": true, "exec": true, "then": true, "do": true, "else": true}

// wordEnd returns where the word that starts at i ends.
func wordEnd(script string, i int) int {
	var quote byte
	for ; i < len(script); i++ {
		switch c := script[i]; {
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '"' || c == '\'':
			quote = c
		case strings.IndexByte(" \t\r\n;&|()", c) >= 0:
			return i
		}
	}
	return i
}

// unquoted takes off the quotes around a word.
func unquoted(text string, start int) word {
	if n := len(text); n >= 2 && (text[0] == '"' || text[0] == '\'') && text[n-1] == text[0] {
		text, start = text[1:n-1], start+1
	}
	if strings.ContainsAny(text, "\"'\\`") {
		text = "$" // as a variable
	}
	return word{text, start}
}

// assigns reports whether a word sets a variable for the command behind it.
func assigns(text string) bool {
	name, _, ok := strings.Cut(text, "=")
	return ok && name != "" && strings.Trim(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_") == ""
}
