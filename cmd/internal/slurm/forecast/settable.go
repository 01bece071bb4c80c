package forecast

import (
	"fmt"
	"maps"
	"math"
	"slices"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/report"
	"fairshare/cmd/internal/slurm"
	"fairshare/cmd/internal/slurm/sched"
	"fairshare/cmd/internal/slurm/setup"
)

// settable says what depends on settings that can be tried, but for the states of partitions: of each kind. Of the waiting jobs,
// kept are those of keptOut with the settings and without them.
func (s *Site) settable(kept []slurm.ListedJob) [][]diag.Remark {
	return [][]diag.Remark{{s.Setup.Rules()}, s.SayFlexible(s.At, math.MaxInt64), s.reserved(), areKeptOut(kept), s.failing(), s.ofUnknownLimits()}
}

// failing says what becomes of the jobs that run on nodes that go down now or later.
func (s *Site) failing() (remarks []diag.Remark) {
	const most = 3 // that are told one by one
	down, gone := map[int64]map[int32]bool{}, map[string]bool{}
	for _, f := range s.Setup.FailuresFrom(s.At) {
		at := max(f.At, s.At)
		if down[at] == nil {
			down[at] = map[int32]bool{}
		}
		down[at][int32(f.Node)] = true
	}
	for _, at := range slices.Sorted(maps.Keys(down)) {
		var names, again, over []string
		for _, i := range slices.Sorted(maps.Keys(down[at])) {
			names = append(names, s.Setup.Nodes[i].Name)
		}
		for _, x := range s.Running() {
			switch isThere := slices.ContainsFunc(x.Shares, func(p sched.Share) bool { return down[at][p.Node] }); {
			case !isThere, gone[x.ID], at > s.At && x.Limit < sched.Endless && x.Start+x.Limit <= at:
			case s.Setup.WaitsAgain(x.Job):
				again = append(again, x.ID)
			default:
				over = append(over, x.ID)
			}
		}
		for _, id := range slices.Concat(again, over) { // each goes once
			gone[id] = true
		}
		when, lose := "now", "lose"
		if at > s.At {
			when, lose = "at "+s.clock(at), "lose those that still run then of"
		}
		text := fmt.Sprintf("nodes that go down %s (%s) %s %s", when, report.Some(names, most), lose, report.Count(len(again)+len(over), "job"))
		if again != nil {
			text += "; requeued: " + report.Some(again, most)
		}
		if over != nil {
			text += "; over, as they are not requeued: " + report.Some(over, most)
		}
		remarks = append(remarks, diag.Notef("%s", text).OfAsked())
	}
	return remarks
}

// retold returns remarks on another site as they are of what settings have made of it. A kind of which they say nothing is left out.
func (s *Site) retold(remarks []diag.Remark, was *Site) []diag.Remark {
	remarks = slices.Clone(remarks)
	kept := was.keptOut(was.Queue)
	of := s.settable(s.keptOut(kept))
	for kind, were := range was.settable(kept) {
		isSaid := func(r diag.Remark) bool { return slices.Contains(were, r) }
		if len(were) > 0 && !slices.ContainsFunc(remarks, isSaid) {
			continue
		}
		remarks = slices.DeleteFunc(remarks, func(r diag.Remark) bool { return isSaid(r) && !slices.Contains(of[kind], r) })
		for _, r := range of[kind] {
			if !isSaid(r) {
				remarks = append(remarks, r)
			}
		}
	}
	return remarks
}

// reserved says for which reservations nodes are kept.
func (s *Site) reserved() []diag.Remark {
	const most = 3 // that are told one by one
	var told []string
	for _, k := range s.Setup.Reservations {
		if k.End > s.At && k.End < sched.ForGood {
			told = append(told, fmt.Sprintf("%s from %s to %s", k.Name, s.clock(k.Start), s.clock(k.End)))
		}
	}
	if len(told) == 0 {
		return nil
	}
	return []diag.Remark{diag.Generalf("nodes are kept for %s, and none is taken to be made later, nor jobs to come in them: %s", report.Count(len(told), "reservation"), report.Some(told, most))}
}

// keptOut returns those of some jobs of the list that wait and that a rule of their partition, QOS or reservation keeps from starting,
// while Slurm's own reason is another one.
func (s *Site) keptOut(list []slurm.ListedJob) (kept []slurm.ListedJob) {
	maker := setup.NewJobMaker(s.Setup)
	for i := range list {
		n := &list[i]
		if n.State != "PENDING" || slurm.ReasonNamed(n.Reason).Fate != slurm.ReasonDecided {
			continue
		}
		isKnown := func(entry *sched.Job) bool { // to be open, or by Slurm not to be; of the state of a partition that is said
			by := s.Setup.KeepsOut(entry)
			return by == nil || by.IsOfNow || by.Reason == n.Reason
		}
		if j, _ := maker.Listed(n, s.At); j != nil && !slices.ContainsFunc(s.Setup.Entries(j), isKnown) {
			kept = append(kept, *n)
		}
	}
	return kept
}

// areKeptOut says how many jobs those of keptOut are.
func areKeptOut(kept []slurm.ListedJob) []diag.Remark {
	if kept == nil {
		return nil
	}
	return []diag.Remark{diag.Warningf("%s: a rule of their partition, QOS or reservation keeps them from starting, and Slurm says that they wait for something else: taken never to start, unless an administrator has let them (scontrol update)", report.Count(len(kept), "waiting job")).
		Briefly("%s: taken never to start, by rules that Slurm does not name", report.Count(len(kept), "waiting job"))}
}
