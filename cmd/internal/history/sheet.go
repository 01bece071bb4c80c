package history

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/moment"
	"fairshare/cmd/internal/report"
	"fairshare/cmd/internal/trace"
)

// Sheet is a report: rows of a period, or of a name in a period.
type Sheet struct {
	Lines     []*Line // by period; in a period those that occupied most first
	Columns   []Column
	Step      Step
	Kind      string
	KindWord  string   // what that is called where the logs come from
	Resources []string // besides ncpus
	Zone      *time.Location
	Capacity  *Capacity
	Choice    Choice
	Record    Span   // what the logs cover of all periods
	OfOneUser string // that all jobs of the logs are of one user, who may not be the only one; "" where nothing tells it
	user      string // who that is

	running      int                       // jobs that run at the end of the logs, where the report goes up to that
	runningHours float64                   // core hours that they have used so far
	runningUpTo  int64                     // up to when these are counted where that is behind the end of the logs, else trace.Unknown
	exitText     func(status int64) string // how one is told where the logs come from
}

// Line is what is known of a period, or of a name in it.
type Line struct {
	Span
	Name   string
	Lacks  string // what of the period the logs do not have, "" where they have all
	Before *Line  // of the period before and the same name, nil for none

	*cell
	share, target float64 // of all that was occupied, see Aim
	periods       int     // whole ones in a row for which it has been on the same side of the target
	isCut         bool    // whether this is none, see Aim

	supply []float64 // what there was of each resource in the time that the logs cover, times seconds; NaN where it is not known
}

// Title returns what a period is called: its first day, and the time where it begins in one.
func (s *Sheet) Title(r *Line) string {
	begin := time.Unix(r.Begin, 0).In(s.Zone)
	switch {
	case begin.Hour() != 0 || begin.Minute() != 0 || begin.Second() != 0:
		return begin.Format(time.DateTime)
	case s.Step == Month && begin.Day() == 1:
		return begin.Format("2006-01")
	}
	return begin.Format(time.DateOnly)
}

// NameColumns returns how many columns of a table say what its rows are of: the period, the name or both.
func (s *Sheet) NameColumns() int {
	if s.Step != Whole && s.Kind != "" {
		return 2
	}
	return 1
}

// Missing says what the logs do not have of which periods.
func (s *Sheet) Missing() []string {
	var list []string
	if s.OfOneUser != "" && len(s.Lines) > 0 {
		list = append(list, report.Capital(s.OfOneUser)+": jobs, hours and what was in use are of these jobs alone")
	}
	for _, r := range s.Lines {
		said := s.Title(r) + ": " + r.Lacks
		if r.Lacks != "" && (len(list) == 0 || list[len(list)-1] != said) {
			list = append(list, said)
		}
	}
	return list
}

// LacksOf says what the logs do not have of a line.
func (s *Sheet) LacksOf(r *Line) string { return report.Clauses(s.OfOneUser, r.Lacks) }

// AboutMissing says what figures are of periods of which the logs lack something, "" where there is none.
func (s *Sheet) AboutMissing() string {
	if !slices.ContainsFunc(s.Lines, func(r *Line) bool { return r.Lacks != "" }) {
		return ""
	}
	text := "Of a period with *, jobs and hours are at least those shown"
	if s.Capacity != nil {
		text += "; the part in use is of the time that the logs cover, from the first line or job in them to the last"
	}
	return text + "."
}

