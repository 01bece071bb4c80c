package setup

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/slurm"
	"fairshare/cmd/internal/slurm/dump"
	"fairshare/cmd/internal/slurm/sched"
	"fairshare/cmd/internal/trace"
	"fairshare/fstree"
)

// readAccounts reads the tree of the associations, with their limits and what counts for these already.
func (r *reader) readAccounts() error {
	rows := map[sched.AccountName]dump.Row{}
	p := r.dump.Table(dump.KindAssociations)
	for _, row := range r.tableOf(p) {
		rows[rowName(row)] = row
	}
	if p.Text == "" && !r.setup.HasNoAccounts() {
		r.say(diag.Warningf("%s has no sacctmgr -P show assoc: the limits of associations are not known", r.dump.Name))
	}
	r.hasAssociations = len(rows) > 0
	r.users = map[string]int{}
	var tree []fstree.Association
	switch {
	case r.setup.HasNoAccounts() && !r.isPartial: // users of a record are added as it is read, see JobMaker; a tree that sshare has printed is an older one
		tree = r.treeOfUsers()
	case r.tree != nil:
		tree = Associations(r.tree)
	}
	r.setup.Names = Names(tree)
	if own := ReadAssociationPriorities(r.dump); own != nil && own.Most > 0 {
		r.setup.MostPriority = own.Most
		for _, name := range r.setup.Names {
			r.setup.Priorities = append(r.setup.Priorities, own.of[name])
		}
	}
	for i, x := range tree {
		a, name := sched.Account{Parent: int(x.Parent), User: -1, Limits: r.setup.Unlimited()}, r.setup.Names[i]
		if x.User {
			a.User = r.userNumber(x.Name)
		}
		var mayUse []string
		usual := ""
		if has := r.usedBy[name]; has.minutes != nil && !r.setup.Conf.Basic {
			a.Used = r.used(has)
		}
		if row, ok := rows[name]; ok {
			delete(rows, name)
			mayUse, usual = names(row["qos"]), row["def qos"]
			var err error
			whose := sched.Everybody
			whose.Account = i
			if a.Limits, a.Used, err = r.limits(row, OfAssociation, whose, r.usedBy[name]); err != nil && !r.isPartial {
				return fmt.Errorf("%s: association %s: %w", p.Name, name, err)
			} else if err != nil {
				a.Limits = r.unreadable(p, row, err)
			}
		}
		if r.setup.UsualQOS = append(r.setup.UsualQOS, usual); enforcesQOS(r.dump) {
			r.setup.MayUse = append(r.setup.MayUse, mayUse)
		}
		r.setup.Accounts = append(r.setup.Accounts, a)
		r.setup.Tree = append(r.setup.Tree, x)
	}
	for _, name := range slices.SortedFunc(maps.Keys(rows), func(a, b sched.AccountName) int { return strings.Compare(a.String(), b.String()) }) {
		switch {
		case r.isPartial:
			l, used, err := r.limits(rows[name], OfAssociation, sched.Everybody, r.usedBy[name])
			if err != nil {
				l = r.unreadable(p, rows[name], err)
			}
			r.addAccount(name, l, used)
		case name.Partition != "":
			r.ignorePartition(name)
		}
	}
	r.sayAccountsBelow()
	return nil
}

// sayAccountsBelow notes that newer versions of Slurm take the lists of accounts of a partition for those below as well, where a list
// leaves out some that are below one that it names.
func (r *reader) sayAccountsBelow() {
	if r.setup.IsOlderThan(23, 11) {
		return
	}
	for at, access := range r.setup.Access {
		column, list := "AllowAccounts", access.Accounts
		if list == nil {
			column, list = "DenyAccounts", access.DeniedAccounts
		}
		isNamed := func(account string) bool { return slurm.IsIn(list, account) }
		for i, name := range r.setup.Names {
			if name.User != "" || !isNamed(name.Account) || !r.hasUnnamedBelow(i, isNamed) {
				continue
			}
			whose := sched.Everybody
			whose.Partition, whose.Account = at, i
			r.ignore(slurm.OnQueue, whose, "that newer versions of Slurm take %s of partition %s for the accounts below %s as well (here they are to be named),", column, r.setup.Partitions[at].Name, name.Account)
		}
	}
}

// hasUnnamedBelow reports whether an account that is not named is somewhere below one.
func (r *reader) hasUnnamedBelow(account int, isNamed func(string) bool) bool {
	for i, name := range r.setup.Names {
		if name.User != "" || isNamed(name.Account) {
			continue
		}
		for i >= 0 && i != account {
			i = r.setup.Accounts[i].Parent
		}
		if i == account {
			return true
		}
	}
	return false
}

// treeOfUsers returns a tree of those who have jobs in the list, in one account.
func (r *reader) treeOfUsers() []fstree.Association {
	tree := []fstree.Association{{Name: "root", Parent: -1}, {Name: noAccount, Shares: 1}}
	known := map[string]bool{}
	listed, _, _ := r.dump.Jobs()
	for i := range listed {
		if user := listed[i].User; !known[user] {
			known[user] = true
			tree = append(tree, fstree.Association{Name: user, Parent: 1, User: true, Shares: 1})
		}
	}
	return tree
}

// userNumber returns the number of a user among those of the tree.
func (r *reader) userNumber(name string) int {
	if _, ok := r.users[name]; !ok {
		r.users[name] = len(r.users)
	}
	return r.users[name]
}

// ignorePartition notes an association of one partition alone that the tree lacks: its jobs have the limits
// and shares of the user's other association.
func (r *reader) ignorePartition(of sched.AccountName) {
	whose := sched.Everybody
	whose.Account = slices.Index(r.setup.Names, sched.AccountName{Account: of.Account, User: of.User})
	whose.Partition = r.setup.PartitionNamed(of.Partition)
	if whose.Account >= 0 && whose.Partition >= 0 {
		r.ignore(slurm.OnQueue, whose, "the association %s, which the tree lacks (sshare -m has it), so that its limits and shares are taken to be those of %s/%s,", of, of.Account, of.User)
	}
}

// Parents returns the account that each account of a site is directly below, as the tree or else a table of associations tells it; nil
// where neither does.
func Parents(d *dump.Dump) trace.Parents {
	parents := trace.Parents{}
	if tree := d.Shares().Tree; tree != nil {
		for i := range tree.Len() {
			if x := tree.At(i); !x.User && x.Parent >= 0 {
				parents[x.Name] = tree.At(int(x.Parent)).Name
			}
		}
		return parents
	}
	rows, _ := d.RowsOf(d.Table(dump.KindAssociations))
	for _, row := range rows {
		if row["user"] == "" && row["parentname"] != "" {
			parents[row["account"]] = row["parentname"]
		}
	}
	if len(parents) == 0 {
		return nil
	}
	return parents
}

// Associations returns the associations of a tree.
func Associations(tree *fstree.Associations) (list []fstree.Association) {
	for i := range tree.Len() {
		list = append(list, tree.At(i))
	}
	return list
}

// Names returns what the associations of a tree are called.
func Names(tree []fstree.Association) (names []sched.AccountName) {
	for _, x := range tree {
		name := sched.AccountName{Account: x.Name}
		if x.User {
			name = sched.AccountName{Account: tree[x.Parent].Name, User: x.Name, Partition: x.Partition}
		}
		names = append(names, name)
	}
	return names
}
