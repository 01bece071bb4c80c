package cli

import (
	"context"
	"flag"
	"io"
	"testing"

	"fairshare/cmd/internal/workshop/browser"
)

var update = flag.Bool("update", false, "write the man page, the completions and the snapshot that the tests compare with")

func TestMain(m *testing.M) { browser.Main(m) }

// run executes a command line that nobody interrupts.
func run(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	return Run(context.Background(), args, Config{Stdin: stdin, Stdout: stdout, Stderr: stderr})
}