// About says what the figures of a kind include, to go on behind its title.
func (s *Sheet) About(part Part) string {
	text := part.About()
	if part == OfWaiting && slices.ContainsFunc(s.Lines, func(r *Line) bool { return r.deleted+r.unstarted > 0 }) {
		text += " Those that left without a start, deleted or failed, are counted here and not as work that ended."
	}
	if part == OfWork && s.runningHours > 0 {
		text += fmt.Sprintf(" Beside these, what still runs has come to %s core hours so far (%s)", Hours.Text(s.runningHours), report.Count(s.running, "job"))
		if s.runningUpTo != trace.Unknown {
			text += fmt.Sprintf(", up to %s, when the table was printed; the period, and its cpu hours, end at %s", moment.Clock(s.runningUpTo, s.Zone), moment.Clock(s.Record.End-1, s.Zone))
		}
		text += "."
	}
	if part == OfWork && TellsMost(s.Kind) {
		text += " Behind the longest run and the most memory of one job stands what that job was given of it."
	}
	if part != OfMachine || s.Capacity == nil {
		return text
	}
	words := s.Capacity.words
	if s.Capacity.IsLess {
		text += fmt.Sprintf(" It is a part of all %s, less what was %s.", words.Nodes, words.Away)
	} else {
		text += fmt.Sprintf(" It is a part of all %s, also of those that were %s.", words.Nodes, words.Away)
	}
	if s.Capacity.IsReserved {
		text += " What was reserved is left out too, but for what jobs of the reservation occupied."
	}
	isMore := func(r *Line) bool { return ratio(r.occupied[0], r.supply[0]) > 1 }
	if slices.ContainsFunc(s.Lines, isMore) {
		text += fmt.Sprintf(" More than 100%% is in use where jobs go on on %s that are %s or reserved, or where the site had more than it has now.", words.Nodes, words.Closed)
	}
	return text
}

// secondsOfHour is how many seconds an hour has.
const secondsOfHour = 3600

// Sheet returns the report of the jobs that were read, with remarks on names that no job has.
// It is an error where the times of the logs are beyond any reason.
func (l *Ledger) Sheet(t *trace.Trace, capacity *Capacity, gaps trace.Continuity) (*Sheet, []diag.Remark, error) {
	q := l.question
	s := &Sheet{Step: q.Step, Kind: q.Kind, KindWord: t.WordFor(q.Kind), Resources: q.Resources, Zone: q.Zone, Capacity: capacity, Choice: q.Choice, OfOneUser: q.Choice.OfOneUser(t), user: t.OnlyUser(), exitText: t.ExitText}
	if err := t.CheckKind(q.Kind); err != nil {
		return nil, nil, err
	}
	s.Columns = columns(q.Resources, q.Charges != nil)
	for _, resource := range q.Resources {
		_, isThere := capacity.In(resource, Span{})
		if err := checkHeld(resource); err != nil {
			return nil, nil, err
		}
		if err := checkResource(resource, t); err != nil && !isThere {
			return nil, nil, err
		}
	}
	if t.Begin() == trace.Unknown {
		return s, []diag.Remark{diag.Warningf("there is no job in the logs")}, nil
	}
	if l.calendar.zone == nil {
		l.open(t)
	}
	err := cmp.Or(l.err, l.grow(t))
	if err != nil {
		return nil, nil, err
	}
	if periods := l.calendar.periods; len(periods) > 0 {
		s.Record = covered(Span{periods[0].Begin, periods[len(periods)-1].End}, t)
	}
	var before map[string]*Line
	for i, span := range l.calendar.periods {
		if q.Step == Whole {
			span.End = min(span.End, t.Last+1)
		}
		rows := map[string]*Line{}
		lack, supply := lacks(span, t, gaps, q.Zone), l.supply(s, l.calendar.periods[i].End, covered(span, t))
		for name, c := range l.inPeriod(l.calendar.periods[i].End) {
			rows[name] = &Line{Span: span, Name: name, cell: c, Before: before[name], Lacks: lack, supply: supply}
		}
		s.Lines = append(s.Lines, slices.SortedFunc(maps.Values(rows), func(a, b *Line) int {
			return cmp.Or(-cmp.Compare(a.occupied[0], b.occupied[0]), -cmp.Compare(a.coreSeconds, b.coreSeconds), strings.Compare(a.Name, b.Name))
		})...)
		before = rows
	}
	for _, r := range s.Lines {
		slices.Sort(r.waits)
	}
	if q.Kind == ofNames && len(s.Lines) > 0 && !slices.ContainsFunc(s.Lines, func(r *Line) bool { return r.Name != "" }) {
		return nil, nil, diag.Requestf("nothing tells the names of the jobs")
	}
	missing, err := l.missing(t)
	s.running, s.runningHours, s.runningUpTo = l.running, float64(l.runningSeconds)/secondsOfHour, t.RunsPast()
	return s, slices.Concat(missing, l.nested(t), q.Charges.missing(l.queues), l.unknown.remarks(), s.sharedNodes()), err
}

