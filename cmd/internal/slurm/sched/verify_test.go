package sched

import (
	"cmp"
	"slices"
	"strings"
	"testing"
)

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
