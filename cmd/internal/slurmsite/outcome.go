package slurmsite

import (
	"cmp"
	"context"
	"slices"

	"fairshare/cmd/internal/replay"
	"fairshare/cmd/internal/slurmsched"
	"fairshare/cmd/internal/trace"
)

// Outcome is what a policy made of recorded jobs: when each of them started and was over. The first
// outcome of a comparison is what was observed.
type Outcome struct {
	Name       string
	Start, End []int64 // by job, 0 for never
	Filled     int     // jobs that backfill started
	Result     *slurmsched.Result
}

// Observed returns what has happened.
func (r *Record) Observed() *Outcome {
	o := &Outcome{Name: "observed"}
	for _, x := range r.Jobs {
		o.Start, o.End = append(o.Start, x.Start), append(o.End, x.End)
	}
	return o
}

// Replay runs a scheduler over the jobs of a record.
func (r *Record) Replay(ctx context.Context, name string, s *slurmsched.Setup) (*Outcome, error) {
	result, err := slurmsched.Run(ctx, s, r.Work(), slurmsched.Options{Swept: r.Swept})
	if err != nil {
		return nil, err
	}
	o := &Outcome{Name: name, Result: result}
	for _, j := range result.Jobs {
		o.Start, o.End = append(o.Start, j.Start), append(o.End, j.End)
		if j.ByFill {
			o.Filled++
		}
	}
	return o, nil
}

// Trust says how near an outcome comes to what has happened, by partition.
func (r *Record) Trust(o *Outcome) replay.Trust {
	var pairs []replay.Pair
	for i, x := range r.Jobs {
		if x.Start > 0 && o.Start[i] > 0 {
			pairs = append(pairs, replay.Pair{Queue: x.Partition, Observed: x.Start, Replayed: o.Start[i], ObservedWait: x.Start - x.Submit, ReplayedWait: o.Start[i] - x.Submit})
		}
	}
	return replay.TrustOf(pairs)
}

// Kinds are what jobs are told apart by.
var Kinds = []struct {
	Name string
	Of   func(*Recorded) string
}{
	{"partition", func(x *Recorded) string { return x.Partition }},
	{"qos", func(x *Recorded) string { return x.QOS }},
	{"account", func(x *Recorded) string { return x.Account }},
	{"user", func(x *Recorded) string { return x.User }},
}

// Counted reports which jobs figures count: those that had started when the record ended, so that
// all outcomes are about the same ones.
func (r *Record) Counted() []bool {
	list := make([]bool, len(r.Jobs))
	for i, x := range r.Jobs {
		list[i] = x.Start > 0
	}
	return list
}

// Figures returns the figures of the counted jobs of an outcome for which a condition holds.
func (r *Record) Figures(o *Outcome, counted []bool, holds func(*Recorded) bool) trace.Figures {
	var jobs []*trace.Job
	for i, x := range r.Jobs {
		if !counted[i] || !holds(x) {
			continue
		}
		j := &trace.Job{Arrival: x.Submit, Queued: x.Submit, Start: trace.Unknown, End: trace.Unknown, NCPUs: int64(x.Request.CPUs), State: trace.Waiting}
		if o.Start[i] > 0 {
			j.Start, j.State = o.Start[i], trace.Running
		}
		if o.End[i] > 0 && x.End > 0 { // else its run time is a guess, which no figure takes in
			j.End, j.State = o.End[i], trace.Ended
		}
		jobs = append(jobs, j)
	}
	return trace.FiguresOf(jobs)
}

// Party is all counted jobs of one name of a kind.
type Party struct {
	Kind, Name string
	Jobs       int
	Figures    []trace.Figures // by outcome
}

// Parties returns the names of a kind, those with most jobs first, and their figures in outcomes.
func (r *Record) Parties(kind int, outcomes []*Outcome, counted []bool) []Party {
	of := Kinds[kind].Of
	jobs := map[string]int{}
	for i, x := range r.Jobs {
		if counted[i] {
			jobs[of(x)]++
		}
	}
	var list []Party
	for name, n := range jobs {
		p := Party{Kind: Kinds[kind].Name, Name: name, Jobs: n}
		for _, o := range outcomes {
			p.Figures = append(p.Figures, r.Figures(o, counted, func(x *Recorded) bool { return of(x) == name }))
		}
		list = append(list, p)
	}
	slices.SortFunc(list, func(a, b Party) int { return cmp.Or(b.Jobs-a.Jobs, cmp.Compare(a.Name, b.Name)) })
	return list
}
