package door

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/flux/order"
	"fairshare/cmd/internal/report"
	"fairshare/cmd/internal/site"
)

// Order implements site.Orderer.
func (s *Site) Order(ctx context.Context, q site.Ordering) (*site.Order, error) {
	switch {
	case len(q.Settings) > 0:
		return nil, diag.Requestf("formula compare shows what --set changes at a site of flux")
	case q.Records:
		return nil, diag.Requestf("-o jobs is for a list of PBS: flux jobs prints the records of flux")
	}
	at, err := s.read(ctx)
	if err != nil {
		return nil, err
	}
	all := at.Rows()
	out := &site.Order{}
	var rows []order.Row
	for _, r := range all {
		if (r.Rank > 0 || q.All) && q.Has(r.Job.User, "", r.Job.Queue) && (q.Top == 0 || len(rows) < q.Top) {
			rows, out.IDs = append(rows, r), append(out.IDs, r.Job.ID)
		}
	}
	s.to.Say(at.Differences(all)...)
	s.to.Say(ofOrder(at, all)...)
	remarks, err := at.CheckNames(q.Users, q.Queues)
	if s.to.Say(remarks...); err != nil {
		return nil, err
	}
	if len(rows) == 0 && len(q.Users)+len(q.Queues) > 0 && len(all) > 0 {
		s.to.Say(diag.NoneOf(slices.Concat(q.Users, q.Queues), "is considered"))
	}
	out.Jobs = listing(rows, columns(rows))
	return out, nil
}

// ofOrder says what is to be known of the order of a site.
func ofOrder(at *order.Site, rows []order.Row) (remarks []diag.Remark) {
	considered, held, limited := 0, 0, 0
	for _, r := range rows {
		switch {
		case r.Limit != "":
			limited++
		case r.Rank > 0:
			considered++
			if r.Value == 0 {
				held++
			}
		}
	}
	if considered == 0 {
		remarks = append(remarks, diag.Notef("no job waits for the scheduler (state SCHED)"))
	}
	if held > 0 {
		remarks = append(remarks, diag.Warningf("%s of priority 0, which is a hold: such a job never starts, on an empty machine too", report.Count(held, "job")))
	}
	if limited > 0 {
		remarks = append(remarks, diag.Notef("%s by limits before having a priority: --all shows them with the limit", heldCount(limited)))
	}
	if at.IsFluxion && considered > 0 {
		remarks = append(remarks, diag.Notef("under Fluxion each queue is a list of its own, even where queues share nodes: queue_rank is a job's place in it"))
	}
	return remarks
}

// heldCount returns that so many jobs are held.
func heldCount(n int) string {
	if n == 1 {
		return "1 job is held"
	}
	return report.Count(n, "job") + " are held"
}

// Priorities implements site.Prioritizer.
func (s *Site) Priorities(ctx context.Context, users []string, most int) (report.Sheet, error) {
	at, err := s.read(ctx)
	if err != nil {
		return nil, err
	}
	all := at.Rows()
	s.to.Say(at.Differences(all)...)
	remarks, err := at.CheckNames(users, nil)
	if s.to.Say(remarks...); err != nil {
		return nil, err
	}
	rows := slices.DeleteFunc(all, func(r order.Row) bool { return r.Rank == 0 || users != nil && !slices.Contains(users, r.Job.User) })
	if most > 0 {
		rows = rows[:min(most, len(rows))]
	}
	return listing(rows, termColumns()), nil
}

// row is a row of an order with all that is printed of it.
type row struct {
	order.Row
	line   order.Line
	points []float64 // in the order of order.TermNames
}

// listing returns rows as they are printed.
func listing(rows []order.Row, columns []report.Column[row]) report.Sheet {
	return &report.Listing[row]{
		Columns: columns,
		Rows: func(yield func(row) bool) {
			for _, r := range rows {
				if !yield(row{r, r.Line(), r.Points()}) {
					return
				}
			}
		},
		Line: func(r row) any { return r.line },
	}
}

// text returns a column of a text, which has no title where the table does not show it.
func text(title, name string, of func(row) string) report.Column[row] {
	c := report.Column[row]{Name: name, Cell: of}
	if title != "" {
		c.Title, c.Text = title, of
	}
	return c
}

