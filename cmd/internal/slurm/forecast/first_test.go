package forecast

import (
	"context"
	"maps"
	"math"
	"slices"
	"testing"
	"time"

	"fairshare/cmd/internal/slurm/order"
	"fairshare/cmd/internal/slurm/record"
	"fairshare/cmd/internal/slurm/sched"
	"fairshare/cmd/internal/slurm/setup"
	slurmwitness "fairshare/cmd/internal/slurm/witness"
	"fairshare/cmd/internal/witness/witnesstest"
)

// Once all is known that came between a moment and the first start after it, those jobs start first that were recorded to, at
// most moments of recorded runs. The witness, which has the record alone, says the same of those moments.
func TestFirstStarts(t *testing.T) {
	same, all, alike := 0, 0, 0
	for _, run := range []string{"S1a", "S2a", "S3a"} {
		differs := differing(t, run)
		for _, m := range momentsOf(t, run) {
			now, _, err := order.OpenNow(m.dir, time.UTC)
			if err != nil {
				t.Fatal(err)
			}
			s, _, err := Read(now, table(run), time.UTC)
			if err != nil {
				t.Fatal(err)
			}
			is, wants := first(knowing(t, s, run), m.starts), first(m.starts, m.starts)
			isSame, isWitnessed := maps.Equal(is, wants), true
			for id := range wants {
				isWitnessed = isWitnessed && !differs[id]
			}
			if isSame == isWitnessed {
				alike++
			}
			if all++; isSame {
				same++
			} else {
				t.Logf("%s %d: %v start, recorded %v", run, m.at, slices.Sorted(maps.Keys(is)), slices.Sorted(maps.Keys(wants)))
			}
		}
	}
	t.Logf("%d of %d, and the witness says so of %d", same, all, alike)
	if same < 20 || alike < 20 || all < 24 {
		t.Errorf("%d of %d, and the witness says so of %d", same, all, alike)
	}
}

// first returns which of some jobs start first, within the seconds by which starts of one pass are apart at forty times real time.
func first(starts, of map[string]float64) map[string]bool {
	const together = 30 // seconds
	at := math.Inf(1)
	for id := range of {
		if start, starts := starts[id]; starts {
			at = min(at, start)
		}
	}
	set := map[string]bool{}
	for id := range of {
		if start, starts := starts[id]; starts && start <= at+together {
			set[id] = true
		}
	}
	return set
}

// knowing returns when the jobs start that wait at a moment if all that came later is known: who came, and how long each ran.
func knowing(t *testing.T, s *Site, run string) map[string]float64 {
	t.Helper()
	recorded, err := record.Read(s.Setup, table(run), time.UTC)
	if err != nil {
		t.Fatal(err)
	}
	var jobs []*sched.Job
	names := map[*sched.Job]string{}
	for _, x := range recorded.Jobs {
		j := *x.Job
		if listed, is := s.listed[x.ID]; is {
			j = *listed.Job
		} else if x.Submit <= s.At {
			continue // it is over
		}
		j.Run = max(1, x.Run)
		names[&j] = x.ID
		jobs = append(jobs, &j)
	}
	if _, err := sched.Run(context.Background(), s.Setup, jobs, sched.Options{Swept: s.Swept, Begin: s.At}); err != nil {
		t.Fatal(err)
	}
	starts := map[string]float64{}
	for _, j := range jobs {
		if j.Start >= s.At {
			starts[names[j]] = float64(j.Start)
		}
	}
	return starts
}

// differing returns the jobs of a recorded run at whose starts the rules would have started others, as the witness says.
func differing(t *testing.T, run string) map[string]bool {
	t.Helper()
	past, _, err := setup.OpenPast(recordings + "/" + run + "/site.tgz")
	if err != nil {
		t.Fatal(err)
	}
	recorded, err := record.Read(past.Setup, table(run), time.UTC)
	if err != nil {
		t.Fatal(err)
	}
	return witnesstest.Differing(t, slurmwitness.New(past.Setup, recorded, time.UTC))
}
