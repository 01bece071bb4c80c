package history_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/file"
	"fairshare/cmd/internal/history"
	"fairshare/cmd/internal/slurm/sacct"
	"fairshare/cmd/internal/trace"
	"fairshare/cmd/internal/workshop"
)

// tell says all that a history has of its jobs, with figures cut to digits that do not depend on the
// order in which they were added up.
func tell(h *history.History, remarks []diag.Remark, cpus int64) string {
	var b strings.Builder
	fmt.Fprintln(&b, h.Count, h.Period, h.States, remarks)
	if m, ok := h.Machine(cpus, 7); ok {
		fmt.Fprintln(&b, m.CPUs, m.IsAtMost, float32(m.All), float32(m.Chosen), m.Means)
	}
	if h.Count > 0 {
		for _, kind := range h.Kinds() {
			for _, row := range h.Rows(kind) {
				fmt.Fprintf(&b, "%s %s %d %.9g %v %v %v %v %v %.9g\n", kind.Name, row.Name, row.Jobs, row.CoreHours, row.WaitMean, row.WaitMedian, row.WaitP90, row.WaitP95, row.WaitP99, row.Slowdown)
			}
		}
	}
	return b.String()
}

// isSame fails unless a history is the same whether jobs are kept or handed over, and what it says of
// what was in use is what a list of all jobs gives.
func isSame(t *testing.T, name string, c history.Choice, p history.Period, logs ...file.Source) {
	t.Helper()
	read := func(keepsJobs bool) (*history.History, []diag.Remark) {
		h := history.New(c, p, nil)
		recorded, err := trace.Read(logs, time.UTC, h.Keep(keepsJobs), sacct.Format())
		if err != nil {
			t.Fatal(name, err)
		}
		remarks, err := h.Close(recorded)
		if err != nil { // about names that no job has
			remarks = append(remarks, diag.Warningf("%v", err))
		}
		return h, remarks
	}
	kept, keptRemarks := read(true)
	handed, handedRemarks := read(false)
	if len(kept.Jobs) != kept.Count || len(handed.Jobs) > 0 || len(handed.Trace.Jobs) > 0 {
		t.Fatalf("%s: %d of %d jobs are kept, %d where they are handed over", name, len(kept.Jobs), kept.Count, len(handed.Jobs))
	}
	if a, b := tell(kept, keptRemarks, 0), tell(handed, handedRemarks, 0); a != b {
		t.Fatalf("%s: with jobs that are kept\n%s\nand handed over\n%s", name, a, b)
	}
	const parts = 7
	occupied := kept.Trace.OccupancyOf(kept.Trace.Jobs)
	m, ok := handed.Machine(0, parts)
	mean := occupied.Mean
	if handed.Period.IsWhole {
		mean = occupied.MeanInside
	}
	all := 100 * mean(handed.Period.From, handed.Period.To) / float64(m.CPUs)
	means := occupied.Means(handed.Period.From, handed.Period.To, parts)
	if ok != (occupied.Largest() > 0) || ok && (m.CPUs != occupied.Largest() || math.Abs(m.All-all) > 1e-9 || !c.IsOfSome() && !slices.Equal(m.Means, means)) {
		t.Fatalf("%s: %+v, in the list of all jobs %d, %v and %v", name, m, occupied.Largest(), all, means)
	}
}

func TestKeptOrHandedOver(t *testing.T) {
	runs, err := filepath.Glob("../../../testdata/replay/*/snapshot/server_priv/accounting")
	if err != nil || len(runs) < 10 {
		t.Fatal(runs, err)
	}
	random := rand.New(rand.NewPCG(3, 4))
	question := func(first time.Time) (c history.Choice, p history.Period) {
		p = history.Period{From: math.MinInt64, To: math.MaxInt64, IsWhole: true, Zone: time.UTC}
		if random.IntN(2) == 0 {
			p = history.Period{From: first.Unix() + random.Int64N(86400), To: math.MaxInt64, Zone: time.UTC}
			if random.IntN(2) == 0 {
				p.To = p.From + random.Int64N(86400)
			}
		}
		if random.IntN(3) == 0 {
			c.Users = []string{"u1", "alice", "nobody"}
		}
		if random.IntN(4) == 0 {
			c.Queues = []string{"q0", "workq"}
		}
		return c, p
	}
	recorded := time.Date(2026, 3, 2, 0, 0, 0, 0, time.UTC)
	for _, run := range runs {
		names, err := filepath.Glob(run + "/*")
		if err != nil {
			t.Fatal(err)
		}
		var logs []file.Source
		for _, name := range names {
			logs = append(logs, file.At(name))
		}
		c, p := question(recorded)
		isSame(t, run, c, p, logs...)
	}
	for range 4 {
		c, p := question(recorded)
		isSame(t, "sacct", c, p, file.At("../../../testdata/slurm-site/sacct-all.txt.gz"))
	}
	for i := range uint64(workshop.Part(400)) {
		l := newRandomLog(i, time.UTC)
		text := l.text()
		c, p := question(l.begin)
		isSame(t, fmt.Sprint("log ", i), c, p, source(text))
	}
}

// How much was in use at a time is the same of jobs that are kept and handed over, in logs that lack
// ends as well.
func TestContinuityHandedOver(t *testing.T) {
	for i := range uint64(workshop.Part(400)) {
		log := newRandomLog(i, time.UTC)
		log.loses = 10
		lines := log.text()
		of := func(keep trace.Keep) trace.Continuity {
			read, err := trace.Read([]file.Source{source(lines)}, time.UTC, keep, sacct.Format())
			if err != nil {
				t.Fatal(err)
			}
			return read.Continuity(1)
		}
		kept, handed := of(trace.Keep{}), of(trace.Keep{Done: func(*trace.Trace, *trace.Job, int) {}})
		if !slices.Equal(kept.Missing, handed.Missing) || kept.Most != handed.Most || kept.Endless != handed.Endless || kept.Startless != handed.Startless {
			t.Fatalf("log %d: %+v of jobs that are kept, %+v of jobs that are handed over", i, kept, handed)
		}
	}
}
