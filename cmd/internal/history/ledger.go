package history

import (
	"math"
	"slices"
	"time"

	"fairshare/cmd/internal/trace"
)

// Question is what a report is asked for.
type Question struct {
	Step      Step
	Kind      string // of the rows' names, "" for none
	Choice    Choice
	Resources []string // besides ncpus
	Charges   Charges  // nil for none
	From, To  int64    // trace.Unknown for all the time of the logs
	Zone      *time.Location
}

// Ledger sums up jobs by period and name as they come. It keeps only sums, and a number for
// each wait.
type Ledger struct {
	question Question
	chooser
	calendar calendar
	cells    map[place]*cell
	newest   place                      // that was asked for
	cell     *cell                      // of newest
	reserved map[place][]float64        // what jobs in queues of reservations occupied, by period and queue
	byEnd    map[int64]map[string]*cell // once all jobs are there
	err      error
	unknown  uncounted
	queues   map[string]bool // that jobs have, where some are charged by a factor

	running        int // jobs that run at the end of the logs, where the report goes up to that
	runningSeconds int64
}

// place is where a cell is: the end of its period, which stays as it is while others come before
// and behind it, and its name.
type place struct {
	end  int64
	name string
}

// NewLedger returns a ledger without jobs.
func NewLedger(q Question) *Ledger {
	return &Ledger{question: q, chooser: newChooser(q.Choice), cells: map[place]*cell{}, reserved: map[place][]float64{}, queues: map[string]bool{}}
}

// Keep returns what a trace has to keep so that the ledger gets its jobs.
func (l *Ledger) Keep() trace.Keep {
	keep := keepOf(l.question.Resources)
	keep.Used, keep.Done, keep.Names = usedByJobs, l.add, l.question.Kind == ofNames
	return keep
}

// open begins the calendar where the logs begin.
func (l *Ledger) open(t *trace.Trace) {
	q := l.question
	l.calendar = calendar{step: q.Step, zone: q.Zone, from: q.From, to: q.To}
	if q.From == trace.Unknown {
		l.calendar.from = t.Begin()
		if q.Step != Whole {
			l.calendar.from = l.calendar.begin(t.Begin(), 0)
		}
	}
	if q.To == trace.Unknown {
		l.calendar.to = math.MaxInt64
	}
}

// grow adds periods up to the last time that was seen, and from the first one on: the rows of
// Slurm's sacct are in no order of time.
func (l *Ledger) grow(t *trace.Trace) error {
	if l.question.From == trace.Unknown {
		if err := l.calendar.growBack(t.Begin()); err != nil {
			return err
		}
	}
	return l.calendar.grow(t.Last)
}

// add adds a job.
func (l *Ledger) add(t *trace.Trace, j *trace.Job, number int) {
	if l.calendar.zone == nil {
		l.open(t)
	}
	names := t.Names.List
	isAsked, queue := l.has(t, j), names[j.Queue]
	if l.question.Charges != nil {
		l.queues[queue] = true
	}
	if j.IsArray || l.err != nil {
		return
	}
	isReserved := t.IsReservation(queue)
	if !isAsked && !isReserved {
		return
	}
	if l.err = l.grow(t); l.err != nil || len(l.calendar.periods) == 0 {
		return
	}
	amounts := []float64{float64(max(0, j.NCPUs))}
	for _, amount := range amountsOf(t, j, number, l.question.Resources) {
		amounts = append(amounts, max(0, amount))
	}
	runs := runsOf(t, j)
	if isReserved {
		for _, r := range runs {
			l.occupy(j, r, amounts, func(period int) []float64 { return l.inReservation(place{l.calendar.periods[period].End, queue}) })
		}
	}
	if !isAsked {
		return
	}
	l.unknown.add(j)
	name := nameOf(names, j, l.question.Kind)
	for i, r := range runs {
		isLast := r.Start == j.Start
		l.addStart(name, j, j.CameFor(i), r.Start)
		l.addWaiting(name, j.CameFor(i), r.Start)
		l.occupy(j, r, amounts, func(period int) []float64 { return l.in(period, name).occupied })
		isOver := j.State == trace.Ended || !isLast
		if c := l.at(name, r.End); c != nil && isOver {
			c.end(j, r, isLast, t.UseOf(number), l.question.Charges.Of(queue))
		}
		if !isOver && l.question.To == trace.Unknown {
			l.running, l.runningSeconds = l.running+1, l.runningSeconds+max(0, j.NCPUs)*j.Active(r.Start, t.RanUpTo(j))
		}
	}
	switch j.State {
	case trace.Waiting:
		l.addWaiting(name, j.CameFor(len(runs)), math.MaxInt64)
	case trace.Deleted:
		l.addWaiting(name, j.CameFor(len(runs)), j.End)
		if c := l.at(name, j.End); c != nil {
			c.leave(j)
		}
	}
}

