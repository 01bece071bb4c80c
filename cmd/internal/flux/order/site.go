// Package order puts the jobs of a site of flux into flux's order, computes the priorities that flux gives them, and
// says why each has its place.
package order

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/flux"
	"fairshare/cmd/internal/flux/dump"
	"fairshare/cmd/internal/report"
	"fairshare/fstree"
)

// Site is a site of flux at one moment.
type Site struct {
	Name    string
	Remarks []diag.Remark
	Jobs    []flux.Job // by their numbers, which grow with time
	Weights flux.Weights
	Queues  []dump.Queue
	dump.Accounts
	IsFluxion bool      // whether each queue is a list of its own
	Taken     time.Time // of the last thing that happened, zero where nothing tells
	Updated   uint64    // the last job that was there at the last update of all priorities, as they tell; 0 for none

	isDecided bool // whether the priorities tell when that was

	queues map[string]*dump.Queue
	banks  map[string]*flux.Bank
	users  map[Member]*flux.Association
	fair   map[Member]float64 // that a changed tree comes to, nil where it is as stored
	kept   []kept             // of each job
}

// Member is a user in a bank, who has factors of its own.
type Member struct{ User, Bank string }

// New returns the site that a dump tells of.
func New(d *dump.Dump) (*Site, error) {
	s := &Site{Name: d.Name}
	jobs, from, err := d.Jobs()
	if err != nil {
		s.Remarks = d.Remarks
		return s, err
	}
	s.Remarks = append(s.Remarks, d.NotRead(dump.KindJobs, from)...)
	s.Remarks = append(s.Remarks, dump.Lacking(from, jobs)...)
	s.Jobs = slices.SortedFunc(slices.Values(jobs), func(a, b flux.Job) int {
		switch {
		case a.Number < b.Number:
			return -1
		case a.Number > b.Number:
			return 1
		}
		return 0
	})
	s.Jobs = slices.CompactFunc(s.Jobs, func(a, b flux.Job) bool { return a.Number == b.Number })
	names := map[string]string{}
	for i := range s.Jobs {
		j := &s.Jobs[i]
		names[j.UserID] = j.User
		s.IsFluxion = s.IsFluxion || j.IsOfFluxion
	}
	s.IsFluxion = s.IsFluxion || d.IsUnderFluxion()
	s.Accounts, s.Queues = d.Accounts(names), d.Queues()
	isTold := false
	s.Weights, isTold = d.Weights()
	s.Taken = s.lastTime()
	s.Remarks = append(slices.Clone(d.Remarks), append(s.Remarks, s.lacks(isTold)...)...)
	s.index()
	s.setBanks()
	s.findFactors()
	return s, nil
}

// lastTime returns the last time that the jobs tell of, or how long one of them has run.
func (s *Site) lastTime() time.Time {
	last := math.Inf(-1)
	for i := range s.Jobs {
		j := &s.Jobs[i]
		for _, at := range []float64{j.Submit, j.Eligible, j.Start, j.End} {
			if at > last {
				last = at
			}
		}
		if j.State == "RUN" && j.Start+j.RunTime > last {
			last = j.Start + j.RunTime
		}
	}
	if math.IsInf(last, 0) {
		return time.Time{}
	}
	return time.UnixMilli(int64(last * 1e3)).UTC()
}

// lacks says what is not known of a site, and what that costs.
func (s *Site) lacks(hasWeights bool) (remarks []diag.Remark) {
	say := func(format string, args ...any) { remarks = append(remarks, diag.Warningf(format, args...)) }
	if !hasWeights {
		say("no weights (flux account list-factors --json): those that flux has by default count")
	}
	if len(s.Queues) == 0 {
		say("no queues (flux account list-queues --json): the priority of each counts 0")
	}
	if s.Weights.Bank != 0 && !s.HasPriority {
		say("no priorities of banks (flux account list-banks --json): that of each counts 0")
	}
	switch {
	case len(s.Associations) == 0:
		say("no users (flux account list-users --json): the fairshare of a job is that which it carries, or 0.5, that of a new user")
	case !s.TellsActive:
		say("%s does not tell who is disabled: all count as active, and fairshare is another one where somebody is not (flux account list-users --json tells it)", s.From)
	}
	if len(s.Jobs) > 0 && !slices.ContainsFunc(s.Jobs, func(j flux.Job) bool { return !j.Waits() }) {
		say("the list has no job that has started: where a user's last submission in a bank has, its queue is not known, which all jobs of that user there take their queue factor from (flux jobs -a -A --json has all)")
	}
	return remarks
}

// index makes maps of what the lists have.
func (s *Site) index() {
	s.queues, s.banks, s.users = map[string]*dump.Queue{}, map[string]*flux.Bank{}, map[Member]*flux.Association{}
	for i := range s.Queues {
		s.queues[s.Queues[i].Name] = &s.Queues[i]
	}
	for i := range s.Banks {
		s.banks[s.Banks[i].Name] = &s.Banks[i]
	}
	for i := range s.Associations {
		a := &s.Associations[i]
		s.users[Member{a.User, a.Bank}] = a
	}
}

