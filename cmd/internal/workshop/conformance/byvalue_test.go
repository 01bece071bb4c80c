package conformance

import (
	"encoding/json"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"fairshare/cmd/internal/workshop"
)

// told is what explain says of a job's place, or of two jobs.
type told struct {
	Rank       *int
	RankUnsure bool `json:"rank_unsure"`
	Considered bool
	Queue      string
	Unplaced   string
	Waiting    int `json:"waiting"`
	Surely     *struct {
		Ahead, Behind int
		Unless        string
	}
	ID, First, Why string
}

// ofManagers are the attributes of jobs that PBS does not print for an ordinary user.
var ofManagers = []string{"euser", "egroup", "queue_rank", "queue_type", "accrue_type", "hashname"}

// What is told as sure of the order to somebody who has what an ordinary user can print, and so no sched_config, is what the scheduler
// did in each recorded round, whatever was set there. preempt_prio, which sorts before the formula, is named where it counts. What is not
// sure has the place that sort tells, with the same mark.
func TestSureWithoutConfig(t *testing.T) {
	t.Parallel()
	places, pairs, undecided := 0, 0, 0
	for i, file := range matching(t, "scheduler/*/formula.txt") {
		if !workshop.Among(i, 3) {
			continue
		}
		dir := filepath.Dir(file)
		files := filesBelow(t, dir)
		config, listed := files["sched_priv/sched_config"], files["qstat-f.json"]
		formula, _, _ := strings.Cut(files["formula.txt"], "\n")
		if listed == "" {
			t.Fatalf("%s has no list", dir)
		}
		if regexp.MustCompile(`(?m)^fairshare_entity:\s*(egroup|queue|Account_Name)`).MatchString(config) { // which is said
			continue
		}
		var jobs map[string]any
		if err := json.Unmarshal([]byte(listed), &jobs); err != nil {
			t.Fatal(err)
		}
		for _, of := range jobs["Jobs"].(map[string]any) {
			for _, name := range ofManagers {
				delete(of.(map[string]any), name)
			}
		}
		text, err := json.Marshal(jobs)
		if err != nil {
			t.Fatal(err)
		}
		server := "Server: pbsref\n    server_state = Active\n    scheduling = True\n    eligible_time_enable = True\n    pbs_version = 23.06.06\n"
		if formula != "(unset)" {
			server += "    job_sort_formula = " + formula + "\n"
		}
		user := write(t, "sure/"+filepath.Base(dir), map[string]string{"qstat-f.json": string(text), "qstat-Qf.txt": files["qstat-Qf.txt"], "qstat-Bf.txt": server, "resources.txt": files["qmgr-list-resource.txt"]})
		order := strings.Fields(files["order.txt"])
		var list struct{ Jobs []told }
		if a := ask("sort", user, "-o", "json"); a.code <= 1 { // else the formula needs the tree, and no place is told
			if err := json.Unmarshal([]byte(`{"Jobs":`+a.out+"}"), &list); err != nil {
				t.Fatal(err)
			}
		}
		sorted := map[string]told{}
		for _, of := range list.Jobs {
			sorted[of.ID] = of
		}
		hasPrio := strings.Contains(strings.ReplaceAll(files["qmgr-print-sched.txt"], `"express_queue, normal_jobs"`, ""), "preempt_prio")
		hears := func(args ...string) (of told) {
			a := ask(append([]string{"explain", "-o", "json"}, args...)...)
			if a.code > 1 {
				t.Fatalf("%s: %v: exit %d: %s", dir, args, a.code, a.said)
			}
			if err := json.Unmarshal([]byte(a.out), &of); err != nil {
				t.Fatal(err)
			}
			return of
		}
		for at := 0; at < len(order); at += 1 + len(order)/4 {
			id := order[at]
			of := hears(id, user)
			switch {
			case !of.Considered:
				t.Errorf("%s: %s is not considered", dir, id)
			case !cmp.Equal(of.Rank, sorted[id].Rank) || of.RankUnsure != sorted[id].RankUnsure:
				t.Errorf("%s: places of %s in explain and sort, and whether they are unsure: %s %t %t", dir, id, cmp.Diff(of.Rank, sorted[id].Rank), of.RankUnsure, sorted[id].RankUnsure)
			case of.Rank != nil && !of.RankUnsure && *of.Rank != at+1:
				t.Errorf("%s: %s is number %d, and not %d", dir, id, at+1, *of.Rank)
			case of.Surely != nil && hasPrio && of.Surely.Unless != "":
			case of.Surely != nil:
				places++
				if at < of.Surely.Ahead || at >= of.Waiting-of.Surely.Behind {
					t.Errorf("%s: %s is number %d of %d, not %d to %d", dir, id, at+1, of.Waiting, of.Surely.Ahead+1, of.Waiting-of.Surely.Behind)
				}
			}
			other := order[(at*7+3)%len(order)]
			if other == id {
				continue
			}
			v := hears(id, user, "--vs", other)
			want := order[min(at, slices.Index(order, other))]
			switch {
			case v.Unplaced != "":
				undecided++
			case hasPrio && strings.Contains(v.Why, "preempt_prio"):
			default:
				pairs++
				if v.First != want {
					t.Errorf("%s: %s before %s: %s", dir, want, v.First, v.Why)
				}
			}
		}
	}
	if places < fewest(60, 15) || pairs < fewest(6, 1) || undecided < fewest(60, 15) {
		t.Errorf("%d places, %d pairs and %d that are not decided", places, pairs, undecided)
	}
}
