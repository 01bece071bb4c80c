package door

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"

	"fairshare/cmd/internal/accounts"
	"fairshare/cmd/internal/compare"
	"fairshare/cmd/internal/diag"
	fluxcompare "fairshare/cmd/internal/flux/compare"
	"fairshare/cmd/internal/flux/dump"
	"fairshare/cmd/internal/flux/metrics"
	"fairshare/cmd/internal/flux/obfuscate"
	"fairshare/cmd/internal/flux/order"
	"fairshare/cmd/internal/page"
	"fairshare/cmd/internal/report"
	"fairshare/cmd/internal/site"
	"fairshare/cmd/internal/terms"
)

// under returns the rows of a site that settings have changed, and that site.
func (s *Site) under(at *order.Site, rows []order.Row, settings []string) (*order.Site, []order.Row, error) {
	if len(settings) == 0 {
		return at, rows, nil
	}
	changed, err := at.With(settings)
	if err != nil {
		return nil, nil, &diag.RequestError{Err: err}
	}
	after, remarks := at.After(rows, changed, settings)
	s.to.Say(remarks...)
	return changed, after, nil
}

// Explain implements site.Explainer.
func (s *Site) Explain(ctx context.Context, q site.Question) (*site.Answer, error) {
	at, err := s.read(ctx)
	if err != nil {
		return nil, err
	}
	at, rows, err := s.under(at, at.Rows(), q.Settings)
	if err != nil {
		return nil, err
	}
	row, err := rowOf(at, rows, q)
	if err != nil {
		return nil, &diag.RequestError{Err: err}
	}
	if q.Vs == "" {
		e := at.Explain(rows, row)
		return &site.Answer{JSON: e, Print: func(to *report.Printer) error {
			printHeading(to, e)
			return printTerms(to, e)
		}}, nil
	}
	other, err := at.Other(rows, row, q.Vs)
	if err != nil {
		return nil, &diag.RequestError{Err: err}
	}
	v := at.Compare(rows, row, other)
	if q.Vs == other.Job.User {
		v.Places = compare.PlacesOf([2]string{row.Job.User, other.Job.User}, slices.Values(rows), func(r order.Row) (string, int, string, string) { return r.Job.User, r.Rank, r.Job.ID, r.Reason })
	}
	return &site.Answer{JSON: v, Print: func(to *report.Printer) error {
		compare.PrintPlaces(to, v.Places)
		printHeading(to, v.Job)
		return printVersus(to, v)
	}}, nil
}

// rowOf returns the row of the job that a question is about.
func rowOf(at *order.Site, rows []order.Row, q site.Question) (order.Row, error) {
	if q.User == "" {
		row, err := order.Find(rows, q.Job)
		if state := at.StateOf(q.Job); err != nil && state != "" {
			err = fmt.Errorf("job %s does not wait: its state is %s", q.Job, state)
		}
		return row, err
	}
	return at.FirstOf(rows, q.User)
}

// printHeading says whose job it is, where it stands and what put it there.
func printHeading(to *report.Printer, e order.Explanation) {
	fmt.Fprintf(to, "job %s (%s) of %s, bank %s, queue %s, urgency %d\n", report.Printable(e.ID), e.Number, report.Printable(e.User), report.Printable(e.Bank), report.Printable(e.Queue), e.Urgency)
	switch {
	case e.Rank == nil && e.Limit != "":
		fmt.Fprintf(to, "a limit holds it, before flux gives it a priority: %s\n", report.Printable(e.Limit))
	case e.Rank == nil:
		fmt.Fprintf(to, "flux's scheduler does not consider it: %s\n", report.Printable(e.Reason))
	default:
		fmt.Fprintf(to, "rank %d of %d, number %d of its queue, priority %s", *e.Rank, e.Of, *e.QueueRank, report.Fixed(float64(*e.Value), 0))
		fmt.Fprintln(to, terms.Ahead(*e.Rank, e.Ahead, order.Keys))
	}
	for _, text := range e.Says {
		fmt.Fprintln(to, report.Printable(text))
	}
	if e.Difference != "" {
		fmt.Fprintf(to, "the priorities differ: %s\n", report.Printable(e.Difference))
	}
}

// printTerms prints what makes up a priority.
func printTerms(to *report.Printer, e order.Explanation) error {
	if len(e.Parts) == 0 {
		return nil
	}
	return terms.Print(to, e.Parts, float64(*e.Computed), report.Plain)
}

// printVersus prints what makes up two priorities, and which of the jobs goes first.
func printVersus(to *report.Printer, v order.Versus) error {
	if len(v.Pairs) > 0 {
		if err := terms.PrintPairs(to, v.Pairs, float64(*v.Job.Computed), v.Other.ID, float64(*v.Other.Computed), report.Plain); err != nil {
			return err
		}
	}
	switch {
	case v.First != "":
		fmt.Fprintf(to, "\njob %s goes first: by %s\n", report.Printable(v.First), v.By)
	case v.Other.Rank == nil:
		fmt.Fprintf(to, "\nflux's scheduler does not consider job %s: %s\n", report.Printable(v.Other.ID), report.Printable(cmp.Or(v.Other.Limit, v.Other.Reason)))
	}
	for _, text := range v.Says {
		fmt.Fprintln(to, report.Printable(text))
	}
	return nil
}

