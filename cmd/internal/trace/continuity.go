package trace

import (
	"fmt"
	"maps"
	"path"
	"slices"
	"time"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/pattern"
	"fairshare/cmd/internal/report"
)

// Continuity is how far logs cover their time without a gap. What a missing day has done is
// not known: jobs that ended in it seem to run on, those that began and ended in it to have
// never been.
type Continuity struct {
	Days      int      // that the logs cover
	Missing   []string // days between two others of which there is no line and no file, as 2026-03-03
	Holes     []Hole   // times between two others, without whole days, of which there is no line
	Again     int      // records of starts that come again
	Startless int      // jobs that ended, and began while the logs last, without a record of it
	Endless   int      // jobs that began and did not end, although their walltime is long over
	Most      int64    // cpus that were occupied at a time
	CPUs      int64    // that the site has, 0 if that is not known
	Excess    Excess   // where more were occupied
}

// Hole is a time of which logs have no line, from its beginning to its end, which are local to the
// logs as if it were UTC.
type Hole struct{ From, To int64 }

// String returns when a hole begins and ends.
func (h Hole) String() string {
	at := func(wall int64) string { return time.Unix(wall, 0).UTC().Format("2006-01-02 15:04") }
	return at(h.From) + " to " + at(h.To)
}

// In returns when a hole begins and ends in the zone of the logs, in seconds since 1970.
func (h Hole) In(zone *time.Location) (from, to int64) {
	at := func(wall int64) int64 {
		t := time.Unix(wall, 0).UTC()
		return time.Date(t.Year(), t.Month(), t.Day(), t.Hour(), t.Minute(), t.Second(), 0, zone).Unix()
	}
	return at(h.From), at(h.To)
}

// IsBroken reports whether something is missing.
func (c Continuity) IsBroken() bool {
	return len(c.Missing) > 0 || len(c.Holes) > 0 || c.Startless > 0 || c.Endless > 0 || c.CPUs > 0 && c.Most > c.CPUs
}

// Remarks says what is missing, the days first.
func (c Continuity) Remarks() []diag.Remark {
	var remarks []diag.Remark
	if len(c.Missing) > 0 {
		const most = 5
		remarks = append(remarks, diag.Damagef("there is no log of %s, between others: what ran then is not in any figure", report.Some(c.Missing, most)))
	}
	if n := len(c.Holes); n > 0 {
		more := ""
		if n > 1 {
			more = fmt.Sprintf(", nor of %d other times", n-1)
		}
		remarks = append(remarks, diag.Damagef("there is no line from %s%s, although PBS writes one each hour: what ran then is not in any figure, unless the server was down", c.Holes[0], more))
	}
	if c.Again > 0 {
		remarks = append(remarks, diag.Warningf("%s of a start %s again: a log is read twice, and counts once", report.Count(c.Again, "record"), comes(c.Again)))
	}
	if c.Startless > 0 {
		remarks = append(remarks, diag.Damagef("%s ended without a record of %s start, while the logs last", report.Count(c.Startless, "job"), theirs(c.Startless)))
	}
	if c.Endless > 0 {
		they := "they are"
		if c.Endless == 1 {
			they = "it is"
		}
		remarks = append(remarks, diag.Damagef("%s started and did not end, although %s walltime is over: %s taken to end with it", report.Count(c.Endless, "job"), theirs(c.Endless), they))
	}
	if c.CPUs > 0 && c.Most > c.CPUs {
		remarks = append(remarks, c.Excess.Remark())
	}
	return remarks
}

// comes returns the verb of some things that come.
func comes(n int) string {
	if n == 1 {
		return "comes"
	}
	return "come"
}

// theirs returns the word for what some things have.
func theirs(n int) string {
	if n == 1 {
		return "its"
	}
	return "their"
}

// Continuity returns how far the logs cover their time. cpus is what the site has, 0 if that
// is not known.
func (t *Trace) Continuity(cpus int64) Continuity {
	covered := maps.Clone(t.named)
	for hour := range t.hours {
		covered[hour*secondsOfHour/secondsOfDay] = true
	}
	days := slices.Sorted(maps.Keys(covered))
	if t.Paused.Jobs > 0 { // so that it is not known how many were occupied at a time
		cpus = 0
	}
	c := Continuity{Days: len(days), Again: t.again, Startless: t.startless, Endless: t.endless, CPUs: cpus}
	occupied := t.Occupancy()
	if c.Most = occupied.lasting(); cpus > 0 && c.Most > cpus {
		c.Excess = t.excess(occupied, t.Jobs, cpus)
	}
	const longest = 400 // days or holes that are listed
	for i, day := range days {
		for missing := day + 1; i+1 < len(days) && missing < days[i+1] && len(c.Missing) < longest; missing++ {
			c.Missing = append(c.Missing, time.Unix(missing*secondsOfDay, 0).UTC().Format(time.DateOnly))
		}
	}
	if t.Types["L"] == 0 {
		return c // no line is written each hour
	}
	hours := slices.Sorted(maps.Keys(t.hours))
	for i := 1; i < len(hours) && len(c.Holes) < longest; i++ {
		from, to := hours[i-1]+1, hours[i]
		isOfDays := false // that are missing
		for day := (from + 23) / 24; day < to/24; day++ {
			isOfDays = isOfDays || !covered[day]
		}
		if to-from > 1 && !isOfDays { // a single hour may be that which the clocks leave out
			c.Holes = append(c.Holes, Hole{from * secondsOfHour, to * secondsOfHour})
		}
	}
	return c
}

// EndsBefore reports whether logs end so long before a time that there must have been more lines:
// more than two hours where one is written each hour, else more than a day.
func (t *Trace) EndsBefore(at int64) bool {
	longest := int64(secondsOfDay)
	if t.Types["L"] > 0 {
		longest = 2 * secondsOfHour
	}
	return t.Last != Unknown && at-t.Last > longest
}

const (
	secondsOfHour = 3600
	secondsOfDay  = 24 * secondsOfHour
)

// endDead ends the jobs that seem to run in the end and cannot, since their walltime is long
// over: the log that has their end is missing. They end with their walltime at the latest.
// Their state stays, so that nothing of them counts as work that has ended.
func (t *Trace) endDead() {
	const slack = 3600 // seconds: how late PBS may kill, and a server be down
	for _, j := range t.Jobs {
		if j == nil || j.State != Running || j.IsArray || j.Walltime <= 0 || j.Start == Unknown {
			continue
		}
		end := j.Start + j.Walltime
		for _, p := range j.Pauses() {
			end += max(0, p.End-max(p.Start, j.Start))
		}
		if end+slack < t.Last {
			j.End = end
			t.endless++
		}
	}
}

// dayFile is what PBS calls the log of a day.
var dayFile = pattern.Of(`^(\d{8})(\.gz|\.bz2|\.xz|\.zst)?$`)

// DayOfName returns the day that a log's name tells, counted from 1970.
func DayOfName(name string) (day int64, ok bool) {
	parts := dayFile().FindStringSubmatch(path.Base(name))
	if parts == nil {
		return 0, false
	}
	at, err := time.Parse("20060102", parts[1])
	return at.Unix() / secondsOfDay, err == nil
}
