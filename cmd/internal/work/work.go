// Package work makes recorded work ready to be run again: its jobs, what they ask for and wait
// for, how long they run, and how much later than decided starts are logged.
package work

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"fairshare/cmd/internal/trace"
	"fairshare/formula"
)

// Work is the jobs of a record, as a replay needs them. It never changes while
// replays run and may be shared.
type Work struct {
	Trace *trace.Trace
	Jobs  []*Job // by arrival

	NeverArrived int // jobs that are left out: held, or deleted before they could run
	Requests     []Request
	numbers      map[requestOf]int32 // of Requests
	missing      int                 // subjobs of arrays, as their parents have them
	bonds        *bonds              // what jobs wait for, nil for nothing
	links        *Links              // likewise, as a replay needs it
	origin       []int32             // of shaken work, the numbers in that which it was made of
	First, Last  int64

	Preempted []trace.Run // those that Forget has forgotten since another job was started in their place
}

// Job is a job of recorded work.
type Job struct {
	*trace.Job
	identity *trace.Job // itself as recorded, or its array
	Came     float64    // its arrival, within the second as far as the order of the record tells
	Rank     float64
	Runs     []int64 // seconds of each run, the last one at the end
	Deleted  int64   // when it was deleted while it waited, trace.Unknown for never

	Number   int32 // its place in Work.Jobs
	Record   int32 // its place in the trace, -1 for a subjob that the trace does not have
	Request  int32 // in Work.Requests
	Priority int32
	Array    int32 // the number of its array from 1, 0 for none
	Subjobs  int32 // how many of its array may run at a time, 0 for any number

	NotPlanned bool // whether nothing is ever kept free for it: topjob_ineligible
	IsKept     bool // whether it never goes back to its queue: it is not rerunable
	IsEndKnown bool
	WasRunning bool // when the record begins

	rare *rare // nil for most jobs, and never changed once a job has it
}

// Request is what jobs have asked for, but for walltime.
type Request struct {
	Select, Place string
	Placed        string             // Select with what the queue adds to its chunks, as a list has it; "" where none does
	IsWhole       bool               // whether Select is made of cpus alone, and nobody asked for its chunks
	Amounts       map[string]float64 // of Resource_List
	Words         map[string]string  // of Resource_List, what is no amount; nil for none
}

// requestOf is what a request is made of: a text of the trace, or, where there is none,
// cpus and nodes.
type requestOf struct {
	text        int32
	cpus, nodes int64
}

// ListFacts are what a list of jobs says that accounting logs do not.
type ListFacts struct {
	Priority    int32
	HasPriority bool  // whether the list tells it
	MaxSubjobs  int32 // %N of an array, 0 for none
	NotPlanned  bool  // topjob_ineligible
	Eligible    int32 // eligible_time in seconds and one more, 0 where the list does not tell
	IsKept      bool  // whether it is not rerunable
}

// New returns the work of a trace that was read with its requests. known are
// attributes by ID.
func New(t *trace.Trace, known map[string]ListFacts) *Work { return Of(t, known, nil) }

