package rooms

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// ofOne finds what belongs to one scheduler in a text: its name, or one of its commands.
var ofOne = regexp.MustCompile(`(?i)\b(pbs|slurm|flux)\w*|\b(qsub|qstat|qmgr|qalter|tracejob|sbatch|squeue|sacct|sacctmgr|scontrol|sprio|sshare|sdiag)\b`)

// door are the rooms beside those of the top that know which schedulers there are.
var door = []string{"site"}

// speaking are the files of the floor that still have words of one scheduler, and what is to become of them.
var speaking = map[string]string{
	"accounts/":           "trees of accounts are in the formats and by the algorithms of schedulers: a list of them, each given by its wing",
	"file/kind.go":        "what an unread file is: each wing gives the kinds that its scheduler prints",
	"lab/server.go":       "the scripts of a page come with the lab that the wing gives",
	"search/jobarray.go":  "a Submitter is given by its wing",
	"trace/continuity.go": "that a line is written each hour is said by the format",
}

// TestWordsOfFloor holds that no room of the floor has a scheduler in its texts, but those that are known.
func TestWordsOfFloor(t *testing.T) {
	const root = "../.."
	met := map[string]bool{}
	err := filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || path.Ext(name) != ".go" || strings.HasSuffix(name, "_test.go") {
			return err
		}
		at, _ := filepath.Rel(root, name)
		if at = filepath.ToSlash(at); slices.Contains(slices.Concat(wings, top, door), roomOf(at)) {
			return nil
		}
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		ast.Inspect(f, func(n ast.Node) bool {
			if _, isImport := n.(*ast.ImportSpec); isImport {
				return false
			}
			text, isText := n.(*ast.BasicLit)
			if !isText || text.Kind != token.STRING || !ofOne.MatchString(text.Value) {
				return true
			}
			for known := range speaking {
				if at == known || strings.HasSuffix(known, "/") && strings.HasPrefix(at, known) {
					met[known] = true
					return true
				}
			}
			t.Errorf("%s has %q in a text, which belongs to one scheduler", at, ofOne.FindString(text.Value))
			return true
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for known := range speaking {
		if !met[known] {
			t.Errorf("%s has no words of a scheduler any more; take it off the list", known)
		}
	}
}
