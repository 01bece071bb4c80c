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

// OpenNow returns the state of a site, and how its scheduler is configured. Its times are those of
// a zone.
func OpenNow(name string, zone *time.Location) (*Now, []diag.Remark, error) {
	f, said, err := open(name)
	if err != nil {
		return nil, said, err
	}
	return readNow(name, f, said, zone)
}

// AskNow asks a live site for its state, and returns it as OpenNow does.
func AskNow(ctx context.Context, run Runner, zone *time.Location) (*Now, []diag.Remark, error) {
	d, err := ask(ctx, run, time.Now, commands[:beginning])
	if err != nil {
		return nil, nil, err
	}
	return readNow(d.Name, d.folder(), d.Remarks, zone)
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
	n.Remarks = append(n.Remarks, weigh(n.Setup, "the list", n.each)...)
	n.Setup.Zone = zone
	if n.booked, err = reservationsOf(f, zone); err != nil {
		return nil, s.Remarks, err
	}
	for _, r := range n.booked.remarks {
		s.say(r)
	}
	return n, s.Remarks, err
}

// each tells of the jobs of the list as limits know them.
func (n *Now) each(yield func(j *slurmsched.Job, hours float64) bool) {
	s := n.Setup
	for i := range n.Queue {
		q := &n.Queue[i]
		j := slurmsched.Job{
			Request:     &slurmsched.Request{MinNodes: q.MinNodes},
			Partition:   s.PartitionNamed(q.Partitions[0]),
			QOS:         slices.IndexFunc(s.QOS, func(x slurmsched.QOS) bool { return x.Name == q.QOS }),
			Association: s.AssociationOf(q.Account, q.User, q.Partitions[0]),
		}
		list, _ := slurmsched.ParseLicences(q.Licenses)
		j.Licences, _ = s.Licensed(list)
		for _, name := range q.Partitions[1:] {
			if at := s.PartitionNamed(name); at >= 0 && j.Partition >= 0 {
				j.Partitions = append(j.Partitions, at)
			}
		}
		if len(j.Partitions) > 0 {
			j.Partitions = append(j.Partitions, j.Partition)
		}
		hours := float64(q.CPUs) * q.TimeLimit / 60
		if math.IsNaN(hours) || q.TimeLimit > math.MaxInt32 { // nothing tells it
			hours = 0
		}
		if j.Partition >= 0 && j.Association >= 0 && !yield(&j, hours) {
			return
		}
	}
}