// sharedNodes says what hours of nodes are where more of them are in use than there are.
func (s *Sheet) sharedNodes() []diag.Remark {
	at := 1 + slices.Index(s.Resources, nodeResource)
	if at == 0 || !slices.ContainsFunc(s.Lines, func(r *Line) bool { return ratio(r.occupied[at], r.supply[at]) > 1 }) {
		return nil
	}
	return []diag.Remark{diag.Warningf("a node on which several jobs run counts once for each of them: hours of nodes are more than there are, and the part of them that is in use says little")}
}

// inPeriod returns the cells of the period with an end. One without names is there even if it is
// empty.
func (l *Ledger) inPeriod(end int64) map[string]*cell {
	if l.byEnd == nil {
		l.byEnd = map[int64]map[string]*cell{}
		for p, c := range l.cells {
			if l.byEnd[p.end] == nil {
				l.byEnd[p.end] = map[string]*cell{}
			}
			l.byEnd[p.end][p.name] = c
		}
	}
	if cells := l.byEnd[end]; cells != nil || l.question.Kind != "" {
		return cells
	}
	return map[string]*cell{"": {occupied: make([]float64, 1+len(l.question.Resources))}}
}

// covered returns the part of a period that logs cover. It begins before their first line where a job did that they have: what
// that occupied counts from its start on.
func covered(in Span, t *trace.Trace) Span {
	begin := max(in.Begin, min(t.First, t.Begin()))
	return Span{begin, max(begin, min(in.End, t.Last+1))}
}

// supply returns what there was of each resource in a part of the period whose end is end.
func (l *Ledger) supply(s *Sheet, end int64, in Span) []float64 {
	var list []float64
	for i, resource := range append([]string{"ncpus"}, s.Resources...) {
		there, ok := s.Capacity.In(resource, in)
		var reserved []float64
		for p, occupied := range l.reserved {
			if p.end == end && s.Capacity.isReserved(p.name) {
				reserved = append(reserved, occupied[i])
			}
		}
		slices.Sort(reserved) // so that the sum is the same each time
		for _, occupied := range reserved {
			there += occupied
		}
		list = append(list, orNaN(there, ok))
	}
	return list
}

// lacks says what logs do not have of a period. PBS writes a line at least each hour.
func lacks(in Span, t *trace.Trace, gaps trace.Continuity, zone *time.Location) string {
	var list []string
	const often = secondsOfHour
	if t.Begin() > in.Begin+often {
		list = append(list, "the logs begin at "+moment.Clock(t.Begin(), zone))
	}
	var days []string
	for _, name := range gaps.Missing {
		day, err := time.ParseInLocation(time.DateOnly, name, zone)
		if err == nil && in.overlap(day.Unix(), moment.DayAfter(day, 1).Unix()) > 0 {
			days = append(days, name)
		}
	}
	if len(days) > 0 {
		list = append(list, "there is no log of "+strings.Join(days, ", "))
	}
	for _, hole := range gaps.Holes {
		if begin, end := hole.In(zone); in.overlap(begin, end) > 0 {
			list = append(list, fmt.Sprintf("there is no line from %s", hole))
		}
	}
	if t.Last+often < in.End {
		list = append(list, "the logs end at "+moment.Clock(t.Last, zone))
	}
	return strings.Join(list, "; ")
}

// Exits returns how many jobs of a line ended with which exit status, the most frequent first, such as
// "0: 12, 271: 1".
func (s *Sheet) Exits(r *Line) string {
	var list []string
	statuses := slices.SortedFunc(maps.Keys(r.exits), func(a, b int64) int {
		return cmp.Or(-cmp.Compare(r.exits[a], r.exits[b]), cmp.Compare(a, b))
	})
	for _, status := range statuses {
		list = append(list, fmt.Sprintf("%s: %d", s.exitText(status), r.exits[status]))
	}
	return strings.Join(list, ", ")
}
