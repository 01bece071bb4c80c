package report

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// stdoutIsClosed reports whether standard output was closed when the program was started: it is the null
// device now, opened for reading too as only Go's runtime and few programs do, and what is known of who
// started the program says that none of these was at work. Where nothing tells, as under a program that is
// no shell or a shell that became this program, it is open: who discards output, as Python's DEVNULL, is not to get
// an error.
func stdoutIsClosed() bool {
	const stdout = 1
	var is, null unix.Stat_t
	if unix.Fstat(stdout, &is) != nil || unix.Stat(os.DevNull, &null) != nil || is.Rdev != null.Rdev || is.Mode != null.Mode {
		return false
	}
	flags, err := unix.FcntlInt(stdout, unix.F_GETFL, 0)
	if err != nil || flags&unix.O_ACCMODE != unix.O_RDWR {
		return false
	}
	switch compareFile(os.Getppid(), stdout) {
	case unix.EBADF: // who started the program has none either
		return true
	case sameFile:
		return false
	case otherFile:
		return isShell(os.Getppid())
	}
	return false
}

// What compareFile finds, besides errors of the system.
const (
	sameFile  syscall.Errno = 0
	otherFile syscall.Errno = 1<<16 - 1
)

// compareFile compares an open file of another process with that of the same number of this one: whether
// they were opened by one call.
func compareFile(process, fd int) syscall.Errno {
	const kcmpFile = 0
	order, _, errno := unix.Syscall6(unix.SYS_KCMP, uintptr(process), uintptr(os.Getpid()), kcmpFile, uintptr(fd), uintptr(fd), 0)
	switch {
	case errno != 0:
		return errno
	case order == 0:
		return sameFile
	}
	return otherFile
}

// isShell reports whether a process is a shell, whose words for a null device open it for writing alone.
func isShell(process int) bool {
	name, err := os.ReadFile(fmt.Sprintf("/proc/%d/comm", process))
	shells := []string{"ash", "bash", "busybox", "csh", "dash", "fish", "ksh", "ksh93", "mksh", "sh", "tcsh", "zsh"}
	return err == nil && slices.Contains(shells, strings.TrimSpace(string(name)))
}
