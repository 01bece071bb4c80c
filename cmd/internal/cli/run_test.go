package cli

import (
	"context"
	"flag"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/alecthomas/kong"

	"fairshare/cmd/internal/workshop/browser"
)

var update = flag.Bool("update", false, "write the man page, the completions and the snapshot that the tests compare with")

func TestMain(m *testing.M) { browser.Main(m) }

// run executes a command line that nobody interrupts.
func run(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	return Run(context.Background(), args, Config{Stdin: stdin, Stdout: stdout, Stderr: stderr})
}

// What is read for one command alone helps, answers and refuses as the whole does.
func TestGrammarOfOneCommand(t *testing.T) {
	t.Parallel()
	var out strings.Builder // of the parser that reads
	parserOf := func(model any) *kong.Kong {
		parser, err := newParser(model, Config{Stdout: &out, Stderr: &out})
		if err != nil {
			t.Fatal(err)
		}
		return parser
	}
	whole := parserOf(&commandLine{})
	for _, command := range whole.Model.Children {
		grammar := grammarFor([]string{command.Name})
		if _, isWhole := grammar.(*commandLine); isWhole {
			t.Fatalf("%s has no grammar of its own", command.Name)
		}
		parsers := []*kong.Kong{whole, parserOf(grammar)}
		for _, rest := range []string{"", "--help", "--version", "--nonsense", "--htm x", "sort", "explain", "-o", "-o nonsense", "a b c d e"} {
			args := append([]string{command.Name}, strings.Fields(rest)...)
			var said [2]string
			for i, parser := range parsers {
				out.Reset()
				ctx, err := parser.Parse(args)
				said[i] = fmt.Sprint(out.String(), err)
				if err == nil {
					said[i] += ctx.Command()
				}
			}
			if said[0] != said[1] {
				t.Errorf("%v: with all commands:\n%s\nalone:\n%s", args, said[0], said[1])
			}
		}
	}
}
