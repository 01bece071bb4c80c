// Package slurmforecast makes what a Slurm site prints the begin of forecasts, and runs Slurm's
// scheduler for them: what is drawn and what becomes of it is package forecast's.
package slurmforecast

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/file"
	"fairshare/cmd/internal/forecast"
	"fairshare/cmd/internal/report"
	"fairshare/cmd/internal/slurmsched"
	"fairshare/cmd/internal/slurmsite"
	"fairshare/cmd/internal/trace"
	"fairshare/cmd/internal/work"
)

// Site is a Slurm site as forecasts begin with it. It is their Scheduler.
type Site struct {
	*slurmsite.Now
	State  *forecast.State
	Over   []string        // the jobs of the list that do not wait, by ID
	Users  map[string]bool // who has a job in the list or in the table of sacct
	listed map[string]*slurmsched.Job
	kinds  map[int32]*slurmsched.Job // what jobs of the past asked for, by the number of their request
}

// OtherClusterError says that a table of sacct is of another cluster than a site.
type OtherClusterError struct{ Table, Of, Site, Is string }

func (e *OtherClusterError) Error() string {
	return fmt.Sprintf("%s is of cluster %s, and %s of cluster %s", e.Table, e.Of, e.Site, e.Is)
}

// Read returns what a site tells of itself now, and a table of sacct of what came before: that which
// is given, or else the one that the site has within it. The remarks say what is missing.
func Read(name string, table *file.Source, zone *time.Location) (*Site, []diag.Remark, error) {
	now, remarks, err := slurmsite.OpenNow(name, zone)
	if err != nil {
		return nil, remarks, err
	}
	s := &Site{Now: now, Users: map[string]bool{}, listed: map[string]*slurmsched.Job{}, kinds: map[int32]*slurmsched.Job{}}
	isGiven := table != nil
	if !isGiven {
		found, said, err := slurmsite.Accounting(name)
		if err == nil {
			table, remarks = &found, append(remarks, said...)
		}
	}
	past := trace.OfSlurm()
	if table != nil {
		record, err := slurmsite.ReadRecord(now.Setup, *table, zone)
		switch {
		case err != nil && isGiven:
			return nil, remarks, err
		case err != nil:
			remarks = append(remarks, diag.Warningf("nothing is learned from %s: %v", table.Name, err))
		case record.Cluster != "" && now.Cluster != "" && record.Cluster != now.Cluster:
			return nil, remarks, &OtherClusterError{table.Name, record.Cluster, name, now.Cluster}
		default:
			remarks = append(remarks, s.doubts(record, table.Name)...)
			if len(record.Jobs) > 0 {
				past = s.learnFrom(record)
			}
		}
	}
	base := work.New(past, nil)
	s.State = forecast.NewState(base, now.At, zone)
	s.State.Record = "tables of sacct"
	for _, n := range now.Setup.Nodes {
		s.State.CPUs += float64(n.CPUs)
	}
	if s.State.CPUs == 0 {
		return nil, remarks, errors.New(name + ": no node is up, and nothing can start")
	}
	remarks = append(append(remarks, s.keep(zone)...), s.addJobs(base)...)
	return s, append(remarks, s.unmodelled()...), nil
}

// learnFrom returns the trace of a record, in which each job has what it asked for as its request.
func (s *Site) learnFrom(record *slurmsite.Record) *trace.Trace {
	t := record.Trace()
	numbers := map[string]int32{}
	for i, x := range record.Jobs {
		like := *x.Job
		if x.Start == 0 || x.Start > s.At {
			like.Billing = 0 // of the nodes that it was to have
		}
		key := fmt.Sprintf("%p %d %d %d %d %g %v", like.Request, like.Partition, like.Association, like.QOS, like.Limit, like.Billing, like.TRES)
		if numbers[key] == 0 {
			number := t.Number(fmt.Sprintf("ncpus=%d%ckind=%d%c", like.Request.CPUs, trace.RequestEnd, len(numbers), trace.RequestEnd))
			numbers[key], s.kinds[number] = number, &like
		}
		t.Jobs[i].Request = numbers[key]
		if x.Submit <= s.At {
			s.Users[x.User] = true
		}
	}
	return t
}

// doubts returns what a table of sacct does not tell, or should not be asked.
func (s *Site) doubts(record *slurmsite.Record, name string) (remarks []diag.Remark) {
	for _, r := range record.Remarks {
		if r.IsDamage {
			remarks = append(remarks, r)
		}
	}
	known, later := map[string]bool{}, 0
	for _, x := range record.Jobs {
		id, _, _ := strings.Cut(x.ID, "_")
		known[id] = true
		if x.Submit > s.At {
			later++
		}
	}
	if later > 0 {
		remarks = append(remarks, diag.Notef("%s has %s that came after the list was made: nothing is learned from them, nor from ends after it", name, report.Count(later, "job")))
	}
	isKnown := func(n string) bool { return known[n] }
	var ids []string
	for _, n := range s.Queue {
		ids = append(ids, n.ID)
		if n.Array != "" {
			ids = append(ids, n.Array)
		}
	}
	if len(ids) > 0 && len(record.Jobs) > 0 && !slices.ContainsFunc(ids, isKnown) {
		remarks = append(remarks, diag.Warningf("no job of the list is in %s: it is of another site, or of another time, and what is learned from it may not hold here", name))
	}
	return remarks
}

// keep keeps the nodes of the reservations that are known, with a remark on them.
func (s *Site) keep(zone *time.Location) []diag.Remark {
	const most = 3 // that are told one by one
	var told []string
	for _, r := range s.Booked {
		kept := slurmsched.Kept{Nodes: slurmsched.NewSet(len(s.Setup.Nodes)), Start: r.Start, End: r.End}
		for i, node := range s.Setup.Nodes {
			if slices.Contains(r.Nodes, node.Name) {
				kept.Nodes.Add(i)
			}
		}
		if len(r.Nodes) == 0 {
			continue // of licences
		}
		s.Setup.Kept = append(s.Setup.Kept, kept)
		clock := func(at int64) string { return time.Unix(at, 0).In(zone).Format("2006-01-02 15:04") }
		told = append(told, fmt.Sprintf("%s from %s to %s", r.Name, clock(r.Start), clock(r.End)))
	}
	if len(told) == 0 {
		return nil
	}
	text := strings.Join(told[:min(len(told), most)], ", ")
	if n := len(told) - most; n > 0 {
		text += fmt.Sprintf(" and %d more", n)
	}
	return []diag.Remark{diag.Notef("nodes are kept for %s, and none is taken to be made later; the jobs in them are not forecast: %s", report.Count(len(told), "reservation"), text)}
}

// unmodelled says what of a site matters to the waiting jobs and is not modelled, and to how many.
func (s *Site) unmodelled() (remarks []diag.Remark) {
	count := func(what string, is func(n int) bool) {
		jobs := 0
		for i, n := range s.Queue {
			if n.State == "PENDING" && is(i) {
				jobs++
			}
		}
		if jobs > 0 {
			remarks = append(remarks, diag.Warningf("%s of the list that wait: %s", report.Count(jobs, "job"), what))
		}
	}
	count("they ask for licences, which are not modelled: they may start later", func(i int) bool { return s.Queue[i].Licenses != "" })
	count("they name nodes that they want or do not want (-w, -x), which is not modelled: they may start later", func(i int) bool { return s.Queue[i].NamesNodes })
	count("they name several partitions, of which the first counts: they may start sooner", func(i int) bool { return len(s.Queue[i].Partitions) > 1 })
	return remarks
}
