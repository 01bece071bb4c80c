package cli

import (
	"context"
	"flag"
	"io"
)

var update = flag.Bool("update", false, "write the man page, the completions and the snapshot that the tests compare with")

// run executes a command line that nobody interrupts.
func run(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	return Run(context.Background(), args, Config{Stdin: stdin, Stdout: stdout, Stderr: stderr})
}
