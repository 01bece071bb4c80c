package forecast

import (
	"cmp"
	"slices"
	"strings"

	"fairshare/cmd/internal/report"
	"fairshare/cmd/internal/slurm/sched"
)

// Of whom a job is that is asked for: its association and its QOS.

// noAccount is what sbatch says of an account that its user is not in.
const noAccount = "Invalid account or account/partition combination specified"

// setAssociation finds the association of a job: that of the account that is asked for, of the user's default account, of
// the user's last job, or the only one.
func (o *offer) setAssociation(j *sched.Job) error {
	account, isAsked := o.asked["account"]
	c, partition := o.site.Setup, o.site.Setup.Partitions[j.Partition].Name
	if o.user == "" && o.id == "" {
		return o.setAccount(j)
	}
	if o.id != "" && !isAsked {
		was := c.Names[j.Association]
		if at := c.AssociationOf(was.Account, was.User, partition); at >= 0 {
			j.Association = at
		}
		return nil
	}
	var accounts []string
	names, found := c.Names, -1
	for i, name := range names {
		if name.User != o.user || name.User == "" || i != c.AssociationOf(name.Account, name.User, partition) {
			continue
		}
		if accounts = append(accounts, name.Account); name.Account == account || !isAsked {
			found = i
		}
	}
	last, hasLast := o.site.last[o.user]
	usual := slices.Index(accounts, c.UsualAccount[o.user])
	switch {
	case len(accounts) == 0 && c.HasNoAccounts():
		return wrong("%s has no job in the list or before it, and without accounting nothing else tells of users: name one who has", o.user)
	case len(accounts) == 0:
		return refused(noAccount, "%s is in no account of the tree, so that Slurm takes no job of theirs", o.user)
	case isAsked && found < 0:
		return refused(noAccount, "%s is not in it: %s", o.user, report.NoSuch("account of theirs", account, accounts))
	case !isAsked && usual >= 0:
		found = c.AssociationOf(accounts[usual], o.user, partition)
	case !isAsked && hasLast:
		was := names[last.association]
		if at := c.AssociationOf(was.Account, was.User, partition); at >= 0 {
			found = at
		}
	case !isAsked && len(accounts) > 1:
		return wrong("%s is in several accounts (%s): say which, such as account=%s", o.user, strings.Join(accounts, ", "), accounts[0])
	}
	j.Association = found
	return nil
}

// setAccount gives a job of which nothing tells who submits it the account that is asked for, or nobody's association.
func (o *offer) setAccount(j *sched.Job) error {
	names := o.site.Setup.Names
	account, isAsked := o.asked["account"]
	var accounts []string
	j.Association = len(names)
	for i, name := range names {
		if name.User != "" || name.Account == "" {
			continue
		}
		if accounts = append(accounts, name.Account); isAsked && name.Account == account {
			j.Association = i
		}
	}
	if isAsked && len(accounts) > 0 && j.Association == len(names) {
		return refused(noAccount, "%s", report.NoSuch("account", account, accounts))
	}
	return nil
}

// setQOS finds the QOS of a job: that which is asked for, the default of its association, that of the user's last job where
// nothing tells of defaults, normal, or the first.
func (o *offer) setQOS(j *sched.Job) error {
	name, isAsked := o.asked["qos"]
	last, hasLast := o.site.last[o.user]
	usual := o.usualQOS(j.Association)
	switch {
	case o.id != "" && !isAsked:
		return nil
	case !isAsked && usual == "" && hasLast && o.site.Setup.MayBeOf(j.Association, last.qos):
		j.QOS = last.qos
		return nil
	}
	names := sched.QOSNames(o.site.Setup.QOS)
	if j.QOS = slices.Index(names, cmp.Or(name, usual, "normal")); j.QOS < 0 && isAsked {
		return refused("Invalid qos specification", "%s", report.NoSuch("QOS", name, names))
	}
	j.QOS = max(0, j.QOS)
	return nil
}

// usualQOS returns the default QOS of an association, "" where it has none, or nothing tells it.
func (o *offer) usualQOS(association int) string {
	if of := o.site.Setup.UsualQOS; association < len(of) {
		return of[association]
	}
	return ""
}
