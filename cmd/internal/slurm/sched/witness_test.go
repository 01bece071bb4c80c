package sched

import (
	"cmp"
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

// pass compares a main pass.
func (w *Witness) pass(t *testing.T, got *Agreement, begin notice, within []notice) {
	e := w.engine(begin.at)
	recorded := map[string]string{}
	for _, x := range within {
		if x.kind == "a" {
			recorded[x.args[0]] = x.args[1] + " " + x.args[2]
		}
	}
	depth := len(e.queue)
	if begin.kind == "d" {
		depth = e.Depth + 1
	}
	was := len(e.running)
	e.pass(depth)
	w.makeWay(e)
	mine := map[string]string{}
	for _, b := range e.running {
		if b.job.Start == begin.at && b.job.Run < 1e6 {
			mine[w.nameOf(b.job)] = e.Partitions[b.job.Partition].Name + " " + w.print(b.job.Shares)
		}
	}
	isSame := len(mine) == len(recorded) && len(e.running)-was+e.result.Evicted == len(recorded)
	for name, place := range mine {
		there, ok := recorded[name]
		if isSame = isSame && ok; ok {
			got.Nodes.add(there == place)
			if there != place {
				t.Logf("%d pass: %s on %s, recorded %s", begin.at, name, place, there)
			}
		}
	}
	got.Passes.add(isSame)
	if !isSame {
		t.Logf("%d pass %s of %d: %v, recorded %v", begin.at, begin.kind, depth, mine, recorded)
	}
	for _, x := range within {
		w.apply(t, x)
	}
}

// makeWay notes for which jobs others go in a pass or a cycle, and who goes.
func (w *Witness) makeWay(e *engine) {
	for _, j := range e.queue {
		w.makesWay[w.nameOf(j)] = j.whole().preempting
	}
	for _, j := range e.again {
		if w.Evicts != nil {
			w.Evicts(e.now, w.nameOf(j))
		}
	}
}

// cycle compares a backfill cycle, entry by entry: each is tried after what was recorded of those before it.
func (w *Witness) cycle(t *testing.T, got *Agreement, begin notice, within []notice) {
	e := w.engine(begin.at)
	f := e.beginCycle()
	isSame, isEmpty, isAlike := true, true, true
	var held *Job // that comes next
	for i := 0; i < len(within); i++ {
		x := within[i]
		if x.kind != "t" {
			w.apply(t, x)
			continue
		}
		isEmpty = false
		to := i + 1
		var fate notice
		for ; to < len(within) && within[to].kind != "t"; to++ {
			if y := within[to]; y.kind == "p" || y.kind == "B" || y.kind == "F" {
				fate = y
			}
		}
		if !isAlike {
			continue
		}
		e.now = x.at
		j := held
		if held = nil; j == nil {
			j = w.next(f)
		}
		array, _, _ := strings.Cut(x.args[0], "_")
		if j == nil || w.name(j) != array && w.name(j) != x.args[0] || e.Partitions[j.Partition].Name != x.args[1] {
			if w.tasks[array] != nil { // sacct leaves out tasks that could not run yet, of which there is nothing else to compare
				if held = j; fate.kind == "p" {
					f.reserve(&Plan{Start: num(fate.args[1]), End: num(fate.args[2]), Nodes: w.set(fate.args[3])})
				}
				got.Unknown++
				k := *w.tasks[array][0]
				if k.Partition = w.Setup.PartitionNamed(x.args[1]); !f.isFull(&k) {
					f.count.add(f.ledger, &k, 1)
				}
				continue
			}
			isAlike = false
			if j == nil {
				t.Logf("%d cycle: nothing tried, recorded %v", x.at, x.args)
			} else {
				t.Logf("%d cycle: tried %s in %s (%d), recorded %v", x.at, w.name(j), e.Partitions[j.Partition].Name, j.Priority, x.args)
			}
			continue
		}
		o := f.try(j, x.at)
		shares := slices.Clone(o.shares)
		switch fate.kind {
		case "B":
			if recorded := w.shares(fate.args[2]); shares == nil {
				isSame = false
				t.Logf("%d cycle: %s is not started, recorded %v; plan %v", x.at, w.name(j), fate.args, o.plan)
				o.shares, o.plan = recorded, nil
			} else {
				got.Nodes.add(slices.Equal(shares, recorded))
				if !slices.Equal(shares, recorded) {
					t.Logf("%d cycle: %s on %s, recorded %s", x.at, w.name(j), w.print(shares), fate.args[2])
				}
				o.shares = recorded
			}
		case "p":
			isSame = isSame && shares == nil
			nodes := w.set(fate.args[3])
			plan := &Plan{j, num(fate.args[1]), num(fate.args[2]), nodes}
			isTimed := o.plan != nil && o.plan.Start == plan.Start && o.plan.End == plan.End
			got.Plans.add(isTimed)
			got.PlannedNodes.add(o.plan != nil && slices.Equal(o.plan.Nodes, nodes))
			switch {
			case o.plan == nil:
				t.Logf("%d cycle: %s in %s has no plan (start %v), recorded %v", x.at, w.name(j), x.args[1], shares, fate.args)
			case !isTimed:
				t.Logf("%d cycle: %s in %s planned %d-%d on %v, recorded %v", x.at, w.name(j), x.args[1], o.plan.Start, o.plan.End, w.names(o.plan.Nodes), fate.args)
			}
			o.plan, o.shares = plan, nil
		default:
			if isSame = isSame && shares == nil; shares != nil {
				t.Logf("%d cycle: %s in %s starts on %s, recorded %v", x.at, w.name(j), x.args[1], w.print(shares), fate)
			}
			if o.plan != nil {
				got.Surplus++
				t.Logf("%d cycle: %s in %s planned %d-%d on %v, recorded none %v", x.at, w.name(j), x.args[1], o.plan.Start, o.plan.End, w.names(o.plan.Nodes), fate)
			}
			o.plan, o.shares = nil, nil
		}
		f.settle(j, o)
	}
	w.makeWay(e)
	if isEmpty {
		return
	}
	if isAlike {
		if j := cmp.Or(held, w.next(f)); j != nil {
			isAlike = false
			t.Logf("%d cycle: goes on with %s in %s", begin.at, w.name(j), e.Partitions[j.Partition].Name)
		}
	}
	got.Tried.add(isAlike)
	got.Cycles.add(isSame)
}

// set returns the nodes of some names.
func (w *Witness) set(names string) Set {
	s := NewSet(len(w.nodes))
	for name := range strings.SplitSeq(names, ",") {
		s.Add(w.nodes[name])
	}
	return s
}

// next returns the next entry that slurmctld tests: none that a limit keeps from running wherever it would.
func (w *Witness) next(f *backfillRun) *Job {
	j := f.next()
	for ; j != nil && !f.ledger.admits(j); j = f.next() {
		f.settle(j, outcome{})
	}
	return j
}

func (w *Witness) names(s Set) (list []string) {
	for i := range s.all {
		list = append(list, w.Setup.Nodes[i].Name)
	}
	return list
}
