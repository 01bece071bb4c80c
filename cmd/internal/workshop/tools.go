package workshop

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// tools are the programs that scripts and stand-ins of tests run besides those of this project.
const tools = "awk basename bash cat chmod cmp cp cut date dd diff dirname env expr false find grep gzip head id ln ls mkdir mkfifo mv paste printf rm sed seq sh sleep sort stat tail tar tee test touch tr true uniq wc xargs xz yes"

// ToolsAlone returns a PATH with the programs that tests run and nothing else, so that a scheduler whose commands this
// machine has changes no answer.
func ToolsAlone(tb testing.TB) string {
	tb.Helper()
	if runtime.GOOS == "windows" { // where no scheduler is
		return os.Getenv("PATH")
	}
	dir := tb.TempDir()
	for name := range strings.FieldsSeq(tools) {
		if at, err := exec.LookPath(name); err == nil {
			if err := os.Symlink(at, filepath.Join(dir, name)); err != nil {
				tb.Fatal(err)
			}
		}
	}
	return dir
}
