package sacct

import (
	"cmp"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"fairshare/cmd/internal/file"
	"fairshare/cmd/internal/trace"
)

// sacctText returns the recorded rows of sacct.
func sacctText(t *testing.T) string {
	t.Helper()
	const name = "../../../../testdata/slurm-site/sacct-all.txt.gz"
	text, err := file.Source{Name: name, Open: func() (io.ReadCloser, error) { return os.Open(name) }}.Text(1 << 30)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// readStreamed returns what jobs are when they are handed over, and how many the trace held at most.
func readStreamed(t *testing.T, text string, asked ...string) (jobs []string, most int) {
	t.Helper()
	from := file.Source{Name: "sacct", Open: func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(text)), nil }}
	done := func(tr *trace.Trace, j *trace.Job, number int) {
		most = max(most, len(tr.Jobs))
		jobs = append(jobs, sayJob(tr, j)+fmt.Sprint(tr.AskedBy(number)))
	}
	if _, err := trace.Read([]file.Source{from}, time.UTC, trace.Keep{Asked: asked, Done: done}, Format()); err != nil {
		t.Fatal(err)
	}
	slices.Sort(jobs)
	return jobs, most
}

// sayJob says what a report depends on.
func sayJob(tr *trace.Trace, j *trace.Job) string {
	names := tr.Names.List
	return fmt.Sprint(j.ID, " ", names[j.User], " ", names[j.Account], " ", names[j.Queue], j.Arrival, j.Queued, j.Start, j.End, j.NCPUs, j.Mem, j.Walltime, j.Exit, j.State, j.Earlier(), j.Pauses())
}

// Jobs that are handed over as soon as they are over are those that are kept, in whatever order
// the rows come, and also if they come twice.
func TestSacctStreamed(t *testing.T) {
	text := sacctText(t)
	kept := readSacct(t, text)
	var want []string
	for _, j := range kept.Jobs {
		want = append(want, sayJob(kept, j)+"[]")
	}
	slices.Sort(want)
	header, rest, _ := strings.Cut(text, "\n")
	rows := strings.Split(strings.TrimSuffix(rest, "\n"), "\n")
	random := rand.New(rand.NewPCG(1, 2))
	for _, c := range []struct {
		name string
		rows []string
	}{
		{"as it is", rows},
		{"twice", append(slices.Clone(rows), rows...)},
		{"mixed", mixed(rows, random)},
	} {
		text := header + "\n" + strings.Join(c.rows, "\n") + "\n"
		got, _ := readStreamed(t, text)
		if jobs := readSacct(t, text).Jobs; len(jobs) != len(want) {
			t.Errorf("%s: %d jobs are kept, want %d", c.name, len(jobs), len(want))
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: %d jobs, want %d", c.name, len(got), len(want))
		}
	}
}

// mixed returns rows in another order, in which those of one job follow each other as they did.
func mixed(rows []string, random *rand.Rand) []string {
	byJob := map[string]int{}
	key := func(row string) int {
		cells := strings.Split(row, "|")
		const jobID = 32 // of the recorded header
		id := cells[min(jobID, len(cells)-1)]
		if _, ok := byJob[id]; !ok {
			byJob[id] = random.Int()
		}
		return byJob[id]
	}
	list := slices.Clone(rows)
	slices.SortStableFunc(list, func(a, b string) int { return cmp.Compare(key(a), key(b)) })
	return list
}

// A file of many jobs takes the memory of those that are not over. Names of jobs, which are
// seldom the same, are not kept.
func TestSacctStreamHoldsLittle(t *testing.T) {
	var b strings.Builder
	b.WriteString("JobID|JobName|User|State|Submit|Eligible|Start|End|AllocCPUS|ReqTRES|NodeList\n")
	const many, waiting = 20_000, 3
	for i := range many {
		state, start, end := "COMPLETED", "2026-03-02T10:01:00", "2026-03-02T10:02:00"
		if i < waiting {
			state, start, end = "PENDING", "Unknown", "Unknown"
		}
		fmt.Fprintf(&b, "%d|name%d|u|%s|2026-03-02T10:00:00|2026-03-02T10:00:00|%s|%s|4|cpu=4,mem=2G,gres/gpu=2,license/matlab=1|c1\n", i+1, i, state, start, end)
	}
	jobs, most := readStreamed(t, b.String(), "ngpus", "mem", "matlab", "other")
	if len(jobs) != many || most != waiting+1 {
		t.Errorf("%d jobs, %d at most at a time", len(jobs), most)
	}
	if !strings.HasSuffix(jobs[0], "[2 2.097152e+06 1 NaN]") {
		t.Errorf("%s", jobs[0])
	}
}

// Of several prints in one file, the one that knows most of a job counts.
func TestSacctPrintedTwice(t *testing.T) {
	const header = "JobID|User|State|Submit|Eligible|Start|End|AllocCPUS|NodeList\n"
	const waits = "7|u|PENDING|2026-03-02T10:00:00|2026-03-02T10:00:00|Unknown|Unknown|4|None assigned\n"
	const runs = "7|u|RUNNING|2026-03-02T10:00:00|2026-03-02T10:00:00|2026-03-02T10:01:00|Unknown|4|c1\n"
	const ended = "7|u|COMPLETED|2026-03-02T10:00:00|2026-03-02T10:00:00|2026-03-02T10:01:00|2026-03-02T10:02:00|4|c1\n"
	alone := readSacct(t, header+ended)
	for _, rows := range []string{waits + runs + ended, ended + runs + ended, runs + ended + ended, waits + ended + runs} {
		tr := readSacct(t, header+rows)
		if len(tr.Jobs) != 1 || sayJob(tr, tr.Jobs[0]) != sayJob(alone, alone.Jobs[0]) {
			t.Errorf("%s is read as %d jobs, %s", rows, len(tr.Jobs), sayJob(tr, tr.Jobs[0]))
		}
		if jobs, _ := readStreamed(t, header+rows); len(jobs) != 1 {
			t.Errorf("%s is handed over as %v", rows, jobs)
		}
	}
}
