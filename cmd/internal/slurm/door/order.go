package door

import (
	"context"
	"fmt"
	"iter"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"fairshare/cmd/internal/compare"
	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/forecast"
	"fairshare/cmd/internal/outcome"
	"fairshare/cmd/internal/report"
	"fairshare/cmd/internal/site"
	"fairshare/cmd/internal/slurm"
	"fairshare/cmd/internal/slurm/dump"
	"fairshare/cmd/internal/slurm/order"
	"fairshare/cmd/internal/slurm/set"
	"fairshare/cmd/internal/slurm/setup"
)

// Order implements site.Orderer.
func (s *Site) Order(ctx context.Context, q site.Ordering) (*site.Order, error) {
	if q.Records {
		return nil, diag.Requestf("-o jobs is for a list of PBS: the records of a Slurm site stand in several files")
	}
	printed, err := s.printed(ctx, dump.ForNow)
	if err != nil {
		return nil, err
	}
	own, err := s.order(printed)
	if err != nil {
		return nil, err
	}
	changing := ofOrder(own)
	if q.Now {
		changing = s.ofStarts(own, printed, q.On.Zone)
	}
	if err = s.expand(printed, &q.Settings, changing); err != nil {
		return nil, err
	}
	_, all, err := s.under(own, q.Settings, q.Now)
	if err != nil {
		return nil, err
	}
	var standing map[string]forecast.CycleResult
	if q.Now {
		if standing, err = s.standing(ctx, s.newStarts(own, printed, q.On.Zone), q.Settings); err != nil {
			return nil, err
		}
	}
	out := &site.Order{Standing: standing}
	own.RankAsTold(all)
	var asked []order.Row
	for _, r := range all {
		if (r.Rank > 0 || q.All) && q.Has(r.Job.User, r.Job.Account, r.Partition) {
			asked = append(asked, r)
		}
	}
	rows := asked
	if q.Top > 0 {
		rows = asked[:min(q.Top, len(asked))]
	}
	for i := range rows {
		out.IDs = append(out.IDs, rows[i].Job.ID)
	}
	s.to.Say(own.Differences()...)
	remarks, err := own.CheckNames(q.Users, q.Accounts, q.Queues)
	if s.to.Say(remarks...); err != nil {
		return nil, err
	}
	if names := q.Names(); len(rows) == 0 && len(names) > 0 && len(all) > 0 {
		s.to.Say(diag.NoneOf(names, "is considered"))
	}
	if q.Top > 0 && !q.Now {
		s.to.Say(order.Stuck(rows, asked)...)
	}
	of := 0
	for _, r := range rows {
		if r.IsOfStart() {
			of++
		}
	}
	if of > 0 {
		s.to.Say(diag.Notef("of %s that started, the priority is that of the start: the terms beside it are those of now, and come to another one", report.Count(of, "job")))
	}
	out.Jobs, out.Closing = newListing(rows, standing), legend(rows)
	return out, nil
}

// under returns a site as settings make it, with its rows in their order, and says what is set; the site itself where none is.
// Those on which starts alone depend are for standing, where that is asked.
func (s *Site) under(own *order.Site, settings []string, isOfStarts bool) (at *order.Site, rows []order.Row, err error) {
	now := own.Rows()
	asSet, err := set.AsSet(own.Preemption(), settings)
	if err != nil {
		return nil, nil, err
	}
	if !isOfStarts { // which says it of the whole site
		s.to.Say(asSet...)
	} else {
		settings = set.OfOrder(settings)
	}
	if len(settings) == 0 {
		return own, now, nil
	}
	changed, changes, err := set.With(own, settings)
	if err != nil {
		return nil, nil, err
	}
	after, remarks := set.After(own, now, changed, changes)
	changed.FindLimits(after)
	for _, c := range changes {
		if !c.IsSame { // which After says
			s.to.Say(c.Remark())
		}
	}
	s.to.Say(append(remarks, compare.Later(set.Later(changes))...)...)
	return changed, after, nil
}

