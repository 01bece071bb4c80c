package order

import (
	"slices"
	"strings"

	"fairshare/cmd/internal/slurm"
	"fairshare/cmd/internal/slurm/dump"
	"fairshare/fstree"
)

// magnet is a MAGNETIC reservation: jobs that may use it are tried in it first, though they do not ask for it.
type magnet struct {
	name            string
	users, accounts []string // that may use it, nil for all; with a minus before each where all but those may
}

type magnets []magnet

// magnetsOf returns the MAGNETIC reservations that last when a site was asked. Those of an account are of all accounts
// below it as well.
func magnetsOf(d *dump.Dump, tree *fstree.Associations) (list magnets) {
	for _, r := range d.Records(dump.KindReservations) {
		if slices.Contains(strings.Split(strings.ToUpper(r["flags"]), ","), "MAGNETIC") && r["state"] != "INACTIVE" {
			list = append(list, magnet{r["reservationname"], namesOf(r["users"]), withChildren(namesOf(r["accounts"]), tree)})
		}
	}
	return list
}

// withChildren returns a list of accounts with those below them in a tree, which may be nil.
func withChildren(accounts []string, tree *fstree.Associations) []string {
	if accounts == nil || tree == nil {
		return accounts
	}
	for _, i := range tree.Preorder() {
		x := tree.At(int(i))
		if x.User || i == 0 {
			continue
		}
		for _, sign := range []string{"", "-"} {
			parent := sign + tree.At(int(x.Parent)).Name
			if name := sign + x.Name; slices.Contains(accounts, parent) && !slices.Contains(accounts, name) {
				accounts = append(accounts, name)
			}
		}
	}
	return accounts
}

// namesOf returns the names of a list that scontrol prints.
func namesOf(list string) []string {
	if list == "" || list == "(null)" {
		return nil
	}
	return strings.Split(list, ",")
}

// of returns the first reservation that attracts a job, "" for none (Slurm's reservation.c, _valid_job_access_resv).
func (list magnets) of(j *slurm.Job) string {
	if j.Reservation != "" {
		return ""
	}
	for _, m := range list {
		if lets(m.users, j.User) && lets(m.accounts, j.Account) {
			return m.name
		}
	}
	return ""
}

// lets reports whether a list lets a name in.
func lets(list []string, name string) bool {
	if list == nil {
		return true
	}
	if strings.HasPrefix(list[0], "-") {
		return !slices.Contains(list, "-"+name)
	}
	return slices.Contains(list, name)
}
