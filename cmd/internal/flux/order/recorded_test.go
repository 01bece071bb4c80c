package order

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"fairshare/cmd/internal/file"
	"fairshare/cmd/internal/flux"
	"fairshare/cmd/internal/flux/dump"
)

const recorded = "../../../../testdata/flux-site/"

func open(t testing.TB, name string) *Site {
	t.Helper()
	tree, err := file.OpenTree(name)
	if err != nil {
		t.Fatal(err)
	}
	d, err := dump.Find(tree)
	if err != nil {
		t.Fatal(err)
	}
	s, err := New(d)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// Of each moment of two recorded runs, all waiting jobs have the priority that flux had, and their order is flux's.
func TestRecordedPriorities(t *testing.T) {
	names, _ := filepath.Glob(recorded + "R?-*.tgz")
	jobs := 0
	for _, name := range names {
		s := open(t, name)
		rows := s.Rows()
		last := math.Inf(1)
		for _, r := range rows {
			if r.Rank == 0 {
				continue
			}
			jobs++
			if r.Job.State != "SCHED" || r.Value != r.Job.Priority || r.Value > last {
				t.Errorf("%s: %s %s has value %g behind %g", name, r.Job.State, r.Job.ID, r.Value, last)
			}
			if last = r.Value; r.Computed != r.Job.Priority {
				t.Errorf("%s: %s", name, r.Difference())
			}
		}
		for _, r := range rows {
			if r.Rank == 0 && r.Limit == "" {
				t.Errorf("%s: job %s waits for %q, and no limit is named", name, r.Job.ID, r.Reason)
			}
		}
	}
	if len(names) != 10 || jobs != 421 {
		t.Errorf("%d jobs of %d moments", jobs, len(names))
	}
}

// The fairshare that flux stored is that of the tree where it was updated after the usage.
func TestRecordedFairshare(t *testing.T) {
	same, all := 0, 0
	names, _ := filepath.Glob(recorded + "R?-*.tgz")
	for _, name := range names {
		s := open(t, name)
		tree, _, err := s.Tree()
		if err != nil {
			t.Fatal(err)
		}
		walked := fairshareOf(tree)
		for _, a := range s.Associations {
			if !a.IsActive {
				continue
			}
			if all++; walked[Member{a.User, a.Bank}] == a.Fairshare {
				same++
			}
		}
	}
	if same != all {
		t.Errorf("%d of %d", same, all)
	}
}

// Without the lists beside the jobs, or with wrong ones, what is not known is told and differences have a cause.
func TestDifferences(t *testing.T) {
	s := open(t, recorded+"hold/beyond_max_jobs.json")
	said := fmt.Sprint(s.Remarks) + fmt.Sprint(s.Differences(s.Rows()))
	for _, want := range []string{"no weights", "no queues", "no users", "1 of 3 jobs", "2000000110000 in flux, 100000 computed: the priority of queue batch is not known, and counts 0"} {
		if !strings.Contains(said, want) {
			t.Errorf("it is not said: %s\n%s", want, said)
		}
	}
	if !s.IsFluxion {
		t.Error("Fluxion is not known")
	}
	s = open(t, recorded+"R2-m2.tgz")
	i := slices.IndexFunc(s.Jobs, func(j flux.Job) bool { return isTelling(&j) && j.User == "cid" })
	s.Jobs[i].Priority += 7
	s.findFactors()
	if said := fmt.Sprint(s.Differences(s.Rows())); !strings.Contains(said, "40 of 41 jobs") || !strings.Contains(said, "it is flux's if bank physb had priority 7.57") {
		t.Error(said)
	}
}

// What settings change, and what they leave.
func TestWith(t *testing.T) {
	s := open(t, recorded+"R2-m2.tgz")
	rows := s.Rows()
	for _, c := range []struct{ setting, job, want string }{
		{"weight.queue=0", "ƒ4wye5Ry1", "92417"},
		{"queue.batch=2", "ƒ4wye5Ry1", "112417"},
		{"bank.physb=-5", "ƒ4wye5Ry1", "101167"},
		{"weight.urgency=0", "ƒ4wnpxfm9", "85000"},
		{"physa.shares=1e9", "ƒ4wye5Ry1", "85750"}, // 9 of 12
		{"job.ƒ4wye5Ry1.urgency=31", "ƒ4wye5Ry1", "4294967295"},
		{"job.8716837453824.urgency=0", "ƒ4wye5Ry1", "0"},
		{"jon.active=true", "ƒ4wye5Ry1", "103058"}, // 12 of 13
	} {
		under, err := s.With([]string{c.setting})
		if err != nil {
			t.Fatal(err)
		}
		after, _ := s.After(rows, under, []string{c.setting})
		r, err := Find(after, c.job)
		if got := fmt.Sprintf("%.0f", r.Value); err != nil || got != c.want {
			t.Errorf("%s: %s, want %s %v", c.setting, got, c.want, err)
		}
	}
	for setting, want := range map[string]string{
		"weight.quue=1": "no weight quue", "queue.x=1": "no queue x", "bank.x=1": "no bank x", "weight.queue=x": "no number", "queue.batch=-1": "no number",
		"ana.shares=3": "several banks", "physa.usage=3": "that of its users", "physa.prio=3": "prio", "nobody.shares=1": "nobody", "physa/nobody.shares=1": "nobody",
		"job.ƒ4wye5Ry1.urgency=32": "0 to 31", "job.1.urgency=3": "no job 1", "x": "such as weight.queue", "physa.active=maybe": "neither",
	} {
		if _, err := s.With([]string{setting}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", setting, err)
		}
	}
	if fmt.Sprint(s.Rows()) == "" || s.Weights.Queue != 10000 || s.queuePriority("batch") != 1 {
		t.Error("a change changes the site itself")
	}
}

// FuzzSite puts any list of jobs and of users into an order, and makes sure that it is one.
func FuzzSite(f *testing.F) {
	for _, name := range []string{"hold/hold_jobs.json", "hold/beyond_max_jobs.json"} {
		text, err := os.ReadFile(recorded + name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(text), `[{"username": "gus", "bank": "chemy", "shares": 1, "fairshare": 0.5}]`, "weight.queue=3")
	}
	f.Add(`{"jobs": [{"id": 1, "username": "a", "urgency": 16, "state": "SCHED", "priority": 1e308}]}`, "bank|username|active|rawshares\n a|b|true|1", "job.1.urgency=9")
	f.Fuzz(func(t *testing.T, jobs, users, setting string) {
		d := &dump.Dump{Name: "site"}
		d.Set("jobs.json", jobs)
		d.Set("users", users)
		s, err := New(d)
		if err != nil {
			return
		}
		rows := s.Rows()
		for i, r := range rows {
			if r.Rank != 0 && r.Rank != i+1 {
				t.Fatalf("row %d has rank %d", i, r.Rank)
			}
			s.Explain(rows, r)
		}
		s.Differences(rows)
		if under, err := s.With([]string{setting}); err == nil {
			if after, _ := s.After(rows, under, []string{setting}); len(after) != len(rows) {
				t.Fatalf("%d rows become %d", len(rows), len(after))
			}
		}
		if _, _, err := s.Tree(); err != nil {
			t.Log(err)
		}
	})
}
