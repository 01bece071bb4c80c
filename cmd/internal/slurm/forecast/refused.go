package forecast

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"fairshare/cmd/internal/slurm/sched"
)

// Refused implements forecast.Offer. A job that waits already is judged by rules and limits alone, as its change may be one of
// scontrol update.
func (o *offer) Refused() string {
	j, err := o.job()
	if err != nil {
		return ""
	}
	by := o.site.closed(j)
	switch {
	case by != nil:
	case o.user == "":
		by = o.site.tells().RefusesLike(j, o.asked["qos"] != "")
	default:
		by = o.site.tells().Refuses(j)
	}
	if _, isHeld := o.asked["hold"]; by == nil && o.id == "" && !isHeld {
		by = o.site.Setup.RefusesRequest(j, o.user != "" || o.asked["qos"] != "")
	}
	why := inWords(by)
	if by != nil && by.Refusal != "" {
		why += " (sbatch refuses it: " + by.Refusal + ")"
	}
	return why
}

// closed says why none of the partitions of a job takes submissions of users like it, nil where one does.
func (s *Site) closed(j *sched.Job) (by *sched.Limit) {
	if s.Setup.Access == nil {
		return nil
	}
	for _, entry := range s.Setup.Entries(j) {
		name := s.Setup.Partitions[entry.Partition].Name
		switch a, p := &s.Setup.Access[entry.Partition], &s.Setup.Partitions[entry.Partition]; {
		case p.TakesNone():
			by = sched.Refusing("Required partition not available (inactive or drain)", "partition %s is %s, and takes no further jobs", name, p.State)
		case a.IsOfRoot:
			by = sched.Refusing("Access/permission denied", "root alone submits to partition %s (RootOnly)", name)
		case a.NeedsReservation && j.Reservation == 0:
			by = sched.Refusing("Access/permission denied", "jobs of partition %s are to name a reservation (ReqResv)", name)
		default:
			return nil
		}
	}
	return by
}

// setBegin lets a job begin no sooner than it asks for, and in the reservation that it asks for.
func (o *offer) setBegin(j *sched.Job) error {
	if text, ok := o.asked["begin"]; ok {
		begin, ok := beginOf(text, o.site.now())
		if !ok {
			return refused("Invalid --begin specification", "%q is no time at which a job begins: HH:MM, now+2hours, tomorrow, or 2026-12-31T10:00", text)
		}
		if at := max(begin.Unix(), o.site.At); at > o.site.At || j.Submit > at {
			j.Submit, j.Eligible = at, at
		}
	}
	list, ok := o.asked["reservation"]
	if !ok {
		return nil
	}
	var first *sched.Reservation // to begin
	for name := range strings.SplitSeq(list, ",") {
		k, err := o.site.reservationOf(name)
		if err != nil {
			return err
		}
		if first == nil || max(k.Start, o.site.At) < max(first.Start, o.site.At) {
			first = k
		}
	}
	j.Reservation = first.ID
	return nil
}

// reservationOf returns a reservation that is not over by its name.
func (s *Site) reservationOf(name string) (*sched.Reservation, error) {
	var names []string
	for i := range s.Setup.Reservations {
		k := &s.Setup.Reservations[i]
		if names = append(names, k.Name); k.Name == name {
			return k, nil
		}
	}
	for i := range s.Reservations {
		if r := &s.Reservations[i]; r.Name == name && r.Lacks != "" {
			return nil, wrong("reservation=%s is not modelled here: %s", name, r.Lacks)
		} else if r.Name == name {
			return nil, refused("Requested reservation is invalid", "reservation %s is over", name)
		}
	}
	if names == nil {
		return nil, wrong("reservation=%s: nothing tells of reservations that are not over (scontrol show reservation)", name)
	}
	return nil, refused("Requested reservation is invalid", "there is no reservation %s that is not over; there are %s", name, strings.Join(slices.Sorted(slices.Values(names)), ", "))
}

// now returns the moment of the site in its zone, and clock another one as people read it.
func (s *Site) now() time.Time { return time.Unix(s.At, 0).In(s.zone) }

func (s *Site) clock(at int64) string { return time.Unix(at, 0).In(s.zone).Format("2006-01-02 15:04") }

// begins says from when on a job may start that asks for a time, for a reservation to come or for other jobs, "" for one that may now.
func (s *Site) begins(j *sched.Job) string {
	switch k := s.Setup.ReservationOf(j); {
	case j.Submit > s.At:
		return "is not eligible before " + s.clock(j.Submit) + " (--begin)"
	case k != nil && k.Start > s.At && !k.IsFlex:
		return fmt.Sprintf("waits for its reservation %s, which begins at %s", k.Name, s.clock(k.Start))
	case s.awaits(j.Depends):
		return "waits: " + j.Depends.Reason
	}
	return ""
}
