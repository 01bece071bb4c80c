package study_test

import (
	"strings"
	"testing"

	"fairshare/cmd/internal/outcome"
	"fairshare/cmd/internal/pbs/study/studytest"
	"fairshare/cmd/internal/workshop"
)

// What jobs of a queue waited for is what each of them waited for by itself.
func TestCauses(t *testing.T) {
	workshop.Long(t)
	t.Parallel()
	for _, name := range []string{"V1"} {
		s := studytest.OfRun(t, name)
		s.Wanted.KeepWhy = true
		all := map[string]float64{}
		logged, told := map[string]float64{}, map[string]float64{} // by queue
		reasons := map[string]bool{}
		for _, c := range studytest.Run(t, s)[1].First.Result.Causes {
			reasons[c.Reason] = true
			told[c.Queue] += c.Seconds
			if c.Reason == outcome.UntilLogged {
				logged[c.Queue] += c.Seconds
				continue
			}
			all[c.Queue+" "+c.Reason] += c.Seconds
		}
		s.Wanted.KeepWhy = false
		want, byQueue := map[string]float64{}, map[string]float64{}
		names := s.Work.Trace.Names.List
		for i, j := range s.Work.Jobs {
			s.Wanted.Watch = int32(i)
			for _, step := range studytest.Run(t, s)[1].First.Result.Steps {
				reason := step.Reason
				switch {
				case reason == "":
					reason = outcome.NextCycle
				case strings.HasPrefix(reason, outcome.Behind):
					reason = outcome.BehindOthers
				}
				want[names[j.Queue]+" "+reason] += step.To - step.From
				byQueue[names[j.Queue]] += step.To - step.From
			}
		}
		if len(all) < 5 || len(byQueue) < 2 || len(reasons) < 4 {
			t.Errorf("%s: it says of %d reasons in %d queues only", name, len(reasons), len(byQueue))
		}
		for queue, seconds := range byQueue {
			// The way of a job that starts in its first cycle is not told.
			if told[queue] < seconds-1 || told[queue] > seconds+logged[queue]+1 {
				t.Errorf("%s: jobs of %s waited for %v seconds, one by one for %v", name, queue, told[queue], seconds)
			}
		}
		for what, seconds := range want {
			queue, _, _ := strings.Cut(what, " ")
			if all[what] > seconds+1 || all[what] < seconds-logged[queue]-1 {
				t.Errorf("%s: %s for %v seconds, one by one for %v", name, what, all[what], seconds)
			}
		}
	}
}
