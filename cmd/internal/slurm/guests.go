package slurm

import (
	"slices"
	"strings"
)

// Guests are who may use a reservation: nil is for all, and with a minus before each name all but those may.
type Guests struct{ Users, Accounts []string }

// ReadGuests reads the Users and the Accounts of a reservation, as scontrol prints them.
func ReadGuests(users, accounts string) Guests {
	names := func(list string) []string {
		if list == "" || list == "(null)" {
			return nil
		}
		return strings.Split(list, ",")
	}
	return Guests{names(users), names(accounts)}
}

// AreAll reports whether everybody may use it.
func (g Guests) AreAll() bool { return g.Users == nil && g.Accounts == nil }

// LetsIn reports whether a user may use a reservation, whose account and those above it are accounts: a reservation of an
// account is of all below it as well (Slurm's reservation.c, _valid_job_access_resv).
func (g Guests) LetsIn(user string, accounts []string) bool {
	return lets(g.Users, []string{user}) && lets(g.Accounts, accounts)
}

// lets reports whether a list lets somebody in who has some names.
func lets(list, names []string) bool {
	if list == nil {
		return true
	}
	isDenied := func(name string) bool { return slices.Contains(list, "-"+name) }
	if strings.HasPrefix(list[0], "-") {
		return !slices.ContainsFunc(names, isDenied)
	}
	return slices.ContainsFunc(names, func(name string) bool { return slices.Contains(list, name) })
}
