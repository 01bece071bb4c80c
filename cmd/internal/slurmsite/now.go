package slurmsite

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/slurm"
	"fairshare/cmd/internal/slurmsched"
)

// Now is a site as its scheduler goes on from a moment.
type Now struct {
	*Site
	Setup *slurmsched.Setup
	At    int64 // the moment, in seconds since 1970
	Swept int64 // a time at which priorities were computed, 0 where nothing tells one
	Queue []slurm.Now
	IsSet map[string]bool // jobs whose priority somebody has set, by ID
	InUse map[string]int  // CPUs that are allocated, by node

	world  *folder // what tells of nodes and reservations
	booked booked  // its reservations
}

// OpenNow returns what Now does of the origin of a name.
func OpenNow(name string, zone *time.Location) (*Now, []diag.Remark, error) {
	o, err := OpenOrigin(name)
	if err != nil {
		return nil, o.Remarks, err
	}
	return o.Now(context.Background(), zone)
}

func readNow(name string, f *folder, said []diag.Remark, zone *time.Location) (*Now, []diag.Remark, error) {
	if len(f.all(isJobs)) == 0 {
		return nil, said, &MissingError{name, "scontrol show job, which tells what runs and what waits"}
	}
	s, err := read(name, f, said)
	if err != nil {
		return nil, s.Remarks, err
	}
	r := &schedulerReader{site: s, folder: f, setup: &slurmsched.Setup{Conf: s.Conf}, isNow: true}
	var lacks *MissingError
	if err := r.read(); errors.As(err, &lacks) {
		return nil, s.Remarks, err
	} else if err != nil {
		return nil, s.Remarks, fmt.Errorf("%s: %w", name, err)
	}
	if s.Taken.IsZero() {
		return nil, s.Remarks, &MissingError{name, "scontrol show config, which tells when the site was asked"}
	}
	n := &Now{Site: s, Setup: r.setup, IsSet: map[string]bool{}, InUse: map[string]int{}, world: f.only(ofWorld)}
	local := func(t time.Time) int64 { // the site's times were read as if they were UTC
		x, _ := time.ParseInLocation(timeLayout, t.Format(timeLayout), zone)
		return x.Unix()
	}
	if n.At = local(s.Taken); !s.swept.IsZero() {
		n.Swept = local(s.swept)
	} else if booted, err := time.ParseInLocation(timeLayout, r.setup.Booted, zone); err == nil {
		n.Swept = booted.Unix()
	}
	var wrong []diag.Remark
	for _, p := range f.all(isJobs) {
		jobs, problems, err := slurm.ParseNow(p.text, zone)
		if err == nil && (len(wrong) == 0 || len(jobs) > len(n.Queue)) {
			n.Queue, wrong = jobs, leftOut(p.Name, problems)
		}
	}
	for _, r := range wrong {
		if !slices.Contains(s.Remarks, r) { // those of ParseJobs are told already
			s.say(r)
		}
	}
	for _, row := range s.rows() {
		if row.isSet() {
			n.IsSet[row.Job.ID] = true
		}
	}
	for _, node := range records(f.all(isNodes), "NodeName") {
		n.InUse[node["nodename"]] = int(number(node["cpualloc"], 0))
	}
	n.Remarks = append(n.Remarks, weigh(n.Setup, "the list", n.each())...)
	n.Setup.Zone = zone
	if n.booked, err = reservationsOf(f, zone); err != nil {
		return nil, s.Remarks, err
	}
	for _, r := range n.booked.remarks {
		s.say(r)
	}
	return n, s.Remarks, err
}

// each returns a function that tells of the jobs of the list as limits know them.
func (n *Now) each() func(yield func(j *slurmsched.Job, hours float64) bool) {
	if len(n.Setup.Ignored) == 0 { // nobody asks
		return nil
	}
	maker := NewJobMaker(n.Setup)
	jobs, hours := make([]*slurmsched.Job, len(n.Queue)), make([]float64, len(n.Queue))
	for i := range n.Queue {
		q := &n.Queue[i]
		jobs[i], _ = maker.Listed(q, n.At)
		if hours[i] = float64(q.CPUs) * q.TimeLimit / 60; math.IsNaN(hours[i]) || q.TimeLimit > math.MaxInt32 { // nothing tells it
			hours[i] = 0
		}
	}
	return func(yield func(j *slurmsched.Job, hours float64) bool) {
		for i, j := range jobs {
			if j != nil && !yield(j, hours[i]) {
				return
			}
		}
	}
}
