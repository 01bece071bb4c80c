// Package lab answers what the local page of package lab asks of a Slurm site: what weights,
// shares, QOS and partitions would do to the order of its jobs. It computes what formula compare and
// formula explain do.
package lab

import (
	"errors"
	"maps"
	"slices"
	"sync"

	"fairshare/cmd/internal/compare"
	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/lab"
	"fairshare/cmd/internal/page"
	"fairshare/cmd/internal/report"
	slurmcompare "fairshare/cmd/internal/slurm/compare"
	"fairshare/cmd/internal/slurm/dump"
	"fairshare/cmd/internal/slurm/order"
	"fairshare/cmd/internal/slurm/set"
)

// Lab is a Slurm site to try changes on. It may be used by several goroutines.
type Lab struct {
	lab.Common

	site   *order.Site
	dump   *dump.Dump // what the site prints
	name   string     // of the site on a command line
	now    []order.Row
	names  *compare.Names // of these
	known  Facts
	recent lab.Recent[*evaluation]
}

// New returns a lab for a site, by what it prints. name is how a command line names it.
func New(site *order.Site, printed *dump.Dump, name string) *Lab {
	l := &Lab{site: site, dump: printed, name: name, now: site.Rows(), known: Facts{Kind: "slurm", From: site.Describe(), Notes: texts(site.Remarks, site.Differences())}}
	l.CanReplay = func(s lab.State) error {
		_, err := l.try(s)
		return err
	}
	users, accounts := map[string]bool{}, map[string]bool{}
	for _, r := range l.now {
		users[r.Job.User], accounts[r.Job.Account] = true, true
	}
	l.names = slurmcompare.NamesOf(l.now)
	l.known.Users, l.known.Accounts = lab.Bounded(slices.Sorted(maps.Keys(users))), lab.Bounded(slices.Sorted(maps.Keys(accounts)))
	return l
}

// texts returns what remarks say.
func texts(lists ...[]diag.Remark) []string {
	list := []string{}
	for _, r := range slices.Concat(lists...) {
		list = append(list, r.Text)
	}
	return list
}

// evaluation is what a state has come to.
type evaluation struct {
	site    *order.Site
	changes []set.Change
	rows    []order.Row
	limited func() []order.Row // the rows with the limits that hold their jobs
	remarks []diag.Remark
	brief   compare.Brief
}

// check returns a *diag.RequestError for what cannot be tried at any site.
func check(s lab.State) error {
	if s.Formula != "" {
		return diag.Requestf("Slurm has no formula")
	}
	return s.Check()
}

// try returns what a state comes to.
func (l *Lab) try(s lab.State) (*evaluation, error) {
	if err := check(s); err != nil {
		return nil, err
	}
	return l.recent.Of(s, func() (*evaluation, error) {
		site, changes, err := set.With(l.site, s.Settings)
		if err != nil {
			return nil, err
		}
		asSet, err := set.AsSet(l.site.Preemption(), s.Settings)
		if err != nil {
			return nil, err
		}
		after, remarks := set.After(l.site, l.now, site, changes)
		remarks = slices.Concat(remarks, asSet, compare.Later(set.Later(changes)))
		t := &evaluation{site: site, changes: changes, rows: after, remarks: remarks, brief: slurmcompare.BriefBetween(l.now, after, l.names)}
		t.limited = sync.OnceValue(func() []order.Row {
			rows := slices.Clone(t.rows)
			site.FindLimits(rows)
			return rows
		})
		return t, nil
	})
}

// Answer implements lab.Site.
func (l *Lab) Answer(name string, q lab.Request) (any, error) {
	switch name {
	case "try":
		return l.answer(q.Query)
	case "site":
		return l.around(q.State)
	}
	t, err := l.try(q.State)
	if err != nil {
		return nil, err
	}
	switch name {
	case "explain":
		row, err := t.find(q.Job)
		if err != nil {
			return nil, err
		}
		e := t.site.Explain(t.limited(), row)
		e.TakeListed(l.dump, row.Job, "")
		return e, nil
	case "versus":
		return t.versus(l.dump, q.Job, q.Other)
	case "take":
		return l.take(t, q.What)
	}
	return nil, lab.ErrUnknown
}

// find returns the row of a job, with the limit that holds it.
func (t *evaluation) find(name string) (order.Row, error) {
	row, err := order.Find(t.limited(), name)
	if err != nil {
		return row, &lab.NoJobError{Err: err}
	}
	return row, nil
}

// versus says which of two jobs goes first, and why.
func (t *evaluation) versus(of *dump.Dump, job, other string) (any, error) {
	row, err := t.find(job)
	if err != nil {
		return nil, err
	}
	with, err := t.find(other)
	if err != nil {
		return nil, err
	}
	if row.Place() == with.Place() {
		return nil, diag.Requestf("a job is compared with itself")
	}
	v := set.Compare(t.site, t.limited(), row, with)
	v.TakeListed(of, row, with, "")
	return v, nil
}

