package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"fairshare/cmd/internal/workshop"
)

var update = flag.Bool("update", false, "write what the programs print into the scripts")

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"formula": main})
}

// Each script finds the repository's testdata in $TESTDATA. Its condition long holds where long
// tests run, but not in a short run.
func TestScripts(t *testing.T) {
	testdata, err := filepath.Abs("../../testdata")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(testdata); err != nil {
		t.Fatal(err)
	}
	alone := workshop.ToolsAlone(t)
	testscript.Run(t, testscript.Params{
		Dir:           "testdata",
		UpdateScripts: *update,
		Condition: func(name string) (bool, error) {
			if name != "long" {
				return false, fmt.Errorf("there is no condition %s", name)
			}
			return workshop.TestsAll(), nil
		},
		Setup: func(env *testscript.Env) error {
			env.Setenv("TESTDATA", testdata)
			own, _, _ := strings.Cut(env.Getenv("PATH"), string(filepath.ListSeparator))
			env.Setenv("OWN", own) // where formula is, and nothing else
			env.Setenv("PATH", own+string(filepath.ListSeparator)+alone)
			env.Setenv("PAGE", filepath.Join(testdata, "../cmd/formula/formula.1"))
			return nil
		},
	})
}
