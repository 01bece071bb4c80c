package accrual

import (
	"math"
	"slices"
)

// Samples are the times at which mom looks at what its jobs use, and reports it: the first is 10 s after the start of a
// job, and each further one comes 6 s later after the one before it than that did, up to 120 s, until another job starts. So
// mom's min_check_poll and max_check_poll have it if nothing else is set.
type Samples struct {
	last   float64 // when the last one was
	next   float64 // when the next one is
	gap    float64 // until the one after it
	starts []float64
}

// What mom has where its configuration says nothing.
const (
	firstSample = 10 // seconds, min_check_poll
	furtherGap  = 6  // a twentieth of what lies between min_check_poll and max_check_poll
	longestLag  = 120
	late        = .5 // by how much each comes later than that, as measured
)

// NewSamples returns the samples of a mom whose last one was at a time.
func NewSamples(last float64) *Samples {
	return &Samples{last: last, next: last + longestLag + late, gap: longestLag + late}
}

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
		s.next, s.gap = s.starts[0]+firstSample+late, firstSample+furtherGap+late
		s.starts = s.starts[1:]
	}
	s.upTo(now)
	return s.last
}

func (s *Samples) upTo(now float64) {
	const longest = longestLag + late
	for ; s.next <= now; s.gap = min(longest, s.gap+furtherGap) {
		if s.gap == longest {
			s.next += longest * math.Floor((now-s.next)/longest)
		}
		s.last, s.next = s.next, s.next+s.gap
	}
}
