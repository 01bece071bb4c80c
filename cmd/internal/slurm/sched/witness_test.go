package sched

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// Witness is a recorded run of a real slurmctld, event by event, and the state that it is in after those so far. Of a
// pass or a cycle, an engine in that state decides what it would do.
type Witness struct {
	Suspends func(at int64, j *Job, isSuspended bool) // gets each job that is suspended, and each that goes on; nil for nobody
	Evicts   func(at int64, name string)              // gets each job that a pass or a cycle takes off its nodes, nil for nobody
	Setup    *Setup
	Jobs     map[string]*Job   // by the ID that sacct has; of a job that was requeued the run that comes next
	Later    map[string][]*Job // its runs after that
	Text     string            // the events, see testdata/README.md

	swept    int64
	tasks    map[string][]*Job // by array
	waits    map[*Job]map[string]uint32
	runs     []*Job // in the order of their starts
	cleans   []*Job
	known    map[string]bool
	away     map[string]bool
	gone     map[string]int64 // since when
	makesWay map[string]int64 // until when others make way for a job
	nodes    map[string]int
	byNumber map[int]string
	births   int
	alone    map[*Job]bool // tasks that have a record of their own though they wait
	arrays   map[int32]int
	gang     *gang
	origin   map[*Job]string // the names of the jobs of the last engine
}

// Agreement is how many decisions are as recorded.
type Agreement struct {
	Passes, Cycles Score // the same jobs start
	Nodes          Score // on the same nodes, with as many CPUs of each
	Tried          Score // cycles that consider the same jobs in the same order
	Plans          Score // with the same start and end
	PlannedNodes   Score
	Surplus        int // plans of jobs that got none
	Unknown        int // tasks of arrays that slurmctld considers and the record lacks
}

// notice is a recorded event.
type notice struct {
	at   int64
	kind string
	args []string
}

// Verify goes through a recording.
func (w *Witness) Verify(t *testing.T) Agreement {
	t.Helper()
	w.gang = newGang(w.Setup)
	w.arrays, w.alone, w.gone, w.makesWay = map[int32]int{}, map[*Job]bool{}, map[string]int64{}, map[string]int64{}
	w.waits, w.known, w.away, w.nodes, w.tasks, w.byNumber = map[*Job]map[string]uint32{}, map[string]bool{}, map[string]bool{}, map[string]int{}, map[string][]*Job{}, map[int]string{}
	for i := range w.Setup.Nodes {
		w.nodes[w.Setup.Nodes[i].Name] = i
	}
	for _, list := range w.Later {
		for _, j := range list {
			j.Start = 0
		}
	}
	for name, j := range w.Jobs {
		if j.Start, j.cores, j.halted, j.haltedAt = 0, nil, 0, 0; j.Array != 0 {
			name = strconv.Itoa(int(j.Array))
			w.tasks[name] = append(w.tasks[name], j)
		}
		w.byNumber[j.number()] = name
	}
	for _, list := range w.tasks {
		slices.SortFunc(list, func(a, b *Job) int { return a.ID - b.ID })
	}
	var list []notice
	at := int64(0)
	for line := range strings.Lines(w.Text) {
		words := strings.Fields(line)
		if words[0] != "." {
			at += num(words[0])
		}
		list = append(list, notice{at, words[1], words[2:]})
	}
	var got Agreement
	for i := 0; i < len(list); {
		first := i
		i++
		switch list[first].kind {
		case "f", "d":
			for i < len(list) && strings.Contains("arlx", list[i].kind) {
				i++
			}
			w.pass(t, &got, list[first], list[first+1:i])
		case "b":
			for i < len(list) && list[i].kind != "z" && list[i].kind != "b" {
				i++
			}
			w.cycle(t, &got, list[first], list[first+1:i])
		default:
			w.apply(t, list[first])
		}
	}
	return got
}

// waiting returns the jobs that an event calls by a name, all tasks of an array.
func (w *Witness) waiting(name string) []*Job {
	if j := w.Jobs[name]; j != nil {
		return []*Job{j}
	}
	return slices.DeleteFunc(slices.Clone(w.tasks[name]), func(j *Job) bool { return w.alone[j] })
}

// apply brings the state to what it is after an event.
func (w *Witness) apply(t *testing.T, e notice) {
	t.Helper()
	if len(e.args) > 0 && strings.Contains(e.args[0], "_") && e.kind != "a" && e.kind != "B" {
		if j := w.Jobs[e.args[0]]; j != nil {
			w.alone[j] = true
		}
	}
	priority := func(name, partition, text string) {
		for _, j := range w.waiting(name) {
			if j.Start > 0 {
				continue
			}
			if w.waits[j] == nil {
				w.waits[j] = map[string]uint32{}
			}
			w.waits[j][partition] = uint32(num(text))
		}
	}
	switch e.kind {
	case "s", "n":
		if e.kind == "s" {
			w.births++
			for _, j := range w.waiting(e.args[0]) {
				j.born = w.births
				if j.Array != 0 {
					w.arrays[j.Array] = w.births
				}
			}
		}
		priority(e.args[0], "", e.args[1])
	case "m":
		for part := range strings.SplitSeq(e.args[1], ",") {
			name, value, _ := strings.Cut(part, "=")
			priority(e.args[0], name, value)
		}
	case "a", "B":
		j := w.Jobs[e.args[0]]
		if j == nil {
			t.Logf("job %s is not in the record", e.args[0])
			return
		}
		if j.Array != 0 {
			w.births++
			j.born, w.arrays[j.Array] = w.arrays[j.Array], w.births
		}
		j.Start, j.Partition = e.at, w.Setup.PartitionNamed(e.args[1])
		j.Shares = w.shares(e.args[2])
		delete(w.waits, j)
		w.runs = append(w.runs, j)
		w.gang.add(j)
		w.suspend(e.at)
	case "e":
		if j := w.Jobs[e.args[0]]; j != nil {
			if at := slices.Index(w.runs, j); at >= 0 {
				w.runs = slices.Delete(w.runs, at, at+1)
				w.gang.remove(j)
				w.suspend(e.at)
				w.cleans = append(w.cleans, j)
				w.requeue(e.args[0], j)
			} else if j.Start == 0 {
				delete(w.waits, j)
			}
		}
	case "c":
		isOf := func(j *Job) bool { return j.ID == w.Jobs[e.args[0]].ID }
		if at := slices.IndexFunc(w.cleans, isOf); w.Jobs[e.args[0]] != nil && at >= 0 {
			w.cleans = slices.Delete(w.cleans, at, at+1)
		}
	case "w":
		w.swept = e.at
	case "k":
		w.known[e.args[0]] = true
	case "o", "i":
		w.away[e.args[0]], w.gone[e.args[0]] = e.kind == "o", e.at
	}
}