// take returns what is asked for of a state: "commands", what makes it true; "compare", the command
// that shows it; "page", the change as a page.
func (l *Lab) take(t *evaluation, what string) (any, error) {
	switch what {
	case "commands":
		return lab.TextDownload("commands.sh", set.Commands(l.site, t.changes)), nil
	case "compare":
		text := "formula compare " + report.Quote(l.name)
		for _, c := range t.changes {
			text += " --set " + report.Quote(c.Name+"="+c.Value)
		}
		if len(t.changes) == 0 {
			text = "# nothing is changed"
		}
		return lab.TextDownload("compare.sh", text+"\n"), nil
	case "page":
		text, err := page.Render(slurmcompare.Page(slurmcompare.Between(l.now, t.rows, t.changes), l.site, t.site))
		return lab.PageDownload("change.html", text), err
	}
	return nil, diag.Requestf("there is no %s to take away", what)
}

// Answer is what trying a state comes to.
type Answer struct {
	Problem string   `json:"problem"` // why there is no order, "" if there is one
	Setting string   `json:"setting"` // whose problem it is, "" for none alone
	Changes []string `json:"changes"` // of the site, as people read them
	Notes   []string `json:"notes"`   // on the changes
	Ranking *Ranking `json:"ranking"` // null if there is none
}

// Ranking is a part of an order beside the one in force.
type Ranking struct {
	lab.Ranking[Row]
	Terms []string `json:"terms"` // that have points, of all that there are
}

// Row is a job in a partition, as sort -o json has it, with its place in force.
type Row struct {
	order.Line
	Key     string `json:"key"`      // which tells the rows of one job apart
	OldRank *int   `json:"old_rank"` // null if it is not considered
	Change  *int   `json:"change"`   // places, positive is earlier
}

// answer returns what a state comes to.
func (l *Lab) answer(q lab.Query) (*Answer, error) {
	if err := check(q.State); err != nil {
		return nil, err
	}
	a := &Answer{Changes: []string{}, Notes: []string{}}
	t, err := l.try(q.State)
	var wrong *diag.SettingError
	var asked *diag.RequestError
	switch {
	case errors.As(err, &wrong):
		a.Problem, a.Setting = wrong.Err.Error(), wrong.Name()
		return a, nil
	case errors.As(err, &asked):
		a.Problem = err.Error()
		return a, nil
	case err != nil:
		return nil, err
	}
	for _, c := range t.changes {
		a.Changes = append(a.Changes, c.String())
	}
	a.Notes = texts(t.remarks)
	a.Ranking = t.rank(q)
	return a, nil
}

// terms returns the names of the terms of which some row has points.
func (t *evaluation) terms() []string {
	has := make([]bool, len(order.TermNames))
	for k := range t.rows {
		r := &t.rows[k]
		if r.Rank == 0 {
			continue
		}
		for i, x := range r.Points() {
			has[i] = has[i] || x != 0 && x == x
		}
	}
	names := []string{}
	for i, name := range order.TermNames {
		if has[i] {
			names = append(names, name)
		}
	}
	return names
}

// rank returns the part of the order that is wanted.
func (t *evaluation) rank(q lab.Query) *Ranking {
	d := t.brief
	r := &Ranking{lab.Ranking[Row]{Jobs: d.Jobs, Moved: d.Moved, Entered: d.Entered, Left: d.Left, Tau: d.Tau, InOrder: compare.InOrder(d.Tau), Rows: []Row{}, Last: d.Jobs + d.Entered + d.Left}, t.terms()}
	r.Shifts = []lab.Shifts{lab.NewShifts("account", d.Entities), lab.NewShifts("user", d.Projects), lab.NewShifts("partition", d.Queues), lab.NewShifts("qos", d.Groups)}
	isWanted := func(x *order.Row) bool {
		return (x.Rank > 0 || q.All != "") && (q.User == "" || x.Job.User == q.User) && (q.Account == "" || x.Job.Account == q.Account) &&
			(q.Partition == "" || x.Partition == q.Partition) && (q.QOS == "" || x.Job.QOS == q.QOS)
	}
	passed := make([]*order.Row, 0, len(t.rows))
	for i := range t.rows {
		if x := &t.rows[i]; isWanted(x) {
			passed = append(passed, x)
		}
	}
	r.Total = len(passed)
	first, end := q.Part(len(passed))
	var part []order.Row // copies, as limits are found of these alone
	for _, x := range passed[first:end] {
		part = append(part, *x)
	}
	t.site.FindLimits(part)
	for i := range part {
		r.Rows = append(r.Rows, rowOf(&part[i]))
	}
	r.Slope = lab.Lines(passed, r.Last, func(x *order.Row) (from, to int, name string) {
		if x.Was != nil {
			from = x.Was.Rank
		}
		return from, x.Rank, nameOf(x, q.By)
	})
	return r
}

// rowOf returns a row as an answer has it.
func rowOf(x *order.Row) Row {
	r := Row{Line: x.Line(), Key: x.Named()}
	if x.Was != nil && x.Was.Rank > 0 {
		r.OldRank = &x.Was.Rank
		if change := x.Was.Rank - x.Rank; x.Rank > 0 {
			r.Change = &change
		}
	}
	return r
}

// nameOf returns what a row's line is coloured by: its user, account or QOS, and else its partition.
func nameOf(x *order.Row, by string) string {
	switch by {
	case "user":
		return x.Job.User
	case "account":
		return x.Job.Account
	case "qos":
		return x.Job.QOS
	}
	return x.Partition
}
