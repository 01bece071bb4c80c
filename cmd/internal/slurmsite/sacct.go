package slurmsite

import (
	"os"
	"path/filepath"

	"fairshare/cmd/internal/file"
	"fairshare/cmd/internal/trace"
)

// IsSacct reports whether a file is a table of sacct, packed or not.
func IsSacct(name string) bool {
	info, err := os.Stat(name)
	if err != nil || !info.Mode().IsRegular() {
		return false
	}
	f, err := os.Open(name)
	if err != nil {
		return false
	}
	defer f.Close()
	const enough = 64 << 10
	_, first, err := file.Begin(name, f, enough)
	return err == nil && trace.IsSacct(first)
}

// FindSacct returns the largest table of sacct in a directory, "" if there is none. isAlone reports
// whether the directory has no others in it, which may be of other moments.
func FindSacct(dir string) (table string, isAlone bool) {
	entries, err := os.ReadDir(dir)
	const most = 1000 // files
	if err != nil || len(entries) > most {
		return "", false
	}
	isAlone = true
	largest := int64(-1)
	for _, e := range entries {
		isAlone = isAlone && !e.IsDir()
		name := filepath.Join(dir, e.Name())
		if info, err := e.Info(); err == nil && info.Size() > largest && IsSacct(name) {
			table, largest = name, info.Size()
		}
	}
	return table, isAlone
}
