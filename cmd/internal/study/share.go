package study

import (
	"math"
	"slices"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/figure"
)

// Shares is how near usage comes to what shares promise, over time. Under all policies of a study, usage is measured as the site has it in
// force, so that the same starts have the same usage; the shares are those that a policy has, which may be what it tries.
//
// The entities with demand are those with a job that waits or runs. Each has a part of the
// usage and a part of the tree percentages that these entities have together; usage is
// fairshare_usage_res as it accrues and decays. The distance at a time is half of the sum of
// the differences between these two parts: 0 if everybody has used what is theirs, 1 if all
// usage is with entities without shares.
type Shares struct {
	Times    []int64   // at equal distances, from the first to the last of the record
	Distance []float64 // by time, NaN where nobody with shares has demand
	Groups   []GroupShare

	Mean        float64 // of Distance, without the first and the last tenth of the time; NaN without a tree
	Convergence float64 // after how many seconds Distance stays under Near to the end, NaN if it does not
}

// GroupShare is what a child of the root, with all below it, has used.
type GroupShare struct {
	Name   string
	Target float64   // its part of the shares of all groups that have jobs, NaN if it has none to be measured by
	Used   []float64 // by time, its part of all usage
}

// Near is the distance under which usage has converged.
const Near = .05

// samples is into how many parts the times divide the record.
const samples = 200

// Shares returns how usage follows the shares in an outcome.
func (o *Outcome) Shares() *Shares {
	if o.shares == nil {
		o.shares = &Shares{Mean: math.NaN(), Convergence: math.NaN()}
		if o.course != nil && !o.isUnknown() {
			o.shares = newFlow(o).follow()
		}
	}
	return o.shares
}

// ShareDistance returns the mean distance of an outcome's usage from what shares promise,
// NaN without a tree.
func (o *Outcome) ShareDistance() float64 { return o.Shares().Mean }

// Convergence returns after how many seconds usage stays near to what shares promise, NaN
// if it does not.
func (o *Outcome) Convergence() float64 { return o.Shares().Convergence }

// HasOtherShares reports whether the distance of an outcome is from other shares, or from those of other entities, than that of another.
func (o *Outcome) HasOtherShares(than *Outcome) bool {
	a, b := o.course, than.course
	if a == nil || b == nil {
		return false
	}
	isSame := func(x, y float64) bool { return x == y || math.IsNaN(x) && math.IsNaN(y) }
	return !slices.Equal(a.EntityOf, b.EntityOf) || !slices.EqualFunc(a.Percentages, b.Percentages, isSame)
}

// ownShares says of each policy that has other shares than the first one that its distance is from these, and how far from these the first
// one is.
func (s *Study) ownShares(all []*Measured) (remarks []diag.Remark) {
	if !slices.ContainsFunc(s.Figures, figure.Figure.NeedsShares) {
		return nil
	}
	first := all[1].First
	for i, m := range all[1:] {
		if !m.First.HasOtherShares(first) || math.IsNaN(m.First.ShareDistance()) {
			continue
		}
		from := *m.First.course
		from.Rates = first.course.Rates
		as := &Outcome{Jobs: first.Jobs, Result: first.Result, study: s, course: &from}
		remarks = append(remarks, diag.Notef("share_distance of policy %d is from the shares that it tries; from these, policy 1 is %s away", i+1, figure.Fraction.Text(as.ShareDistance())).OfAsked())
	}
	return remarks
}

// summarise sets the mean of the distances, and when they stay small.
func (s *Shares) summarise(first, last int64) {
	sum, n := 0., 0
	tenth := len(s.Distance) / 10
	for _, d := range s.Distance[tenth : len(s.Distance)-tenth] {
		if !math.IsNaN(d) {
			sum += d
			n++
		}
	}
	s.Mean, s.Convergence = math.NaN(), math.NaN()
	if n > 0 {
		s.Mean = sum / float64(n)
	}
	for i := len(s.Distance) - 1; i >= 0 && !(s.Distance[i] >= Near); i-- {
		if !math.IsNaN(s.Distance[i]) {
			s.Convergence = float64(s.Times[i] - first)
		}
	}
}
