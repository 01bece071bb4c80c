package set

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/report"
	"fairshare/cmd/internal/slurm/order"
	"fairshare/cmd/internal/slurm/setup"
)

// After returns the jobs in the order in which Slurm would consider them at a changed site, with a
// remark on each setting that changes nothing. now are the Rows of the site as it is.
//
// The new priority of a job is the one computed, where the one computed now is Slurm's. Where they
// differ, it is Slurm's and the difference of the two that are computed; but a priority that an
// administrator has set stays as it is.
func After(s *order.Site, now []order.Row, changed *order.Site, changes []Change) (after []order.Row, remarks []diag.Remark) {
	after, remarks = sorted(now, changed), changed.NewOmissions(s)
	fixed, unknown := 0, 0
	for i := range after {
		switch r := &after[i]; {
		case r.Rank == 0 || r.Was == nil:
		case math.IsNaN(r.Priority) || math.IsNaN(r.Was.Priority):
			unknown++
		case r.Was.IsSet():
			fixed++
		}
	}
	if fixed > 0 {
		remarks = append(remarks, diag.Notef("%d of the jobs have a priority that an administrator has set, which stays", fixed))
	}
	for _, c := range changes {
		if c.IsSame {
			remarks = append(remarks, c.Remark())
		} else if strings.EqualFold(c.Name, "PriorityWeightTRES") {
			for _, text := range changed.IdleWeights() {
				remarks = append(remarks, diag.Warningf("%s", text))
			}
		}
	}
	if unknown > 0 {
		remarks = append(remarks, diag.Warningf("the priority of %s cannot be computed, as scontrol show job does not list them: it stays as it is here, whatever is set", report.Count(unknown, "job")))
		return after, remarks
	}
	for _, c := range changes {
		if c.IsSame || c.isOfUsageToCome() { // which is said
			continue
		}
		alone, changed := after, changed
		if len(changes) > 1 {
			var err error
			if changed, _, err = With(s, []string{c.Name + "=" + c.Value}); err != nil {
				continue // it goes with another one only
			}
			const first = 200 // jobs: a change of many jobs is seen among these
			if changesAny(valued(now, changed.FirstRows(first))) {
				continue
			}
			alone = sorted(now, changed)
		}
		switch {
		case changesAny(alone), c.isOfPreemption() && movesAny(alone):
		case strings.EqualFold(c.Name, "SLURM_VERSION"):
			remarks = append(remarks, diag.Notef("%s: priorities and the order of the queue are the same in all versions that are known; how passes, backfill and limits differ, and what starts when, formula when and formula replay say under --rules", c))
		case c.holds():
			remarks = append(remarks, sayHolds(changed, slices.Clone(alone), c))
		case c.isOfPreemption():
			remarks = append(remarks, diag.Warningf("%s changes the place of no job that Slurm considers", c))
		default:
			remarks = append(remarks, diag.Warningf("%s changes the priority and the tier of no job that Slurm considers", c))
		}
	}
	return after, remarks
}

// Ranks returns the ranks of the jobs of a site under settings, of which those on which no order depends change none.
func Ranks(s *order.Site, settings []string) map[string][]setup.Rank {
	changed, _, err := With(s, settings)
	if err != nil {
		settings = slices.DeleteFunc(slices.Clone(settings), func(x string) bool {
			_, _, err := With(s, []string{x})
			return err != nil
		})
		if changed, _, err = With(s, settings); err != nil {
			return nil
		}
	}
	return order.RanksOf(sorted(s.PlainRows(), changed))
}

// OfOrder returns those of some settings that With takes: all but those on which starts alone depend. One that is none is
// among them, for With to say so.
func OfOrder(settings []string) (list []string) {
	for _, text := range settings {
		if x := settingOf(text); x == nil || !x.isOfStartsAlone() {
			list = append(list, text)
		}
	}
	return list
}

// sorted returns the jobs in their order at a changed site.
func sorted(now []order.Row, changed *order.Site) []order.Row {
	after := valued(now, changed.UnsortedRows())
	changed.Sort(after)
	return after
}

// valued finds what rows of a changed site, in the order in which they are listed, were, and the priorities by which they are sorted.
func valued(now, after []order.Row) []order.Row {
	was := wasOf(now)
	for i := range after {
		r := &after[i]
		r.Was = was(i, r)
		switch old := r.Was; {
		case old == nil || r.Rank == 0:
		case math.IsNaN(old.Priority) || math.IsNaN(r.Priority) || old.IsSet():
			r.Value = old.Value
		default:
			const least = 1
			r.Value = max(least, old.Value+r.Priority-old.Priority)
		}
	}
	return after
}

// wasOf tells of each row, by where it is listed, what it was: hardly any setting changes which rows there are,
// so that nearly always it is the one of the same place in the list.
func wasOf(now []order.Row) func(i int, r *order.Row) *order.Row {
	listed := make([]*order.Row, len(now))
	for i := range now {
		listed[now[i].Listed] = &now[i]
	}
	var stored map[order.Place]*order.Row
	return func(i int, r *order.Row) *order.Row {
		if i < len(listed) && listed[i].IsAt(r) {
			return listed[i]
		}
		if stored == nil {
			stored = make(map[order.Place]*order.Row, len(now))
			for _, old := range listed {
				stored[old.Place()] = old
			}
		}
		return stored[r.Place()]
	}
}

// changesAny reports whether a priority or a tier is another than it was, of rows that Slurm considers.
func changesAny(rows []order.Row) bool {
	var none order.Row
	for i := range rows {
		r, old := &rows[i], cmp.Or(rows[i].Was, &none)
		if r.Rank > 0 && (r.Tier != old.Tier || r.Priority != old.Priority && !math.IsNaN(r.Priority)) {
			return true
		}
	}
	return false
}

// movesAny reports whether a row that Slurm considers has another place than it had.
func movesAny(rows []order.Row) bool {
	return slices.ContainsFunc(rows, func(r order.Row) bool { return r.Rank > 0 && (r.Was == nil || r.Rank != r.Was.Rank) })
}

// IsOfStartsAlone reports whether a change is one of which With knows nothing, since neither the order nor what holds a job
// depends on it.
func (c Change) IsOfStartsAlone() bool { return c.is((*setting).isOfStartsAlone) }

// Later returns those of some changes that act on usage to come, and so not on the order now.
func Later(changes []Change) (settings []string) {
	for _, c := range changes {
		if c.isOfUsageToCome() && !c.IsSame {
			settings = append(settings, c.Name+"="+c.Value)
		}
	}
	return settings
}

// isOfUsageToCome reports whether a change is one of how usage decays.
func (c Change) isOfUsageToCome() bool { return strings.EqualFold(c.Name, halfLife) }

// isOfPreemption reports whether a change is one of what the order depends on by preemption, which moves jobs and changes no
// priority.
func (c Change) isOfPreemption() bool { return c.is((*setting).isOfPreemption) }
