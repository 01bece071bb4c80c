package site

import (
	"bufio"
	"cmp"
	"io"
	"path"
	"slices"
	"time"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/file"
	"fairshare/cmd/internal/moment"
	"fairshare/cmd/internal/pbs/qstat"
	"fairshare/cmd/internal/site"
	"fairshare/cmd/internal/trace"
)

// LocalTime is what is known of the zone of a site's local times.
type LocalTime struct {
	Zone    *time.Location
	by      string // which texts tell it, "" for none
	isGiven bool   // whether it was named, where none tells it
	isFixed bool   // whether no more is known than how far it is ahead of UTC
}

// told is what texts say of the zone in which their site prints local times.
type told struct {
	by    string       // which texts, as people call them, "" for none
	marks []trace.Mark // the last one of each kind of text first
}

// Texts that tell.
const (
	listTells = "list of jobs"
	logsTell  = "logs"
)

// localTime returns what is known where a zone is named as well, "" for none: the named one counts where it fits or nothing is told,
// then this machine's. Where clocks were changed meanwhile it is a zone that changes them then.
func (t told) localTime(name string) (LocalTime, error) {
	named, err := moment.Zone(name)
	if t.by == "" || err != nil {
		return LocalTime{Zone: named, isGiven: name != ""}, err
	}
	zone, isFixed := moment.ZoneOf(t.marks, named)
	return LocalTime{Zone: zone, by: t.by, isFixed: isFixed}, nil
}

// IsTold reports whether texts tell the zone, or it was named.
func (l LocalTime) IsTold() bool { return l.by != "" || l.isGiven }

// Hours returns the zone in which the site's own files of hours are read for a time that begins and ends, and remarks on what of it
// nobody has said.
func (l LocalTime) Hours(begin, end int64) (*time.Location, []diag.Remark) {
	switch {
	case l.isFixed:
		remarks := []diag.Remark{diag.Notef("holidays and dedicated_time are read in %s, as the %s (--tz ZONE, if the site's clocks change)", l.Zone, map[string]string{listTells: "list of jobs tells", logsTell: "logs tell of their begin"}[l.by])}
		if like, at := moment.NextChange(l.Zone, begin, end); like != nil {
			remarks = append(remarks, diag.Warningf("if the clocks of the site are changed as those of %s are, prime time and dedicated time are an hour off from %s on, since nothing tells its zone by name (--tz ZONE)", like, moment.Clock(at, l.Zone)))
		}
		return l.Zone, remarks
	case l.IsTold():
		return l.Zone, nil
	}
	return l.Zone, []diag.Remark{diag.Notef("holidays and dedicated_time are read in this machine's time, %s: nothing tells the site's (--tz ZONE)", moment.ZoneName(l.Zone, begin))}
}

// Zone returns the time zone in which times are printed and asked for: the one that was named, or that of the site.
func (p *Place) Zone() *time.Location { return cmp.Or(p.shown, p.local.Zone, time.Local) }

// Local returns what is known of the zone of the site's local times.
func (p *Place) Local() LocalTime {
	l := p.local
	l.Zone = cmp.Or(l.Zone, time.Local)
	return l
}

// findZone finds out the zone of the local times of a place, and has its own times in the zone in which they are printed. It warns
// of texts that contradict each other.
func (p *Place) findZone(n site.Names, in *site.Input) (remarks []diag.Remark, err error) {
	list, logs := p.listZone(), told{}
	var of *Logs
	switch {
	case len(n.Beside) == 0:
		of, _ = p.OwnLogs(n.Zone, in.Formats)
	case !slices.Contains(n.Beside, "-"): // which is readable once
		of, _, _ = FindLogs(n.Beside, n.Zone, in) // whoever reads them says what is wrong
	}
	if of != nil {
		logs = of.says
	}
	all := told{cmp.Or(list.by, logs.by), slices.Concat(list.marks, logs.marks)}
	if p.local, err = all.localTime(n.Zone); err != nil {
		return nil, err
	}
	if list.by != "" && logs.by != "" && p.local.isFixed {
		p.local, _ = list.localTime(n.Zone)
		if !moment.Fits(p.local.Zone, logs.marks) {
			remarks = append(remarks, diag.Warningf("the list of jobs has local times in %s, and the logs have some in %s: those of the list count", moment.OffsetZone(int(list.marks[0].Offset)), moment.OffsetZone(int(logs.marks[0].Offset))))
		}
	}
	if n.Zone != "" {
		p.shown, _ = moment.Zone(n.Zone)
	}
	for _, at := range []*time.Time{&p.Taken, &p.ListedAt, &p.made} {
		if !at.IsZero() {
			*at = at.In(p.Zone())
		}
	}
	return remarks, nil
}

