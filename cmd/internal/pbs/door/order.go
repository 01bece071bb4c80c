package door

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/forecast"
	"fairshare/cmd/internal/pbs"
	"fairshare/cmd/internal/pbs/cycle"
	"fairshare/cmd/internal/pbs/explain"
	"fairshare/cmd/internal/pbs/joblist"
	"fairshare/cmd/internal/pbs/order"
	pbssite "fairshare/cmd/internal/pbs/site"
	"fairshare/cmd/internal/report"
	"fairshare/cmd/internal/site"
)

// Order implements site.Orderer.
func (s *Site) Order(ctx context.Context, q site.Ordering) (*site.Order, error) {
	s.at(q.On)
	q.Queues = s.chooseBy(q.Queues)
	under := s.under
	if q.Now { // which vnodes and reservations there are matters as well
		under = func(p site.Policy) (*pbs.Site, error) { return s.changed(p, pbssite.WhatIfReplayed) }
	}
	at, err := under(q.Policy)
	if err != nil {
		return nil, s.lacksFormula(err)
	}
	plan, err := s.planTold(ctx, at, q.Policy)
	if why := s.unordered(q.Policy, err); order.IsUntold(why) {
		return s.bounded(ctx, q, why)
	}
	if err != nil {
		return nil, s.lacksFormula(err)
	}
	var standing map[string]forecast.CycleResult
	if q.Now {
		if standing, err = s.judge(ctx, plan, q.Policy); err != nil {
			return nil, err
		}
		if plan.Judge != nil { // the same cycle
			plan.Judge = func(*pbs.Site, *joblist.List) (map[string]cycle.Fate, []diag.Remark, error) {
				return fatesOf(standing), nil, nil
			}
		}
	}
	options := order.ListOptions(plan)
	options.KeepRecords = q.Records
	o, err := s.planned(plan, q.Policy, options)
	if err != nil {
		return nil, err
	}
	s.sayApart()
	s.sayIdle(plan.Site)
	if len(o.Rows) > 1 && s.guesses(q.Policy) != nil {
		s.sayUnordered(errGuess)
	}
	rows := o.Choose(func(user, queue string) bool { return q.Has(user, "", queue) }, q.All || q.Records, q.Top) // records are not lost, since others' values depend on them
	switch {
	case len(rows) == 0:
	case dropsFormula(q.Policy, o.Plan.Site):
		s.to.Say(diag.Warningf("ranks are %s", pbs.Defaults).
			Briefly("ranks are by PBS's defaults: sched_config, which is not there, may have by_queue, fair_share or job_sort_key"))
	case o.IsUnsure && o.Values != nil && o.Plan.Site.LacksConfig(): // else it was said when the formula was looked for
		s.to.Say(diag.Warningf("ranks are by the formula and PBS's defaults: %s", errNoConfig).
			Briefly("ranks are by the formula and PBS's defaults: sched_config, which is not there, may put other queues first, and other jobs of one value"))
	}
	for id, of := range standing {
		standing[id] = s.ofList(of)
	}
	if by := explain.Overruling(o, rows); by != nil && !q.Why {
		s.to.Say(diag.Notef("lower values stand before higher ones where this decides first: %s (--why shows where)", report.Listed(by)).OfAsked())
	}
	if !q.Now {
		s.sayNever(ctx, o, rows, q.Policy)
	}
	return s.listed(o, rows, q, &listing{Order: o, standing: standing, variables: o.Variables()})
}

// lacksFormula says of a folder of prints that lacks the formula which print tells it, and what there is without; other errors are as they
// are.
func (s *Site) lacksFormula(err error) error {
	if name := s.Place.Name; errors.Is(err, pbssite.ErrUnknownFormula) && s.Place.IsPrinted() && name != "" {
		return diag.Requestf("the formula in force is not known: put what qstat -Bf prints into %s, as any user may, or give it with -f FORMULA; without it formula explain JOB %[1]s says what is known of one job, and --no-formula puts jobs by when they came to their queues", name)
	}
	return err
}

