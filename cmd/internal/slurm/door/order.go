package door

import (
	"context"
	"fmt"
	"iter"
	"math"
	"slices"
	"strconv"
	"strings"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/outcome"
	"fairshare/cmd/internal/report"
	"fairshare/cmd/internal/site"
	"fairshare/cmd/internal/slurm"
	"fairshare/cmd/internal/slurm/dump"
	"fairshare/cmd/internal/slurm/order"
)

// Order implements site.Orderer.
func (s *Site) Order(ctx context.Context, q site.Ordering) (*site.Order, error) {
	switch {
	case len(q.Settings) > 0:
		return nil, diag.Requestf("formula compare shows what --set and --rules change at a Slurm site")
	case q.Records:
		return nil, diag.Requestf("-o jobs is for a list of PBS: the records of a Slurm site stand in several files")
	}
	at, err := s.read(ctx)
	if err != nil {
		return nil, err
	}
	out := &site.Order{}
	var rows []order.Row
	for _, r := range at.Rows() {
		if (r.Rank > 0 || q.All) && q.Has(r.Job.User, r.Partition) && (q.Top == 0 || len(rows) < q.Top) {
			rows, out.IDs = append(rows, r), append(out.IDs, r.Job.ID)
		}
	}
	s.to.Say(at.Differences()...)
	s.to.Say(at.NoJobOf(q.Users, q.Queues)...)
	out.Jobs, out.Closing = newListing(rows), legend(rows)
	return out, nil
}

// Priorities implements site.Prioritizer.
func (s *Site) Priorities(ctx context.Context, users []string, most int) (report.Sheet, error) {
	at, err := s.read(ctx)
	if err != nil {
		return nil, err
	}
	if at.LacksConf() {
		return nil, &dump.MissingError{Name: at.Name, What: "scontrol show config, node and partition (or slurm.conf), without which no priority is computed: formula sort shows those that sprio or squeue prints"}
	}
	if at.Conf.Basic {
		return nil, fmt.Errorf("%s: %w", at.Name, slurm.ErrBasic)
	}
	s.to.Say(at.Differences()...)
	return at.Ranking().Sheet(users, most), nil
}

// row is a row of an order with all that is printed of it.
type row struct {
	order.Row
	line   order.Line
	points []float64 // in the order of order.TermNames
}

// newListing returns rows of an order as they are printed.
func newListing(rows []order.Row) report.Sheet {
	isHeld := slices.ContainsFunc(rows, func(r order.Row) bool { return r.Limit != nil || r.Never != nil })
	list := &report.Listing[row]{
		Columns: columns(isHeld, slices.ContainsFunc(rows, func(r order.Row) bool { return r.Job.Site != 0 })),
		Rows: func(yield func(row) bool) {
			for _, r := range rows {
				if !yield(row{r, r.Line(), r.Points()}) {
					return
				}
			}
		},
		Line: func(r row) any { return r.line },
	}
	for i := range list.Columns { // a table lacks what nothing tells of any row
		if c := &list.Columns[i]; c.IsDetail && c.Text != nil && len(rows) > 0 && !says(list.Rows, c.Text) {
			c.Text = nil
		}
	}
	return list
}

// says reports whether a column says something of any row.
func says(rows iter.Seq[row], text func(row) string) bool {
	for r := range rows {
		if !report.IsBlank(text(r)) {
			return true
		}
	}
	return false
}

// limitOf says what holds a row's job, beside its reason.
func limitOf(r row) string {
	is := func(text string) string { return strings.TrimPrefix(text, r.Reason+": ") }
	if r.line.Never != "" {
		return outcome.Never + is(r.line.Never)
	}
	return is(r.line.Limit)
}

// isReserved reports whether a row goes first by a reservation.
func isReserved(r order.Row) bool { return r.Rank > 0 && r.Reservation() != "" }

