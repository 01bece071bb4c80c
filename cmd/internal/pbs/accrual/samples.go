package accrual

import (
	"math"
	"slices"

	"fairshare/cmd/internal/trace"
)

// Samples are the times at which mom looks at what its jobs use, and reports it: the first is 10 s after the start of a
// job, and each further one comes 6 s later after the one before it than that did, up to 120 s, until another job starts. So
// mom's min_check_poll and max_check_poll have it if nothing else is set.
type Samples struct {
	last   float64 // when the last one was
	since  float64 // the last start
	starts []float64
}

// What mom has where its configuration says nothing.
const (
	firstSample = 10 // seconds, min_check_poll
	furtherGap  = 6  // a twentieth of what lies between min_check_poll and max_check_poll
	longestLag  = 120
	late        = .5 // by how much each comes later than that, as measured
)

// lastSample returns how long after the start of a job, after which none has started, the last sample was some seconds after
// it; 0 for none.
func lastSample(seconds float64) float64 {
	last, gap := 0., firstSample+late
	for ; gap < longestLag+late && last+gap <= seconds; gap += furtherGap {
		last += gap
	}
	if gap >= longestLag+late {
		last += (longestLag + late) * math.Floor((seconds-last)/(longestLag+late))
	}
	return last
}

// NewSamples returns the samples of a mom whose last one was at a time.
func NewSamples(last float64) *Samples { return &Samples{last: last, since: last} }

// Clone returns samples that go on by themselves, nil for nil.
func (s *Samples) Clone() *Samples {
	if s == nil {
		return nil
	}
	other := *s
	other.starts = slices.Clone(s.starts)
	return &other
}

// Start says that a job starts.
func (s *Samples) Start(at float64) {
	i, _ := slices.BinarySearch(s.starts, at)
	s.starts = slices.Insert(s.starts, i, at)
}

// Before returns when the last sample was up to a time, which is not before that of an earlier question.
func (s *Samples) Before(now float64) float64 {
	for len(s.starts) > 0 && s.starts[0] <= now {
		s.upTo(s.starts[0])
		s.since, s.starts = s.starts[0], s.starts[1:]
	}
	s.upTo(now)
	return s.last
}

func (s *Samples) upTo(now float64) {
	if after := lastSample(now - s.since); after > 0 {
		s.last = max(s.last, s.since+after)
	}
}

// reported returns of which time the report is that the scheduler has at a time.
func (c *computer) reported(at int64) int64 {
	before := at
	i, _ := slices.BinarySearch(c.starts, at+1)
	for i--; i >= 0; i-- {
		if after := lastSample(float64(before - c.starts[i])); after > 0 {
			return c.starts[i] + int64(after)
		}
		before = c.starts[i]
	}
	return at - c.Lag
}

// startsOf returns when jobs have started, in order.
func startsOf(t *trace.Trace) (starts []int64) {
	for _, j := range t.Jobs {
		if j.IsArray {
			continue
		}
		for _, run := range j.Earlier() {
			starts = append(starts, run.Start)
		}
		starts = append(starts, j.Start)
	}
	starts = slices.DeleteFunc(starts, func(at int64) bool { return at == trace.Unknown })
	slices.Sort(starts)
	return starts
}
