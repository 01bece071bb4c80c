package trace

import "math"

// stream hands jobs over as soon as nothing more is to come of them, so that a year of logs
// takes the memory of the jobs of some days.
type stream struct {
	done      func(*Trace, *Job, int) // nil where all jobs are kept
	resources int                     // whose requested amounts are kept
	over      []endedJob              // jobs that have ended, in the order of their records
	free      []int32                 // places in Jobs that serve again
	pool      []*Job                  // memory that serves again
	occupied  *Occupancy              // of the jobs that were handed over, nil where all are kept
}

// endedJob is a job that seems to be over.
type endedJob struct {
	job   *Job
	place int32
	end   int64
}

// settled is how long after its end no more records of a job are expected, in seconds: of a
// file that is read twice, say, as 20260302 and 20260302.gz.
const settled = 2 * secondsOfDay

// place returns memory for a new job and its number.
func (t *Trace) place() (int32, *Job) {
	var j *Job
	if n := len(t.pool); n > 0 {
		j, t.pool = t.pool[n-1], t.pool[:n-1]
	} else {
		if len(t.spare) == 0 {
			t.spare = make([]Job, 1024)
		}
		j, t.spare = &t.spare[0], t.spare[1:]
	}
	if n := len(t.free); n > 0 {
		i := t.free[n-1]
		t.free, t.Jobs[i] = t.free[:n-1], j
		return i, j
	}
	t.Jobs = append(t.Jobs, j)
	for range t.Used {
		t.used = append(t.used, 0)
	}
	for range t.resources {
		t.asked = append(t.asked, 0)
	}
	return int32(len(t.Jobs) - 1), j
}

// passOn notes a job that is over, and hands over those that were so long enough before a
// time.
func (t *Trace) passOn(j *Job, place int32, at int64) {
	if t.done == nil {
		return
	}
	if j.State == Ended || j.State == Deleted {
		if n := len(t.over); n == 0 || t.over[n-1] != (endedJob{j, place, j.End}) {
			t.over = append(t.over, endedJob{j, place, j.End})
		}
	}
	for len(t.over) > 0 && t.over[0].end+settled < at {
		o := t.over[0]
		t.over = t.over[1:]
		isOver := o.job.State == Ended || o.job.State == Deleted
		if t.Jobs[o.place] != o.job || !isOver || o.job.End != o.end {
			continue // it was handed over, or has ended anew
		}
		t.handOver(o.job, o.place)
	}
}

// handOver hands a job over, of which no more is kept.
func (t *Trace) handOver(j *Job, place int32) {
	t.give(j, int(place))
	if t.index[j.ID] == place {
		delete(t.index, j.ID)
	}
	t.Jobs[place] = nil
	t.free, t.pool = append(t.free, place), append(t.pool, j)
}

// give gives a job away.
func (t *Trace) give(j *Job, place int) {
	t.miss(j)
	t.released(j)
	t.Occupy(t.occupied, j)
	t.done(t, j, place)
}

// handed returns the trace, of which all jobs were read, after those that were not handed over
// yet have been where that is asked for.
func (t *Trace) handed(err error) (*Trace, error) {
	if err != nil {
		return t, err
	}
	if t.done == nil {
		t.index, t.spare = nil, nil // no other record is to come
		return t, nil
	}
	for i, j := range t.Jobs {
		if j != nil {
			t.give(j, i)
		}
	}
	t.Jobs, t.index, t.stream = nil, nil, stream{occupied: t.occupied}
	return t, nil
}

// fillNaN says of amounts that none is known.
func fillNaN(amounts []float64) {
	for i := range amounts {
		amounts[i] = math.NaN()
	}
}

// keepKnown keeps the amounts that a record says.
func keepKnown(of, said []float64) {
	for i, x := range said {
		if !math.IsNaN(x) {
			of[i] = x
		}
	}
}

// AskedBy returns how much a job has requested of the resources of Keep.Asked, sizes in kb;
// NaN for what no record says. The numbers are those that Keep.Done gets.
func (t *Trace) AskedBy(job int) []float64 { return t.asked[job*t.resources : (job+1)*t.resources] }
