//go:build !unix

package command

import "os/exec"

// stopGroup does nothing: only the command itself is stopped.
func stopGroup(*exec.Cmd) {}