// asTried returns remarks on a site as they are where settings are tried: of the states of partitions, those that are tried.
func asTried(remarks []diag.Remark, settings []string) []diag.Remark {
	tried := set.StatesTried(settings)
	remarks = slices.Clone(remarks)
	for _, partition := range slices.Sorted(maps.Keys(tried)) {
		for _, state := range []string{"DOWN", "DRAIN", "INACTIVE"} {
			of := setup.SayState(partition, state)
			remarks = slices.DeleteFunc(remarks, func(r diag.Remark) bool { return r == of })
			if state == tried[partition] {
				remarks = append(remarks, of)
			}
		}
	}
	return remarks
}

// standing returns what a main pass and a cycle of backfill right now make of each job that waits, by its ID in the list.
func (s *Site) standing(ctx context.Context, of *starts, settings []string) (map[string]forecast.CycleResult, error) {
	standing, remarks, err := of.judge(ctx, settings)
	s.to.Say(remarks...)
	if of.isHidden() {
		err = diag.Requestf("%s: which jobs start right now cannot be told, since what others have is not known (an operator's formula collect --slurm site.tgz writes a site that has all jobs)", of.now.Hidden)
	}
	return standing, err
}

// Priorities implements site.Prioritizer.
func (s *Site) Priorities(ctx context.Context, users []string, most int) (report.Sheet, error) {
	at, err := s.read(ctx)
	if err != nil {
		return nil, err
	}
	if what := at.LacksConf(); what != "" {
		return nil, &dump.MissingError{Name: at.Name, What: what + " (or slurm.conf), without which no priority is computed: formula sort shows those that sprio or squeue prints"}
	}
	if at.Conf.Basic {
		return nil, fmt.Errorf("%s: %w", at.Name, slurm.ErrBasic)
	}
	s.to.Say(at.Differences()...)
	remarks, err := at.CheckNames(users, nil, nil)
	if s.to.Say(remarks...); err != nil {
		return nil, err
	}
	return at.Ranking().Sheet(users, most), nil
}

// row is a row of an order with all that is printed of it.
type row struct {
	order.Row
	line   order.Line
	points [len(order.TermNames)]float64 // in the order of order.TermNames
	now    forecast.CycleResult
}

// nowLine is a job in one of its partitions with what a pass right now would make of it.
type nowLine struct {
	order.Line
	Starts   bool   `json:"starts_now"` // in this partition
	WaitsFor string `json:"waits_for"`

	Unmodelled []string `json:"not_modelled,omitempty"` // what it asks for that this does not heed
}

// isElsewhere reports whether a row's job starts right now in another of its partitions.
func (r row) isElsewhere() bool {
	return r.now.Starts && r.now.Queue != "" && r.now.Queue != r.Partition
}

// startsHere reports whether a row's job starts right now in its partition.
func (r row) startsHere() bool { return r.now.Starts && !r.isElsewhere() }

// standing says what a pass right now makes of a row.
func (r row) standing() string {
	switch {
	case r.isElsewhere():
		return "starts in " + r.now.Queue
	case (r.line.Never != "" || r.IsKeptOut()) && strings.HasPrefix(r.waitsFor(), outcome.Never): // which LIMIT explains
		return strings.TrimRight(outcome.Never, ": ")
	case r.IsHeldNow() && strings.HasPrefix(r.waitsFor(), outcome.Held):
		return strings.TrimRight(outcome.Held, ": ")
	}
	return report.Clauses(r.now.String(), forecast.NotModelled(r.now.Unmodelled))
}

// waitsFor says what a row's job waits for in its partition, "" for nothing.
func (r row) waitsFor() string {
	switch isWaiting := r.now.ID != "" && !r.now.Starts; { // maybe for something else in another one
	case isWaiting && r.IsHeldNow():
		return outcome.Held + r.Limit.Detail
	case isWaiting && r.IsKeptOut():
		return outcome.Never + r.Limit.Detail
	}
	return r.now.Reason
}

