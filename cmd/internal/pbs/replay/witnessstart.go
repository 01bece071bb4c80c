package replay

import (
	"slices"

	"fairshare/cmd/internal/pbs/cluster"
	"fairshare/cmd/internal/trace"
)

// nearStart is a start of the record, and what the passes about it have found.
type nearStart struct {
	job    int32
	run    int32
	at     int64
	vnodes string

	recorded []string
	numbers  []int32 // of the vnodes, in ascending order
	isKnown  bool    // whether the site has all of them
	isAlien  bool    // whether the rules say that it can never run

	isTried      bool // whether a pass has come to it
	rank         int  // how much the best pass agrees
	chosen       []string
	rule, reason string
	ghosts       []ghost // jobs that each pass would have started in which it fits
	isOvertaking bool    // whether those are known
	hasFitted    bool    // whether it fitted before any job was preempted
	isPreempting bool    // whether jobs were preempted meanwhile, so that for a moment more is free than it needs
}

// How much a pass agrees with a start.
const (
	notAllowed  = iota
	notOnVnodes // it may start, but not there
	notChosen   // it may start there, and would elsewhere
	asItIs
)

// ghost is a job that the rules would have started and that kept waiting.
type ghost struct {
	job      int32
	isBefore bool // whether it is before the start in their order
	isTied   bool // whether that is decided by less than the replay knows: seconds of eligible_time, or a per mille of usage
	isFree   bool // whether there is still room for it once all starts of the pass are there
	value    float32
	queue    int32
	place    cluster.Allocation
}

// isSettled reports whether nothing that another pass finds would matter.
func (s *nearStart) isSettled() bool { return s.rank == asItIs && len(s.ghosts) == 0 || s.isAlien }

// isOpen reports whether passes are wanted.
func (g *witness) isOpen() bool {
	return slices.ContainsFunc(g.pending, func(s *nearStart) bool { return !s.isSettled() && g.backlog.groupOf[s.job] != nil })
}

// newStart returns a start that is to come.
func (g *witness) newStart(ev *recordEvent) *nearStart {
	s := &nearStart{job: ev.job, run: ev.run, at: ev.at, vnodes: g.recorded.of(int(g.work.Jobs[ev.job].Record), ev.at), isAlien: g.jobs[ev.job].state == done}
	s.isKnown = s.vnodes != ""
	for name := range cluster.Vnodes(s.vnodes) {
		if slices.Contains(s.recorded, name) || name == "" {
			continue
		}
		s.recorded = append(s.recorded, name)
		v, isOfSite := g.cluster.Number(name)
		s.isKnown = s.isKnown && isOfSite
		s.numbers = append(s.numbers, v)
	}
	slices.Sort(s.recorded)
	slices.Sort(s.numbers)
	if s.isAlien {
		s.rule, s.reason = onUnsuited, onUnsuited
	}
	return s
}

// conclude says what has been found about a start.
func (g *witness) conclude(s *nearStart) {
	j := g.work.Jobs[s.job]
	d := &Decision{
		Job: s.job, At: s.at, End: j.End, Vnodes: s.vnodes, Recorded: s.recorded, Chosen: s.chosen,
		IsKnown: s.isKnown, IsAllowed: s.rank >= notChosen, IsThere: s.rank == asItIs, IsFirst: true, IsAlone: true, Rule: s.rule, Reason: s.reason,
	}
	if s.run >= 0 {
		d.End = j.Earlier()[s.run].End
	} else if j.State != trace.Ended {
		d.End = trace.Unknown
	}
	if s.isPreempting {
		s.ghosts = nil
	}
	if isWrong := s.isPreempting && !s.hasFitted && !g.policy.Preemptive && !s.isAlien; isWrong {
		d.IsAllowed, d.IsThere, d.Chosen = false, false, nil
		d.Rule, d.Reason = noPreemption, noPreemption+": it started once others were suspended"
	}
	for _, x := range s.ghosts {
		waited := g.waitsOn(x.job, s.at)
		if came := float64(g.work.Jobs[x.job].Arrival); waited <= g.unsure || came > float64(s.at)-g.unsure || x.isTied || g.areAlike(x.job, s.job) {
			continue
		}
		d.IsAlone = false
		if x.isBefore {
			d.IsFirst = false
			d.Passed = append(d.Passed, Overtaken{x.job, int64(waited)})
		}
		if g.late[x.job].since == 0 {
			g.late[x.job] = lateness{s.at, g.namesOf(x.place), x.isFree}
		}
	}
	g.tellLate(d)
	g.yield(d)
}

// areAlike reports whether two jobs are subjobs of one array.
func (g *witness) areAlike(a, b int32) bool {
	array := g.work.Jobs[a].Array
	return array != 0 && array == g.work.Jobs[b].Array
}

// waitsOn returns for how many seconds a job waits on from a time: until it starts, is deleted, or the record ends.
func (g *witness) waitsOn(job int32, from int64) float64 {
	j := g.work.Jobs[job]
	for _, run := range j.Earlier() {
		if run.Start >= from {
			return float64(run.Start - from)
		}
	}
	switch {
	case j.Start != trace.Unknown && j.Start >= from:
		return float64(j.Start - from)
	case j.State == trace.Deleted && j.End != trace.Unknown:
		return float64(j.End - from)
	case j.Deleted != trace.Unknown:
		return float64(j.Deleted - from)
	}
	return float64(g.work.Last - from)
}
