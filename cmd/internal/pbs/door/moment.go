package door

import (
	"errors"
	"time"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/moment"
	"fairshare/cmd/internal/pbs"
	pbssite "fairshare/cmd/internal/pbs/site"
	"fairshare/cmd/internal/site"
)

// at sets of when and on which nodes jobs shall start.
func (s *Site) at(m site.Moment) {
	if m.Nodes != "" {
		s.Place.Nodes = s.to.Input.Source(m.Nodes, "--nodes")
	}
	if !m.At.IsZero() {
		if !s.Place.Local().IsTold() {
			s.to.Say(diag.Notef("--at and the local times of the list of jobs are in this machine's time, %s: nothing tells the site's (--tz ZONE)", moment.ZoneName(time.Local, m.At.Unix())))
		}
		s.Place.SetTaken(m.At)
	}
}

// Zone returns the time zone of the site's local times and of what is printed.
func (s *Site) Zone() (*time.Location, error) {
	if s.Place != nil {
		return s.Place.Zone(), nil
	}
	logs, err := s.Logs()
	if err != nil {
		return nil, err
	}
	return logs.Zone()
}

// sayApart says that an order is of another time than its list, where no cycle was gone through: that says it itself.
func (s *Site) sayApart() {
	if s.isJudged.Load() {
		return
	}
	if where := pbssite.Apart(s.Place.ListedAt, s.Place.Taken, s.Place.Zone()); where != "" {
		s.to.Say(diag.Warningf("%s: settings and reservations are those of that time, and the jobs and their usage those of the list", where))
	}
}

// sayIdle warns of settings that change who starts, where no start counts for the order and nobody has asked who does.
func (s *Site) sayIdle(at *pbs.Site) {
	if s.isJudged.Load() {
		return
	}
	for _, set := range at.Changes {
		if _, err := at.WithOther(set.Name, set.Value); errors.Is(err, pbs.ErrNoOrder) {
			by := "--set " + set.Name + "=" + set.Value
			if set.Where != "" {
				by = set.Where + ": " + set.Name + "=" + set.Value
			}
			s.to.Say(diag.Warningf("%s changes nothing in the order: it changes who starts, and starts do not count for it here (sort --now shows who does)", by).OfAsked())
		}
	}
}
