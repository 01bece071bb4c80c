package order

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/report"
	"fairshare/cmd/internal/slurm/dump"
)

// Difference says by what the priority that Slurm has differs from the one computed here, and in
// which term; "" where they are equal, or where one of them is not known. At a changed site it is
// that of the site as it is.
func (r Row) Difference() string {
	if r.Was != nil {
		r = *r.Was
	}
	if r.Rank == 0 || math.IsNaN(r.Priority) || r.Untold.IsAny() || r.Value == r.Priority || r.isRounded() {
		return ""
	}
	where := "in Slurm"
	if r.HasNoOwn {
		where = "in Slurm in one of its partitions"
	}
	text := fmt.Sprintf("%s %s, %s computed", report.Fixed(r.Value, 0), where, report.Fixed(r.Priority, 0))
	if r.Stored == nil {
		return text
	}
	var parts []string
	for _, t := range r.compared() {
		if math.Abs(t.printed-t.computed) > 0.5+1e-9 {
			parts = append(parts, fmt.Sprintf("%s is %s in sprio, %s computed", t.name, report.Fixed(t.printed, 0), report.Fixed(t.computed, 2)))
		}
	}
	sum, _ := r.Stored.Sum()
	switch {
	case r.IsSet():
		text += fmt.Sprintf("; the terms of sprio have the sum %s: an administrator has set the priority", report.Fixed(sum, 0))
	case len(parts) > 0:
		text += "; " + strings.Join(parts, ", ")
	}
	return text
}

// isRounded reports whether the priority that is computed is not Slurm's, and no farther from it than rounding of the terms that sprio prints
// brings about: each by half a point, and their sum by less than one.
func (r *Row) isRounded() bool {
	off := math.Abs(r.Value - r.Priority)
	return off > 0 && off <= float64((r.Rounded+1)/2)
}

// IsSet reports whether an administrator has set the priority: the terms that sprio prints come to
// another one.
func (r Row) IsSet() bool {
	if r.Stored == nil {
		return false
	}
	const rounding = 6 // of all terms together
	sum, isWhole := r.Stored.Sum()
	if isWhole && r.Stored.IsEmpty() { // as newer versions print those that were set
		return r.Value != r.Priority
	}
	return isWhole && math.Abs(sum-r.Value) > rounding
}

// WasSet is IsSet, at a changed site of the site as it is.
func (r Row) WasSet() bool {
	if r.Was != nil {
		r = *r.Was
	}
	return r.IsSet()
}

// comparedTerm is a term as sprio prints it and as it is computed.
type comparedTerm struct {
	name              string
	printed, computed float64
}

// compared returns the terms that both sprio and this program know.
func (r Row) compared() []comparedTerm {
	var list []comparedTerm
	for _, t := range []struct {
		name     string
		computed float64
	}{{"site", r.Job.Site}, {"age", r.Weighted.Age}, {"assoc", r.Weighted.Assoc}, {"fairshare", r.Weighted.Fairshare}, {"jobsize", r.Weighted.JobSize}, {"partition", r.Weighted.Partition}, {"qos", r.Weighted.QOS}, {"nice", r.Job.Nice}} {
		if printed, ok := r.Stored.Terms[t.name]; ok {
			list = append(list, comparedTerm{t.name, printed, t.computed})
		}
	}
	for _, a := range r.Weighted.TRES {
		if printed, ok := r.Stored.TRES[a.Name]; ok {
			list = append(list, comparedTerm{"TRES " + a.Name, printed, a.Count})
		}
	}
	return list
}

