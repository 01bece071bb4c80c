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
	last   float64   // when the last one was up to the first of the starts
	starts []float64 // in order, without those before which no further question is
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

// NewSamples returns the samples of a mom whose last one was at a time, after which they come as after a start.
func NewSamples(last float64) *Samples { return &Samples{last: last, starts: []float64{last}} }

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

// At returns when the last sample was up to a time.
func (s *Samples) At(now float64) float64 {
	for i := s.countUpTo(now) - 1; i >= 0; i-- {
		if after := lastSample(now - s.starts[i]); after > 0 {
			return s.starts[i] + after
		}
		now = s.starts[i]
	}
	return s.last
}

// Before does what At does, for a time that is not before that of an earlier question, and forgets what no later one needs.
func (s *Samples) Before(now float64) float64 {
	if passed := s.countUpTo(now) - 1; passed > 0 {
		s.last = s.At(s.starts[passed])
		s.starts = s.starts[passed:]
	}
	return s.At(now)
}

// countUpTo returns how many of the starts are up to a time.
func (s *Samples) countUpTo(now float64) int {
	n, _ := slices.BinarySearch(s.starts, math.Nextafter(now, math.Inf(1)))
	return n
}

// samplesOf returns the samples of the mom that has run all jobs of a trace, of which one was a lag before its first start.
func samplesOf(t *trace.Trace, lag int64) *Samples {
	var starts []float64
	for _, j := range t.Jobs {
		if j.IsArray {
			continue
		}
		for _, run := range j.Earlier() {
			starts = append(starts, float64(run.Start))
		}
		starts = append(starts, float64(j.Start))
	}
	starts = slices.DeleteFunc(starts, func(at float64) bool { return at == trace.Unknown })
	if len(starts) == 0 {
		return nil
	}
	slices.Sort(starts)
	s := NewSamples(starts[0] - float64(lag))
	s.starts = append(s.starts, starts...)
	return s
}

// reported returns of which time the report is that the scheduler has at a time.
func (c *computer) reported(at int64) int64 {
	if c.samples == nil {
		return at - c.Lag
	}
	return int64(c.samples.At(float64(at)))
}