// Of returns the work of the jobs of some queues of a trace, nil for all of them.
func Of(t *trace.Trace, known map[string]ListFacts, has func(queue string) bool) *Work {
	w := &Work{Trace: t, numbers: map[requestOf]int32{}, First: t.First, Last: t.Last}
	arrays := map[string]*trace.Job{}
	subjobs := map[string]map[int]bool{}
	for _, j := range t.Jobs {
		if array, index, isSubjob := trace.Subjob(j.ID); j.IsArray {
			arrays[j.ID] = j
		} else if isSubjob {
			if subjobs[array] == nil {
				subjobs[array] = map[int]bool{}
			}
			subjobs[array][index] = true
		}
	}
	w.bonds = findBonds(t)
	numbers := map[string]int32{}
	var spare []Job
	add := func(of *trace.Job, record int) {
		if len(spare) == 0 {
			const many = 256
			spare = make([]Job, many)
		}
		j, facts := &spare[0], known[of.ID]
		spare = spare[1:]
		*j = Job{Job: of, Record: int32(record), identity: of, Deleted: trace.Unknown, Priority: facts.Priority, NotPlanned: facts.NotPlanned, IsKept: facts.IsKept}
		if facts.Eligible != 0 {
			j.setRare(func(r *rare) { r.listed = facts.Eligible })
		}
		if array, _, isSubjob := trace.Subjob(of.ID); isSubjob {
			if numbers[array] == 0 {
				numbers[array] = int32(len(numbers) + 1)
			}
			j.Array = numbers[array]
			if parent := arrays[array]; parent != nil {
				j.identity = parent
				k := known[parent.ID]
				j.Priority, j.Subjobs, j.NotPlanned = cmp.Or(j.Priority, k.Priority), k.MaxSubjobs, j.NotPlanned || k.NotPlanned
				j.IsKept = j.IsKept || k.IsKept
				if of.State == trace.Waiting && (parent.State == trace.Deleted || parent.State == trace.Ended) {
					j.Deleted = parent.End // with what was left of the array
				}
				if of.Arrival == trace.Unknown && of.Start == trace.Unknown {
					of.Arrival, of.Queued = parent.Arrival, parent.Queued
				}
			}
		}
		w.settleHeld(j, t)
		if !j.settle(t, w.bonds) {
			w.NeverArrived++
			return
		}
		j.Request = w.RequestOf(of.Request, of)
		for _, stage := range of.Stages() {
			w.RequestOf(stage.Request, of)
		}
		w.Jobs = append(w.Jobs, j)
	}
	for record, j := range t.Jobs {
		if has != nil && !has(t.Names.List[j.Queue]) {
			continue
		}
		if !j.IsArray {
			add(j, record)
			continue
		}
		indices, _ := trace.ParseIndices(j.Indices())
		for index := range indices.All() {
			if w.missing == maxSubjobs {
				break
			}
			if w.missing++; !subjobs[j.ID][index] { // one that never started
				missing := *j
				missing.ID, missing.IsArray = trace.SubjobID(j.ID, index), false
				missing.Start, missing.End, missing.State = trace.Unknown, trace.Unknown, trace.Waiting
				add(&missing, -1)
			}
		}
	}
	w.sort()
	for i, j := range w.Jobs {
		j.Number = int32(i)
	}
	w.spread()
	w.link()
	return w
}

// Requested returns the resources that jobs ask for.
func (w *Work) Requested() map[string]bool {
	requested := map[string]bool{}
	for _, r := range w.Requests {
		for name := range r.Amounts {
			requested[name] = true
		}
	}
	return requested
}

// Used returns what a job has used of the resources that the trace keeps.
func (w *Work) Used(j *Job) map[string]float64 {
	if j.Record < 0 || len(w.Trace.Used) == 0 {
		return nil
	}
	used := map[string]float64{}
	for i, x := range w.Trace.UseOf(int(j.Record)) {
		if !math.IsNaN(x) {
			used[w.Trace.Used[i]] = x
		}
	}
	return used
}

// spread spreads the jobs that arrive in a second over it, in their order; those of an
// array come together.
func (w *Work) spread() {
	isWith := func(a, b *Job) bool { return a.Array != 0 && a.Array == b.Array }
	for from := 0; from < len(w.Jobs); {
		to, arrivals := from+1, 1
		for ; to < len(w.Jobs) && w.Jobs[to].Arrival == w.Jobs[from].Arrival; to++ {
			if !isWith(w.Jobs[to], w.Jobs[to-1]) {
				arrivals++
			}
		}
		place := 0
		for i, j := range w.Jobs[from:to] {
			if i > 0 && !isWith(j, w.Jobs[from+i-1]) {
				place++
			}
			j.Came = float64(j.Arrival) + (float64(place)+.5)/float64(arrivals)
		}
		from = to
	}
}

// longest bounds run times and walltimes, in seconds: ten years.
const longest = 10 * 365 * 24 * 3600

// sort puts the jobs into the order in which they arrive, the subjobs of an array in
// that of their indices.
func (w *Work) sort() {
	type key struct{ place, index int }
	keys := make([]key, len(w.Jobs))
	first := map[int32]int{}
	for i, j := range w.Jobs {
		j.Number, keys[i].place = int32(i), i
		if j.Array > 0 {
			if _, seen := first[j.Array]; !seen {
				first[j.Array] = i
			}
			keys[i].place = first[j.Array]
			_, keys[i].index, _ = trace.Subjob(j.ID)
		}
	}
	slices.SortFunc(w.Jobs, func(a, b *Job) int {
		x, y := keys[a.Number], keys[b.Number]
		return cmp.Or(cmp.Compare(a.Arrival, b.Arrival), cmp.Compare(x.place, y.place), cmp.Compare(x.index, y.index))
	})
}

