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

// wings are the rooms that belong to one scheduler.
var wings = map[string][]string{
	"pbs": {
		"pbs", "snapshot", "qstat", "joblist", "order", "cycle", "explain", "expect", "cluster", "accrual", "world", "replay",
		"pbssite", "pbsstudy", "pbscalibrate", "pbsforecast", "pbsmetrics", "pbscompare", "pbslab", "pbsobfuscate", "pbsdoor",
	},
	"slurm": {"slurm", "sacct", "slurmsched", "slurmstudy", "slurmcalibrate", "slurmlab", "slurmforecast", "slurmmetrics", "slurmcompare", "slurmdoor"},
	"flux":  {"flux"},
}

// top are the rooms that know all schedulers. None of the others imports one of them.
var top = []string{"cli", "workshop"}

// remaining are the arrows that are still to go.
var remaining = []string{
	"trace → qstat",
	"trace → sacct",
	"trace → slurm",
}

func TestWings(t *testing.T) {
	wingOf := map[string]string{}
	for wing, list := range wings {
		for _, room := range list {
			wingOf[room] = wing
		}
	}
	var wrong []string
	rooms := map[string]bool{}
	for arrow := range arrows(t) {
		from, to, _ := strings.Cut(arrow, " → ")
		rooms[from], rooms[to] = true, true
		if slices.Contains(top, from) {
			continue
		}
		if wing := wingOf[to]; slices.Contains(top, to) || wing != "" && wing != wingOf[from] {
			wrong = append(wrong, arrow)
		}
	}
	slices.Sort(wrong)
	for _, arrow := range wrong {
		if !slices.Contains(remaining, arrow) {
			t.Errorf("%s: a room imports another that belongs to one scheduler which is not its own, or one of the top", arrow)
		}
	}
	for _, arrow := range remaining {
		if !slices.Contains(wrong, arrow) {
			t.Errorf("%s: this arrow is gone; take it off the list", arrow)
		}
	}
	for room := range wingOf {
		if !rooms[room] {
			t.Errorf("there is no room %s", room)
		}
	}
}

// arrows returns which room imports which other, such as "order → pbs". Tests do not count.
func arrows(t *testing.T) map[string]bool {
	const root, inside = "../..", "fairshare/cmd/internal/"
	all := map[string]bool{}
	err := filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || path.Ext(name) != ".go" || strings.HasSuffix(name, "_test.go") {
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

// roomOf returns the room of a path below cmd/internal.
func roomOf(name string) string {
	room, _, _ := strings.Cut(filepath.ToSlash(name), "/")
	return room
}
