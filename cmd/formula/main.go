// Command formula checks, evaluates and explains PBS job sort formulas, and
// sorts jobs with them as the scheduler would.
package main

import (
	_ "embed"
	"os"
	"runtime/debug"

	"fairshare/cmd/internal/cli"
	"fairshare/cmd/internal/report"
)

// What a package's build says of itself; "" for one by go build.
var version, commit string

//go:embed formula.1
var manual string

func main() {
	debug.SetGCPercent(200)       // one short run keeps most of what it allocates,
	debug.SetMemoryLimit(1 << 30) // but of a very long list that would be too much
	os.Exit(cli.Run(interrupts(), os.Args[1:], cli.Config{
		Stdin: os.Stdin, Stdout: report.Stdout(), Stderr: os.Stderr, Version: version, Commit: commit, Manual: manual,
	}))
}
