// Command formula checks, evaluates and explains PBS job sort formulas, and
// sorts jobs with them as the scheduler would.
package main

import "os"

func main() {
	os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}
