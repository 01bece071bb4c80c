package outcome

import (
	"cmp"
	"math"

	"fairshare/cmd/internal/trace"
	"fairshare/cmd/internal/work"
)

// End is the time up to which waits are told, of a record and of its replays alike: the record's last
// start.
//
// The jobs that a record shows to start are those that started before it ended. A replay may start some
// of them later, and others in their place, so that the waits of these jobs alone are longer in
// a replay by the choice of jobs. So on both sides every job counts that has come by the end of the record,
// and its wait is the time from its arrival to its start or to the end, whichever comes first.
// The mean of such waits is known ("restricted mean"). A quantile of them is one of the whole waits only
// if no job that still waits could move it: see Quantile.
//
// It is the last start, not the last line of the record, since after it a record may tell of ends alone:
// of a machine that runs empty, or one that starts nobody any more. A replay would have that time to itself.
type End int64

// EndOf returns the end of a record. One without starts has no end: what is replayed of it is told in full.
func EndOf(w *work.Work) End {
	end := End(math.MinInt64)
	for _, j := range w.Jobs {
		if j.Start != trace.Unknown && !j.WasRunning {
			end = max(end, End(j.Start))
		}
	}
	if end == math.MinInt64 {
		return math.MaxInt64
	}
	return end
}

// IsKnown reports whether a record has an end.
func (e End) IsKnown() bool { return e != math.MaxInt64 }

// Counts reports whether a job of a record counts in figures of waits: it had come by the end, and had
// started or still waited then. Jobs that were deleted before they started do not count: nothing tells
// when they would have started.
func (e End) Counts(j *work.Job) bool {
	isWaiting := j.Start == trace.Unknown && (j.State == trace.Waiting || j.Deleted != trace.Unknown && End(j.Deleted) > e)
	return End(j.Arrival) <= e && (j.Start != trace.Unknown || isWaiting)
}

// Cut returns a time, or the end if that is earlier.
func (e End) Cut(at float64) float64 { return min(at, float64(e)) }

// Wait is how long a job has waited by the end of a record.
type Wait struct {
	*trace.Job       // as it was recorded, or as it was replayed
	Seconds    int64 // from its arrival to its start, or to the end
	IsLonger   bool  // whether it still waits then: its whole wait is longer, or nobody knows it
	Takes      int64 // for how many seconds it ran in the record, or may run where that does not tell
	IsGuess    bool  // whether the record does not tell
}

// Wait returns how long a job has waited that has left the queue at a time, which is trace.Unknown for one
// that is still in it. ok is false for a job that comes only after the end.
func (e End) Wait(j *trace.Job, left int64) (w Wait, ok bool) {
	if j.Arrival == trace.Unknown || End(j.Arrival) > e {
		return Wait{}, false
	}
	hasLeft := left != trace.Unknown && End(left) <= e
	if !hasLeft {
		left = int64(e)
	}
	return Wait{Job: j, Seconds: max(0, left-j.Arrival), IsLonger: !hasLeft || j.Start == trace.Unknown}, true
}

// StillWaiting are the jobs that wait when a record ends.
type StillWaiting struct {
	Jobs, Asking    int     // of these, of how many the record does not tell how long they ran
	Hours, AskedFor float64 // the core hours of those that ran in the record, and those that the others asked for
}

// CoreHours returns those of all of them.
func (s StillWaiting) CoreHours() float64 { return s.Hours + s.AskedFor }

// Left returns which jobs wait when the record ends, by the waits of some.
func Left(waits []Wait) (left StillWaiting) {
	for _, w := range waits {
		if !w.IsLonger {
			continue
		}
		left.Jobs++
		hours := float64(max(0, w.NCPUs)) * float64(w.Takes) / 3600
		if w.IsGuess {
			left.Asking++
			left.AskedFor += hours
		} else {
			left.Hours += hours
		}
	}
	return left
}

// Sample is a value of a job. Where IsLonger is true, it is only known to be larger.
type Sample struct {
	Value    float64
	IsLonger bool
}

// Compare compares the values of two samples.
func (s Sample) Compare(other Sample) int { return cmp.Compare(s.Value, other.Value) }

// Quantile returns a quantile of some sorted samples, of which there is at least one, and whether it is only known to be
// longer than that: whether it would be another one if those that are only known to be larger were as large as can be.
func Quantile(samples []Sample, q float64) (value float64, isLonger bool) {
	values, known := make([]float64, len(samples)), make([]float64, 0, len(samples))
	for i, s := range samples {
		values[i] = s.Value
		if !s.IsLonger {
			known = append(known, s.Value)
		}
	}
	value = trace.Quantile(values, q)
	if len(known) == len(values) {
		return value, false
	}
	at := q * float64(len(values)-1)
	high := min(int(at)+1, len(values)-1)
	if at == math.Trunc(at) {
		high = int(at)
	}
	isKnown := high < len(known) && known[int(at)] == values[int(at)] && known[high] == values[high]
	return value, !isKnown
}
