package rulecase

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// Directive is one step of making a submission from the files of an example.
type Directive struct {
	Name  string
	Args  []string // names of its arguments
	About string   // what it does, as the end of a sentence without a full stop

	run func(b *builder, args []string) error
}

// Directives are all directives. In an example each is a line of words; a word can be quoted as in Go, so that it can hold
// spaces and any byte. Lines that start with # are comments.
var Directives = []Directive{
	{"edit", []string{"NAME", "OLD", "NEW"}, "replaces the first OLD in a file", (*builder).edit},
	{"repeat", []string{"NAME", "TEXT", "N"}, "puts N copies in place of the first TEXT in a file", (*builder).repeat},
	{"rename", []string{"NAME", "NEW"}, "gives a file another name", (*builder).rename},
	{"add", []string{"NAME", "TEXT"}, "adds a file", (*builder).add},
	{"remove", []string{"NAME"}, "removes a file", (*builder).remove},
	{"link", []string{"NAME", "TARGET"}, "adds a symbolic link", (*builder).link},

	{"assemble", []string{"NAME"}, "makes a WebAssembly module of a file that holds its text format", (*builder).assemble},

	{"pack", nil, "packs the folder, as `azp pack` does", (*builder).pack},
	{"zip", nil, "zips the folder as it is, as any ZIP program does", (*builder).zip},
	{"list", nil, "lists the entries, as they are now, in the manifest's `files`", (*builder).list},
	{"sign", []string{"KEY"}, "signs the package", (*builder).sign},
	{"countersign", []string{"KEY", "OVER"}, "adds a counter-signature by which KEY vouches for the key OVER", (*builder).countersign},

	{"publish", nil, "has the base branch hold the package as it is now", (*builder).publish},
	{"owner", []string{"ACCOUNT"}, "has the registry's record say that the id belongs to a GitHub account, by its number", (*builder).own},
	{"from", []string{"ACCOUNT"}, "has the package submitted from a GitHub account, by its number", (*builder).from},

	{"duplicate", []string{"NAME"}, "adds an entry a second time", (*builder).duplicate},
	{"nest", []string{"NAME", "OUTER"}, "moves an entry, with its header, into the data of another", (*builder).nest},
	{"insert", []string{"NAME", "TEXT"}, "puts bytes in front of an entry that belong to none", (*builder).insert},
	{"set", []string{"NAME", "FIELD", "VALUE"}, "sets a field of an entry: `version`, `flags`, `method`, `crc`, `packed`, `size`, `mode` or `name`", (*builder).set},
	{"set-local", []string{"NAME", "FIELD", "VALUE"}, "does so in the entry's local header alone", (*builder).setLocal},
	{"records", []string{"N"}, "has the end record count N entries", (*builder).records},
	{"comment", []string{"TEXT"}, "gives the archive a comment", (*builder).comment},
	{"pad-directory", []string{"N"}, "makes the central directory N bytes longer", (*builder).padDirectory},
	{"append", []string{"TEXT"}, "adds bytes to the end of the archive", (*builder).appendBytes},
	{"truncate", []string{"N"}, "keeps the first N bytes of the archive", (*builder).truncate},

	{"answer", []string{"FILE"}, "has servers asked what they offer, who all say what stands in the file, which is then removed", (*builder).answer},
	{"fetch", []string{"FILE"}, "has modules fetched that are not in the package: every address gives the file, which is then removed", (*builder).fetch},

	{"unreadable", nil, "takes away the permission to read the archive", (*builder).seal},
	{"beside", nil, "leaves `manifest.json`, as it is now, beside the archive", (*builder).leaveBeside},
	{"manifest", nil, "has `manifest.json` judged by itself", (*builder).manifestAlone},
	{"loose", nil, "has the archive judged outside of the folder of submissions", (*builder).judgeLoose},
	{"folder", []string{"NAME"}, "names the submission's folder, which otherwise has the name of the `id`", (*builder).nameFolder},
	{"name", []string{"FILE"}, "names the archive, which otherwise has the name of `id` and `version`", (*builder).nameFile},
	{"limit", []string{"WHAT", "N"}, "lowers a limit of the registry: `entries`, `unpacked`, `package`, `manifest` or `depth`", (*builder).limit},
	{"deny", []string{"WHAT"}, "puts a key, or the `archive`, on the registry's deny list", (*builder).deny},
}

// run runs one line.
func (b *builder) run(line string) error {
	if line == "" || strings.HasPrefix(line, "#") {
		return nil
	}
	words, err := split(line)
	if err != nil {
		return err
	}
	for _, d := range Directives {
		if d.Name != words[0] {
			continue
		}
		if len(words)-1 != len(d.Args) {
			return fmt.Errorf("want %d arguments: %s", len(d.Args), strings.Join(d.Args, " "))
		}
		return d.run(b, words[1:])
	}
	return errors.New("there is no such directive")
}

// split cuts a line into words.
func split(line string) ([]string, error) {
	var words []string
	for line = strings.TrimSpace(line); line != ""; line = strings.TrimSpace(line) {
		if line[0] != '"' {
			word, rest, _ := strings.Cut(line, " ")
			words, line = append(words, word), rest
			continue
		}
		quoted, err := strconv.QuotedPrefix(line)
		if err != nil {
			return nil, err
		}
		word, err := strconv.Unquote(quoted)
		if err != nil {
			return nil, err
		}
		words, line = append(words, word), line[len(quoted):]
	}
	return words, nil
}
