package order

import (
	"slices"
	"strings"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/report"
	"fairshare/cmd/internal/slurm"
	"fairshare/cmd/internal/slurm/dump"
	"fairshare/fstree"
)

// magnet is a MAGNETIC reservation: jobs that may use it are tried in it first, though they do not ask for it.
type magnet struct {
	name   string
	guests slurm.Guests
}

// magnets are the MAGNETIC reservations of a site that last when it was asked.
type magnets struct {
	list  []magnet
	above map[string][]string // each account of the tree, and those above it
}

// magnetsOf returns the magnets of a site with a tree, which may be nil.
func magnetsOf(d *dump.Dump, tree *fstree.Associations) (all magnets) {
	for _, r := range d.Records(dump.KindReservations) {
		if slices.Contains(strings.Split(strings.ToUpper(r["flags"]), ","), "MAGNETIC") && r["state"] != "INACTIVE" {
			all.list = append(all.list, magnet{r["reservationname"], slurm.ReadGuests(r["users"], r["accounts"])})
		}
	}
	if all.list == nil || tree == nil {
		return all
	}
	all.above = map[string][]string{}
	for _, i := range tree.Preorder() {
		if x := tree.At(int(i)); !x.User {
			above := []string{x.Name}
			if i > 0 {
				above = append(above, all.above[tree.At(int(x.Parent)).Name]...)
			}
			all.above[x.Name] = above
		}
	}
	return all
}

// sayUnknownMagnets says that reservations may attract jobs of which nothing tells.
func (s *Site) sayUnknownMagnets(d *dump.Dump) {
	if nodes := d.Reserved(); len(nodes) > 0 && len(d.All(dump.KindReservations)) == 0 {
		s.say(diag.Warningf("%s has no scontrol show reservation: jobs that a reservation attracts (MAGNETIC) go first, and which these are is not known; reserved right now: %s, %s", s.Name, report.Count(len(nodes), "node"), report.First(nodes)))
	}
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
