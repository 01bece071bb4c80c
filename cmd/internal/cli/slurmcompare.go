package cli

import (
	"cmp"

	"fairshare/cmd/internal/compare"
	"fairshare/cmd/internal/page"
	"fairshare/cmd/internal/report"
	"fairshare/cmd/internal/slurmcompare"
	"fairshare/cmd/internal/slurmsite"
)

// slurmNames are what the names are of by which jobs of Slurm are summed up.
var slurmNames = compareNames{"account", "partition", "qos", "user"}

// compareSlurm prints what settings change in the order of a Slurm site.
func (c *compareCmd) compareSlurm(s *session, at *slurmsite.Site) error {
	if len(c.Formula)+len(c.File)+len(c.SchedPriv) > 0 || c.NoFormula || c.Threshold != nil {
		return fail(exitUsage, "Slurm has no job_sort_formula: leave out -f, -F, --sched-priv, --no-formula and --threshold, and give --set")
	}
	changed, changes, err := at.With(c.Set)
	if err != nil {
		return err
	}
	before := at.Rows()
	after, remarks := at.After(before, changed, changes)
	s.say(at.Differences()...)
	s.say(remarks...)
	s.say(at.NoJobOf(c.User, c.Queue)...)
	d := slurmcompare.Between(before, after, changes)
	shown := d.Select(func(m *compare.Move) bool { return c.has(m.User, m.Queue) })
	switch c.Output {
	case "json":
		err = s.encode(newSlurmDifference(shown))
	case "csv":
		err = printSlurmDifferenceCSV(s, shown)
	default:
		err = c.print(s, shown, slurmNames)
	}
	if err == nil {
		err = c.pageFlag.write(s, len(before) == 0, func() page.Data { return slurmcompare.Page(d, at, changed) })
	}
	if err == nil && !d.IsNone() {
		err = failure{code: exitDiffers}
	}
	return err
}

// slurmDifference is a difference of two orders in JSON, in the words of Slurm.
type slurmDifference struct {
	Old        string            `json:"old"`
	New        string            `json:"new"`
	Jobs       int               `json:"jobs"`
	Moved      int               `json:"moved"`
	Tau        *report.Number    `json:"tau"`
	TauB       *report.Number    `json:"tau_b"`
	Values     int               `json:"values_changed"`
	Largest    *report.Number    `json:"largest_value_change"`
	Overlap    []compare.Overlap `json:"overlap"`
	Accounts   []compare.Shift   `json:"by_account"`
	Partitions []compare.Shift   `json:"by_partition"`
	QOS        []compare.Shift   `json:"by_qos"`
	Users      []compare.Shift   `json:"by_user"`
	Moves      []slurmMove       `json:"moves"`
}

// slurmMove is a job with its places in both orders.
type slurmMove struct {
	ID        string         `json:"id"`
	User      string         `json:"user"`
	Account   string         `json:"account"`
	Partition string         `json:"partition"`
	QOS       string         `json:"qos"`
	OldRank   *int           `json:"old_rank"` // null if Slurm does not consider it
	NewRank   *int           `json:"new_rank"`
	Change    *int           `json:"change"` // places, positive is earlier
	OldValue  *report.Number `json:"old_value"`
	NewValue  *report.Number `json:"new_value"`
	Reason    string         `json:"reason"`
}

func newSlurmDifference(d *compare.Difference) slurmDifference {
	list := []slurmMove{}
	for _, m := range d.Moves {
		list = append(list, slurmMove{m.ID, m.User, m.Entity, m.Queue, m.Group, m.OldRank, m.NewRank, m.Change, m.OldValue, m.NewValue, cmp.Or(m.NewReason, m.OldReason)})
	}
	return slurmDifference{d.Old, d.New, d.Jobs, d.Moved, d.Tau, d.TauB, d.Values, d.Largest, d.Overlap, d.Entities, d.Queues, d.Groups, d.Projects, list}
}

func printSlurmDifferenceCSV(s *session, d *compare.Difference) error {
	w := report.NewCSV(s.out)
	w.Write("id", "user", "account", "partition", "qos", "old_rank", "new_rank", "change", "old_value", "new_value", "reason")
	for _, m := range d.Moves {
		w.Write(m.ID, m.User, m.Entity, m.Queue, m.Group, report.Rank(m.OldRank), report.Rank(m.NewRank), report.Rank(m.Change),
			report.OrEmpty(m.OldValue), report.OrEmpty(m.NewValue), cmp.Or(m.NewReason, m.OldReason))
	}
	return w.Flush()
}
