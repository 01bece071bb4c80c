// Command formula checks, evaluates and explains PBS job sort formulas, and
// sorts jobs with them as the scheduler would.
package main

import (
	_ "embed"
	"os"

	"github.com/KimMachineGun/automemlimit/memlimit"

	"fairshare/cmd/internal/cli"
	"fairshare/cmd/internal/report"
)

// What a package's build says of itself; "" for one by go build.
var version, commit string

//go:embed formula.1
var manual string

func main() {
	memory := newGarbage(200) // one short run keeps most of what it allocates
	limitMemory()
	os.Exit(cli.Run(interrupts(), os.Args[1:], cli.Config{
		Stdin: os.Stdin, Stdout: report.Stdout(), Stderr: os.Stderr, Version: version, Commit: commit, Manual: manual,
		KeepsMuch: func() { memory.allow(60) },
	}))
}

// limitMemory has garbage collected before it takes more than its part of the memory
// that the machine, or the container, has. GOMEMLIMIT overrides it.
func limitMemory() {
	const part = 0.7
	// Without a limit a command works too: where none can be found, none is set.
	_, _ = memlimit.SetGoMemLimitWithOpts(memlimit.WithRatio(part),
		memlimit.WithProvider(memlimit.ApplyFallback(memlimit.FromCgroup, memlimit.FromSystem)))
}