// bounded answers of a site whose formula has terms of which nothing is told: between which places each job is, whatever these are.
func (s *Site) bounded(ctx context.Context, q site.Ordering, why error) (*site.Order, error) {
	switch {
	case q.Now:
		return nil, diag.Requestf("which jobs start right now is not known: %s; formula when SITE says what each waits for, and sort without --now between which places each is", s.lacking(why))
	case q.Why:
		return nil, diag.Requestf("what puts a job behind another is not known: %s; formula explain JOB --vs OTHER says what is known of two jobs, and sort without --why between which places each is", s.lacking(why))
	}
	if err := s.KeepList(); err != nil {
		return nil, err
	}
	p := q.Policy
	p.NoFormula = true
	at, err := s.under(p)
	if err != nil {
		return nil, err
	}
	plan, err := s.plan(at, p)
	if err != nil {
		return nil, err
	}
	options := order.ListOptions(plan)
	options.KeepRecords = q.Records
	o, err := s.planned(plan, p, options)
	if err != nil {
		return nil, err
	}
	terms, err := s.terms(ctx, q.Policy, why)
	if err != nil {
		return nil, err
	}
	l := &listing{Order: o, terms: terms, surely: map[int]*explain.Surely{}}
	if terms.Known != nil {
		l.variables = terms.Known.Variables()
	}
	for _, row := range o.Rows {
		l.surely[int(row)] = terms.Around(o, int(row))
	}
	rows := o.Choose(func(user, queue string) bool { return q.Has(user, "", queue) }, q.All || q.Records, 0)
	middle := func(row int) int { // of its places, twice
		if of := l.surely[row]; of != nil {
			return len(o.Rows) + of.Ahead - of.Behind
		}
		return math.MaxInt
	}
	slices.SortStableFunc(rows, func(a, b int) int { return cmp.Compare(middle(a), middle(b)) })
	if q.Top > 0 && len(rows) > q.Top {
		rows = rows[:q.Top]
	}
	if len(rows) > 0 {
		remedy := "root can read it: " + site.CollectBriefly
		if errors.Is(why, order.ErrNoQueues) {
			remedy = "qstat -Qf tells it"
		}
		s.to.Say(diag.Lackf("the place of jobs is not known: %s; RANK is between which places of %d a job is, whatever %s, and jobs stand by the middle of these",
			s.lacking(why), len(o.Rows), report.Having(terms.Unknown, "is", "are")).
			Briefly("places are not known, for %s needs what is not there (%s); RANK is between which of %d a job is", report.Listed(terms.Unknown), remedy, len(o.Rows)).OfAsked())
	}
	out, err := s.listed(o, rows, q, l)
	if err == nil {
		out.Unknown = why
	}
	return out, err
}

// listed answers with some rows of an order.
func (s *Site) listed(o *order.Order, rows []int, q site.Ordering, l *listing) (*site.Order, error) {
	list := o.List
	if err := s.checkChoice(q.Choice, list, o.Plan.Site); err != nil {
		return nil, err
	}
	haveJobs := slices.DeleteFunc(slices.Concat(q.Users, q.Queues), func(name string) bool { // of the others it is said
		return slices.Contains(q.Queues, name) && !slices.Contains(list.Queues.List, name)
	})
	if len(rows) == 0 && len(o.Rows) > 0 && len(haveJobs) > 0 {
		s.to.Say(diag.NoneOf(haveJobs, "is considered"))
	}
	l.tied = o.FloatTies()
	out := &site.Order{Standing: l.standing, Jobs: l.of(rows, q), Records: func(w io.Writer) error { return list.WriteRecords(w, rows) }, Closing: o.Remarks(len(l.tied), q.All)}
	for _, row := range rows {
		out.IDs = append(out.IDs, list.Job(row).ID)
	}
	return out, nil
}

// chooseBy asks the scheduler that places the jobs of some queues, where one does and no other is named, for its order.
// It returns those of the names that are queues: one may name a partition in their place.
func (s *Site) chooseBy(queues []string) []string {
	if s.names.Partition == "" && queues != nil {
		s.Place.Files.Partition, queues = s.Place.Files.PartitionOf(queues)
	}
	return queues
}

// row is a row of an order with all that is printed of it.
type row struct {
	order.Line
	at       int // among the rows that are shown
	number   int // of the list
	standing forecast.CycleResult
	key      cycle.Key // that put the job behind the one before it
	isTie    bool
}

// whyLine is a job with the key that put it behind the one before it.
type whyLine struct {
	order.Line
	DecidedBy cycle.Key `json:"decided_by"` // "" for the first one and those not considered
}

// nowLine is a job with what a cycle right now would make of it.
type nowLine struct {
	order.Line
	DecidedBy *cycle.Key `json:"decided_by,omitempty"` // where it is asked for
	Starts    *bool      `json:"starts_now"`           // nil where that is not known
	WaitsFor  string     `json:"waits_for"`
}

// startsCell returns whether a job starts right now, "" where that is not known.
func startsCell(of forecast.CycleResult) string {
	if starts := of.StartsNow(); starts != nil {
		return strconv.FormatBool(*starts)
	}
	return ""
}

// listing is an order with what is printed beside it.
type listing struct {
	*order.Order
	tied      map[int]bool // rows of it
	standing  map[string]forecast.CycleResult
	variables []string // of the formula

	terms  *explain.Terms          // of a formula with terms of which nothing is told, nil for any other
	surely map[int]*explain.Surely // then, by row of those that are considered
}

// line returns what is said of a row.
func (o *listing) line(number int) order.Line {
	line := o.Line(number)
	if of := o.surely[number]; of != nil {
		of.Between(&line, len(o.Rows))
	}
	if o.terms != nil {
		for _, term := range o.terms.Of(line.ID) {
			if term.Value != "" {
				line.Vars[term.Name] = order.PrintedValue(term.Value)
			}
		}
	}
	return line
}

