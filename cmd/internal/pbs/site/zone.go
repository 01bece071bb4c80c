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

// told is what a text says of the zone in which its site prints local times.
type told struct {
	text   string // that tells, as people call it, "" for none
	offset int64  // of local times from UTC, in seconds
	at     int64  // when it was so
}

// zone returns the zone that is told: this machine's where that has the same offset then.
func (t told) zone() *time.Location {
	if t.text == "" {
		return time.Local
	}
	if _, here := time.Unix(t.at, 0).In(time.Local).Zone(); int64(here) == t.offset {
		return time.Local
	}
	return moment.OffsetZone(int(t.offset))
}

// Zone returns the time zone of a site's local times, in which times are printed as well: the one that was given, or that which the
// list of jobs or the logs tell, or this machine's.
func (p *Place) Zone() *time.Location {
	if p.zone == nil {
		return time.Local
	}
	return p.zone
}

// findZone finds out the zone of the local times of a place, and has its own times in it. It warns of texts that contradict it.
func (p *Place) findZone(n site.Names, in *site.Input) ([]diag.Remark, error) {
	given, err := moment.Zone(n.Zone)
	if err != nil {
		return nil, err
	}
	list, logs := p.listZone(), told{}
	var of *Logs
	switch {
	case len(n.Beside) == 0:
		of, _ = p.OwnLogs("", in.Formats)
	case !slices.Contains(n.Beside, "-"): // which is readable once
		of, _, _ = FindLogs(n.Beside, "", in) // whoever reads them says what is wrong
	}
	if of != nil {
		logs = of.says
	}
	var remarks []diag.Remark
	by := list
	if by.text == "" {
		by = logs
	}
	switch p.zone = by.zone(); {
	case n.Zone != "":
		p.zone = given
		if _, offset := time.Unix(by.at, 0).In(given).Zone(); by.text != "" && int64(offset) != by.offset {
			remarks = append(remarks, diag.Warningf("--tz %s is not the zone of the site: local times of its %s are in %s", n.Zone, by.text, moment.OffsetZone(int(by.offset))))
		}
	case list.text != "" && logs.text != "" && list.offset != logs.offset:
		remarks = append(remarks, diag.Warningf("the list of jobs has local times in %s, and the logs have some in %s: those of the list count (--tz ZONE)", moment.OffsetZone(int(list.offset)), moment.OffsetZone(int(logs.offset))))
	}
	if n.Zone == "" && p.zone != time.Local {
		p.zoneBy = by.text
	}
	p.tellsZone = n.Zone != "" || by.text != ""
	for _, at := range []*time.Time{&p.Taken, &p.ListedAt, &p.made} {
		if !at.IsZero() {
			*at = at.In(p.zone)
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
		return told{"list of jobs", offset, at}
	}
	return told{}
}

// findZone finds out what the last of the logs tells of their zone.
func (l *Logs) findZone() {
	l.says = l.told()
	l.tellsZone = l.says.text != ""
	if zone := l.says.zone(); l.zone == "" && zone != time.Local {
		l.own = zone
	}
}

// told returns what the last of the logs that tells says of their zone.
func (l *Logs) told() told {
	byDay := slices.Clone(l.Sources)
	slices.SortStableFunc(byDay, func(a, b file.Source) int { return cmp.Compare(path.Base(b.Name), path.Base(a.Name)) })
	for _, t := range l.trees {
		if t.FS == nil { // it may be readable once
			if offset, at, ok := trace.ToldOffsetIn(t.First); ok {
				return told{"logs", offset, at}
			}
			byDay = slices.DeleteFunc(byDay, func(s file.Source) bool { return s.Name == t.Name })
		}
	}
	const most = 8 // days of which none tells
	for _, from := range byDay[:min(len(byDay), most)] {
		if offset, at, ok := trace.ToldOffset(from); ok {
			return told{"logs", offset, at}
		}
	}
	return told{}
}

// Zone returns the time zone of the logs, as it was given, as they tell, or this machine's.
func (l *Logs) Zone() (*time.Location, error) {
	if l.own != nil {
		return l.own, nil
	}
	return moment.Zone(l.zone)
}

// toldZone returns the zone of the site's local times at a time as the records of the logs tell it,
// nil where a zone was given, and where they tell that it is this machine's or nothing.
func (l *Logs) toldZone(at int64) *time.Location {
	if l.own == nil && l.off == 0 {
		return nil
	}
	_, seconds := time.Unix(at, 0).In(cmp.Or(l.own, time.Local)).Zone()
	return moment.OffsetZone(seconds + int(l.off))
}

// HoursZone returns the zone in which the site's own files of hours are read at a time, and a
// remark on that where nobody has said it: that of --tz, else the one that the logs tell, else this
// machine's. logs may be nil, for none.
func HoursZone(logs *Logs, zone *time.Location, at int64) (*time.Location, []diag.Remark) {
	if logs != nil {
		if told := logs.toldZone(at); told != nil {
			return told, []diag.Remark{diag.Notef("holidays and dedicated_time are read in %s, as the logs tell of their begin (--tz ZONE, if the site's clocks change)", told)}
		}
	}
	if zone != time.Local || logs != nil && logs.tellsZone {
		return zone, nil
	}
	return zone, []diag.Remark{diag.Notef("holidays and dedicated_time are read in this machine's time, %s: nothing tells the site's (--tz ZONE)", moment.ZoneName(zone, at))}
}
