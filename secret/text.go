package secret

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/azphalt/submissions/finding"
)

const (
	// maxPiece is the size of the pieces that long lines are read in.
	maxPiece = 64 << 10
	// maxToken bounds what is kept of a piece so that a token across its end is seen whole.
	maxToken = 4 << 10
	// maxEntryLines bounds the lines between a name and its value.
	maxEntryLines = 3
	// maxKeyLines bounds the lines of a private key.
	maxKeyLines = 400
)

// TextMatch is a Match in a text: Start and End are byte offsets from its beginning, Range is the place.
type TextMatch struct {
	Match
	finding.Range
}

var readers = sync.Pool{New: func() any { return bufio.NewReaderSize(nil, maxPiece) }}

// Text judges a text file line by line and reports the literal credentials in it; stand-ins are what documents and
// templates are for. It holds one piece of a line at a time. The error is that of r.
func Text(r io.Reader, report func(TextMatch)) error {
	s := scanner{report: report, line: 1, column: 1}
	in := readers.Get().(*bufio.Reader)
	in.Reset(r)
	defer func() {
		in.Reset(nil)
		readers.Put(in)
	}()
	for {
		piece, err := in.ReadSlice('\n')
		s.piece(piece, !errors.Is(err, bufio.ErrBufferFull))
		switch {
		case errors.Is(err, io.EOF):
			s.endKey()
			return nil
		case err != nil && !errors.Is(err, bufio.ErrBufferFull):
			return err
		}
	}
}

// scanner is where Text has got to.
type scanner struct {
	report       func(TextMatch)
	kept         []byte // the end of the last piece
	offset       int    // of what is judged next
	line, column int    // of what is judged next
	key          *keyBlock
	entry        string // what a line called name or key held, see reading
	age          int    // the lines since then
	netrc        bool   // the lines belong to an entry of a netrc file
}

// keyBlock is a private key whose end has not come yet.
type keyBlock struct {
	TextMatch
	size, lines int
}

// piece judges a line, or a part of one.
func (s *scanner) piece(piece []byte, last bool) {
	s.kept = append(s.kept, piece...)
	n := len(s.kept)
	if !last {
		if i := bytes.LastIndexAny(s.kept[max(0, n-maxToken):], delimiters); i >= 0 {
			n = max(0, n-maxToken) + i + 1
		}
	}
	part := string(s.kept[:n])
	s.kept = append(s.kept[:0], s.kept[n:]...)
	s.judge(part)
	s.advance(part)
}

// advance moves the place behind a part that was judged.
func (s *scanner) advance(part string) {
	s.offset += len(part)
	if strings.HasSuffix(part, "\n") {
		s.line++
		s.column = 1
		return
	}
	s.column += utf8.RuneCountInString(part)
}

func (s *scanner) judge(part string) {
	line := strings.TrimSpace(part)
	if s.key != nil && s.keyLine(part, line) {
		return
	}
	if begin := strings.Index(part, pemBegin); begin >= 0 && s.beginKey(part, begin) || s.beginPuTTY(line, part) {
		return
	}
	s.netrc = (s.netrc || strings.HasPrefix(line, "machine ")) && line != ""
	if isProse(line) && !s.netrc {
		return
	}
	j := judge{entry: s.entry}
	t, p := whole(blanked(strings.TrimRight(part, "\r\n"))), place{kind: textLine}
	t, _ = j.pem(t, p)
	switch {
	case s.netrc && strings.HasPrefix(line, "password "):
		p.set = alone
		j.leaf(t.sub(strings.Index(t.s, "password ")+len("password "), len(t.s)), p.named("password", chosen))
	case j.passwordFile(t, p):
	default:
		j.free(t, p, 0)
	}
	if s.age++; j.entry != s.entry {
		s.entry, s.age = j.entry, 0
	} else if s.age == maxEntryLines {
		s.entry = ""
	}
	for _, m := range j.result().Matches {
		if m.Verdict == Secret {
			s.report(s.match(m, part))
		}
	}
}

