package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// The scripts in testdata hold what PBS's recordings do not: our own options
// and messages. Each finds the recorded inputs in $WORK/recorded.
func TestScripts(t *testing.T) {
	recorded := os.DirFS("../../testdata/pbsfs")
	testscript.Run(t, testscript.Params{
		Dir: "testdata",
		Setup: func(env *testscript.Env) error {
			return os.CopyFS(filepath.Join(env.WorkDir, "recorded"), recorded)
		},
	})
}