// settle derives what a replay needs of a job. It reports whether the job could ever
// run.
func (j *Job) settle(t *trace.Trace, bonds *bonds) bool {
	switch {
	case j.Arrival == trace.Unknown && j.Start == trace.Unknown:
		return false
	case j.Arrival == trace.Unknown || j.Start != trace.Unknown && j.Arrival > j.Start:
		j.Arrival = j.Start
	}
	j.Rank = float64(j.Arrival)
	if j.Queued != trace.Unknown {
		j.Rank = float64(j.Queued)
	}
	for _, run := range j.Earlier() {
		j.Runs = append(j.Runs, j.Active(run.Start, run.End))
	}
	if seconds, ok := j.Length(); ok {
		j.Runs, j.IsEndKnown = append(j.Runs, seconds), true
	} else {
		// What has not ended is taken to run for as long as it may.
		seconds = max(0, j.Walltime)
		if j.State == trace.Running && j.Start != trace.Unknown {
			seconds = max(seconds, j.Active(j.Start, j.lastSeen(t)))
		}
		j.Runs = append(j.Runs, seconds)
	}
	if j.State == trace.Deleted && !j.isVictimOf(bonds) {
		j.Deleted = j.End
	}
	j.Walltime = min(j.Walltime, longest)
	for i := range j.Runs {
		j.Runs[i] = min(j.Runs[i], longest)
	}
	j.WasRunning = j.Vnodes() != "" || j.Start != trace.Unknown && j.Start < t.First
	return true
}

// Identity returns the job as it was recorded: itself, or the array that it belongs to.
func (j *Job) Identity() *trace.Job { return j.identity }

// lastSeen returns up to when a job is known to have run that has no end: to that of the
// record, or to the end that it is taken to have.
func (j *Job) lastSeen(t *trace.Trace) int64 {
	if j.End != trace.Unknown {
		return j.End
	}
	return t.Last
}

// maxSubjobs bounds the subjobs of all arrays.
const maxSubjobs = 1 << 20

// RequestOf returns the number of what a job asks for with a text of the trace. Where
// that has no select it is made of cpus and nodes.
func (w *Work) RequestOf(text int32, j *trace.Job) int32 {
	key := requestOf{text: text}
	if text == 0 {
		key.cpus, key.nodes = max(0, j.NCPUs), max(0, j.Nodes)
	}
	if n, ok := w.numbers[key]; ok {
		return n
	}
	r := Request{Place: "free", Amounts: map[string]float64{}}
	cpus := "1"
	for resource := range strings.SplitSeq(w.Trace.Names.List[text], string(trace.RequestEnd)) {
		name, value, ok := strings.Cut(resource, "=")
		if !ok {
			continue
		}
		switch name {
		case "select":
			r.Select = value
		case trace.PlacedSelect:
			r.Placed = value
		case "place":
			r.Place = value
		default:
			if name == "ncpus" {
				cpus = value // as it was asked for, however large or wrong
			}
			if amount, ok := formula.ParseAmount(value, ""); ok {
				r.Amounts[name], _ = amount.Number()
			} else {
				if r.Words == nil {
					r.Words = map[string]string{}
				}
				r.Words[name] = value
			}
		}
	}
	if text == 0 {
		r.Amounts["ncpus"] = float64(max(1, j.NCPUs))
	}
	switch mem := r.Amounts["mem"]; {
	case r.Select != "":
	case text != 0 && mem > 0: // of -l ncpus and -l mem
		r.Select = fmt.Sprintf("1:ncpus=%s:mem=%.0fkb", cpus, mem)
	case text != 0 && j.Nodes <= 1:
		r.Select = "1:ncpus=" + cpus
	default:
		r.Select, r.IsWhole = madeSelect(max(1, j.NCPUs), j.Nodes), true
	}
	w.Requests = append(w.Requests, r)
	w.numbers[key] = int32(len(w.Requests) - 1)
	return w.numbers[key]
}

// madeSelect returns chunks for a number of cpus: one a node where nodes are known
// and divide them, else one a cpu.
func madeSelect(cpus, nodes int64) string {
	if nodes > 0 && cpus%nodes == 0 {
		return fmt.Sprintf("%d:ncpus=%d", nodes, cpus/nodes)
	}
	return fmt.Sprintf("%d:ncpus=1", cpus)
}
