package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"fairshare/cmd/internal/workshop"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/testscript"

	"fairshare/usagefile"
)

// asProgram makes the test binary be pbsfs, for tests that need processes.
const asProgram = "TEST_AS_PBSFS"

func TestMain(m *testing.M) {
	if os.Getenv(asProgram) != "" {
		main()
	}
	testscript.Main(m, map[string]func(){"pbsfs": main})
}

// command is pbsfs as a process of its own.
func command(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self, args...)
	cmd.Env = append(os.Environ(), asProgram+"=1")
	return cmd
}

// schedPriv copies a recorded input.
func schedPriv(t *testing.T, name string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "sched_priv")
	if err := os.CopyFS(dir, os.DirFS(filepath.Join("../../testdata/pbsfs", name, "sched_priv"))); err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestConcurrentSets(t *testing.T) {
	const writers = 50
	dir := schedPriv(t, "seed_print")
	var text strings.Builder
	text.WriteString("g 1 root 1\n")
	for i := range writers {
		fmt.Fprintf(&text, "u%d %d g 1\n", i, i+2)
	}
	writeFile(t, filepath.Join(dir, "resource_group"), text.String())
	var wg sync.WaitGroup
	for i := range writers {
		cmd := command(t, "--sched-priv", dir, "-s", fmt.Sprint("u", i), fmt.Sprint(1000+i))
		wg.Go(func() {
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Errorf("%v: %s", err, out)
			}
		})
	}
	wg.Wait()
	_, stdout, _ := pbsfs("--sched-priv", dir, "-p")
	for i := range writers {
		line := fmt.Sprintf("%-10s: Grp: 1      cgrp: %-5dShares: 1      Usage: %-6d ", fmt.Sprint("u", i), i+2, 1000+i)
		if !strings.Contains(stdout, line) {
			t.Errorf("u%d has lost its usage", i)
		}
	}
}

// Whoever may read the directory can hold the lock: a writer does not wait for
// ever, and says so.
func TestLockIsHeld(t *testing.T) {
	dir := schedPriv(t, "seed_print")
	before := snapshot(t, dir)
	unlock, err := usagefile.TryLock(dir)
	if err != nil {
		t.Fatal(err)
	}
	code, _, stderr := pbsfs("--sched-priv", dir, "-d", "--wait", "30ms")
	if code != 1 || !strings.Contains(stderr, "pbsfs: error: another program has held the lock on "+dir+" for 30ms, nothing was written") {
		t.Errorf("exit %d: %s", code, stderr)
	}
	if diff := cmp.Diff(before, snapshot(t, dir)); diff != "" {
		t.Errorf("files changed:\n%s", diff)
	}
	if err := unlock(); err != nil {
		t.Fatal(err)
	}
	if code, _, stderr := pbsfs("--sched-priv", dir, "-d", "--wait=30ms"); code != 0 {
		t.Errorf("after it was released: exit %d, %s", code, stderr)
	}
}

// A disk that is full while the file is written.
func TestFullDisk(t *testing.T) {
	dir := schedPriv(t, "seed_print")
	before := snapshot(t, dir)
	// A limit on file size stops the write as a full disk does.
	sh := exec.Command("sh", "-c", `ulimit -f 0; trap "" XFSZ; exec "$0" "$@"`)
	cmd := command(t, "--sched-priv", dir, "-s", "bob", "7")
	sh.Args = append(sh.Args, cmd.Args...)
	sh.Env = cmd.Env
	out, err := sh.CombinedOutput()
	if err == nil || sh.ProcessState.ExitCode() != 1 {
		t.Errorf("exit %v", err)
	}
	if !strings.HasPrefix(string(out), "pbsfs: error: cannot write usage: ") {
		t.Errorf("it says %q", out)
	}
	if diff := cmp.Diff(before, snapshot(t, dir)); diff != "" {
		t.Errorf("files changed:\n%s", diff)
	}
}

func TestPermissions(t *testing.T) {
	dir := schedPriv(t, "seed_print")
	before := snapshot(t, dir)
	// unprivileged is a command that file permissions bind, also when root
	// runs the tests.
	unprivileged := func(args ...string) string {
		cmd := command(t, args...)
		if os.Geteuid() == 0 {
			cmd.Path = copyProgram(t, cmd.Path)
			cmd.Dir = "/"
			cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
			for _, d := range []string{filepath.Dir(dir), filepath.Dir(filepath.Dir(dir))} {
				if err := os.Chmod(d, 0o755); err != nil {
					t.Fatal(err)
				}
			}
		}
		out, err := cmd.CombinedOutput()
		var exit *exec.ExitError
		if !errors.As(err, &exit) || exit.ExitCode() != 1 {
			t.Errorf("%q: %v", args, err)
		}
		return string(out)
	}
	if err := os.Chmod(dir, 0o555); err != nil {
		t.Fatal(err)
	}
	defer os.Chmod(dir, 0o755)
	for _, args := range [][]string{{"-s", "bob", "7"}, {"-d"}, {"-e"}} {
		out := unprivileged(append([]string{"--sched-priv", dir}, args...)...)
		if !strings.Contains(out, "permission denied") || !strings.HasPrefix(out, "pbsfs: error: cannot write usage: ") {
			t.Errorf("%q in a read-only directory: it says %q", args, out)
		}
	}
	if diff := cmp.Diff(before, snapshot(t, dir)); diff != "" {
		t.Errorf("files changed:\n%s", diff)
	}
	if err := os.Chmod(filepath.Join(dir, "usage"), 0); err != nil {
		t.Fatal(err)
	}
	if out := unprivileged("--sched-priv", dir, "-p"); !strings.Contains(out, "usage: permission denied") {
		t.Errorf("an unreadable usage file: it says %q", out)
	}
}

// Where a member of no group replaces a group's file, the group cannot be kept,
// and no other group gets its rights.
func TestLostGroup(t *testing.T) {
	if os.Geteuid() != 0 {
		workshop.Skip(t, "only root can give files away")
	}
	const nobody = 65534
	dir := schedPriv(t, "seed_print")
	usage := filepath.Join(dir, "usage")
	for _, d := range []string{dir, filepath.Dir(dir), filepath.Dir(filepath.Dir(dir))} {
		if err := os.Chmod(d, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for _, path := range []string{dir, usage} {
		if err := os.Chown(path, nobody, 0); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Chmod(usage, 0o660); err != nil {
		t.Fatal(err)
	}
	cmd := command(t, "--sched-priv", dir, "-s", "bob", "7")
	cmd.Path, cmd.Dir = copyProgram(t, cmd.Path), "/"
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	info, err := os.Stat(usage)
	if err != nil || info.Mode().Perm() != 0o600 || info.Sys().(*syscall.Stat_t).Gid != nobody {
		t.Errorf("usage is %v, %+v (%v)", info.Mode(), info.Sys(), err)
	}
}

// copyProgram puts the test binary where everyone may run it.
func copyProgram(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	dir, err := os.MkdirTemp("", "pbsfs")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	program := filepath.Join(dir, "pbsfs.test")
	if err := os.WriteFile(program, text, 0o755); err != nil {
		t.Fatal(err)
	}
	return program
}
