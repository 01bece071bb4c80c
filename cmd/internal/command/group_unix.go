//go:build unix

package command

import (
	"os/exec"
	"syscall"
)

// stopGroup lets a command be stopped together with what it has started.
func stopGroup(c *exec.Cmd) {
	c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	c.Cancel = func() error { return syscall.Kill(-c.Process.Pid, syscall.SIGKILL) }
}
