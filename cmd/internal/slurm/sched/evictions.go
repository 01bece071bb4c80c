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
	if e.modeOf(j) == ModeRequeue && e.WaitsAgain(j) {
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
	if len(of.Tree) == 0 {
		of.addNameless(fstree.Association{Parent: -1}, -1)
	}
	of.addNameless(fstree.Association{Parent: 0, User: true, Shares: 1}, -1)
	return &of
}

// AddStrangers adds an association of jobs of which nothing tells more than that they run, below the root: it has neither limits nor
// shares, and no share of others becomes another one. It returns its place.
func (s *Setup) AddStrangers() int { return s.addNameless(fstree.Association{Parent: 0}, 0) }

// IsOfStrangers reports whether a job is of the association of AddStrangers.
func (s *Setup) IsOfStrangers(j *Job) bool { return s.Names[j.Association] == AccountName{} }

// addNameless adds an association at the end that has no name and no limits, and counts for the limits of another one, -1 for none. It
// returns its place.
func (s *Setup) addNameless(node fstree.Association, parent int) int {
	s.Names = append(slices.Clip(s.Names), AccountName{})
	s.Accounts = append(slices.Clip(s.Accounts), Account{Parent: parent, User: -1, Limits: s.Unlimited()})
	s.Tree = append(slices.Clip(s.Tree), node)
	if s.Priorities != nil {
		s.Priorities = append(slices.Clip(s.Priorities), 0)
	}
	if s.MayUse != nil {
		s.MayUse, s.UsualQOS = append(slices.Clip(s.MayUse), nil), append(slices.Clip(s.UsualQOS), "")
	}
	return len(s.Names) - 1
}

// Soon is by how many seconds after their begin a first pass and a first cycle are over.
const Soon = 2

// Alone returns what the first pass and cycle from a time on make of a job which is the only one that waits: what it waits for, "" where
// it starts, and the running jobs that go for it, or are suspended. The jobs are changed.
func (s *Setup) Alone(ctx context.Context, j *Job, running []*Job, at, swept int64) (waits string, gone []Eviction, err error) {
	if j.Association >= len(s.Names) {
		s = s.withNobody()
		j.Association = len(s.Names) - 1
	}
	result, err := Run(ctx, s, append(slices.Clip(running), j), Options{Swept: swept, Begin: at, Until: at + Soon})
	if err != nil {
		return "", nil, err
	}
	for _, x := range result.Queue {
		if x.Job == j {
			waits = x.Reason
		}
	}
	return waits, slices.DeleteFunc(result.Evictions, func(x Eviction) bool { return x.For != j }), nil
}
