package page

import (
	"path/filepath"
	"slices"
	"strings"

	"fairshare/cmd/internal/file"
	"fairshare/cmd/internal/report"
)

// Sources returns what a page says first of the files that it is made of: their names, without the folders that they are in.
func Sources(names []string) string {
	const most = 4
	brief := briefly(names)
	if len(brief) > most {
		return report.Some(brief, most-1)
	}
	return report.Listed(brief)
}

// WholeSources is the sentence that says among the notes of a page where these files are, "" where Sources tells all.
func WholeSources(names []string) string {
	if text := report.Listed(names); text != Sources(names) && !slices.Equal(names, []string{"-"}) {
		return "Read from " + text + "."
	}
	return ""
}

// briefly returns the last parts of names. Standard input is called -.
func briefly(names []string) []string {
	brief := make([]string, len(names))
	for i, name := range names {
		brief[i] = filepath.Base(name)
		if whole, err := filepath.Abs(name); err == nil && strings.Trim(name, "./") == "" {
			brief[i] = filepath.Base(whole)
		}
		if name == "-" {
			brief[i] = file.StandardInput
		}
	}
	return brief
}