// Compare implements site.Comparer.
func (s *Site) Compare(ctx context.Context, c site.Change) (*site.Comparison, error) {
	if len(c.Settings) == 0 {
		return nil, diag.Requestf("--set says what changes, such as --set weight.queue=0, queue.debug=5, bank.physics=20, physics.shares=40 or physics/ann.usage=0")
	}
	at, err := s.read(ctx)
	if err != nil {
		return nil, err
	}
	before := at.Rows()
	_, after, err := s.under(at, before, c.Settings)
	if err != nil {
		return nil, err
	}
	s.to.Say(at.Differences(before)...)
	remarks, err := at.CheckNames(c.Users, c.Queues)
	if s.to.Say(remarks...); err != nil {
		return nil, err
	}
	d := fluxcompare.Between(before, after, c.Settings)
	shown := d.Select(func(m *compare.Move) bool { return c.Has(m.User, "", m.Queue) })
	said := newDifference(shown)
	return &site.Comparison{
		Difference: shown, Differs: !d.IsNone(), Parties: [4]string{"bank", "queue", "project", "user"}, IsEmpty: len(before) == 0,
		JSON: func(notes []string) any {
			said.Notes = notes
			return said
		},
		CSV:  func(w io.Writer) error { return report.WriteRows(w, slices.Values(said.Moves)) },
		Page: func() page.Data { return fluxcompare.Page(d, at) },
	}, nil
}

// Difference is a difference of two orders in JSON, in the words of flux.
type Difference struct {
	Old      string            `json:"old"`
	New      string            `json:"new"`
	Jobs     int               `json:"jobs"`
	Moved    int               `json:"moved"`
	Tau      *report.Number    `json:"tau"`
	TauB     *report.Number    `json:"tau_b"`
	Values   int               `json:"values_changed"`
	Largest  *report.Number    `json:"largest_value_change"`
	Overlap  []compare.Overlap `json:"overlap"`
	Banks    []compare.Shift   `json:"by_bank"`
	Queues   []compare.Shift   `json:"by_queue"`
	Projects []compare.Shift   `json:"by_project"`
	Users    []compare.Shift   `json:"by_user"`
	Moves    []Move            `json:"moves"`
	Notes    []string          `json:"notes"` // what is said of it
}

// Move is a job with its places in both orders.
type Move struct {
	ID       string         `json:"id"`
	User     string         `json:"user"`
	Bank     string         `json:"bank"`
	Queue    string         `json:"queue"`
	Project  string         `json:"project"`
	OldRank  *int           `json:"old_rank"` // null if flux does not consider it
	NewRank  *int           `json:"new_rank"`
	Change   *int           `json:"change"` // places, positive is earlier
	OldValue *report.Number `json:"old_value"`
	NewValue *report.Number `json:"new_value"`
	Reason   string         `json:"reason"`
}

func newDifference(d *compare.Difference) Difference {
	list := []Move{}
	for _, m := range d.Moves {
		list = append(list, Move{m.ID, m.User, m.Entity, m.Queue, m.Group, m.OldRank, m.NewRank, m.Change, m.OldValue, m.NewValue, cmp.Or(m.NewReason, m.OldReason)})
	}
	return Difference{d.Old, d.New, d.Jobs, d.Moved, d.Tau, d.TauB, d.Values, d.Largest, d.Overlap, d.Entities, d.Queues, d.Groups, d.Projects, list, nil}
}

// Measure implements site.Measurer.
func (s *Site) Measure(ctx context.Context, p site.Policy, w io.Writer) error {
	if len(p.Settings) > 0 {
		return diag.Requestf("metrics are of a site of flux as it is: leave out --set")
	}
	at, err := s.read(ctx)
	if err != nil {
		return err
	}
	return metrics.Write(w, at)
}

// Tree implements site.Sharer.
func (s *Site) Tree(ctx context.Context, from accounts.Format, settings []string) (site.Tree, error) {
	if len(settings) > 0 {
		return site.Tree{}, diag.Requestf("formula compare SITE --set BANK.shares=N shows what other shares do to the order at a site of flux")
	}
	d, err := s.printed(ctx)
	if err != nil {
		return site.Tree{}, err
	}
	if !d.Has(dump.KindUsers) && !d.Has(dump.KindTree) && !d.Has(dump.KindBankInfo) && d.Has(dump.KindShares) {
		tree, format, err := accounts.ReadTree(d.All(dump.KindShares)[0].Source, from)
		if err != nil {
			return site.Tree{}, err
		}
		s.to.Say(dated(d.Name, d.Asked, d.Remarks)...)
		s.to.Say(diag.Warningf("%s does not tell who is disabled: all count as active, and fairshare is another one where somebody is not (flux account list-users --json tells it)", d.Name))
		return site.Tree{Associations: tree, Format: format}, err
	}
	at := &order.Site{Name: d.Name, Accounts: d.Accounts(nil)}
	tree, remarks, err := at.Tree()
	s.to.Say(dated(d.Name, d.Asked, d.Remarks)...)
	s.to.Say(remarks...)
	switch {
	case err != nil:
		return site.Tree{}, err
	case tree == nil:
		return site.Tree{}, d.Lacks("banks and users with their shares: flux account list-banks --json and list-users --json print them")
	case !at.TellsActive:
		s.to.Say(diag.Warningf("%s does not tell who is disabled: all count as active, and fairshare is another one where somebody is not (flux account list-users --json tells it)", at.From))
	}
	s.to.Say(at.StoredDiffers(tree)...)
	return site.Tree{Associations: tree, Format: accounts.Flux, Taken: d.Asked}, nil
}

// Collect implements site.Collector.
func (s *Site) Collect(ctx context.Context, c site.Collecting) (site.Snapshot, error) {
	d, err := s.printed(ctx)
	if err == nil && c.Obfuscate {
		d, err = obfuscate.Copy(d, c.Shift)
	}
	if err != nil {
		return nil, err
	}
	s.to.Say(d.Remarks...)
	return d, nil
}
