package order

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/moment"
	"fairshare/cmd/internal/report"
	"fairshare/cmd/internal/slurm"
	"fairshare/cmd/internal/slurm/dump"
	"fairshare/cmd/internal/slurm/setup"
)

// OpenNow opens what a site prints, and returns what ReadNow does.
func OpenNow(name string, zone *time.Location) (*setup.Site, []diag.Remark, error) {
	d, err := dump.Open(name)
	if err != nil {
		return nil, d.Remarks, err
	}
	return ReadNow(d, slurm.OnStarts|slurm.OnArrivals, zone)
}

// ReadNow returns the state of a site, and how its scheduler is configured. Its times are those of
// a zone. Of what is not modelled, that is said on which some answers depend.
func ReadNow(d *dump.Dump, on slurm.Answers, zone *time.Location) (*setup.Site, []diag.Remark, error) {
	if err := checkJobs(d); err != nil {
		return nil, d.Remarks, err
	}
	s, err := New(d)
	if err != nil {
		return nil, s.Remarks, err
	}
	return s.Now(d, on, zone)
}

// checkJobs returns an error if nothing tells what runs and what waits.
func checkJobs(d *dump.Dump) error {
	if d.HasJobs() {
		return nil
	}
	return d.Lacks("scontrol show job, which tells what runs and what waits (formula collect --slurm site.tgz writes a site with all that is needed, as any user)")
}

// Now is ReadNow of a site that was read from what it printed, and stays as it is. The remarks are those of the site as well.
func (s *Site) Now(d *dump.Dump, on slurm.Answers, zone *time.Location) (*setup.Site, []diag.Remark, error) {
	own := *s
	own.Remarks = slices.Clone(s.Remarks)
	s = &own
	if err := checkJobs(d); err != nil {
		return nil, s.Remarks, err
	}
	conf := s.Conf
	if on == slurm.OnRoom && s.newest == nil { // what is free depends on no shares: users come with their jobs, as where there is no accounting
		conf = conf.Clone()
		conf.HasNoAccounts = true
	}
	scheduler, remarks, err := setup.New(d, conf, s.newest, true)
	s.Remarks = append(s.Remarks, remarks...)
	var lacks *dump.MissingError
	if errors.As(err, &lacks) {
		return nil, s.Remarks, err
	} else if err != nil {
		return nil, s.Remarks, fmt.Errorf("%s: %w", d.Name, err)
	}
	if s.Taken.IsZero() {
		return nil, s.Remarks, &dump.MissingError{Name: d.Name, What: "scontrol show config, which tells when the site was asked"}
	}
	n := &setup.Site{Name: s.Name, Setup: scheduler, IsSet: map[string]bool{}, World: d.Only(setup.WorldKinds...)}
	if s.Unseen.IsHidden() && s.Unseen.IsPrivate {
		n.Hidden = s.Unseen.Of(s.Name)
	}
	local := func(t time.Time) int64 { // the site's times were read as if they were UTC
		if d.IsUTC() {
			return t.Unix()
		}
		x, _ := time.ParseInLocation(dump.TimeLayout, t.Format(dump.TimeLayout), zone)
		return x.Unix()
	}
	if n.At = local(s.Taken); !s.Swept.IsZero() {
		n.Swept = local(s.Swept)
	} else if booted, err := time.ParseInLocation(dump.TimeLayout, scheduler.Booted, zone); err == nil {
		n.Swept = booted.Unix()
	}
	n.Queue, remarks = d.Queue(zone)
	for _, r := range remarks {
		if !slices.Contains(s.Remarks, r) { // those of Jobs are told already
			s.say(r)
		}
	}
	s.Remarks = append(s.Remarks, sayTwice(n, zone)...)
	rows := s.PlainRows()
	n.Ranks = RanksOf(rows)
	for _, row := range rows {
		if row.IsSet() {
			n.IsSet[row.Job.ID] = true
		}
	}
	s.Remarks = slices.DeleteFunc(s.Remarks, func(r diag.Remark) bool { return slices.Contains(s.unmodelled, r) })
	s.Remarks = append(s.Remarks, n.Unmodelled(on)...)
	n.Setup.Zone = zone
	s.Remarks = append(s.Remarks, n.CloseNodes()...)
	if n.Reservations, remarks, err = d.Reservations(zone); err != nil {
		return nil, s.Remarks, err
	}
	return n, append(s.Remarks, remarks...), nil
}

// RanksOf returns the ranks of rows by the IDs of their jobs, of each job the first one first, without those that Slurm does
// not consider.
func RanksOf(rows []Row) map[string][]setup.Rank {
	ranks := map[string][]setup.Rank{}
	for i := range rows {
		if r := &rows[i]; r.Rank > 0 {
			ranks[r.Job.ID] = append(ranks[r.Job.ID], setup.Rank{Partition: r.Partition, QOS: r.QOS, Place: r.Rank})
		}
	}
	return ranks
}

// sayTwice says that times by which jobs end are of the hour that the clock of a zone has twice in autumn: Slurm prints them
// alike, and the wrong one is an hour off.
func sayTwice(n *setup.Site, zone *time.Location) []diag.Remark {
	const hour = 3600
	isOpen := func(at int64) bool { return moment.ComesTwice(zone, at) || moment.ComesTwice(zone, at-hour) }
	var jobs []string
	for i := range n.Queue {
		j := &n.Queue[i]
		if setup.IsRunning(j.State) && (isOpen(j.Started.Unix()) || !j.Ends.IsZero() && isOpen(j.Ends.Unix())) {
			jobs = append(jobs, j.ID)
		}
	}
	switch clock := moment.ZoneName(zone, n.At); {
	case isOpen(n.At):
		return []diag.Remark{diag.Warningf("the clock of %s has the hour twice in which the site was asked, and nothing tells which one is meant: jobs may end, and start, an hour earlier or later", clock)}
	case jobs != nil:
		return []diag.Remark{diag.Warningf("the clock of %s has an hour twice of which a StartTime or an EndTime of %s is, and nothing tells which one is meant: they may end an hour earlier or later (%s)", clock, report.Count(len(jobs), "running job"), report.First(jobs)).
			Briefly("%s may end an hour earlier or later, for the clock of %s has an hour twice (%s)", report.Count(len(jobs), "running job"), clock, report.First(jobs))}
	}
	return nil
}