// columns returns the columns of an order. The table has those of which some row has something.
func columns(rows []order.Row) []report.Column[row] {
	titleIf := func(title string, is func(order.Row) bool) string {
		if slices.ContainsFunc(rows, is) {
			return title
		}
		return ""
	}
	mark := func(r row) string {
		switch {
		case r.line.Difference != "":
			return "*"
		case r.Why != "":
			return "~"
		}
		return ""
	}
	list := []report.Column[row]{
		{Title: "RANK", Text: func(r row) string { return report.DashIfEmpty(report.Rank(r.line.Rank)) }, Right: true, Name: "rank", Cell: func(r row) string { return report.Rank(r.line.Rank) }},
		text("JOB", "id", func(r row) string { return r.line.ID }),
		{Title: "PRIORITY", Text: func(r row) string { return value(r, r.Value) }, Right: true, Name: "value", Cell: func(r row) string { return value(r, r.Value) }},
		{Text: mark, Name: "computed", Cell: func(r row) string { return value(r, r.Computed) }},
		text("USER", "user", func(r row) string { return r.line.User }),
		text("BANK", "bank", func(r row) string { return r.line.Bank }),
		text("QUEUE", "queue", func(r row) string { return r.line.Queue }),
		{Title: "IN QUEUE", Text: func(r row) string { return report.DashIfEmpty(report.Rank(r.line.QueueRank)) }, Right: true, Name: "queue_rank", Cell: func(r row) string { return report.Rank(r.line.QueueRank) }},
		{Title: "URGENCY", Text: func(r row) string { return strconv.Itoa(r.line.Urgency) }, Right: true, Name: "urgency", Cell: func(r row) string { return strconv.Itoa(r.line.Urgency) }},
		text("", "project", func(r row) string { return r.line.Project }),
		text("", "state", func(r row) string { return r.line.State }),
		text("", "number", func(r row) string { return r.line.Number }),
		text("FACTOR OF", "factor_queue", func(r row) string { return r.line.Factor }),
		text(titleIf("REASON", func(r order.Row) bool { return r.Reason != "" }), "reason", func(r row) string { return r.line.Reason }),
		{Name: "limit", Cell: func(r row) string { return r.line.Limit }},
		text("", "inferred", func(r row) string { return r.line.Inferred }),
		text("", "difference", func(r row) string { return r.line.Difference }),
	}
	if slices.ContainsFunc(rows, func(r order.Row) bool { return r.Limit != "" }) {
		list = append(list, report.Column[row]{Title: "LIMIT", Text: func(r row) string { return strings.TrimPrefix(r.Limit, r.Reason+" ") }})
	}
	for _, name := range order.TermNames {
		list = append(list, report.Column[row]{Name: name, Cell: func(r row) string { return report.OrEmpty(points(r, name)) }})
	}
	return list
}

// points returns what a term adds to the priority of a row, nil for none.
func points(r row, name string) *report.Number {
	if x, ok := r.line.Terms[name]; ok {
		return &x
	}
	return nil
}

// value returns a priority; a job that has no place has none yet.
func value(r row, x float64) string {
	if r.Rank == 0 {
		return ""
	}
	return report.Fixed(x, 0)
}

// termColumns returns the columns of priorities term by term.
func termColumns() []report.Column[row] {
	list := []report.Column[row]{
		text("JOB", "id", func(r row) string { return r.line.ID }),
		text("USER", "user", func(r row) string { return r.line.User }),
		text("BANK", "bank", func(r row) string { return r.line.Bank }),
		text("QUEUE", "queue", func(r row) string { return r.line.Queue }),
		text("FACTOR OF", "factor_queue", func(r row) string { return r.line.Factor }),
	}
	number := func(title, name string, of func(row) float64) {
		list = append(list, report.Column[row]{Title: title, Text: func(r row) string { return report.Fixed(of(r), 0) }, Right: true, Name: name, Cell: func(r row) string { return report.Plain(of(r)) }})
	}
	for i, name := range order.TermNames {
		title, _, _ := strings.Cut(name, "_")
		number(strings.ToUpper(title), name, func(r row) float64 { return r.points[i] })
	}
	number("PRIORITY", "computed", func(r row) float64 { return r.Computed })
	number("IN FLUX", "value", func(r row) float64 { return r.Value })
	return list
}
