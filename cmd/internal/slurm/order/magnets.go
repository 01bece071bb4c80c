package order

import (
	"slices"
	"strings"
	"time"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/slurm"
	"fairshare/cmd/internal/slurm/dump"
	"fairshare/fstree"
)

// magnet is a MAGNETIC reservation: jobs that may use it are tried in it first, though they do not ask for it.
type magnet struct {
	name   string
	guests slurm.Guests
}

// magnets are the MAGNETIC reservations of a site in which jobs may start when it was asked: those that last, and FLEX ones before
// they begin as well.
type magnets struct {
	list  []magnet
	above map[string][]string // each account of the tree, and those above it
}

// magnetsOf returns the magnets of a site with a tree, which may be nil, and what nothing tells of them.
func magnetsOf(d *dump.Dump, tree *fstree.Associations) (all magnets, remarks []diag.Remark) {
	for _, r := range d.Records(dump.KindReservations) {
		flags := strings.Split(strings.ToUpper(r["flags"]), ",")
		if !slices.Contains(flags, "MAGNETIC") || r["state"] == "INACTIVE" && !slices.Contains(flags, "FLEX") {
			continue
		}
		if guests := slurm.ReadGuests(r["users"], r["accounts"]); guests.AreAll() {
			remarks = append(remarks, dump.UnknownGuests(r["reservationname"]))
		} else {
			all.list = append(all.list, magnet{r["reservationname"], guests})
		}
	}
	told, _, err := d.Reservations(time.UTC) // an error of which is said where starts are
	if err == nil {
		remarks = append(remarks, all.addPast(told, d.Taken())...)
	}
	if len(d.All(dump.KindReservations)) == 0 {
		remarks = append(remarks, d.UnknownReservations(told)...)
	}
	if all.list == nil || tree == nil {
		return all, remarks
	}
	all.above = map[string][]string{}
	for i := range tree.Preorder {
		if x := tree.At(int(i)); !x.User {
			above := []string{x.Name}
			if i > 0 {
				above = append(above, all.above[tree.At(int(x.Parent)).Name]...)
			}
			all.above[x.Name] = above
		}
	}
	return all, remarks
}

// addPast adds the magnets of a time that sacctmgr alone tells of, with a remark on each of which nothing tells whom it lets in.
func (all *magnets) addPast(told []dump.Reservation, at time.Time) (remarks []diag.Remark) {
	for i := range told {
		b := &told[i]
		isOver := at.IsZero() || at.Unix() >= b.End || at.Unix() < b.Start && !b.IsFlex
		if !b.IsMagnetic || !b.IsPast || isOver {
			continue
		}
		if b.Guests.AreAll() {
			remarks = append(remarks, dump.UnknownGuests(b.Name))
		} else {
			all.list = append(all.list, magnet{b.Name, b.Guests})
		}
	}
	return remarks
}

// of returns the first reservation that attracts a job, "" for none.
func (all magnets) of(j *slurm.Job) string {
	if j.Reservation != "" {
		return ""
	}
	accounts := all.above[j.Account]
	if accounts == nil {
		accounts = []string{j.Account}
	}
	for _, m := range all.list {
		if m.guests.LetsIn(j.User, accounts) {
			return m.name
		}
	}
	return ""
}