// of returns rows of an order as they are printed.
func (o *listing) of(rows []int, q site.Ordering) report.Sheet {
	l := &report.Listing[row]{Columns: o.columns(rows, q)}
	l.Rows = func(yield func(row) bool) {
		for i, number := range rows {
			r := row{Line: o.line(number), at: i, number: number}
			if r.standing = o.standing[r.ID]; q.Why {
				r.key, r.isTie = explain.Behind(o.Order, number)
			}
			if !yield(r) {
				return
			}
		}
	}
	l.Line = func(r row) any {
		switch {
		case q.Now && q.Why:
			return nowLine{r.Line, &r.key, r.standing.StartsNow(), r.standing.Reason}
		case q.Now:
			return nowLine{r.Line, nil, r.standing.StartsNow(), r.standing.Reason}
		case q.Why:
			return whyLine{r.Line, r.key}
		}
		return r.Line
	}
	return l
}

// columns returns the columns of an order.
func (o *listing) columns(rows []int, q site.Ordering) []report.Column[row] {
	value := func(r row) string {
		if r.Value == nil {
			return "-"
		}
		return o.ValueBeside(rows, r.at)
	}
	mark := func(r row) string {
		switch {
		case r.Value == nil:
		case r.Error != "":
			return "!"
		case o.tied[r.number]:
			return "="
		}
		return ""
	}
	rank := func(r row) string {
		switch {
		case r.RankFrom != nil && *r.RankFrom != *r.RankTo:
			return fmt.Sprintf("%d to %d?", *r.RankFrom, *r.RankTo)
		case r.RankFrom != nil:
			return report.Rank(r.RankFrom) + "?"
		case r.RankUnsure:
			return report.Rank(r.Rank) + unsure(r.Line)
		}
		return report.DashIfEmpty(report.Rank(r.Rank))
	}
	float := func(r row) string { // a C float has no more digits than it needs
		if r.Float32 == nil {
			return ""
		}
		return report.ShortestFloat(float32(*r.Float32))
	}
	id, user := func(r row) string { return r.ID }, func(r row) string { return r.User }
	entity, queue := func(r row) string { return r.Entity }, func(r row) string { return r.Queue }
	valueTitle := "VALUE"
	if o.terms != nil { // nobody's is known
		valueTitle, value = "", nil
	}
	list := []report.Column[row]{
		{Title: "RANK", Text: rank, Right: true, Name: "rank", Cell: func(r row) string { return report.Rank(r.Rank) }},
		{Title: "JOB", Text: id, Name: "id", Cell: id},
		{Title: valueTitle, Text: value, Right: true, Name: "value", Cell: func(r row) string { return report.OrEmpty(r.Value) }},
		{Text: mark},
		{Name: "float32", Cell: float},
		{Name: "log", Cell: func(r row) string { return r.Log }},
		{Title: "USER", Text: user, Name: "user", Cell: user},
		{Title: "ENTITY", Text: entity, Name: "entity", Cell: entity},
		{Title: "QUEUE", Text: queue, Name: "queue", Cell: queue},
		{Name: "state", Cell: func(r row) string { return r.State }},
		{Name: "considered", Cell: func(r row) string { return strconv.FormatBool(r.Considered) }},
		{Name: "reason", Cell: func(r row) string { return r.Reason }},
		{Name: "error", Cell: func(r row) string { return r.Error }},
	}
	if o.terms != nil {
		list = append(list,
			report.Column[row]{Name: "rank_from", Cell: func(r row) string { return report.Rank(r.RankFrom) }},
			report.Column[row]{Name: "rank_to", Cell: func(r row) string { return report.Rank(r.RankTo) }})
	}
	if q.Why {
		list = append(list, report.Column[row]{Name: "decided_by", Cell: func(r row) string { return string(r.key) }})
	}
	for _, name := range o.variables {
		value := func(r row) string { return string(r.Vars[name]) }
		list = append(list, report.Column[row]{Title: name, Text: value, Name: name, Cell: value})
	}
	list = append(list,
		report.Column[row]{Name: "queue_rank", Cell: func(r row) string { return report.Plain(float64(r.QueueRank)) }},
		report.Column[row]{Name: "subjobs", Cell: func(r row) string { return strconv.Itoa(int(r.Subjobs)) }})
	if q.Why {
		list = append(list, report.Column[row]{Title: "DECIDED BY", Text: func(r row) string {
			words := explain.Word(r.key)
			if r.isTie {
				words = "= " + words
			}
			return words
		}})
	}
	if q.Now {
		list = append(list,
			report.Column[row]{Title: "RIGHT NOW", Text: func(r row) string { return r.standing.String() }, Name: "starts_now", Cell: func(r row) string { return startsCell(r.standing) }},
			report.Column[row]{Name: "waits_for", Cell: func(r row) string { return r.standing.Reason }})
	}
	if slices.ContainsFunc(rows, func(number int) bool { return o.Place(number) == 0 }) {
		list = append(list, report.Column[row]{Title: "WHY NOT", Text: func(r row) string { return r.Reason }})
	}
	return list
}
