package trace

import (
	"math"
	"testing"
)

func TestFigures(t *testing.T) {
	var jobs []*Job
	for i := range int64(101) {
		jobs = append(jobs, &Job{Arrival: 0, Start: i, End: i + 100, NCPUs: 36, State: Ended})
	}
	f := figuresOf(jobs)
	if f.Jobs != 101 || f.WaitMedian != 50 || f.WaitP90 != 90 || f.WaitP99 != 99 || f.WaitMean != 50 || math.Abs(f.CoreHours-101) > 1e-9 || math.Abs(f.Slowdown-1.5) > 1e-9 {
		t.Errorf("%+v", f)
	}
	short := figuresOf([]*Job{{Arrival: 0, Start: 20, End: 21, State: Ended}})
	if short.Slowdown != 2.1 { // (20 + 1) / 10
		t.Errorf("%+v", short)
	}
	if none := figuresOf(nil); !math.IsNaN(none.WaitMedian) || none.Jobs != 0 {
		t.Errorf("%+v", none)
	}
}

// figuresOf returns the figures of some jobs.
func figuresOf(jobs []*Job) Figures {
	var t Tally
	for _, j := range jobs {
		t.Add(j, func(at int64) bool { return at != Unknown })
	}
	return t.Figures()
}
