package sched_test

import (
	"fmt"
	"os"
	"slices"
	"testing"
	"time"

	"fairshare/cmd/internal/file"
	"fairshare/cmd/internal/slurm/record"
	"fairshare/cmd/internal/slurm/sched"
	"fairshare/cmd/internal/slurm/setup"
)

// TestWitnessed compares each main pass and each backfill cycle of recorded runs with what an engine decides in the
// state in which slurmctld was. What jobs ask for is read from sacct, and the rest from what the site printed.
func TestWitnessed(t *testing.T) {
	for _, run := range []struct {
		name                                string
		passes, cycles, tried, nodes, plans float64 // the parts that have to be as recorded
	}{
		{"S4a", .998, 1, .98, 1, .998},     // arrays, several partitions, licences, reservations, drained nodes, nodes by name
		{"S5a", .987, .99, 1, .997, .97},   // limits of QOS, partitions and associations, bf_max_job_part and the like; GrpTRESRunMins of slurmctld has 36 CPU seconds too many from 18:41 on
		{"S6a", 1, .99, .95, .995, .995},   // nodes of two threads, EXCLUSIVE, limits of age, bf_one_resv_per_job and the like
		{"S7a", .997, .994, 1, .996, .997}, // jobs of several nodes and of several CPUs for each task, --mem=0, MaxNodes, AllowAccounts; one asks for --gpus
		{"S8a", 1, 1, 1, 1, .997},          // some of everything
		{"K0a", .99, 1, 1, .99, .99},       // 24.11: ends of plans are rounded up, and starts are looked for span by span
		{"K1c", 1, 1, 1, .99, 1},           // preempt/qos with REQUEUE: 59 runs are cut off
		{"K3a", 1, .98, .97, .97, .9},      // features of all nodes, --gpus over nodes, --gpus-per-task, --ntasks-per-socket, dependencies, begins, jobs that fail
		{"K4a", 1, 1, 1, 1, .94},           // topology/tree, --switches
		{"K5c", .98, .95, .89, .94, .99},   // nodes drained, down and failing, MAINT reservations, holds; two jobs that were held are not in sacct
		{"K6a", 1, 1, 1, .98, .99},         // 24.11: several nodes, --exclusive, features, dependencies, begins; three jobs that ask for -w NODE get others beside it
		{"K2a", 1, 1, 1, 1, .99},           // preempt/partition_prio with SUSPEND,GANG: 43 jobs are suspended
	} {
		t.Run(run.name, func(t *testing.T) {
			folder := "../../../../testdata/slurm-replay/" + run.name + "/"
			past, _, err := setup.OpenPast(folder + "site.tgz")
			if err != nil {
				t.Fatal(err)
			}
			accounting := folder + "sacct.json.gz" // where the text is doubtful, as features have pipes in them
			if _, err := os.Stat(accounting); err != nil {
				accounting = folder + "sacct.txt.gz"
			}
			recorded, err := record.Read(past.Setup, []file.Source{file.At(accounting)}, time.UTC)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := record.ReadWorld(past, nil, recorded, time.UTC); err != nil {
				t.Fatal(err)
			}
			text, err := file.ReadText(folder+"decisions.txt.gz", 1<<30)
			if err != nil {
				t.Fatal(err)
			}
			w := sched.Witness{Setup: past.Setup, Jobs: map[string]*sched.Job{}, Later: map[string][]*sched.Job{}, Text: text}
			for _, x := range recorded.Runs() {
				if w.Jobs[x.ID] == nil {
					w.Jobs[x.ID] = x.Job
				} else {
					w.Later[x.ID] = append(w.Later[x.ID], x.Job)
				}
			}
			taken, preempted := []string{}, []string{} // by the rules, and as sacct has it
			w.Evicts = func(at int64, name string) { taken = append(taken, fmt.Sprint(at, " ", name)) }
			for _, x := range recorded.Jobs {
				for _, run := range x.Earlier {
					if past.Setup.Preempts() {
						preempted = append(preempted, fmt.Sprint(run.End, " ", run.ID))
					}
				}
			}
			halted := map[*sched.Job]int64{}
			w.Suspends = func(at int64, j *sched.Job, isSuspended bool) {
				if isSuspended {
					at = -at
				}
				halted[j] += at
			}
			got := w.Verify(t)
			for _, x := range recorded.Jobs {
				if apart := halted[x.Job] - x.Suspended; x.End > 0 && (apart < -2 || apart > 2) { // each moment is rounded to seconds
					t.Errorf("job %s is suspended for %d s by the rules, %d are recorded", x.ID, halted[x.Job], x.Suspended)
				}
			}
			if slices.Sort(taken); !slices.Equal(taken, slices.Sorted(slices.Values(preempted))) {
				t.Errorf("the rules take %q off their nodes, %q are recorded", taken, preempted)
			}
			t.Logf("%+v", got)
			for _, x := range []struct {
				what  string
				score sched.Score
				floor float64
			}{
				{"main passes that start the same jobs", got.Passes, run.passes},
				{"backfill cycles that start the same jobs", got.Cycles, run.cycles},
				{"backfill cycles that consider the same jobs in the same order", got.Tried, run.tried},
				{"starts on the same nodes, with as many CPUs of each", got.Nodes, run.nodes},
				{"plans with the same start and end", got.Plans, run.plans},
			} {
				if x.score.Share() < x.floor {
					t.Errorf("%s: %v, at least %g are expected", x.what, x.score, x.floor)
				}
			}
			if got.Surplus > 20 {
				t.Errorf("%d plans of jobs that got none", got.Surplus)
			}
		})
	}
}