// listZone returns what the list of jobs tells of the zone, by the time since 1970 at which it was made.
func (p *Place) listZone() told {
	if len(p.Jobs) == 0 {
		return told{}
	}
	const most = 1 << 20 // of a list that is looked at
	begin := p.begin
	if p.Jobs[0].Member != "" || begin == nil {
		if p.snap == nil || p.Name == "" {
			return told{}
		}
		_ = p.Jobs[0].Read(func(plain *bufio.Reader) (err error) {
			begin, err = io.ReadAll(io.LimitReader(plain, most))
			return err
		})
	}
	if offset, at, ok := qstat.ToldOffset(begin); ok {
		return told{listTells, []trace.Mark{{At: at, Offset: offset}}}
	}
	return told{}
}

// findZone finds out what the logs tell of their zone.
func (l *Logs) findZone() (err error) {
	l.says = l.told()
	l.local, err = l.says.localTime(l.zone)
	return err
}

// told returns what the first and the last of the logs say of their zone, and a few of the days between them, those before and after
// changes of the clocks among them.
func (l *Logs) told() told {
	if says := l.toldTogether(); says.by != "" {
		return says
	}
	byDay := slices.Clone(l.Sources)
	slices.SortStableFunc(byDay, func(a, b file.Source) int { return cmp.Compare(path.Base(b.Name), path.Base(a.Name)) })
	for _, t := range l.trees {
		if t.FS == nil { // it may be readable once
			if offset, at, ok := trace.ToldOffsetIn(t.First); ok {
				return told{logsTell, []trace.Mark{{At: at, Offset: offset}}}
			}
			byDay = slices.DeleteFunc(byDay, func(s file.Source) bool { return s.Name == t.Name })
		}
	}
	const most = 8 // days of which none tells
	first := func(logs []file.Source) (m trace.Mark, day int, ok bool) {
		for i, from := range logs[:min(len(logs), most)] {
			if offset, at, ok := trace.ToldOffset(from); ok {
				return trace.Mark{At: at, Offset: offset}, i, true
			}
		}
		return m, 0, false
	}
	last, late, ok := first(byDay)
	if !ok {
		return told{}
	}
	backwards := slices.Clone(byDay)
	slices.Reverse(backwards)
	says := told{logsTell, []trace.Mark{last}}
	begin, early, ok := first(backwards)
	if early = len(byDay) - 1 - early; !ok || early <= late {
		return says
	}
	// between looks at days from an earlier one to a later one, of which the last of the logs is 0: up to the two that lie side by side
	// where their offsets differ, and wherever a summer may lie between them.
	var between func(late, early int, after, before trace.Mark)
	between = func(late, early int, after, before trace.Mark) {
		const season = 60 * 24 * 60 * 60 // shorter than which no summer time is
		if early-late > 1 && (after.Offset != before.Offset || after.At-before.At > season) {
			half := (early + late) / 2
			if middle, skipped, ok := first(byDay[half:early]); ok {
				says.marks = append(says.marks, middle)
				between(late, half+skipped, after, middle)
				between(half+skipped, early, middle, before)
				return
			}
			between(late, half, after, before)
		}
	}
	between(late, early, last, begin)
	says.marks = append(says.marks, begin)
	return says
}

// toldTogether returns what the site of the logs tells of its zone, and what the logs do not each by itself but together.
func (l *Logs) toldTogether() told {
	marks := l.marks
	for _, f := range l.formats {
		if f.Marks != nil && len(l.marks) == 0 { // else the site has asked its tables
			marks = slices.Concat(marks, f.Marks(l.Sources))
		}
	}
	if len(marks) == 0 {
		return told{}
	}
	return told{logsTell, marks}
}

// Local returns what is known of the zone of the local times of the logs.
func (l *Logs) Local() (LocalTime, error) {
	if l.local.Zone == nil {
		return told{}.localTime(l.zone)
	}
	return l.local, nil
}

// Zone returns the time zone in which times are printed and asked for: the one that was named, or that of the logs.
func (l *Logs) Zone() (*time.Location, error) {
	if l.zone != "" {
		return moment.Zone(l.zone)
	}
	local, err := l.Local()
	return local.Zone, err
}

// Clock returns the clock of one of the logs.
func (l *Logs) Clock() (*trace.Clock, error) {
	local, err := l.Local()
	if err != nil {
		return nil, err
	}
	return trace.NewClock(local.Zone, l.isOfRecords()), nil
}

// isOfRecords reports whether local times are as the records of the logs tell, and not in a zone that was named.
func (l *Logs) isOfRecords() bool {
	return l.zone == "" || l.local.by != "" && l.local.Zone.String() != l.zone
}

// LocalAt returns what Local does once the logs are read, of a time of theirs: of most records that are off it, what these tell.
func (l *Logs) LocalAt(at int64) (LocalTime, error) {
	local, err := l.Local()
	if err != nil || !l.isOfRecords() {
		return local, err
	}
	if l.off != 0 {
		_, seconds := time.Unix(at, 0).In(local.Zone).Zone()
		return LocalTime{Zone: moment.OffsetZone(seconds + int(l.off)), by: logsTell, isFixed: true}, nil
	}
	if l.tellsZone && local.by == "" {
		local.by = logsTell
	}
	return local, nil
}
