package door

import (
	"slices"
	"time"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/moment"
	"fairshare/cmd/internal/site"
	"fairshare/cmd/internal/slurm/sacct"
	"fairshare/cmd/internal/trace"
)

// Zone implements site.Zoned.
func (s *Site) Zone() (*time.Location, error) { return s.zoneNamed(s.zone) }

// zoneNamed does as Zone where a zone is named, "" for none.
func (s *Site) zoneNamed(name string) (*time.Location, error) {
	if s.dump == nil {
		return moment.Zone(name)
	}
	return zoneOf(s.dump.Marks(), name, s.to)
}

// Zone implements site.Zoned.
func (p *Past) Zone() (*time.Location, error) {
	printed, err := p.printed()
	if err != nil {
		return moment.Zone(p.zone) // whoever reads the site says what is wrong
	}
	marks := printed.Marks()
	if len(marks) == 0 {
		marks = sacct.Marks(p.tables)
	}
	return zoneOf(marks, p.zone, p.to)
}

// Marks implements site.Marked.
func (r *Record) Marks() []trace.Mark {
	d, err := r.dump()
	if err != nil {
		return nil
	}
	return append(slices.Clip(d.Marks()), sacct.Marks(r.tables)...)
}

// zoneOf returns the zone in which a site's local times are read and printed, of which its texts tell by marks, where one is named as well, "" for none.
// It says where that is neither the named one nor this machine's.
func zoneOf(marks []trace.Mark, name string, to *site.Console) (*time.Location, error) {
	named, err := moment.Zone(name)
	if err != nil {
		return nil, err
	}
	zone, isFixed := moment.ZoneOf(marks, named)
	if zone == named {
		return zone, nil
	}
	changes := ""
	if isFixed {
		changes = ", and nothing tells when its clocks are changed"
	}
	if name == "" {
		to.Say(diag.Notef("times are in %s, as those since 1970 in JSON tell of the site, and not in this machine's zone, %s%s (--tz)", zone, moment.ZoneName(time.Local, marks[0].At), changes).Joined(diag.Place, "times in %s%s", zone, changes))
	} else {
		to.Say(diag.Warningf("--tz %s is not the zone of the site, as the times since 1970 in its JSON tell: its times are read and printed in %s%s", name, zone, changes))
	}
	return zone, nil
}
