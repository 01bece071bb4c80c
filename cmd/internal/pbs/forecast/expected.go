package forecast

import (
	"cmp"
	"errors"
	"math"
	"os"
	"slices"
	"strings"
	"time"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/forecast"
	"fairshare/cmd/internal/outcome"
	"fairshare/cmd/internal/pbs/order"
	"fairshare/cmd/internal/pbs/qstat"
	"fairshare/cmd/internal/pbs/site"
	"fairshare/cmd/internal/pbs/snapshot"
	"fairshare/cmd/internal/report"
	"fairshare/cmd/internal/trace"
)

// words are those of PBS.
var words = forecast.Words{Scheduler: "pbs", Name: "PBS", Queue: "queue", Node: "vnode", Limits: "walltimes", Comment: "comment", Past: "what qstat -xf prints of all users", Unlogged: "priorities of jobs that no list has (--jobs FILE)",
	Unplanned: "(no estimated.start_time): it plans only those jobs ahead that go first (backfill_depth), and none that is held"}

// ErrNoneExpected is for lists in which PBS itself expects no job to start at a time.
var ErrNoneExpected = errors.New("no job that waits has an estimated.start_time (qstat -f) or an Est Start (qstat -T)")

// Expected returns when PBS itself expects to start the jobs of a place that wait: by the estimated.start_time of its list, or the Est
// Start of its tables.
func Expected(p *site.Place, zone *time.Location) (*forecast.Expected, []diag.Remark, error) {
	x := &expecting{at: p.Taken, zone: zone}
	if x.at.IsZero() {
		x.dateBy(slices.Concat(p.Jobs, p.Tables)[0].Name)
	}
	read := x.readList
	if p.OnlyTables() {
		read = x.readTables
	}
	if err := read(p); err != nil {
		return nil, x.remarks, err
	}
	if !x.isTold {
		return nil, x.remarks, ErrNoneExpected
	}
	at := int64(0)
	if !x.at.IsZero() {
		at = x.at.Unix()
	}
	e := forecast.NewExpected(at, words, x.jobs)
	e.Over, e.People = x.over, x.people
	return e, x.remarks, nil
}

// expecting collects what is expected of the jobs of a list.
type expecting struct {
	at           time.Time // of the list, zero where nothing tells
	zone         *time.Location
	jobs         []*forecast.Job
	over, people []string
	isTold       bool
	remarks      []diag.Remark
}

// dateBy takes a list to be of when it was written, where it is a file.
func (x *expecting) dateBy(name string) {
	if info, err := os.Stat(name); err == nil && info.Mode().IsRegular() {
		x.at = info.ModTime().Truncate(time.Second).In(x.zone)
		x.remarks = append(x.remarks, snapshot.SayWritten(name, x.at, ""))
	}
}

// add adds a job that waits, with the time at which it is expected to start, 0 for none.
func (x *expecting) add(id, user, queue string, at int64, held, comment string) {
	j := &forecast.Job{ID: id, User: user, Queue: queue, Estimated: math.Inf(1)}
	if at > 0 {
		j.Estimated, x.isTold = float64(at), true
	}
	switch kind, means := qstat.MeaningOf(comment); {
	case kind == qstat.OfNever:
		j.Held = outcome.Never + cmp.Or(qstat.Briefly(means), comment)
		j.Reason = j.Held
	case held != "":
		j.Held, j.Reason = held, held
	default:
		j.Reason = cmp.Or(qstat.Briefly(means), strings.TrimPrefix(comment, "Not Running: "))
	}
	x.jobs = append(x.jobs, j)
}

func (x *expecting) readList(p *site.Place) error {
	past, err := trace.Read(nil, p.Local().Zone, trace.Keep{Requests: true})
	if err != nil {
		return err
	}
	s := &Site{Past: past, Local: p.Local()}
	said, err := s.readJobsOf(p, func(string) bool { return true })
	if x.remarks = append(x.remarks, said...); err != nil {
		return err
	}
	names := past.Names.List
	for _, n := range s.Now {
		user := names[n.User]
		x.people = append(x.people, user)
		if n.State != trace.Waiting {
			x.over = append(x.over, n.ID)
			continue
		}
		held := ""
		switch n.Letter {
		case 'H':
			held = whyHeld(n)
		case 'W':
			held = outcome.HeldUntil
		case 'T':
			held = outcome.Moving
		}
		x.add(n.ID, user, names[n.Queue], n.Estimated, held, n.Says)
	}
	return nil
}

func (x *expecting) readTables(p *site.Place) error {
	t, said, err := p.Table()
	if x.remarks = append(x.remarks, said...); err != nil {
		return err
	}
	var coarse []string
	for _, r := range t.Rows {
		x.people = append(x.people, r.User)
		if !strings.ContainsRune("QHWTB", rune(r.State)) {
			x.over = append(x.over, r.ID)
			continue
		}
		held := ""
		if r.State != 'Q' && r.State != 'B' {
			held = outcome.Held + "it is " + order.StateWord(r.State)
		}
		at, isToMinute := qstat.StartOfTable(r.Starts, x.at)
		if r.Starts != "" && !isToMinute {
			coarse = append(coarse, r.ID+" "+r.Starts)
		}
		x.add(r.ID, r.User, r.Queue, at, held, r.Comment)
	}
	if coarse != nil {
		x.remarks = append(x.remarks, diag.Notef("Est Start of qstat -T has less than a minute's precision of some: %s", report.First(coarse)))
	}
	return nil
}