// legend says what the letters behind priorities mean, where there are any.
func legend(rows []order.Row) (remarks []diag.Remark) {
	if slices.ContainsFunc(rows, isReserved) {
		remarks = append(remarks, diag.Notef("r behind a priority: the job is of a reservation, or one attracts it (MAGNETIC), and goes before those that have none, whatever their priorities"))
	}
	if slices.ContainsFunc(rows, func(r order.Row) bool { return r.IsPreemptable }) {
		remarks = append(remarks, diag.Notef("p behind a priority: jobs that may preempt it go before it, though their priorities are lower"))
	}
	if slices.ContainsFunc(rows, func(r order.Row) bool { nice := r.Points()[len(order.TermNames)-1]; return nice > 0 || nice < 0 }) {
		remarks = append(remarks, diag.Notef("NICE is subtracted: a job with a positive one has so much less priority"))
	}
	return remarks
}

// columns returns the columns of an order; isHeld is whether a limit holds any job, and hasSite whether any has a factor
// of the site.
func columns(isHeld, hasSite bool) []report.Column[row] {
	id, user := func(r row) string { return r.line.ID }, func(r row) string { return r.line.User }
	account, partition := func(r row) string { return r.line.Account }, func(r row) string { return r.Partition }
	value := func(r row) string {
		if math.IsNaN(r.Value) {
			return ""
		}
		return report.Fixed(r.Value, 0)
	}
	reason := func(r row) string { return r.Reason }
	mark := func(r row) (marks string) {
		if r.line.Difference != "" {
			marks = "*"
		}
		if isReserved(r.Row) {
			marks += "r"
		}
		if r.IsPreemptable {
			marks += "p"
		}
		return marks
	}
	list := []report.Column[row]{
		{Title: "RANK", Text: func(r row) string { return report.DashIfEmpty(report.Rank(r.line.Rank)) }, Right: true, Name: "rank", Cell: func(r row) string { return report.Rank(r.line.Rank) }},
		{Title: "JOB", Text: id, Name: "id", Cell: id},
		{Title: "PRIORITY", Text: func(r row) string { return report.Decimals(r.Value, 0) }, Right: true, Name: "value", Cell: value},
		{Text: mark, Name: "computed", Cell: func(r row) string { return report.OrEmpty(r.line.Computed) }},
		{Title: "USER", Text: user, Name: "user", Cell: user},
		{Title: "ACCOUNT", Text: account, IsDetail: true, Name: "account", Cell: account},
		{Title: "PARTITION", Text: partition, Name: "partition", Cell: partition},
		{Title: "TIER", Text: func(r row) string { return report.DashIfEmpty(report.OrEmpty(r.line.Tier)) }, Right: true, IsDetail: true, Name: "tier", Cell: func(r row) string { return report.OrEmpty(r.line.Tier) }},
		{Name: "qos", Cell: func(r row) string { return r.line.QOS }},
		{Name: "state", Cell: func(r row) string { return r.line.State }},
		{Name: "considered", Cell: func(r row) string { return strconv.FormatBool(r.line.Considered) }},
		{Name: "reason", Cell: reason},
		{Name: "limit", Cell: func(r row) string { return r.line.Limit }},
		{Name: "never", Cell: func(r row) string { return r.line.Never }},
		{Name: "difference", Cell: func(r row) string { return r.line.Difference }},
	}
	for i, name := range order.TermNames {
		if name == "site" && !hasSite {
			list = append(list, report.Column[row]{Name: name, Cell: func(r row) string { return report.OrEmpty(report.Optional(r.points[i])) }})
			continue
		}
		list = append(list, report.Column[row]{
			Title: strings.ToUpper(strings.ReplaceAll(name, "_", " ")), Text: func(r row) string { return report.Decimals(r.points[i], 0) }, Right: true, IsDetail: true,
			Name: name, Cell: func(r row) string { return report.OrEmpty(report.Optional(r.points[i])) },
		})
	}
	list = append(list,
		report.Column[row]{Title: "REASON", Text: reason},
		report.Column[row]{Name: "reservation", Cell: func(r row) string { return r.line.Reservation }},
		report.Column[row]{Name: "preemptable", Cell: func(r row) string { return strconv.FormatBool(r.line.Preemptable) }})
	if isHeld {
		list = append(list, report.Column[row]{Title: "LIMIT", Text: limitOf})
	}
	return list
}