// longestWord is the length from which letters alone can be a token.
const longestWord = 16

// isProse reports whether a line is made of short words and years, with the marks between them that sentences have: nothing is
// named, assigned or encoded in it, so that it can hold no credential. Most of what packages hold is such text.
func isProse(line string) bool {
	letters, digits := 0, 0
	for i := range len(line) {
		switch c := line[i]; {
		case c|0x20 >= 'a' && c|0x20 <= 'z' && digits == 0:
			letters++
		case c >= '0' && c <= '9' && letters == 0:
			digits++
		case c == ' ', strings.IndexByte(".,()\"", c) >= 0, strings.IndexByte("-'/", c) >= 0 && letters > 0:
			letters, digits = 0, 0
		default:
			return false
		}
		if letters >= longestWord || digits > len("2026") {
			return false
		}
	}
	return true
}

// match gives a match in part its place.
func (s *scanner) match(m Match, part string) TextMatch {
	column := s.column + utf8.RuneCountInString(part[:m.Start])
	width := utf8.RuneCountInString(part[m.Start:m.End])
	place := finding.Range{Line: s.line, Column: column, EndLine: s.line, EndColumn: column + width}
	m.Start += s.offset
	m.End += s.offset
	return TextMatch{m, place}
}

// beginKey starts a private key whose first boundary ends the line, but for what closes a string in code.
func (s *scanner) beginKey(part string, begin int) bool {
	label, body, _ := block(part[begin:])
	if !isPrivate(label) || keyText(body) != "" {
		return false
	}
	s.openKey(part, begin)
	return true
}

// beginPuTTY starts a private key in the format of PuTTY, whose lines follow a line that counts them.
func (s *scanner) beginPuTTY(line, part string) bool {
	count, ok := strings.CutPrefix(line, "Private-Lines: ")
	if ok && isNumber(count) {
		s.openKey(part, 0)
	}
	return s.key != nil
}

func (s *scanner) openKey(part string, begin int) {
	end := len(strings.TrimRight(part, " \t\r\n"))
	s.key = &keyBlock{TextMatch: s.match(Match{
		Verdict: Secret, Rule: rulePrivateKey, Start: begin, End: end,
		Reason: isPrivateKey, Credential: true, InputID: "private-key",
	}, part)}
}

// keyLine reads a line of a private key. It reports false where the line is none, and forgets the key.
func (s *scanner) keyLine(part, line string) bool {
	k := s.key
	k.lines++
	end := len(strings.TrimRight(part, " \t\r\n"))
	switch {
	case strings.Contains(line, pemEnd):
		k.reach(s, part, end)
		s.endKey()
		return true
	case line == "" || strings.Contains(line, ": "):
		return k.lines < maxKeyLines
	case k.lines < maxKeyLines && isBase64(keyText(line)):
		k.size += len(line)
		k.reach(s, part, end)
		return true
	}
	s.endKey()
	return false
}

// reach extends the key to the byte of part at end.
func (k *keyBlock) reach(s *scanner, part string, end int) {
	k.End = s.offset + end
	k.EndLine = s.line
	k.EndColumn = s.column + utf8.RuneCountInString(part[:end])
}

// endKey reports the key, where it was one.
func (s *scanner) endKey() {
	if s.key != nil && s.key.size >= minKeyBody {
		s.report(s.key.TextMatch)
	}
	s.key = nil
}

// keyText returns what a line holds of a key, without the signs of comments and of strings in code around it.
func keyText(line string) string {
	const code = "\"'`(),;+ \t\r\n"
	return strings.TrimLeft(strings.Trim(lineBreaks.Replace(line), code), "#/*>| ")
}

func isBase64(s string) bool {
	for i := range len(s) {
		if kindOf[s[i]] == other && strings.IndexByte("+/=", s[i]) < 0 {
			return false
		}
	}
	return s != ""
}
