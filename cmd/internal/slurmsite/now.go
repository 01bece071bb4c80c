package slurmsite

import (
	"cmp"
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
	Setup   *slurmsched.Setup
	Cluster string // its name, "" where nothing tells it
	At      int64  // the moment, in seconds since 1970
	Swept   int64  // a time at which priorities were computed, 0 where nothing tells one
	Queue   []slurm.Now
	IsSet   map[string]bool // jobs whose priority somebody has set, by ID
	InUse   map[string]int  // CPUs that are allocated, by node
	Booked  []Reservation   // of which none is over
}

// Reservation is a time for which nodes are kept.
type Reservation struct {
	Name       string
	Start, End int64
	Nodes      []string
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
	n := &Now{Site: s, Setup: r.setup, IsSet: map[string]bool{}, InUse: map[string]int{}}
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
	n.Cluster = f.config("clustername")
	n.Remarks = append(n.Remarks, weigh(n.Setup, "the list", n.each)...)
	err = n.readReservations(f, zone)
	return n, s.Remarks, err
}

// readReservations reads scontrol show reservation.
func (n *Now) readReservations(f *folder, zone *time.Location) error {
	for _, r := range records(f.all(isReservations), "ReservationName") {
		b := Reservation{Name: r["reservationname"]}
		start, wrong := time.ParseInLocation(timeLayout, r["starttime"], zone)
		end, alike := time.ParseInLocation(timeLayout, r["endtime"], zone)
		if wrong != nil || alike != nil {
			n.say(diag.Damagef("reservation %s is left out: its times cannot be read", b.Name))
			continue
		}
		b.Start, b.End = start.Unix(), end.Unix()
		var err error
		if b.Nodes, err = slurm.Hostlist(r["nodes"]); err != nil {
			return fmt.Errorf("reservation %s: %w", b.Name, err)
		}
		if b.End > n.At {
			n.Booked = append(n.Booked, b)
		}
	}
	slices.SortFunc(n.Booked, func(a, b Reservation) int { return cmp.Compare(a.Start, b.Start) })
	return nil
}

// each tells of the jobs of the list as limits know them.
func (n *Now) each(yield func(j *slurmsched.Job, hours float64) bool) {
	s := n.Setup
	for i := range n.Queue {
		q := &n.Queue[i]
		j := slurmsched.Job{
			Partition:   slices.IndexFunc(s.Partitions, func(p slurmsched.Partition) bool { return p.Name == q.Partitions[0] }),
			QOS:         slices.IndexFunc(s.QOS, func(x slurmsched.QOS) bool { return x.Name == q.QOS }),
			Association: s.AssociationOf(q.Account, q.User, q.Partitions[0]),
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
