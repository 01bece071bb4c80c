package order

import (
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"fairshare/cmd/internal/file"
	"fairshare/cmd/internal/report"
	"fairshare/cmd/internal/slurm"
	"fairshare/cmd/internal/slurm/dump"
	"fairshare/cmd/internal/slurm/sched"
)

// newer are the recorded moments of sites of Slurm 23.11, 24.11 and 25.05.
func newer(t *testing.T) []string {
	t.Helper()
	names, err := filepath.Glob("../../../../testdata/slurm-now/*.tgz")
	if err != nil || len(names) == 0 {
		t.Fatal(names, err)
	}
	return names
}

// triedEntry is an entry of the queue as slurmctld's log has it.
type triedEntry struct{ id, partition, priority string }

// tried returns the entries that the next backfill cycle tried, those that it tried several times once.
func tried(t *testing.T, name string) (list []triedEntry) {
	t.Helper()
	tree, err := file.OpenTree(name)
	if err != nil {
		t.Fatal(err)
	}
	text, err := fs.ReadFile(tree.FS, "tried.txt")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		words := strings.Fields(line)
		id, _, _ := strings.Cut(words[0], "_")
		if x := (triedEntry{id, words[2], words[1]}); !slices.Contains(list, x) {
			list = append(list, x)
		}
	}
	return list
}

// TestOrderAsTried holds the order of all rows of sprio to that in which slurmctld tried them next.
func TestOrderAsTried(t *testing.T) {
	known := 0
	for _, name := range newer(t) {
		s, err := Open(name)
		if err != nil {
			t.Fatal(err)
		}
		want := tried(t, name)
		var got []triedEntry
		for _, r := range s.Rows() {
			x := triedEntry{r.Job.ID, r.Partition, report.Fixed(r.Value, 0)}
			if r.Rank > 0 && slices.Contains(want, x) {
				got = append(got, x)
			}
		}
		want = slices.DeleteFunc(want, func(x triedEntry) bool { return !slices.Contains(got, x) })
		known += len(want)
		if !slices.Equal(got, want) {
			t.Errorf("%s: the order is\n%v, slurmctld tried\n%v", name, got, want)
		}
	}
	if most := 147; known < most { // the others changed their priority before the cycle, or are of partitions that are DOWN
		t.Errorf("%d entries are compared, %d are expected", known, most)
	}
}

// TestRules asks which rule puts one job ahead of another, of jobs of which each differs in one more thing.
func TestRules(t *testing.T) {
	s := &Site{precedence: sched.NewPrecedence("preempt/qos", []sched.QOS{{Name: "high", Preempts: []string{"low"}}, {Name: "low"}})}
	row := func(id, qos, reservation string, tier, value float64) Row {
		r := Row{Tier: tier, Value: value, Rank: 1}
		r.Job, r.QOS = &slurm.Job{ID: id, QOS: qos, Reservation: reservation}, qos
		return r
	}
	rows := []Row{row("9", "low", "r", 9, 9), row("1", "low", "", 9, 9), row("2", "low", "", 1, 10), row("3", "low", "", 1, 9), row("4", "low", "", 1, 9), row("5", "high", "", 1, 1)}
	s.Sort(rows)
	var ids []string
	for i, r := range rows {
		ids = append(ids, r.Job.ID)
		if i > 0 {
			ids = append(ids, s.ahead(rows[i-1], r))
		}
	}
	const want = "5 9 preemption 1 reservation 2 tier 3 priority 4 number"
	if got := strings.Join(ids, " "); got != want {
		t.Errorf("the order is %s, want %s", got, want)
	}
}

