package door

import (
	"cmp"
	"context"
	"errors"
	"io"
	"slices"
	"strings"
	"time"

	"fairshare/cmd/internal/compare"
	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/forecast"
	"fairshare/cmd/internal/outcome"
	"fairshare/cmd/internal/page"
	"fairshare/cmd/internal/report"
	"fairshare/cmd/internal/site"
	"fairshare/cmd/internal/slurm"
	slurmcompare "fairshare/cmd/internal/slurm/compare"
	"fairshare/cmd/internal/slurm/dump"
	slurmforecast "fairshare/cmd/internal/slurm/forecast"
	"fairshare/cmd/internal/slurm/order"
	"fairshare/cmd/internal/slurm/sched"
	"fairshare/cmd/internal/slurm/set"
	"fairshare/cmd/internal/slurm/setup"
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
	starts := s.newStarts(at, printed, c.On.Zone)
	changing := ofOrder(at)
	if starts.err == nil {
		changing = s.ofStarts(at, printed, c.On.Zone)
	}
	if err = s.expand(printed, &c.Settings, changing); err != nil {
		return nil, err
	}
	ofOrder := c.Settings
	if starts.err == nil {
		ofOrder = set.OfOrder(c.Settings)
	}
	changed, changes, err := set.With(at, ofOrder)
	if err != nil {
		return nil, err
	}
	asSet, err := set.AsSet(at.Preemption(), c.Settings)
	if err != nil {
		return nil, err
	}
	before := at.Rows()
	after, remarks := set.After(at, before, changed, changes)
	s.to.Say(at.Differences()...)
	s.to.Say(append(remarks, asSet...)...)
	said, err := at.CheckNames(c.Users, c.Accounts, c.Queues)
	if s.to.Say(said...); err != nil {
		return nil, err
	}
	d := slurmcompare.Between(before, after, changes)
	for _, setting := range c.Settings {
		if !slices.Contains(ofOrder, setting) { // on which starts alone depend
			d.New = strings.TrimPrefix(d.New+", "+starts.told(setting), ", ")
		}
	}
	if err := starts.compare(ctx, d, c.Settings, len(ofOrder) == len(c.Settings)); err != nil {
		return nil, err
	}
	shown := d.Select(func(m *compare.Move) bool { return c.Has(m.User, m.Entity, m.Queue) })
	listed := newDifference(shown)
	return &site.Comparison{
		Difference: shown, Differs: !d.IsNone() || d.ChangesStarts(), Parties: [4]string{"account", "partition", "qos", "user"}, IsEmpty: len(before) == 0, Later: set.Later(changes),
		JSON: func(notes []string) any {
			listed.Notes = notes
			return listed
		},
		CSV:  func(w io.Writer) error { return report.WriteRows(w, slices.Values(listed.Moves)) },
		Page: func() page.Data { return slurmcompare.Page(d, at, changed) },
	}, nil
}

// starts are who starts at a site right now.
type starts struct {
	to      *site.Console
	now     *setup.Site
	zone    *time.Location
	remarks []diag.Remark
	err     error // why nobody can tell
}

func (s *Site) newStarts(at *order.Site, printed *dump.Dump, zone *time.Location) *starts {
	of := &starts{to: s.to, zone: zone}
	if of.now, of.remarks, of.err = at.Now(printed, slurm.OnStarts, zone); of.isHidden() {
		of.err = errors.New(of.now.Hidden)
	}
	return of
}

// told returns a setting with what it was before, where that is known.
func (s *starts) told(setting string) string {
	_, changes, err := set.ChangeSetup(s.now.Setup, []string{setting})
	if err != nil || len(changes) != 1 { // which judge says
		return setting
	}
	return changes[0].String()
}

// isHidden reports whether what others have is not known.
func (s *starts) isHidden() bool { return s.now != nil && s.now.Hidden != "" }

// judge returns what a main pass and a cycle of backfill right now make of each job that waits, with some settings, by its ID in the list.
func (s *starts) judge(ctx context.Context, settings []string) (map[string]forecast.CycleResult, []diag.Remark, error) {
	remarks := asTried(s.remarks, settings)
	if s.err != nil {
		return nil, remarks, s.err
	}
	return slurmforecast.Judge(ctx, s.now, settings, s.zone, remarks)
}

// compare finds what becomes of who starts with some settings. Where nobody can tell it is said why, also of settings that an order takes and
// who starts does not.
func (s *starts) compare(ctx context.Context, d *compare.Difference, settings []string, areOfOrder bool) error {
	untold := func(err error) error {
		s.to.Say(diag.Generalf("who starts right now is not compared: %v", err))
		return nil
	}
	if s.err != nil {
		return untold(s.err)
	}
	was, _, err := s.judge(ctx, nil)
	if err != nil {
		return err
	}
	is, remarks, err := s.judge(ctx, settings)
	switch {
	case err != nil && areOfOrder && ctx.Err() == nil:
		return untold(err)
	case err != nil:
		return err
	}
	s.to.Say(compare.OfStarts(remarks)...)
	if d.FindStarts(was, is); d.Starts != nil {
		d.Starts.FindHeld(d, "a limit or the state of their partition", was, is, isKeptBack)
	}
	return nil
}

// isKeptBack reports whether a job waits for a limit or for the state of its partition.
func isKeptBack(of forecast.CycleResult) bool {
	word, _, _ := strings.Cut(of.Reason, " (")
	return sched.IsLimit(word) || strings.HasPrefix(of.Reason, outcome.Held+"partition ")
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
	Starts     *compare.Starts   `json:"starts"` // null where nobody can tell who starts
	Notes      []string          `json:"notes"`  // what is said of it, such as why jobs move
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
	return Difference{d.Old, d.New, d.Jobs, d.Moved, d.Tau, d.TauB, d.Values, d.Largest, d.Overlap, d.Entities, d.Queues, d.Groups, d.Projects, list, d.Starts, nil}
}