// KindNamed returns the way to tell the jobs of a trace apart that ParseBy returns the name of.
func KindNamed(t *trace.Trace, kind string) trace.Kind {
	return trace.Kind{Name: kind, Of: func(j *trace.Job) string { return nameOf(t.Names.List, j, kind) }}
}

// nameOf returns a job's name of a kind, "" for none.
func nameOf(names []string, j *trace.Job, kind string) string {
	switch kind {
	case "user":
		return names[j.User]
	case "group":
		return names[j.Group]
	case "project", "qos":
		return names[j.Project]
	case "account":
		return names[j.Account]
	case "queue":
		return names[j.Queue]
	case ofNames:
		return names[j.Name]
	case "size":
		return trace.SizeOf(j)
	}
	return ""
}

// at returns the cell of a name in the period of a time, nil for a time of none.
func (l *Ledger) at(name string, at int64) *cell {
	if at == trace.Unknown {
		return nil
	}
	period := l.calendar.at(at)
	if period < 0 {
		return nil
	}
	return l.in(period, name)
}

// in returns the cell of a name in a period.
func (l *Ledger) in(period int, name string) *cell {
	p := place{l.calendar.periods[period].End, name}
	if l.cell != nil && l.newest == p {
		return l.cell
	}
	c := l.cells[p]
	if c == nil {
		c = &cell{occupied: make([]float64, 1+len(l.question.Resources))}
		l.cells[p] = c
	}
	l.newest, l.cell = p, c
	return c
}

// addStart adds a start of a job: its wait since it could run, and the slowdown of its last run.
func (l *Ledger) addStart(name string, j *trace.Job, came, start int64) {
	c := l.at(name, start)
	if c == nil {
		return
	}
	c.started++
	if came != trace.Unknown {
		c.waits = append(c.waits, uint32(min(max(0, start-came), math.MaxUint32)))
	}
	if slowdown, ok := j.Slowdown(); ok && start == j.Start {
		c.slowdowns += slowdown
		c.slowed++
	}
}

// addWaiting adds a job that waited from one time to another to the periods that end
// meanwhile.
func (l *Ledger) addWaiting(name string, from, to int64) {
	if from == trace.Unknown {
		return
	}
	periods := l.calendar.periods
	for i := max(0, l.calendar.at(max(from, periods[0].Begin))); i < len(periods) && periods[i].End <= to; i++ {
		if from < periods[i].End {
			l.in(i, name).waiting++
		}
	}
}

// inReservation returns what jobs in the queue of a reservation occupied in a period.
func (l *Ledger) inReservation(p place) []float64 {
	if l.reserved[p] == nil {
		l.reserved[p] = make([]float64, 1+len(l.question.Resources))
	}
	return l.reserved[p]
}

// occupy adds what a run occupied to the sums of the periods that it touches.
func (l *Ledger) occupy(j *trace.Job, r trace.Run, amounts []float64, sums func(period int) []float64) {
	periods := l.calendar.periods
	begin := max(r.Start, periods[0].Begin)
	if begin >= r.End {
		return
	}
	for i := l.calendar.at(begin); i >= 0 && i < len(periods) && periods[i].Begin < r.End; i++ {
		occupied, active := sums(i), float64(seconds(j, r, periods[i]))
		for k, amount := range amounts {
			if amount > 0 {
				occupied[k] += amount * active
			}
		}
	}
}

// runsOf returns the runs of a job, of which the last one lasts to the end of the logs where
// its own is not known.
func runsOf(t *trace.Trace, j *trace.Job) []trace.Run {
	runs := j.Earlier()
	if j.Start == trace.Unknown {
		return runs
	}
	end := j.End
	if end == trace.Unknown {
		end = t.Last
	}
	return append(slices.Clip(runs), trace.Run{Start: j.Start, End: end})
}

// seconds returns for how long a run lasted in a time, without those for which the job was
// suspended.
func seconds(j *trace.Job, r trace.Run, in Span) int64 {
	begin, end := max(r.Start, in.Begin), min(r.End, in.End)
	if begin >= end {
		return 0
	}
	return j.Active(begin, end)
}
