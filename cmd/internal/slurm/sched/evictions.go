package sched

import (
	"context"
	"slices"

	"fairshare/fstree"
)

// Eviction is a running job that goes for another one, or is suspended for it.
type Eviction struct {
	For, Job *Job
	Mode     PreemptMode // what becomes of it: ModeCancel, ModeRequeue or ModeSuspend
	Grace    int64       // for how many seconds it still runs
	Shares   []Share     // what the other one has then
}

// goes notes that a running job goes for another one, or is suspended for it.
func (w *why) goes(x Eviction) {
	if w != nil {
		x.For = x.For.whole()
		w.evictions = append(w.evictions, x)
	}
}

// fateOf returns what becomes of a running job that is taken off its nodes.
func (e *engine) fateOf(j *Job) PreemptMode {
	if e.modeOf(j) == ModeRequeue && e.mayRequeue(j) {
		return ModeRequeue
	}
	return ModeCancel
}

// withNobody returns the site with one more association at the end: of a job of which nothing tells who submits it, on which there
// are no limits, and which no list of accounts keeps out.
func (s *Setup) withNobody() *Setup {
	of := *s
	of.Access = slices.Clone(s.Access)
	for i := range of.Access {
		of.Access[i].Accounts, of.Access[i].DeniedAccounts = nil, nil
	}
	for isUser := len(s.Tree) > 0; ; isUser = true { // below a root
		of.Names = append(slices.Clip(of.Names), AccountName{})
		of.Accounts = append(slices.Clip(of.Accounts), Account{Parent: -1, User: -1, Limits: s.Unlimited()})
		node := fstree.Association{Parent: -1, Shares: 1}
		if isUser {
			node.Parent, node.User = 0, true
		}
		of.Tree = append(slices.Clip(of.Tree), node)
		if s.Priorities != nil {
			of.Priorities = append(slices.Clip(of.Priorities), 0)
		}
		if s.MayUse != nil {
			of.MayUse, of.UsualQOS = append(slices.Clip(of.MayUse), nil), append(slices.Clip(of.UsualQOS), "")
		}
		if isUser {
			return &of
		}
	}
}

// EvictedBy returns the running jobs that would go for one which is the only one that waits, or be suspended for it, in the first
// pass and cycle from a time on. The jobs are changed.
func (s *Setup) EvictedBy(ctx context.Context, j *Job, running []*Job, at, swept int64) []Eviction {
	const over = 2 // seconds later, both are over
	if j.Association >= len(s.Names) {
		s = s.withNobody()
		j.Association = len(s.Names) - 1
	}
	result, err := Run(ctx, s, append(slices.Clip(running), j), Options{Swept: swept, Begin: at, Until: at + over})
	if err != nil {
		return nil
	}
	return slices.DeleteFunc(result.Evictions, func(x Eviction) bool { return x.For != j })
}
