package sched

import (
	"slices"
	"testing"
)

// Score counts decisions, and how many of them are as recorded.
type Score struct{ right, all int }

func (s *Score) add(isRight bool) {
	s.all++
	if isRight {
		s.right++
	}
}

// Share returns the part that is as recorded, 1 where there is none.
func (s Score) Share() float64 {
	if s.all == 0 {
		return 1
	}
	return float64(s.right) / float64(s.all)
}

// tallies are the scores of a run.
type tallies struct {
	passes, cycles      Score // the same jobs start
	nodes, oneNode      Score // on the same nodes
	plans, plannedNodes Score // starts and ends of plans
	noPlan              int   // plans of jobs that were recorded without one
}

// TestRecordedDecisions compares each main pass and each backfill cycle of three recorded runs with
// what would be decided here in the state in which slurmctld was.
func TestRecordedDecisions(t *testing.T) {
	for _, name := range []string{"S1a", "S2a", "S3a"} {
		t.Run(name, func(t *testing.T) {
			got := verify(t, openRecording(t, name))
			t.Logf("%+v", got)
			for _, x := range []struct {
				what  string
				score Score
				floor float64
			}{
				{"main passes that start the same jobs", got.passes, 1},
				{"backfill cycles that start the same jobs", got.cycles, 1},
				{"starts on the same nodes", got.nodes, 0.995},
				{"starts of jobs of one node on the same node", got.oneNode, 0.994},
				{"plans with the same start and end", got.plans, 0.9998},
				{"plans of the same nodes", got.plannedNodes, 0.995},
			} {
				if x.score.Share() < x.floor {
					t.Errorf("%s: %d of %d, at least %g are expected", x.what, x.score.right, x.score.all, x.floor)
				}
			}
			if got.noPlan > got.plans.all/500 {
				t.Errorf("%d plans of jobs that got none", got.noPlan)
			}
		})
	}
}

// verify goes through a recording.
func verify(t *testing.T, r *recording) tallies {
	var got tallies
	for i := 0; i < len(r.events); i++ {
		switch e := r.events[i]; e.kind {
		case "f", "d": // a main pass over the full queue, or of default depth
			i = r.findPass(t, &got, r.events, i)
		case "b": // a backfill cycle
			end := i + 1
			for end < len(r.events) && r.events[end].kind != "z" && r.events[end].kind != "b" {
				end++
			}
			r.compareCycle(t, &got, e.at, r.events[i+1:end])
			i = end - 1
		default:
			r.apply(t, e)
		}
	}
	return got
}

// passEvents are the kinds of events that a main pass may have within it: starts, reasons, limits,
// and what others log beside it.
var passEvents = map[string]bool{"a": true, "r": true, "l": true, "n": true, "u": true, "w": true, "s": true, "q": true}

// findPass compares the main pass that begins with an event, and returns the place of its last one.
func (r *recording) findPass(t *testing.T, got *tallies, events []event, first int) int {
	end := first + 1
	for end < len(events) && passEvents[events[end].kind] {
		end++
	}
	r.comparePass(t, got, events[first].kind == "d", events[first+1:end])
	return end - 1
}

// busy returns the running jobs by their ends, and the nodes that clean up.
func (r *recording) busy() ([]runningJob, Set) {
	var list []runningJob
	for _, b := range r.running {
		list = append(list, b)
	}
	slices.SortFunc(list, func(a, b runningJob) int { return a.job.ID - b.job.ID })
	slices.SortStableFunc(list, runningJob.compare)
	cleaning := NewSet(len(r.Nodes))
	for _, j := range r.cleaning {
		for i := range nodesOf(j.Shares, len(r.Nodes)).all {
			cleaning.Add(i)
		}
	}
	return list, cleaning
}

// comparePass compares a main pass.
func (r *recording) comparePass(t *testing.T, got *tallies, isShort bool, within []event) {
	recorded := map[int]string{}
	for _, e := range within {
		if e.kind == "a" {
			recorded[e.job.ID] = e.rest[0]
			r.pending[e.job.ID] = e.job
		}
	}
	m := &Machine{}
	m.copyFrom(r.settled)
	_, cleaning := r.busy()
	p := newPass(m, NewMachine(r.Cluster), r.ledger, r.all, cleaning)
	var mine []*Job
	for n, j := range r.queue() {
		if isShort && n > r.depth {
			break
		}
		if v, shares := p.try(j); v == started {
			k := *j
			k.Shares = slices.Clone(shares)
			m.take(k.Request, k.Shares)
			r.ledger.count(&k, 1)
			mine = append(mine, &k)
		}
	}
	isSame := len(mine) == len(recorded)
	for _, k := range mine {
		r.ledger.count(k, -1)
		names, ok := recorded[k.ID]
		isSame = isSame && ok
		if ok {
			got.compareNodes(r, names, k.Shares)
		}
	}
	got.passes.add(isSame)
	if !isSame {
		t.Logf("%s: a main pass starts %v, recorded are %v", r.name, mine, recorded)
	}
	for _, e := range within {
		r.apply(t, e)
	}
}

// compareNodes compares the nodes of a job that starts.
func (s *tallies) compareNodes(r *recording, names string, shares []Share) {
	isSame := r.names(nodesOf(shares, len(r.Nodes))) == names
	s.nodes.add(isSame)
	if len(shares) == 1 {
		s.oneNode.add(isSame)
	}
}

// compareCycle compares a backfill cycle, job by job: each is tried after the recorded plans and
// starts of those before it.
func (r *recording) compareCycle(t *testing.T, got *tallies, now int64, within []event) {
	running, cleaning := r.busy()
	c := newCycle(r.settings, outlookOn(r.freed, running), r.ledger, r.all, now, cleaning)
	c.overrun = 30 // KillWait
	isSame, isEmpty := true, true
	for i := 0; i < len(within); i++ {
		switch e := within[i]; e.kind {
		case "t":
			isEmpty = false
			o := c.try(e.job, e.at)
			shares := slices.Clone(o.shares)
			kind := ""
			for _, next := range within[i+1:] {
				if next.kind == "t" {
					break
				}
				if next.job == e.job && (next.kind == "p" || next.kind == "B") {
					kind = next.kind
					if kind == "p" {
						got.comparePlan(r, o.plan, r.plan(next))
						c.reserve(r.plan(next))
					} else if shares != nil {
						got.compareNodes(r, next.rest[0], shares)
					}
				}
			}
			isSame = isSame && (kind == "B") == (shares != nil)
			if kind == "" && o.plan != nil {
				got.noPlan++
			}
		case "f", "d": // while the cycle had yielded its locks
			i = r.findPass(t, got, within, i)
			c.goOn(r.busy())
		default:
			r.apply(t, e)
			c.goOn(r.busy())
		}
	}
	if !isEmpty {
		got.cycles.add(isSame)
	}
}

// comparePlan compares a plan, nil for none, to the recorded one.
func (s *tallies) comparePlan(r *recording, mine, recorded *Plan) {
	s.plans.add(mine != nil && mine.Start == recorded.Start && mine.End == recorded.End)
	s.plannedNodes.add(mine != nil && r.names(mine.Nodes) == r.names(recorded.Nodes))
}