// newListing returns rows of an order as they are printed, with what a pass right now makes of them where standing is not nil.
func newListing(rows []order.Row, standing map[string]forecast.CycleResult) report.Sheet {
	isHeld := slices.ContainsFunc(rows, func(r order.Row) bool { return r.Limit != nil || r.Never != nil })
	list := &report.Listing[row]{
		Columns: columns(isHeld, slices.ContainsFunc(rows, func(r order.Row) bool { return r.Job.Site != 0 }), standing != nil),
		Rows: func(yield func(row) bool) {
			for _, r := range rows {
				if !yield(row{r, r.Line(), r.Points(), standing[r.Job.ID]}) {
					return
				}
			}
		},
		Line: func(r row) any {
			if standing == nil {
				return r.line
			}
			return nowLine{r.line, r.startsHere(), r.waitsFor(), r.now.Unmodelled}
		},
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
	switch {
	case r.line.Never != "":
		return outcome.Never + is(r.line.Never)
	case r.IsHeldNow():
		return outcome.Held + is(r.line.Limit)
	case r.IsKeptOut():
		return outcome.Never + is(r.line.Limit)
	}
	return is(r.line.Limit)
}

// isReserved reports whether a row goes first by a reservation.
func isReserved(r order.Row) bool { return r.Rank > 0 && r.Reservation() != "" }

// legend says what the letters behind priorities mean, where there are any.
func legend(rows []order.Row) (remarks []diag.Remark) {
	const behind = "behind a priority"
	if slices.ContainsFunc(rows, isReserved) {
		remarks = append(remarks, diag.Notef("r behind a priority: the job is of a reservation, or one attracts it (MAGNETIC), and goes before those that have none, whatever their priorities").Joined(behind, "r: of a reservation, or attracted by one (MAGNETIC), goes before those that have none"))
	}
	if slices.ContainsFunc(rows, func(r order.Row) bool { return r.IsPreemptable }) {
		remarks = append(remarks, diag.Notef("p behind a priority: jobs go before it by preemption, though their priorities are lower: they may preempt it, or others that do stand between them").Joined(behind, "p: jobs of lower priorities go before it by preemption"))
	}
	if slices.ContainsFunc(rows, func(r order.Row) bool { nice := r.Points()[len(order.TermNames)-1]; return nice > 0 || nice < 0 }) {
		remarks = append(remarks, diag.Generalf("NICE is subtracted: a job with a positive one has so much less priority"))
	}
	return remarks
}

// columns returns the columns of an order; isHeld is whether a limit holds any job, hasSite whether any has a factor
// of the site, and isNow whether it is told what a pass right now makes of them.
func columns(isHeld, hasSite, isNow bool) []report.Column[row] {
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
			Title: strings.ToUpper(strings.Replace(name, "_factor", " points", 1)), Text: func(r row) string { return report.Decimals(r.points[i], 0) }, Right: true, IsDetail: true,
			Name: name, Cell: func(r row) string { return report.OrEmpty(report.Optional(r.points[i])) },
		})
	}
	shownReason := reason
	if isHeld || isNow { // what stands behind it says more
		const most = 40 // letters
		shownReason = func(r row) string { return report.Cut(reason(r), most) }
	}
	if isNow { // before what may be long
		list = append(list, report.Column[row]{Title: "RIGHT NOW", Text: row.standing})
	}
	list = append(list,
		report.Column[row]{Title: "REASON", Text: shownReason},
		report.Column[row]{Name: "reservation", Cell: func(r row) string { return r.line.Reservation }},
		report.Column[row]{Name: "preemptable", Cell: func(r row) string { return strconv.FormatBool(r.line.Preemptable) }})
	if isHeld {
		list = append(list, report.Column[row]{Title: "LIMIT", Text: limitOf})
	}
	if isNow {
		list = append(list,
			report.Column[row]{Name: "starts_now", Cell: func(r row) string { return strconv.FormatBool(r.startsHere()) }},
			report.Column[row]{Name: "waits_for", Cell: row.waitsFor})
	}
	return list
}
