package site_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"fairshare/cmd/internal/pbs"
	pbssite "fairshare/cmd/internal/pbs/site"
	"fairshare/cmd/internal/site"
	"fairshare/cmd/internal/workshop"
)

// The own list of each user of each recorded moment is said to be of one user beside what the server and its queues count at the end of the
// run, which is often less and sometimes as much in one state, and is whole beside counts that are its own; that of all users is never said
// to be of one.
func TestOwnLists(t *testing.T) {
	lists, sites := recordedLists(t), recordedCounts(t)
	own := 0
	for name, all := range lists {
		byUser := map[string][]pbssite.ListedJob{}
		for _, j := range all {
			byUser[j.User] = append(byUser[j.User], j)
		}
		for user, jobs := range byUser {
			if !slices.ContainsFunc(jobs, func(j pbssite.ListedJob) bool { return j.State == 'Q' || j.State == 'H' }) {
				continue // of which no places are told
			}
			own++
			for from, at := range sites[filepath.Base(filepath.Dir(name))] {
				if of := unseen(at, jobs).Of(); !strings.Contains(of, "of "+user+" alone") && !strings.Contains(of, "are of "+user+",") {
					t.Errorf("%s, jobs of %s beside the counts of %s: %q", name, user, from, of)
				}
				if of := unseen(at, all).Of(); strings.Contains(of, " alone (") || strings.HasPrefix(of, "all jobs") {
					t.Errorf("%s beside the counts of %s: %q", name, from, of)
				}
			}
			for _, at := range counting(jobs) {
				if u := unseen(at, jobs); u.Of() != "" || len(u.OtherMoment()) > 0 {
					t.Errorf("%s, jobs of %s beside their counts: %q, %v", name, user, u.Of(), u.OtherMoment())
				}
			}
		}
		for _, at := range counting(all) {
			if u := unseen(at, all); u.Of() != "" || len(u.OtherMoment()) > 0 {
				t.Errorf("%s beside its counts: %q, %v", name, u.Of(), u.OtherMoment())
			}
			if u := unseen(at, append(slices.Clone(all), all...)); len(u.OtherMoment()) == 0 {
				t.Errorf("%s: counts of half as many jobs are not said to be of another moment", name)
			}
		}
	}
	if own < 100 {
		t.Errorf("only %d lists", own)
	}
}

// A subjob is counted with its array, one that is suspended runs, and one that is over is not counted.
func TestCountedStates(t *testing.T) {
	jobs := []pbssite.ListedJob{{ID: "1[].s", State: 'B'}, {ID: "1[3].s", State: 'R'}, {ID: "1[4].s", State: 'X'}, {ID: "2.s", State: 'S'}, {ID: "3.s", State: 'F'}, {ID: "4.s", State: 'W'}}
	at := &pbs.Site{Sched: pbs.Sched{Server: pbs.Attributes{pbs.StateCount: "Transit:0 Queued:0 Held:0 Waiting:1 Running:1 Exiting:0 Begun:1"}}}
	for i := range jobs {
		jobs[i].User = "ann"
	}
	if of := unseen(at, jobs).Of(); of != "" {
		t.Error(of)
	}
	for i, what := range []string{"of a queue that is not counted", "of all queues"} {
		jobs[0].Queue = []string{"p", "q"}[i]
		jobs = jobs[:1]
		at := &pbs.Site{Queues: []pbs.Queue{{Name: "q", Attributes: pbs.Attributes{pbs.StateCount: "Begun:1 Queued:0"}}}}
		if of := unseen(at, jobs).Of(); (of == "") != (i == 1) {
			t.Errorf("%s: %q", what, of)
		}
	}
}

func unseen(at *pbs.Site, jobs []pbssite.ListedJob) pbssite.Unseen {
	return (&pbssite.Place{}).Unseen(at, slices.Values(jobs))
}

// recordedLists returns the jobs of recorded moments.
func recordedLists(t *testing.T) map[string][]pbssite.ListedJob {
	lists := map[string][]pbssite.ListedJob{}
	names, err := filepath.Glob("../../../../testdata/moments/*/*.json.gz")
	if err != nil || len(names) < 10 {
		t.Fatal(names, err)
	}
	for _, name := range names {
		var list struct {
			Jobs map[string]struct {
				State string `json:"job_state"`
				User  string `json:"euser"`
				Queue string `json:"queue"`
			}
		}
		if err := json.Unmarshal(workshop.Unpacked(t, name), &list); err != nil {
			t.Fatal(err)
		}
		for id, j := range list.Jobs {
			if number, _, _ := strings.Cut(id, "."); strings.HasSuffix(number, "]") && !strings.HasSuffix(number, "[]") {
				continue // as qstat -f prints without -t
			}
			lists[name] = append(lists[name], pbssite.ListedJob{ID: id, User: j.User, Queue: j.Queue, State: j.State[0]})
		}
	}
	return lists
}

// recordedCounts returns what the server and the queues of each run count, both and each alone, as a user has them.
func recordedCounts(t *testing.T) map[string]map[string]*pbs.Site {
	sites := map[string]map[string]*pbs.Site{}
	dirs, err := filepath.Glob("../../../../testdata/replay/*/snapshot")
	if err != nil || len(dirs) < 20 {
		t.Fatal(dirs, err)
	}
	for _, dir := range dirs {
		p, _, err := pbssite.Find(t.Context(), site.Names{Argument: dir}, stdin(""))
		if err != nil {
			t.Fatal(err)
		}
		at, _, err := p.Site()
		if err != nil {
			t.Fatal(err)
		}
		server, queues := pbs.Sched{Server: at.Sched.Server}, at.Queues
		sites[filepath.Base(filepath.Dir(dir))] = map[string]*pbs.Site{
			"the server and its queues": {Sched: server, Queues: queues}, "the server": {Sched: server}, "the queues": {Queues: queues},
		}
	}
	return sites
}

// counting returns sites that count some jobs: the server, the queues, and both.
func counting(jobs []pbssite.ListedJob) []*pbs.Site {
	in := map[string]map[string]int{"": {}}
	for _, j := range jobs {
		if in[j.Queue] == nil {
			in[j.Queue] = map[string]int{}
		}
		in[""][pbs.CountedAs(j.State)]++
		in[j.Queue][pbs.CountedAs(j.State)]++
	}
	text := func(queue string) pbs.Attributes {
		var words []string
		for _, state := range []string{"Transit", "Queued", "Held", "Waiting", "Running", "Exiting", "Begun"} {
			words = append(words, fmt.Sprintf("%s:%d", state, in[queue][state]))
		}
		return pbs.Attributes{pbs.StateCount: strings.Join(words, " ")}
	}
	server, queues := pbs.Sched{Server: text("")}, []pbs.Queue{}
	for _, name := range slices.Sorted(maps.Keys(in)) {
		if name != "" {
			queues = append(queues, pbs.Queue{Name: name, Attributes: text(name)})
		}
	}
	return []*pbs.Site{{Sched: server}, {Queues: queues}, {Sched: server, Queues: queues}}
}
