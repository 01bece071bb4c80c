package setup

import (
	"fmt"
	"slices"
	"strings"

	"fairshare/cmd/internal/accounts"
	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/file"
	"fairshare/cmd/internal/report"
	"fairshare/cmd/internal/slurm/dump"
	"fairshare/cmd/internal/slurm/sched"
	"fairshare/fstree"
)

// Usage is what an association has used, as fairshare counts it, and of its budgets.
type Usage struct {
	Account, User string // User is "" for an account
	Raw           float64
	Part          float64           // of all usage, NaN where there is none
	Limits        map[string]string // GrpTRESMins by resource: minutes that may be used
	Used          map[string]string // minutes of those resources, as slurmctld counts them; nil where nothing tells
}

// ReadUsage returns the usage of the associations of a site, in the order of its tree.
func ReadUsage(d *dump.Dump) ([]Usage, []diag.Remark, error) {
	_, said, err := d.Conf()
	remarks := slices.Concat(d.Remarks, d.Cut(), said)
	if err != nil {
		return nil, remarks, err
	}
	shares := d.Shares()
	if remarks = append(remarks, shares.Remarks...); shares.Tree == nil {
		return nil, remarks, d.Lacks("the tree with its usage: sshare -a -l -P, or scontrol show assoc_mgr")
	}
	remarks = append(remarks, shares.SayRaw()...)
	limits, isKnown := budgets(d)
	used, _ := managers(d)
	var list []Usage
	budgets := 0
	tree := Associations(shares.Tree)
	for i, key := range Names(tree) {
		u := Usage{Account: key.Account, User: key.User, Raw: tree[i].Usage, Part: tree[i].Usage / tree[0].Usage}
		if u.Limits = limits[key]; u.Limits != nil {
			budgets++
			u.Used = used[key].minutes
		}
		list = append(list, u)
	}
	switch {
	case !isKnown:
		remarks = append(remarks, diag.Warningf("%s has neither sshare -a -l -P nor sacctmgr -P show assoc: whether there are budgets (GrpTRESMins) is not known", d.Name))
	case budgets > 0 && used == nil:
		remarks = append(remarks, diag.Warningf("%s has no scontrol show assoc_mgr: how much is used of %s (GrpTRESMins) is not known", d.Name, report.Count(budgets, "budget")))
	}
	return list, remarks, nil
}

// UsageThen reads what sshare -a -l -P printed at some time, and returns the tree of a setup with the usage
// that it had then. An association that the table lacks has none.
func UsageThen(setup *sched.Setup, from file.Source) ([]fstree.Association, []diag.Remark, error) {
	text, err := from.Text(1 << 30)
	if err != nil {
		return nil, nil, err
	}
	then, _, err := accounts.Parse(text, accounts.Sshare)
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", from.Name, err)
	}
	list := Associations(then)
	usage := map[sched.AccountName]float64{}
	for i, name := range Names(list) {
		usage[name] = list[i].Usage
	}
	tree := slices.Clone(setup.Tree)
	var missing []string
	isOfSite := false
	for i, name := range setup.Names {
		used, isKnown := usage[name]
		isOfSite = isOfSite || isKnown
		if tree[i].Usage = used; !isKnown && name != (sched.AccountName{}) { // which is of strangers
			missing = append(missing, name.String())
		}
	}
	if !isOfSite {
		return nil, nil, fmt.Errorf("%s: it is of another site: none of its associations is in the tree", from.Name)
	}
	if len(missing) > 0 {
		return tree, []diag.Remark{diag.Warningf("%s has no usage of %s, such as %s: they begin with none", from.Name, report.Count(len(missing), "association"), missing[0]).OfPeople()}, nil
	}
	return tree, nil, nil
}

// budgets returns the GrpTRESMins of associations, as sacctmgr or sshare prints them.
func budgets(d *dump.Dump) (limits map[sched.AccountName]map[string]string, isKnown bool) {
	limits = map[sched.AccountName]map[string]string{}
	for _, k := range []dump.Kind{dump.KindAssociations, dump.KindShares} {
		p := d.Table(k)
		rows, _ := d.RowsOf(p)
		for _, row := range rows {
			text, ok := row["grptresmins"]
			isKnown = isKnown || ok
			if ok && text != "" {
				limits[rowName(row)] = amountTexts(text, func(amount string) string { return amount })
			}
		}
	}
	return limits, isKnown
}

// amountTexts reads cpu=20000,gres/gpu=60. An amount of which nothing is left is left out.
func amountTexts(text string, of func(amount string) string) map[string]string {
	amounts := map[string]string{}
	for part := range strings.SplitSeq(text, ",") {
		if name, amount, ok := strings.Cut(part, "="); ok && of(amount) != "" {
			amounts[name] = of(amount)
		}
	}
	return amounts
}

// managerUsage is what an association or a QOS has used, as scontrol show assoc_mgr prints it:
// GrpWall=N(235.21) and GrpTRESMins=cpu=20000(8175),mem=N(97), in minutes; and what its running jobs may
// still use, as GrpTRESRunMins.
type managerUsage struct {
	wall          string
	minutes, left map[string]string
}

// usualAccounts returns the account of each user's jobs that name none, nil where scontrol show assoc_mgr is missing.
func usualAccounts(d *dump.Dump) map[string]string {
	printed := d.All(dump.KindManager)
	if len(printed) == 0 {
		return nil
	}
	accounts := map[string]string{}
	for line := range strings.Lines(printed[0].Text) {
		if fields := strings.Fields(line); len(fields) > 1 && strings.HasPrefix(line, "UserName=") {
			user, _, _ := strings.Cut(strings.TrimPrefix(fields[0], "UserName="), "(")
			accounts[user] = strings.TrimPrefix(fields[1], "DefAccount=")
		}
	}
	return accounts
}

// managers returns what associations and QOS have used, nil where scontrol show assoc_mgr is missing.
func managers(d *dump.Dump) (associations map[sched.AccountName]managerUsage, qos map[string]managerUsage) {
	printed := d.All(dump.KindManager)
	if len(printed) == 0 {
		return nil, nil
	}
	associations, qos = map[sched.AccountName]managerUsage{}, map[string]managerUsage{}
	var keep func(managerUsage)
	var now managerUsage
	inUse := func(amount string) string {
		_, in, _ := strings.Cut(amount, "(")
		return strings.TrimSuffix(in, ")")
	}
	for line := range strings.Lines(printed[0].Text) {
		line = strings.TrimSpace(line)
		left, isLeft := strings.CutPrefix(line, "GrpTRESRunMins=")
		fields := amountTexts(strings.ReplaceAll(line, " ", ","), func(text string) string { return text })
		switch text, isMinutes := strings.CutPrefix(line, "GrpTRESMins="); {
		case strings.HasPrefix(line, "ClusterName="):
			user, _, _ := strings.Cut(fields["UserName"], "(")
			key := sched.AccountName{Account: fields["Account"], User: user, Partition: fields["Partition"]}
			if keep = func(m managerUsage) { associations[key] = m }; key.Account == "" {
				keep = nil
			}
		case strings.HasPrefix(line, "QOS="):
			name, _, _ := strings.Cut(fields["QOS"], "(")
			keep = func(m managerUsage) { qos[name] = m }
		case fields["GrpWall"] != "":
			now.wall = inUse(fields["GrpWall"])
		case isMinutes: // which stands behind GrpWall
			now.minutes = amountTexts(text, inUse)
		case isLeft && keep != nil:
			now.left = amountTexts(left, inUse)
			keep(now)
		}
	}
	return associations, qos
}
