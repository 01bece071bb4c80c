package cli

import (
	"io/fs"
	"path/filepath"
	"strings"
	"testing"

	"fairshare/cmd/internal/file"
)

// No recorded site is of two schedulers: it would be refused as a folder with files of both.
func TestSitesAreOfOneScheduler(t *testing.T) {
	const largest = 200 << 10 // bytes of an archive, others being slow to pass through
	seen := 0
	err := filepath.WalkDir("../../../testdata", func(at string, e fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(at, ".tgz") {
			return err
		}
		if info, err := e.Info(); err != nil || info.Size() > largest {
			return err
		}
		tree, err := file.OpenTree(at)
		if err != nil {
			return err
		}
		var owners []string
		for _, s := range schedulers() {
			if s.Owns(tree) {
				owners = append(owners, s.Name)
			}
		}
		if len(owners) > 1 {
			t.Errorf("%s is of %v", at, owners)
		}
		seen += len(owners)
		return nil
	})
	if err != nil || seen == 0 {
		t.Fatal(seen, err)
	}
}