// Jobs of several QOS have an entry for each: one of several partitions with the priority of each, and one of one partition
// with that of the last QOS for all, as slurmctld of 25.05 tried 209 and 205 of the recorded night.
func TestOrderOfSeveralQOS(t *testing.T) {
	s := &Site{QOS: map[string]float64{"high": 1000, "normal": 100, "low": 0}, precedence: sched.NewPrecedence("preempt/none", nil)}
	var rows []Row // of each job those of the QOS of a higher priority first
	add := func(id, asked, qos string, partitions []string, tier, value float64) {
		r := Row{Tier: tier, Value: value, Rank: 1}
		r.Job, r.QOS, r.Partition = &slurm.Job{ID: id, QOS: asked, Partitions: partitions}, qos, partitions[0]
		rows = append(rows, r)
	}
	batch := []string{"batch"}
	add("205", "low,normal", "normal", batch, 1, 2969)
	add("205", "low,normal", "low", batch, 1, 2769)
	add("209", "high,normal", "normal", []string{"batch", "short"}, 1, 7343)
	add("209", "high,normal", "high", []string{"batch", "short"}, 1, 9143)
	add("209", "high,normal", "high", []string{"short", "batch"}, 2, 10022)
	add("209", "high,normal", "normal", []string{"short", "batch"}, 2, 8222)
	add("87", "normal", "normal", batch, 1, 7350)
	add("210", "normal", "normal", batch, 1, 7237)
	add("111", "normal", "normal", batch, 1, 2783)
	add("129", "normal", "normal", batch, 1, 2765)
	s.Sort(rows)
	got := ""
	for i, r := range rows {
		if got += report.Fixed(r.Value, 0) + " "; i > 0 && s.ahead(rows[i-1], r) == "preemption" {
			t.Error(r.Job.ID, "goes by preemption, and nobody preempts")
		}
	}
	if want := "10022 8222 9143 7350 7343 7237 2783 2969 2769 2765 "; got != want {
		t.Errorf("the order is %s, slurmctld tried %s", got, want)
	}
}

// TestPrioritiesOfNewer holds the priorities that are computed anew to those that Slurm computed, each to the integer,
// but for those that an administrator has set.
func TestPrioritiesOfNewer(t *testing.T) {
	least := map[string]int{"23.11-morning": 6, "24.11-morning": 2, "24.11-busy": 33, "24.11-evening": 66, "25.05-morning": 6, "25.05-evening": 47}
	for _, name := range newer(t) {
		s, err := Open(name)
		if err != nil {
			t.Fatal(err)
		}
		equal := 0
		for _, r := range s.Rows() {
			if r.Rank > 0 && r.Priority == r.Value {
				equal++
			}
		}
		if moment := strings.TrimSuffix(filepath.Base(name), ".tgz"); equal < least[moment] {
			t.Errorf("%s: %d priorities are equal, %d are expected", moment, equal, least[moment])
		} else if isMoved := strings.Contains(said(s), "the clock was"); isMoved != (moment == "25.05-evening") {
			t.Errorf("%s: %s", moment, said(s))
		}
	}
}

// TestClockPutBack holds the ages of a site whose clock was put back an hour to those that sprio prints: to the second
// by the parts of 1 that it prints, and by whole points as well.
func TestClockPutBack(t *testing.T) {
	for _, form := range []string{"sprio-pipe.txt", "whole points", "sprio -n"} {
		d, err := dump.Open("../../../../testdata/slurm-now/25.05-evening.tgz")
		if err != nil {
			t.Fatal(err)
		}
		table := d.Text("sprio-pipe.txt")
		var points, parts strings.Builder
		for line := range strings.Lines(table) { // its columns %A and %a are the age
			cells := strings.Split(line, "|")
			parts.WriteString(strings.Join([]string{cells[0], cells[1], cells[5], cells[7], "\n"}, "|"))
			points.WriteString(strings.Join(slices.Delete(cells, 7, 8), "|"))
		}
		switch form {
		case "whole points":
			d.Set("sprio-pipe.txt", points.String())
		case "sprio -n":
			d.Set("sprio-pipe.txt", points.String())
			d.Set("sprio-n.txt", parts.String())
		}
		s, err := New(d)
		if err != nil {
			t.Fatal(err)
		}
		equal := 0
		for _, r := range s.Rows() {
			if r.Rank > 0 && r.Priority == r.Value {
				equal++
			}
		}
		if !strings.Contains(said(s), "the clock was put back by 1:00:00 while") || equal < 46 || equal < 47 && form != "whole points" {
			t.Errorf("%s: %d priorities are equal; %s", form, equal, said(s))
		}
	}
}
