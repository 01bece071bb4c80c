package sacct

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"fairshare/cmd/internal/file"
	"fairshare/cmd/internal/moment"
	"fairshare/cmd/internal/trace"
	"fairshare/cmd/internal/workshop"
)

// What sacct prints as a table and as JSON are the same facts, job by job. JSON tells times as seconds: a table of a night in
// which the clock has an hour twice leaves open for some jobs which of the two is meant.
func TestForms(t *testing.T) {
	for _, test := range []struct {
		name, zone string
		open       int // jobs of which a time is an hour too early in the table
	}{
		{"K1c", "UTC", 0}, {"K3a", "UTC", 0}, {"K5c", "UTC", 0}, {"K6a", "UTC", 0},
		{"site-23.11", "Europe/Berlin", 0}, {"site-24.11", "UTC", 0}, {"site-25.05", "America/New_York", 14},
	} {
		zone := workshop.Zone(t, test.zone)
		exactly := func(at int64) int64 { return at }
		first := func(at int64) int64 { // of an hour that comes twice
			if moment.ComesTwice(zone, at-secondsOfHour) {
				return at - secondsOfHour
			}
			return at
		}
		table, list := factsOf(t, test.name+".txt.gz", zone, exactly), factsOf(t, test.name+".json.gz", zone, exactly)
		if len(table) < 100 || len(list) != len(table) {
			t.Errorf("%s: %d jobs in the table, %d in JSON", test.name, len(table), len(list))
		}
		open := 0
		for id, said := range table {
			if list[id] != said {
				open++
			}
		}
		if open != test.open {
			t.Errorf("%s: %d jobs differ, not %d", test.name, open, test.open)
		}
		table, list = factsOf(t, test.name+".txt.gz", zone, first), factsOf(t, test.name+".json.gz", zone, first)
		for _, id := range slices.Sorted(maps.Keys(table)) {
			if list[id] != table[id] {
				t.Errorf("%s, job %s:\n%s in the table,\n%s in JSON", test.name, id, table[id], list[id])
			}
		}
	}
}

// factsOf returns what a recorded table or list of sacct tells of each job, with times as a function has them.
func factsOf(t *testing.T, name string, zone *time.Location, as func(at int64) int64) map[string]string {
	t.Helper()
	from := file.At(filepath.Join(workshop.Testdata("slurm-json"), "sacct", name))
	tr, err := ReadTrace([]file.Source{from}, zone, trace.Keep{Asked: strings.Fields("billing cpu mem node gres/gpu")})
	if err != nil {
		t.Fatal(err)
	}
	jobs := map[string]string{}
	for i, j := range tr.Jobs {
		names := tr.Names.List
		text := fmt.Sprint(names[j.User], " ", names[j.Account], " ", names[j.Group], " ", names[j.Queue], " ", names[j.Name], " ", as(j.Arrival), as(j.Queued), as(j.Start), as(j.End), " ", names[j.Project],
			j.NCPUs, j.Nodes, j.Mem, j.Walltime, j.UsedCput, j.Exit, j.State, j.Pauses(), tr.AskedBy(i))
		for _, run := range j.Earlier() {
			text += fmt.Sprint(" ", as(run.Start), as(run.End))
		}
		jobs[j.ID] = text
	}
	return jobs
}
