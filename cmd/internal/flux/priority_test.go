package flux

import (
	"math"
	"testing"
)

// The rule is fairshare × 100000 + queue × 10000 + bank × 0 + (urgency − 16) × 1000.
func TestPriority(t *testing.T) {
	for _, c := range []struct {
		fairshare, queue, bank float64
		urgency                int
		want                   float64
	}{
		{InitialFairshare, 0, 0, 16, 50_000}, // a new user's job
		{InitialFairshare, 0, 0, 19, 53_000},
		{InitialFairshare, 0, -50, 16, 50_000}, // banks have no weight by default
		{InitialFairshare, 11, 0, 16, 160_000},
		{InitialFairshare, 10, 0, 26, 160_000},
		{1, 100, 100, 0, 0},                 // held
		{0, 0, -1e9, 31, 4294967295},        // expedited
		{0, 0, 0, 1, 0},                     // there is none below 0
		{1, 1e9, 0, 16, 10_000_000_100_000}, // but any above an expedited one
		{3. / 7, 0, 0, 16, 42_857},          // 42857.14
		{1. / 3, 2, 5, 10, 33_333 + 20_000 - 6000},
	} {
		if got := DefaultWeights.Priority(Factors{c.fairshare, c.queue, c.bank}, c.urgency); got != c.want {
			t.Errorf("%v: %g", c, got)
		}
	}
}

func TestParseJobs(t *testing.T) {
	jobs, err := ParseJobs(`{"jobs": [{"id": 7, "username": "a", "bank": "A", "urgency": 31, "priority": 5}, {"id": "ƒ2", "userid": 9, "state": "SCHED"}, {"id": 9, "username": "b", "state": "RUN"}]}`)
	if err != nil || len(jobs) != 3 || jobs[2].Waits() || jobs[0].ID != "7" || jobs[0].Urgency != 31 || jobs[0].Priority != 5 || jobs[1].User != "9" || jobs[1].Urgency != 16 || !math.IsNaN(jobs[1].Priority) {
		t.Error(jobs, err)
	}
	if jobs, err := ParseJobs(`{"jobs": [{"id": 7, "username": "Infinity", "t_remaining": Infinity, "duration": NaN}]}`); err != nil || jobs[0].User != "Infinity" || jobs[0].Duration != 0 {
		t.Error(jobs, err)
	}
	for _, text := range []string{"", "{}", `[{"id": 1}]`, `[{"id": 1, "username": "a", "urgency": 32}]`, `[{"id": 1, "username": "a", "urgency": "x"}]`, "JOBID USER", `{"jobs": 5}`} {
		if jobs, err := ParseJobs(text); err == nil {
			t.Errorf("%s is read as %v", text, jobs)
		}
	}
}

func TestNewSite(t *testing.T) {
	s, err := NewSite([]string{"queue.gpu=10", "bank.a.b=-5", "weight.urgency=500"})
	if err != nil || s.Queues["gpu"] != 10 || s.Banks["a.b"] != -5 || s.Weights.Urgency != 500 {
		t.Error(s, err)
	}
	for _, setting := range []string{"queue.gpu", "queue=1", "weight.fairshar=1", "bank.a=x", "bank.a=NaN", "a=1"} {
		if _, err := NewSite([]string{setting}); err == nil {
			t.Errorf("%s is taken", setting)
		}
	}
}
