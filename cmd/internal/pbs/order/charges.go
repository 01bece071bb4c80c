package order

import (
	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/pbs"
	"fairshare/cmd/internal/pbs/cycle"
	"fairshare/cmd/internal/pbs/joblist"
	"fairshare/cmd/internal/report"
)

// Within a cycle, PBS adds what a job asks for to its entity's usage when the job starts, and when it becomes a top
// job. Jobs that do neither add nothing, so that on a full machine the order is another one than that in which every
// job starts. Who does what only the vnodes tell.

// Judge goes through a cycle of the scheduler at a site, and returns what it makes of each job of a list, by its ID.
type Judge func(at *pbs.Site, list *joblist.List) (map[string]cycle.Fate, []diag.Remark, error)

// inOrder returns rows in the order in which the scheduler considers them.
func (o *Order) inOrder(considered []int32) ([]int32, []diag.Remark) {
	p := o.Plan
	rows, turns := cycle.Order(o.jobs, considered, o.growing(), p.Static)
	if p.Judge == nil || p.Static || p.AllStart || !turns {
		return rows, nil
	}
	fates, remarks, err := p.Judge(p.Site, o.List)
	if err != nil {
		return rows, []diag.Remark{diag.Warningf("the order is that in which every job starts, since it is not known which do: %v", err)}
	}
	starts, tops := 0, 0
	for _, row := range considered {
		fate := fates[o.List.Job(int(row)).ID]
		starts += int(fate.Starts)
		if fate.IsTop {
			tops++
		}
	}
	rows, _ = cycle.OrderBy(o.jobs, considered, o.growing(), func(row int32) cycle.Fate { return fates[o.List.Job(int(row)).ID] })
	return rows, append(remarks, diag.Notef("the order is that of a cycle right now, in which %s and %d planned add to usage (--all-start: all jobs)", verb(starts), tops))
}

// verb says how many jobs start.
func verb(n int) string {
	if n == 1 {
		return "1 job that starts"
	}
	return report.Count(n, "job") + " that start"
}

// growing returns the settings of a cycle whose jobs may add to usage: that of the order stays as it is when the cycle
// begins.
func (o *Order) growing() cycle.Settings {
	s := o.settings
	if s.Costs != nil {
		s.Tree = o.Tree.Clone()
	}
	return s
}
