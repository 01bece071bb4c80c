package set

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"fairshare/cmd/internal/report"
	"fairshare/cmd/internal/slurm"
	"fairshare/cmd/internal/slurm/sched"
	"fairshare/cmd/internal/slurm/setup"
)

// isIdle says why a limit changes nothing at a site, nil where it may.
func isIdle(s *sched.Setup, limit *setup.Field) error {
	if limit == nil || !limit.IsLimit() {
		return nil
	}
	switch isOfUse := limit.Name == "GrpTRESMins" || limit.Name == "GrpWall"; {
	case s.IsUnlimited:
		return errors.New("it changes nothing: AccountingStorageEnforce has no limits")
	case limit.Since[0] > 0 && s.IsOlderThan(limit.Since[0], limit.Since[1]):
		return fmt.Errorf("it changes nothing: Slurm enforces it since %d.%02d", limit.Since[0], limit.Since[1])
	case s.Conf.Basic && isOfUse:
		return errors.New("it changes nothing: under priority/basic, slurmctld does not count what is used")
	}
	return nil
}

// limitOf returns what a limit is of that which a setting changes, "" where there is none.
func limitOf(setup *sched.Setup, of *sched.Limits, x *setting) string {
	f := x.limit
	switch {
	case f.Number != nil && *f.Number(of) == sched.None:
		return ""
	case f.Number != nil && f.Seconds > 0:
		return report.Duration(float64(*f.Number(of) * f.Seconds))
	case f.Number != nil:
		return strconv.FormatInt(*f.Number(of), 10)
	}
	var list []string
	is, names := *f.Amounts(of), setup.AmountNames()
	for i, name := range names {
		isAsked := slices.Contains(x.unset, name) || slices.ContainsFunc(x.amounts, func(a slurm.Amount) bool { return setup.AmountOf(a.Name) == i })
		if i < len(is) && is[i] != sched.None && (isAsked || x.value == "") {
			unit := ""
			if name == "mem" {
				unit = "M"
			}
			list = append(list, fmt.Sprintf("%s=%d%s", name, is[i], unit))
		}
	}
	return strings.Join(list, ",")
}

// setLimit changes a limit of a QOS or of an association.
func setLimit(setup *sched.Setup, of *sched.Limits, x *setting) error {
	switch f := x.limit; {
	case f.Seconds > 0:
		*f.Number(of) = int64(min(x.seconds, math.MaxInt32)) / f.Seconds
	case f.Number != nil && (x.value == "" || x.number == 0 && f.IsOpen):
		*f.Number(of) = sched.None
	case f.Number != nil:
		*f.Number(of) = int64(x.number)
	default:
		into := f.Amounts(of)
		before := *into
		limit, others := setup.Limit(x.amounts)
		if len(others) > 0 {
			return fmt.Errorf("it is of %s, which is not modelled%s", others[0], report.Meant(report.NearestResource(others[0], setup.AmountNames())))
		}
		for i, amount := range before {
			if limit[i] == sched.None && x.value != "" {
				limit[i] = amount
			}
		}
		for _, name := range x.unset {
			if i := setup.AmountOf(name); i >= 0 {
				limit[i] = sched.None
			}
		}
		if before != nil || x.value != "" { // it may be none already
			*into = limit
		}
	}
	return nil
}

// setAssociation changes a limit of an account or of a user's association. One that each user or job of an account has (Max…) those
// below it have as well, as slurmdbd gives it to them, but for those that have another one than the account had.
func setAssociation(s *sched.Setup, x *setting) (was string, err error) {
	at, err := findAssociation(s.Names, x.of)
	if err != nil {
		return "", x.orOfQOS(s, err)
	}
	if err := isIdle(s, x.limit); err != nil {
		return "", err
	}
	was = limitOf(s, &s.Accounts[at].Limits, x)
	return was, change(s, func() error {
		before := s.Accounts[at].Limits
		if err := setLimit(s, &s.Accounts[at].Limits, x); err != nil {
			return err
		}
		if !strings.HasPrefix(x.limit.Name, "Grp") {
			inherit(s, at, x.limit, &before)
		}
		return nil
	})
}

// inherit gives a limit of an account, which was another one, to those below that had what it was.
func inherit(s *sched.Setup, account int, f *setup.Field, was *sched.Limits) {
	is := &s.Accounts[account].Limits
	for i := range s.Accounts {
		if s.Accounts[i].Parent != account {
			continue
		}
		own := &s.Accounts[i].Limits
		before := *own
		switch {
		case f.Number == nil:
			*f.Amounts(own) = inherited(*f.Amounts(own), *f.Amounts(was), *f.Amounts(is))
		case *f.Number(own) == *f.Number(was):
			*f.Number(own) = *f.Number(is)
		}
		inherit(s, i, f, &before)
	}
}

// inherited returns a limit of amounts in which each that was as the account had it is as the account has it now.
func inherited(own, was, is sched.Amounts) sched.Amounts {
	of := func(a sched.Amounts, i int) int64 {
		if a == nil {
			return sched.None
		}
		return a[i]
	}
	now := slices.Clone(is)
	for i := range now {
		if before := of(own, i); before != of(was, i) {
			now[i] = before
		}
	}
	return now
}

// orOfQOS adds to an error on an association that there is not that a QOS has its name, where one has.
func (x *setting) orOfQOS(s *sched.Setup, err error) error {
	name := x.of[strings.LastIndexByte(x.of, '.')+1:]
	if _, none := qosNamed(s.QOS, name); none != nil {
		return err
	}
	if f := setup.FieldNamed(x.key, setup.OfQOS); f != nil {
		return fmt.Errorf("%w; QOS %s has qos.%s.%s", err, name, name, f.Name)
	}
	return fmt.Errorf("%w; QOS %s has limits such as qos.%s.GrpTRES", err, name, name)
}
