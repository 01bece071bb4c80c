// Package rooms holds what rooms may import: what belongs to one scheduler is for its own rooms, and
// for those at the top that know all schedulers.
package rooms

import (
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// wings are the folders with the rooms of one scheduler each.
var wings = []string{"pbs", "slurm", "flux"}

// top are the rooms that know all schedulers. None of the others imports one of them.
var top = []string{"cli", "workshop"}

func TestWings(t *testing.T) {
	var wrong []string
	rooms := map[string]bool{}
	for arrow := range arrows(t) {
		from, to, _ := strings.Cut(arrow, " → ")
		rooms[from], rooms[to] = true, true
		if slices.Contains(top, from) {
			continue
		}
		if slices.Contains(top, to) || slices.Contains(wings, to) {
			wrong = append(wrong, arrow)
		}
	}
	slices.Sort(wrong)
	for _, arrow := range wrong {
		t.Errorf("%s: a room imports another that belongs to one scheduler which is not its own, or one of the top", arrow)
	}
	for _, wing := range wings {
		if !rooms[wing] {
			t.Errorf("there is no wing %s", wing)
		}
	}
}

// arrows returns which room imports which other, such as "study → figure". Tests do not count, nor do the
// packages for tests alone, whose names end so.
func arrows(t *testing.T) map[string]bool {
	const root, inside = "../..", "fairshare/cmd/internal/"
	all := map[string]bool{}
	err := filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || path.Ext(name) != ".go" || strings.HasSuffix(name, "_test.go") || strings.HasSuffix(path.Dir(filepath.ToSlash(name)), "test") {
			return err
		}
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		from, _ := filepath.Rel(root, name)
		for _, of := range f.Imports {
			to, err := strconv.Unquote(of.Path.Value)
			if to, ok := strings.CutPrefix(to, inside); err == nil && ok && roomOf(to) != roomOf(from) {
				all[roomOf(from)+" → "+roomOf(to)] = true
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// roomOf returns the room of a path below cmd/internal, or the wing that it is in.
func roomOf(name string) string {
	room, _, _ := strings.Cut(filepath.ToSlash(name), "/")
	return room
}
