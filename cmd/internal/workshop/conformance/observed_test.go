package conformance

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// What a record of Slurm has observed does not depend on the rules by which it is replayed: a table of sacct says the same
// beside a site whose files have others, each of which are asked of every second record.
func TestObserved(t *testing.T) {
	list, by := records(t)
	rules := []struct {
		name  string
		lines map[string]string // of scontrol show config, by their names
	}{
		{"nobody is preempted", map[string]string{"PreemptType": "preempt/none", "PreemptMode": "OFF"}},
		{"jobs are requeued for others", map[string]string{"PreemptType": "preempt/qos", "PreemptMode": "REQUEUE"}},
		{"jobs are cancelled for others", map[string]string{"PreemptType": "preempt/qos", "PreemptMode": "CANCEL"}},
		{"jobs are suspended for others", map[string]string{"PreemptType": "preempt/partition_prio", "PreemptMode": "SUSPEND,GANG"}},
		{"no backfill", map[string]string{"SchedulerType": "sched/builtin"}},
		{"first come, first served", map[string]string{"PriorityType": "priority/basic"}},
		{"ages alone count", map[string]string{"PriorityWeightAge": "1000", "PriorityWeightFairShare": "0", "PriorityWeightJobSize": "0", "PriorityWeightPartition": "0", "PriorityWeightQOS": "0", "PriorityWeightTRES": "(null)"}},
	}
	hold(t, list, 3, func(t testing.TB, p place, d *differences) {
		if !p.isSlurm {
			return
		}
		files := filesBelow(t, p.dir)
		config := fileNamed(t.(*testing.T), files, "scontrol-show-config.txt")
		table := by[p.name].ways(t)[""][0]
		of := func(dir string) observedRow {
			return observed(t, "replay", dir, table, "--tz", "UTC", "-o", "json")
		}
		want, before := of(p.dir), files[config]
		number := slices.IndexFunc(list, func(other place) bool { return other.name == p.name })
		for i, r := range rules {
			if (i+number)%2 != 0 {
				continue
			}
			text := before
			for name, value := range r.lines {
				text = regexp.MustCompile(`(?m)^(`+name+`) *=.*$`).ReplaceAllString(text, "$1 = "+value)
			}
			files[config] = text
			dir := write(t, "rules/"+string(rune('a'+i))+"/"+p.name, files)
			got := of(dir)
			if got.Preemptions == nil {
				got.Preemptions = want.Preemptions
			}
			d.equal(r.name, want, got)
		}
	})
}

// observedRow is what a replay says of the record.
type observedRow struct {
	Figures     map[string]struct{ Mean *float64 }
	LeftWaiting int     `json:"left_waiting"`
	LeftHours   float64 `json:"left_core_hours"`

	Preemptions *struct { // nil where nothing tells them, as those that suspend jobs under rules that may
		Requeued, Cancelled int
		Lost                float64 `json:"lost_core_hours"`
	}
}

// String writes a row as JSON.
func (r observedRow) String() string {
	text, err := json.Marshal(r)
	if err != nil {
		return err.Error()
	}
	return strings.ReplaceAll(string(text), `"Mean":`, "")
}

// observed returns what a replay says of the record.
func observed(t testing.TB, args ...string) observedRow {
	t.Helper()
	var line struct{ Policies []observedRow }
	a := ask(args...)
	if !a.isGiven() {
		t.Fatalf("%v: exit %d: %s", args, a.code, a.said)
	}
	if err := json.Unmarshal([]byte(a.out), &line); err != nil {
		t.Fatal(err)
	}
	return line.Policies[0]
}
