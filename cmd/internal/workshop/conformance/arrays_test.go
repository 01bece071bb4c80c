package conformance

import (
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"fairshare/cmd/internal/trace"
)

// arraysDiffer returns of which arrays that are considered sort and explain count other subjobs than a forecast has.
func arraysDiffer(t testing.TB, p place, more ...string) (arrays int, d differences) {
	ranked := asked(t, "sort", p.dir)
	forecast := map[string]int{}
	for _, row := range asked(t, append([]string{"when", p.dir, "--runs", "1"}, more...)...).rows {
		if array, _, isSubjob := trace.Subjob(row["job"]); isSubjob {
			forecast[array]++
		}
	}
	for _, row := range ranked.rows {
		if !trace.IsArray(row["id"]) {
			continue
		}
		arrays++
		if got := strconv.Itoa(forecast[row["id"]]); got != row["subjobs"] {
			d.add("%s: of array %s wait %s by sort, and %s by when", p.name, row["id"], row["subjobs"], got)
		}
		if told := answered(t, "explain", row["id"], p.dir, "-o", "json"); !strings.Contains(told, `"subjobs":`+row["subjobs"]+",") && !strings.Contains(told, `"subjobs": `+row["subjobs"]+",") {
			d.add("%s: of array %s wait %s by sort, and others by explain", p.name, row["id"], row["subjobs"])
		}
	}
	metricsOrder(t, p, &d, ranked)
	return arrays, d
}

// begun is the array of the small site as one that has begun.
const begun = array + ";job.26[].job_state=B"

// subjob returns the edit that lists one of its subjobs, in some state.
func subjob(index int, state, more string) (edits string) {
	for _, part := range strings.Split(strings.ReplaceAll(array, "job.26[].", fmt.Sprintf("job.26[%d].", index)), ";") {
		if !strings.Contains(part, ".array") {
			edits += ";" + part
		}
	}
	return edits + fmt.Sprintf(";job.26[%[1]d].job_state=%[2]s;job.26[%[1]d].array_id=26[].srv;job.26[%[1]d].array_index=%[1]d%[3]s", index, state, more)
}

// Of an array that has begun as many subjobs wait by each command, whether the list tells which indices remain, has the subjobs
// one by one, or has some of them.
func TestArrays(t *testing.T) {
	t.Parallel()
	running := subjob(3, "R", ";job.26[3].stime=Mon Mar  2 11:55:00 2026;job.26[3].exec_vnode=(n4:ncpus=1)")
	for name, test := range map[string]struct {
		edit string
		want string // how many wait
	}{
		"queued":               {array, "6"},
		"remaining":            {begun + ";job.26[].array_indices_remaining=4-6", "3"},
		"remaining and some":   {begun + ";job.26[].array_indices_remaining=4-6" + running, "3"},
		"remaining and all":    {begun + ";job.26[].array_indices_remaining=5-6" + running + subjob(5, "Q", "") + subjob(6, "Q", ""), "2"},
		"none told":            {begun + ";job.26[].array_indices_remaining=", "6"},
		"one by one":           {begun + ";job.26[].array_indices_remaining=" + running + subjob(5, "Q", "") + subjob(6, "Q", ""), "2"},
		"one by one, none":     {begun + ";job.26[].array_indices_remaining=" + running, ""},
		"one by one, none yet": {array + ";job.26[].array_indices_remaining=" + subjob(1, "Q", "") + subjob(2, "Q", ""), "2"},
	} {
		site := newSmallSite()
		site.edit(test.edit)
		p := place{name: name, dir: site.write(t, "arrays/"+name)}
		n, d := arraysDiffer(t, p)
		for _, row := range asked(t, "sort", p.dir).rows {
			if row["id"] == "26[].srv" && row["subjobs"] != test.want {
				d.add("%s: %s subjobs wait, not %s", name, row["subjobs"], test.want)
			}
		}
		if (n == 1) != (test.want != "") {
			d.add("%s: %d arrays are considered", name, n)
		}
		d.tell(t)
	}
}

// Recorded arrays have as many subjobs that wait by each command, on a vnode where the recording has none.
func TestRecordedArrays(t *testing.T) {
	t.Parallel()
	vnode := filepath.Join(write(t, "arrays/vnode", map[string]string{"n1": "n1\n     state = free\n     resources_available.ncpus = 8\n\n"}), "n1")
	count := 0
	for _, p := range some(t, 7) {
		if !p.isPBS() || !strings.Contains(ask("sort", p.dir, "-o", "ids").out, "[]") {
			continue
		}
		n, d := arraysDiffer(t, p, "--nodes", vnode)
		d.tell(t)
		count += n
	}
	if count < fewest(10, 1) {
		t.Errorf("only %d recorded arrays", count)
	}
}

// It is said of an array that only its first subjobs are forecast, where some are left out: none is of an array that the list has one
// by one, or of which it has those that would be more.
func TestLargeArray(t *testing.T) {
	t.Parallel()
	none := ";job.26[].array_indices_remaining="
	for name, test := range map[string]struct {
		edit  string
		isCut bool
	}{
		"1000":                   {array + none + "1-1000", false},
		"1001":                   {array + none + "1-1001", true},
		"1001, one of them told": {array + none + "1-1001" + subjob(3, "Q", ""), false},
		"one by one":             {begun + ";job.26[].array_indices_submitted=1-1500" + none + subjob(5, "Q", "") + subjob(6, "Q", ""), false},
	} {
		site := newSmallSite()
		site.edit(test.edit)
		for _, q := range named(asking, "now", "when") {
			if a := answersOf(site.write(t, "arrays/large_"+strings.ReplaceAll(name, " ", "_"))).to(q); strings.Contains(a.said, "1 array of which more than 1000 subjobs wait") != test.isCut {
				t.Errorf("%s, %s: %s", name, q.name, a.said)
			}
		}
	}
}
