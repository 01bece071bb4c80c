package sacct

import (
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"fairshare/cmd/internal/file"
	"fairshare/cmd/internal/trace"
)

// TestOlderPrint holds that jobs have no more core hours in two prints together than in both alone, be the later one of a minute or of a
// year later, whichever is named first; and those of the later print alone where it has all jobs of the other.
func TestOlderPrint(t *testing.T) {
	type job struct{ start, length int64 }
	random := rand.New(rand.NewPCG(7, 11))
	text := func(first int, jobs []job, at int64) string {
		var b strings.Builder
		b.WriteString("JobID|State|Submit|Eligible|Start|End|Elapsed|AllocCPUS\n")
		when := func(s int64) string { return time.Unix(1_800_000_000+s, 0).UTC().Format("2006-01-02T15:04:05") }
		for i, j := range jobs {
			state, end, elapsed := "COMPLETED", when(j.start+j.length), j.length
			if j.start >= at {
				continue
			}
			if j.start+j.length > at {
				state, end, elapsed = "RUNNING", "Unknown", at-j.start
			}
			fmt.Fprintf(&b, "%d|%s|%s|%[3]s|%[3]s|%s|%d-%02d:%02d:%02d|4\n", first+i, state, when(j.start), end, elapsed/86400, elapsed/3600%24, elapsed/60%60, elapsed%60)
		}
		return b.String()
	}
	seconds := func(texts ...string) (sum int64) {
		var from []file.Source
		for i, text := range texts {
			from = append(from, file.Source{Name: fmt.Sprint(i), Open: func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(text)), nil }})
		}
		for _, isStreamed := range []bool{false, true} {
			sum = 0
			keep := trace.Keep{}
			see := func(t *trace.Trace, j *trace.Job, _ int) { sum += j.NCPUs * j.Active(j.Start, t.RanUpTo(j)) }
			if isStreamed {
				keep.Done = see
			}
			tr, err := trace.Read(from, time.UTC, keep, Format())
			if err != nil {
				t.Fatal(err)
			}
			for i, j := range tr.Jobs {
				see(tr, j, i)
			}
		}
		return sum
	}
	const slack = 100 * 60 * 4 // core seconds: of each job a minute, by which rows of one print may lie apart
	for range 60 {
		var early, late []job
		for range 1 + random.IntN(8) {
			early = append(early, job{random.Int64N(100_000), 1 + random.Int64N(200_000)})
		}
		later := 100_000 + []int64{60, 3600, 86400, 366 * 86400}[random.IntN(4)]
		for range 1 + random.IntN(8) {
			late = append(late, job{later - 1 - random.Int64N(50_000), 1 + random.Int64N(90_000)})
		}
		before, after := text(1, early, 100_000), text(101, late, later)
		alone := seconds(before) + seconds(after)
		if both, turned := seconds(before, after), seconds(after, before); both > alone+slack || both != turned {
			t.Errorf("%d core seconds in two prints, %d where the later is named first, and %d in each alone\n%s\n%s", both, turned, alone, before, after)
		}
		again := text(1, early, later)
		if both, all := seconds(before, again), seconds(again); both != all {
			t.Errorf("%d core seconds in a print and an older one of its jobs, %d in it alone\n%s\n%s", both, all, before, again)
		}
	}
}
