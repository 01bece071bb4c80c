// Command formula checks, evaluates and explains PBS job sort formulas, and
// sorts jobs with them as the scheduler would.
package main

import (
	"os"
	"runtime/debug"
)

func main() {
	debug.SetGCPercent(200)       // one short run keeps most of what it allocates,
	debug.SetMemoryLimit(1 << 30) // but of a very long list that would be too much
	os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}
