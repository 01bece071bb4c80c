package door

import (
	"cmp"
	"context"
	"io"
	"slices"

	"fairshare/cmd/internal/compare"
	"fairshare/cmd/internal/page"
	"fairshare/cmd/internal/report"
	"fairshare/cmd/internal/site"
	slurmcompare "fairshare/cmd/internal/slurm/compare"
	"fairshare/cmd/internal/slurm/dump"
	"fairshare/cmd/internal/slurm/set"
)

// Compare implements site.Comparer.
func (s *Site) Compare(ctx context.Context, c site.Change) (*site.Comparison, error) {
	printed, err := s.printed(ctx, dump.ForNow)
	if err != nil {
		return nil, err
	}
	at, err := s.order(printed)
	if err != nil {
		return nil, err
	}
	if err = s.expand(printed, &c.Settings, ofOrder(at)); err != nil {
		return nil, err
	}
	changed, changes, err := set.With(at, c.Settings)
	if err != nil {
		return nil, err
	}
	before := at.Rows()
	after, remarks := set.After(at, before, changed, changes)
	s.to.Say(at.Differences()...)
	s.to.Say(append(remarks, set.AsSet(at.Preemption(), c.Settings)...)...)
	said, err := at.CheckNames(c.Users, c.Accounts, c.Queues)
	if s.to.Say(said...); err != nil {
		return nil, err
	}
	d := slurmcompare.Between(before, after, changes)
	shown := d.Select(func(m *compare.Move) bool { return c.Has(m.User, m.Entity, m.Queue) })
	listed := newDifference(shown)
	return &site.Comparison{
		Difference: shown, Differs: !d.IsNone(), Parties: [4]string{"account", "partition", "qos", "user"}, IsEmpty: len(before) == 0, Later: set.Later(changes),
		JSON: func(notes []string) any {
			listed.Notes = notes
			return listed
		},
		CSV:  func(w io.Writer) error { return report.WriteRows(w, slices.Values(listed.Moves)) },
		Page: func() page.Data { return slurmcompare.Page(d, at, changed) },
	}, nil
}

// Difference is a difference of two orders in JSON, in the words of Slurm.
type Difference struct {
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
	Moves      []Move            `json:"moves"`
	Notes      []string          `json:"notes"` // what is said of it, such as why jobs move
}

// Move is a job with its places in both orders.
type Move struct {
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

func newDifference(d *compare.Difference) Difference {
	list := []Move{}
	for _, m := range d.Moves {
		list = append(list, Move{m.ID, m.User, m.Entity, m.Queue, m.Group, m.OldRank, m.NewRank, m.Change, m.OldValue, m.NewValue, cmp.Or(m.NewReason, m.OldReason)})
	}
	return Difference{d.Old, d.New, d.Jobs, d.Moved, d.Tau, d.TauB, d.Values, d.Largest, d.Overlap, d.Entities, d.Queues, d.Groups, d.Projects, list, nil}
}