// setBanks gives jobs that name no bank the default one of their user.
func (s *Site) setBanks() {
	of := map[string]string{}
	for _, a := range s.Associations {
		if a.DefaultBank != "" {
			of[a.User] = a.DefaultBank
		}
	}
	for i := range s.Jobs {
		if j := &s.Jobs[i]; j.Bank == "" {
			j.Bank = of[j.User]
		}
	}
}

// member returns whose factors a job has.
func member(j *flux.Job) Member { return Member{j.User, j.Bank} }

// queuePriority returns the priority of a queue, 0 for one that is not known.
func (s *Site) queuePriority(name string) float64 {
	if q := s.queues[name]; q != nil {
		return q.Priority
	}
	return 0
}

// bankPriority returns the priority of a bank, 0 for one that is not known.
func (s *Site) bankPriority(name string) float64 {
	if b := s.banks[name]; b != nil && !math.IsNaN(b.Priority) {
		return b.Priority
	}
	return 0
}

// Tree returns the tree that flux walks, of active banks and associations; nil where the site does not tell it.
func (s *Site) Tree() (tree *fstree.Associations, remarks []diag.Remark, err error) {
	if !s.HasShares || len(s.Associations) == 0 || len(s.Banks) == 0 {
		return nil, nil, nil
	}
	tree, outside, err := flux.ActiveTree(s.Banks, s.Associations)
	if err != nil {
		return nil, nil, err
	}
	if len(outside) > 0 {
		remarks = append(remarks, diag.Warningf("banks %s stand below none that is active, and are left out of the tree", strings.Join(outside, ", ")))
	}
	disabled := 0
	for _, a := range s.Associations {
		if !a.IsActive {
			disabled++
		}
	}
	if disabled > 0 {
		remarks = append(remarks, diag.Notef("%s disabled: flux leaves out of the tree, and out of the usage of banks, whatever is; its fairshare stays as it was", isOrAre(disabled, "association")))
	}
	return tree, remarks, nil
}

// isOrAre returns a number of things with its verb.
func isOrAre(n int, noun string) string {
	if n == 1 {
		return report.Count(n, noun) + " is"
	}
	return report.Count(n, noun) + " are"
}

// fairshareOf returns the fairshare of the users of a tree by flux's walk, with six decimals as flux stores it.
func fairshareOf(tree *fstree.Associations) map[Member]float64 {
	const decimals = 1e6
	of := map[Member]float64{}
	standing := fstree.WeightedWalk(tree, fstree.Options{})
	for i := range tree.Len() {
		if x := tree.At(i); x.User {
			of[Member{x.Name, tree.At(int(x.Parent)).Name}] = math.Round(standing.Fairshare[i]*decimals) / decimals
		}
	}
	return of
}

// StoredDiffers says where the fairshare that flux has stored is another one than that of the tree as it is now.
func (s *Site) StoredDiffers(tree *fstree.Associations) []diag.Remark {
	walked := fairshareOf(tree)
	var differ []string
	for _, a := range s.Associations {
		if x, ok := walked[Member{a.User, a.Bank}]; ok && !math.IsNaN(a.Fairshare) && math.Abs(x-a.Fairshare) > 1e-9 {
			differ = append(differ, fmt.Sprintf("%s in %s has %s, the tree gives %s", a.User, a.Bank, report.Plain(a.Fairshare), report.Plain(x)))
		}
	}
	if len(differ) == 0 {
		return nil
	}
	slices.Sort(differ)
	return []diag.Remark{diag.Notef("the fairshare that flux has stored is of its last account-update-fshare: %s of %d differ from the tree as it is now, such as %s", report.Count(len(differ), "association"), len(walked), differ[0])}
}

// Describe says in one line what the site is, for a page.
func (s *Site) Describe() string {
	text := s.Name
	if !s.Taken.IsZero() {
		text += ", " + s.Taken.Format("2006-01-02 15:04:05 UTC")
	}
	return text
}

// users and queues that are there, for suggestions.
func (s *Site) names(of func(*flux.Job) string) []string {
	seen := map[string]bool{}
	for i := range s.Jobs {
		seen[of(&s.Jobs[i])] = true
	}
	return slices.Sorted(maps.Keys(seen))
}

// CheckNames returns warnings for those of some users and queues that the site does not have, and a *diag.RequestError where it
// has none of them.
func (s *Site) CheckNames(users, queues []string) ([]diag.Remark, error) {
	there := s.names(func(j *flux.Job) string { return j.Queue })
	for _, q := range s.Queues {
		there = append(there, q.Name)
	}
	remarks, err := diag.CheckNames("user", users, s.userNames())
	of, none := diag.CheckNames("queue", queues, there)
	return append(remarks, of...), cmp.Or(err, none)
}

// userNames returns who has jobs or an association.
func (s *Site) userNames() []string {
	users := s.names(func(j *flux.Job) string { return j.User })
	for member := range s.users {
		users = append(users, member.User)
	}
	slices.Sort(users)
	return slices.Compact(users)
}
