// Command textserver is an MCP server with two tools for text: the payload of an example package. It needs neither files
// nor network nor environment, and so runs in any WASI runtime.
//
// It speaks both eras of the protocol over its standard streams: the stateless one, in which each request names its
// version, and the one before it, which opens with an initialize handshake.
package main

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"os"
)

func main() {
	if err := serve(os.Stdin, os.Stdout); err != nil {
		os.Stderr.WriteString("textserver: " + err.Error() + "\n") //nolint:errcheck // the status says it too
		os.Exit(1)
	}
}

// serve answers the messages of in, one a line, until it ends.
func serve(in io.Reader, out io.Writer) error {
	var s session
	r := bufio.NewReader(in)
	for {
		line, tooLong, err := readLine(r)
		if err != nil && !errors.Is(err, io.EOF) {
			return err
		}
		if answer := s.handleLine(line, tooLong); answer != nil {
			if _, err := out.Write(append(answer, '\n')); err != nil {
				return err
			}
		}
		if err != nil {
			return nil //nolint:nilerr // the end
		}
	}
}

// maxMessage bounds a message, in bytes.
const maxMessage = 4 << 20

// readLine reads up to a line feed. Of a line that is too long nothing is kept.
func readLine(r *bufio.Reader) (line []byte, tooLong bool, err error) {
	for {
		part, err := r.ReadSlice('\n')
		if len(line)+len(part) > maxMessage {
			line, tooLong = nil, true
		}
		if !tooLong {
			line = append(line, part...)
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return bytes.TrimSpace(line), tooLong, err
		}
	}
}
