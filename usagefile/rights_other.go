//go:build !unix

package usagefile

import (
	"io/fs"
	"os"
)

// keepRights keeps the mode; there are no numeric owners.
func keepRights(f *os.File, _ string, old fs.FileInfo) error { return f.Chmod(old.Mode().Perm()) }
