package conformance

import (
	"cmp"
	"encoding/json"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"fairshare/cmd/internal/outcome"
)

var stuckNote = regexp.MustCompile(`note: (\d+) of these jobs never starts? as things are`)

var stuckFinding = regexp.MustCompile(`^(\d+) waiting jobs? never starts? as things are \(([^)]*)\): (.*)`)

// Every job that sort --now and explain call one that never starts is counted by check, under what they say keeps it, and by sort alone.
func TestCheckCountsStuckJobs(t *testing.T) {
	list := slices.Clone(sites(t))
	for i := range fewest(12, 4) {
		list = append(list, randomPBS(t, i), randomSlurm(t, i))
	}
	var ofPBS, ofSlurm atomic.Int32
	t.Cleanup(func() {
		if least := int32(fewest(5, 1)); ofPBS.Load() < least || ofSlurm.Load() < least {
			t.Errorf("only %d and %d jobs never start", ofPBS.Load(), ofSlurm.Load())
		}
	})
	hold(t, list, inPlain(5, 2), func(t testing.TB, p place, d *differences) {
		a := ask("sort", p.dir, "--now", "--all", "--tz", "UTC", "-o", "csv")
		if p.isFlux || !a.isGiven() || a.out == "" { // nothing tells of its nodes
			return
		}
		why, ids := neverOf(ofCSV(t, a.out))
		counted, causes := stuckIn(t, p.dir)
		d.equal("how many jobs never start, in sort --now and check", strconv.Itoa(len(ids)), strconv.Itoa(counted))
		if !p.isSlurm { // whose sort has a column for that
			noted := "0"
			if of := stuckNote.FindStringSubmatch(ask("sort", p.dir, "--all", "--tz", "UTC", "-o", "csv").said); of != nil {
				noted = of[1]
			}
			d.equal("how many jobs never start, in sort --now and what sort says", strconv.Itoa(len(ids)), noted)
		}
		for _, id := range ids[:min(len(ids), 3)] {
			if p.isSlurm {
				ofSlurm.Add(1)
			} else {
				ofPBS.Add(1)
			}
			if text := answered(t, "explain", id, p.dir); !strings.Contains(text, why[id]) && !strings.Contains(text, "NeverSatisfied") {
				d.add("job %s: %s for sort --now, and explain says\n%s", id, why[id], text)
			}
			said := why[id]
			for _, own := range []string{" asks for ", " at most, ", " account "} { // behind which it is of the job alone
				said, _, _ = strings.Cut(said, own)
			}
			if !slices.ContainsFunc(causes, func(cause string) bool {
				return strings.Contains(cause, said) || strings.Contains(cause, "NeverSatisfied")
			}) {
				d.add("job %s: %s for sort --now, and check has %q", id, why[id], causes)
			}
		}
	})
}

// neverOf returns the jobs of an order that never start, and why each does not.
func neverOf(sorted table) (why map[string]string, ids []string) {
	why = map[string]string{}
	for _, row := range sorted.rows {
		text, isNever := strings.CutPrefix(row["waits_for"], outcome.Never)
		if text = cmp.Or(row["never"], text); why[row["id"]] == "" && (row["never"] != "" || isNever) {
			why[row["id"]], ids = text, append(ids, row["id"])
		}
	}
	return why, ids
}

// Under limits that are tried, check counts the jobs that sort --now calls ones that never start, and those that compare says can never start
// any more are the ones that do not count without these limits.
func TestStuckJobsUnderTriedLimits(t *testing.T) {
	var list []place
	for _, p := range some(t, inPlain(4, 1)) {
		if p.isPBS() {
			list = append(list, p)
		}
	}
	for i := range fewest(12, 4) {
		list = append(list, randomPBS(t, i))
	}
	tried := write(t, "tried-limits", map[string]string{"limits": "set server max_run_res.ncpus = [u:PBS_GENERIC=3]\n"}) + "/limits"
	var more atomic.Int32
	t.Cleanup(func() {
		if more.Load() < int32(fewest(20, 5)) {
			t.Errorf("only %d jobs never start by what is tried", more.Load())
		}
	})
	hold(t, list, inPlain(5, 2), func(t testing.TB, p place, d *differences) {
		of := []string{p.dir, "--sched", tried}
		now := ask(append([]string{"sort", "--now", "--all", "--tz", "UTC", "-o", "csv"}, of...)...)
		was := ask("sort", p.dir, "--now", "--all", "--tz", "UTC", "-o", "csv")
		if !now.isGiven() || !was.isGiven() || now.out == "" || was.out == "" {
			return
		}
		_, ids := neverOf(ofCSV(t, now.out))
		_, before := neverOf(ofCSV(t, was.out))
		counted, _ := stuckIn(t, of...)
		d.equal("how many jobs never start under tried limits, in sort --now and check", strconv.Itoa(len(ids)), strconv.Itoa(counted))
		newly := slices.DeleteFunc(slices.Clone(ids), func(id string) bool { return slices.Contains(before, id) })
		more.Add(int32(len(newly)))
		var compared struct {
			Starts struct { // none where no job waits
				Never []string `json:"never_new"`
			}
		}
		a := ask(append([]string{"compare", "-o", "json"}, of...)...)
		if err := json.Unmarshal([]byte(a.out), &compared); err != nil {
			d.add("compare: %v %s", err, a.said)
			return
		}
		slices.Sort(newly)
		slices.Sort(compared.Starts.Never)
		d.equal("which jobs can never start any more, in sort --now and compare", strings.Join(newly, " "), strings.Join(compared.Starts.Never, " "))
	})
}

// stuckIn returns how many jobs check says never start, and by what.
func stuckIn(t testing.TB, of ...string) (counted int, causes []string) {
	var checked struct {
		Findings []struct{ Message string }
	}
	if err := json.Unmarshal([]byte(answered(t, append([]string{"check", "-o", "json"}, of...)...)), &checked); err != nil {
		t.Fatal(err)
	}
	for _, f := range checked.Findings {
		if of := stuckFinding.FindStringSubmatch(f.Message); of != nil {
			n, _ := strconv.Atoi(of[1])
			counted, causes = counted+n, append(causes, of[3])
		}
	}
	return counted, causes
}
