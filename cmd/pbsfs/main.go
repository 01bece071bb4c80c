// Command pbsfs shows and changes the fairshare data of a PBS scheduler, as
// PBS's program of that name does, on any copy of sched_priv.
package main

import (
	"os"
	"runtime/debug"

	"fairshare/cmd/internal/report"
)

func main() {
	debug.SetGCPercent(400) // one short run keeps most of what it allocates
	os.Exit(run(os.Args[1:], report.Stdout(), os.Stderr))
}