// suspend stops the jobs whose cores others have by the rules, and lets others go on.
func (w *Witness) suspend(at int64) {
	if w.gang == nil {
		return
	}
	w.gang.shadow(w.runs, func(j *Job, isSuspended bool) {
		if j.suspend(isSuspended, at) && w.Suspends != nil {
			w.Suspends(at, j, isSuspended)
		}
	})
}

// requeue lets a job that is over wait again, where it ran again.
func (w *Witness) requeue(name string, j *Job) {
	later := w.Later[name]
	if len(later) == 0 {
		return
	}
	next := later[0]
	w.Jobs[name], w.Later[name] = next, later[1:]
	next.born = j.born
	w.waits[next] = map[string]uint32{}
}

// shares reads what a job has of its nodes.
func (w *Witness) shares(text string) (list []Share) {
	for part := range strings.SplitSeq(text, ",") {
		name, cpus, _ := strings.Cut(part, ":")
		list = append(list, Share{int32(w.nodes[name]), int32(num(cpus))})
	}
	slices.SortFunc(list, func(a, b Share) int { return int(a.Node - b.Node) })
	return list
}

// print is what shares reads.
func (w *Witness) print(shares []Share) string {
	var list []string
	for _, s := range shares {
		list = append(list, fmt.Sprintf("%s:%d", w.Setup.Nodes[s.Node].Name, s.CPUs))
	}
	return strings.Join(list, ",")
}

// engine returns an engine in the state of a moment, and the job of the record that each of its jobs is.
func (w *Witness) engine(at int64) *engine {
	s := *w.Setup
	s.Reservations = nil
	e := newEngine(context.Background(), &s, Workload{})
	e.now, e.isPlain = at, true
	e.priorities.swept, e.sweepAt, e.fullAt = w.swept, at+1000, at+1000
	for name, isAway := range w.away {
		if isAway && !w.isBack(name, at) {
			e.up.remove(w.nodes[name])
		}
	}
	for _, k := range w.Setup.Reservations {
		if w.known[k.Name] && k.End > at {
			e.reservations = append(e.reservations, k)
		}
	}
	e.reservations = byEnd(e.reservations)
	w.origin = map[*Job]string{}
	called := map[*Job]string{}
	for name, j := range w.Jobs {
		called[j] = name
	}
	var runs []*Job
	for _, j := range w.runs {
		k := *j
		w.origin[&k] = called[j]
		k.Run, k.Request = k.Limit+1e6, e.requestIn(k.Request, k.Partition)
		e.run(&k)
		runs = append(runs, &k)
	}
	for i, k := range runs { // the suspended ones are so since before
		k.halted, k.haltedAt = w.runs[i].halted, w.runs[i].haltedAt
	}
	for i := range e.running {
		e.running[i].end = e.running[i].job.expectedEnd()
	}
	slices.SortStableFunc(e.running, runningJob.compare)
	for _, j := range w.cleans {
		k := *j
		k.Request = e.requestIn(k.Request, k.Partition)
		e.settled.take(k.Request, k.Shares)
		for _, x := range k.Shares {
			e.unclean[x.Node]++
		}
	}
	for j, priorities := range w.waits {
		if j.Submit > at {
			continue
		}
		k := *j
		w.origin[&k], k.preempting = called[j], w.makesWay[called[j]]
		for _, x := range e.entries(&k) {
			value, ok := priorities[s.Partitions[x.Partition].Name]
			if !ok {
				value = priorities[""]
			}
			x.Priority = value
			e.queue = append(e.queue, x)
		}
	}
	slices.SortFunc(e.queue, func(a, b *Job) int { return a.ID - b.ID })
	e.sort()
	return e
}

// isBack reports whether sacctmgr tells that a node that was set down is back since: slurmctld gives it back as soon as it
// registers, which is at once.
func (w *Witness) isBack(name string, at int64) bool {
	const soon = 5 // seconds
	return slices.ContainsFunc(w.Setup.Outages, func(a Outage) bool {
		return w.Setup.Nodes[a.Node].Name == name && a.From >= w.gone[name]-2 && a.To-a.From <= soon && a.To <= at
	})
}

// name returns what an event calls a job.
func (w *Witness) name(j *Job) string { return w.byNumber[j.number()] }

func (w *Witness) nameOf(j *Job) string { return w.origin[j.whole()] }

func (w *Witness) names(s Set) (list []string) {
	for i := range s.all {
		list = append(list, w.Setup.Nodes[i].Name)
	}
	return list
}