// Differences says how many priorities are computed as Slurm has them, and which are not; when all
// were computed last; and for which jobs Slurm counts other CPUs than they request.
func (s *Site) Differences() []diag.Remark {
	equal, known, threads, nodes, set, rounded := 0, 0, 0, 0, 0, 0
	var differ []string
	for _, r := range s.PlainRows() {
		if r.Rank == 0 || math.IsNaN(r.Priority) || r.Untold.IsAny() {
			continue
		}
		known++
		switch {
		case r.Job.CountedCPUs > 0 && r.Job.Exclusive:
			nodes++
		case r.Job.CountedCPUs > 0:
			threads++
		}
		if r.IsSet() {
			set++
			continue
		}
		if text := r.Difference(); text != "" {
			differ = append(differ, "job "+r.Job.ID+": "+text)
		} else {
			equal++
			if r.isRounded() {
				rounded++
			}
		}
	}
	var remarks []diag.Remark
	if known > 0 {
		within := ""
		if rounded > 0 {
			within = ", but for the rounding of what sprio prints"
		}
		text := fmt.Sprintf("%d of %s: the priority computed here is Slurm's%s", equal, report.Count(known-set, "job"), within)
		if !s.Swept.IsZero() {
			text += ", with ages as of " + s.Swept.Format(dump.TimeLayout) + ", when Slurm computed them last"
		}
		said := diag.Notef("%s", text)
		if equal > 0 && equal == known-set {
			said = said.Joined(diag.Place, "the priorities computed here are Slurm's"+within+" (%s)", report.Count(equal, "job"))
		}
		remarks = append(remarks, said)
	}
	if threads > 0 {
		remarks = append(remarks, diag.Generalf("for the size of %s, Slurm counts whole cores of several threads, as the job size in sprio shows", report.Count(threads, "job")))
	}
	if nodes > 0 {
		remarks = append(remarks, diag.Generalf("for the size of %s with whole nodes, Slurm counts those that it tried last, as the job size in sprio shows", report.Count(nodes, "job")))
	}
	if set > 0 {
		remarks = append(remarks, diag.Notef("%s: an administrator has set the priority, as the terms in sprio show", report.Count(set, "job")))
	}
	return append(remarks, diag.Each("priorities differ", differ, dump.MostTold)...)
}

// CheckNames returns warnings for those of some users, accounts and partitions that the site does not have, and a *diag.RequestError where it
// has none of them.
func (s *Site) CheckNames(users, accounts, partitions []string) (remarks []diag.Remark, err error) {
	for _, of := range []struct {
		kind   string
		wanted []string
		there  func() []string
	}{{"user", users, s.Users}, {"account", accounts, s.accounts}, {"partition", partitions, s.partitions}} {
		if of.wanted != nil {
			said, none := diag.CheckNames(of.kind, of.wanted, of.there())
			remarks, err = append(remarks, said...), cmp.Or(err, none)
		}
	}
	return remarks, err
}

// accounts returns those that have jobs, or stand in the tree.
func (s *Site) accounts() []string {
	accounts := map[string]bool{}
	for i := range s.Jobs {
		accounts[s.Jobs[i].Account] = true
	}
	for _, p := range s.Stored {
		accounts[p.Account] = true
	}
	if s.Tree != nil {
		for i := range s.Tree.Len() {
			if a := s.Tree.At(i); !a.User {
				accounts[a.Name] = true
			}
		}
	}
	delete(accounts, "")
	return slices.Sorted(maps.Keys(accounts))
}

// Users returns who has jobs, or associations in the tree.
func (s *Site) Users() []string {
	users := map[string]bool{}
	for i := range s.Jobs {
		users[s.Jobs[i].User] = true
	}
	for _, p := range s.Stored { // of jobs that the list hides
		users[p.User] = true
	}
	if s.Tree != nil {
		for i := range s.Tree.Len() {
			if a := s.Tree.At(i); a.User {
				users[a.Name] = true
			}
		}
	}
	delete(users, "")
	return slices.Sorted(maps.Keys(users))
}

// partitions returns those of the site, and where nothing tells them those of its jobs.
func (s *Site) partitions() []string {
	there := map[string]bool{}
	if s.Conf != nil {
		for name := range s.Conf.Partitions {
			there[name] = true
		}
	}
	for i := range s.Jobs {
		for _, name := range s.Jobs[i].Partitions {
			there[name] = true
		}
	}
	for _, p := range s.Stored {
		there[p.Partition] = true
	}
	delete(there, "")
	return slices.Sorted(maps.Keys(there))
}

// IsOfStart reports whether the job of a row has started, by a priority that its terms do not come to any more.
func (r Row) IsOfStart() bool {
	const rounding = 1
	return r.Job.State != "PENDING" && r.Value > 0 && math.Abs(r.Priority-r.Value) > rounding
}
