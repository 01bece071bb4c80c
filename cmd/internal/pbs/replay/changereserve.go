package replay

import (
	"errors"
	"slices"
	"strings"
	"time"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/moment"
	"fairshare/cmd/internal/pbs"
	"fairshare/cmd/internal/pbs/cluster"
	"fairshare/cmd/internal/pbs/world"
	"fairshare/cmd/internal/report"
)

// reserve returns the reservations of a record as a policy has them: without those that it
// drops, with others at other times, and with those that it adds, which are known from the begin.
func reserve(all []*world.Reservation, changes []pbs.ReservationChange, nodes *cluster.Cluster, zone *time.Location) ([]*world.Reservation, error) {
	all = slices.Clone(all)
	for _, c := range changes {
		var err error
		if all, err = reserveOne(all, c, nodes, zone); err != nil {
			return nil, &diag.SettingError{Setting: "reservation." + c.Name, Err: err}
		}
	}
	return all, nil
}

func reserveOne(all []*world.Reservation, c pbs.ReservationChange, nodes *cluster.Cluster, zone *time.Location) ([]*world.Reservation, error) {
	isMeant := func(r *world.Reservation) bool {
		short, _, _ := strings.Cut(r.ID, ".")
		return c.Name == r.ID || c.Name == short || c.Name == "*"
	}
	at := slices.IndexFunc(all, isMeant)
	if c.IsDropped && at < 0 {
		var names []string
		for _, r := range all {
			names = append(names, r.ID)
		}
		return nil, errors.New(report.NoSuch("reservation", c.Name, names))
	}
	if c.IsDropped {
		return slices.DeleteFunc(all, isMeant), nil
	}
	hold := world.Hold{Place: "excl"} // of all that the vnodes have
	var err error
	if hold.Start, hold.End, err = moment.ParseSpan(c.From, c.To, zone); err != nil {
		return nil, err
	}
	moved := world.Reservation{ID: c.Name, IsMaintenance: true}
	switch {
	case c.Name == "*":
		return nil, errors.New("all reservations can be dropped together (none), but not be moved together")
	case at < 0 && c.Vnodes == "":
		return nil, errors.New("it is not on record, so that the vnodes have to be said: FROM/TO on VNODES")
	case at >= 0 && all[at].IsStanding:
		return nil, errors.New("it is a standing one, which comes again and again: drop it, and add its times as reservations of other names")
	case at >= 0 && len(all[at].Holds) == 0:
		return nil, errors.New("the record does not say which vnodes it had")
	case at >= 0:
		moved = *all[at]
		hold.Nodes, hold.Place, hold.From = moved.Holds[0].Nodes, moved.Holds[0].Place, moved.Holds[0].From
		moved.Ended = hold.End
	}
	if c.Vnodes != "" {
		if hold.Nodes, err = wholeVnodes(c.Vnodes, nodes); err != nil {
			return nil, err
		}
	}
	moved.Holds = []world.Hold{hold}
	if at >= 0 {
		all[at] = &moved
		return all, nil
	}
	return append(all, &moved), nil
}

// wholeVnodes returns all that some vnodes have, as exec_vnode has it.
func wholeVnodes(patterns string, nodes *cluster.Cluster) (string, error) {
	numbers, err := nodes.Find(patterns)
	if err != nil {
		return "", err
	}
	var parts []string
	for _, number := range numbers {
		parts = append(parts, "("+nodes.WholeText(number)+")")
	}
	return strings.Join(parts, "+"), nil
}
