package slurmsite

import (
	"fmt"
	"slices"
	"strings"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/report"
	"fairshare/cmd/internal/slurm"
	"fairshare/cmd/internal/slurmsched"
	"fairshare/fstree"
)

// unmodelled are the columns of sacctmgr of limits that are not modelled.
var unmodelled = []string{"grpsubmit", "maxsubmit", "maxsubmitpu", "maxsubmitpa", "grpjobsaccrue", "maxjobsaccrue", "maxjobsaccruepu", "maxjobsaccruepa", "minpriothresh", "maxtresrunminspu", "maxtresrunminspa"}

// limits reads the limits of a QOS or of an association from its row, and what has been used of them.
func (r *schedulerReader) limits(row record, whose slurmsched.Whose, has managed) (slurmsched.Limits, slurmsched.Used, error) {
	l := slurmsched.Unlimited(len(r.setup.GRES))
	var used slurmsched.Used
	if r.setup.IsUnlimited {
		return l, used, nil
	}
	for _, x := range []struct {
		key  string
		into *slurmsched.Amounts
	}{{"grptres", &l.AllTRES}, {"maxtres", &l.JobTRES}, {"maxtrespernode", &l.NodeTRES}, {"maxtrespu", &l.UserTRES}, {"maxtrespa", &l.AccountTRES}, {"mintres", &l.LeastTRES},
		{"maxtresmins", &l.JobMinutes}, {"grptresmins", &l.AllMinutes}, {"grptresrunmins", &l.RunMinutes}} {
		if err := r.amounts(row, x.key, x.into, whose); err != nil {
			return l, used, err
		}
	}
	for _, x := range []struct {
		key  string
		into *int64
	}{{"grpjobs", &l.AllJobs}, {"maxjobspu", &l.UserJobs}, {"maxjobs", &l.UserJobs}, {"maxjobspa", &l.AccountJobs}} {
		if n := number(row[x.key], -1); n >= 0 && n < 1e15 {
			*x.into = int64(n)
		}
	}
	for _, x := range []struct {
		key  string
		unit float64 // in seconds
		into *int64
	}{{"maxwall", 1, &l.MaxWall}, {"grpwall", 60, &l.AllWall}} {
		if text := row[x.key]; text != "" {
			seconds, err := slurm.Duration(text)
			if err != nil {
				return l, used, fmt.Errorf("%s: %w", x.key, err)
			}
			*x.into = int64(seconds / x.unit)
		}
	}
	if row["maxtresmins"] != "" {
		r.site.say(diag.Notef("maxtresmins of %s holds against what jobs ask for until their time limits, without a QOS's UsageFactor", row.owner()))
	}
	for _, key := range unmodelled {
		if row[key] != "" {
			r.ignore(whose, "%s (%s) of %s", key, row[key], row.owner())
		}
	}
	return l, r.usedOf(row, &l, whose, has), nil
}

// usedOf returns what has been used of limits, where any is of that.
func (r *schedulerReader) usedOf(row record, l *slurmsched.Limits, whose slurmsched.Whose, has managed) (used slurmsched.Used) {
	if l.AllMinutes == nil && l.AllWall == slurmsched.None {
		return used
	}
	key := "grptresmins"
	if l.AllMinutes == nil {
		key = "grpwall"
	}
	if r.setup.Conf.Basic {
		l.AllMinutes, l.AllWall = nil, slurmsched.None
		r.site.say(diag.Notef("%s of %s has no effect: under priority/basic, slurmctld does not count what is used", key, row.owner()))
		return used
	}
	if has.minutes == nil {
		r.ignore(whose, "what had been used of %s of %s before (no scontrol show assoc_mgr tells it, and it counts from 0)", key, row.owner())
		return used
	}
	const minute = 60
	used.TRES = make([]float64, len(slurmsched.Unlimited(len(r.setup.GRES)).AllTRES))
	for name, text := range has.minutes {
		if i := r.setup.AmountOf(name); i >= 0 {
			used.TRES[i] = number(text, 0) * minute
		}
	}
	used.Wall = number(has.wall, 0) * minute
	r.site.say(diag.Notef("what is used of %s of %s begins with what scontrol show assoc_mgr says; a limit that is reached keeps jobs from starting, and ends none", key, row.owner()))
	return used
}

// owner returns whose limits a row has: a QOS's, or those of an account or of a user in it.
func (r record) owner() string {
	return strings.Join(strings.Fields(r["name"]+" "+r["account"]+" "+r["user"]), " ")
}

// amounts reads cpu=96,gres/gpu=4.
func (r *schedulerReader) amounts(row record, key string, into *slurmsched.Amounts, whose slurmsched.Whose) error {
	list, err := slurm.ParseAmounts(row[key])
	if err != nil || len(list) == 0 {
		return err
	}
	a, others := r.setup.Limit(list)
	for _, name := range others {
		r.ignore(whose, "%s of %s of %s", key, name, row.owner())
	}
	if len(others) < len(list) {
		*into = a
	}
	return nil
}

func (r *schedulerReader) readQOS() error {
	p := r.folder.table(isQOS)
	rows := r.site.tableOf(r.folder, p)
	for i, row := range rows {
		whose := slurmsched.Everybody
		whose.QOS = i
		l, used, err := r.limits(row, whose, r.usedQOS[row["name"]])
		if err != nil {
			return fmt.Errorf("%s: QOS %s: %w", p.Name, row["name"], err)
		}
		if row["preempt"] != "" {
			r.ignore(whose, "preemption of %s by QOS %s", row["preempt"], row["name"])
		}
		flags := strings.Split(strings.ToLower(row["flags"]), ",")
		has := func(flag string) bool { return slices.Contains(flags, flag) }
		r.setup.QOS = append(r.setup.QOS, slurmsched.QOS{Name: row["name"], Limits: l, Priority: number(row["priority"], 0), UsageFactor: number(row["usagefactor"], 1), Used: used,
			IsOver: has("overpartqos"), NoDecay: has("nodecay"), IsSafe: has("usagefactorsafe")})
	}
	if len(r.setup.QOS) == 0 {
		r.site.say(diag.Warningf("%s has no sacctmgr -P show qos: all jobs have one QOS without limits", r.site.Name))
		r.setup.QOS = []slurmsched.QOS{{Name: "normal", Limits: slurmsched.Unlimited(len(r.setup.GRES)), UsageFactor: 1}}
	}
	r.findPartitionQOS()
	return nil
}

// findPartitionQOS finds the QOS of the partitions.
func (r *schedulerReader) findPartitionQOS() {
	for i, name := range r.partitionQOS {
		if name == "" || name == "N/A" {
			continue
		}
		at := slices.IndexFunc(r.setup.QOS, func(q slurmsched.QOS) bool { return q.Name == name })
		if at < 0 {
			whose := slurmsched.Everybody
			whose.Partition = i
			r.ignore(whose, "QOS %s of partition %s, which sacctmgr show qos lacks", name, r.setup.Partitions[i].Name)
			continue
		}
		if r.setup.PartitionQOS == nil {
			r.setup.PartitionQOS = slices.Repeat([]int{-1}, len(r.setup.Partitions))
		}
		r.setup.PartitionQOS[i] = at
	}
}

func (r *schedulerReader) readAccounts() error {
	rows := map[slurmsched.AccountName]record{}
	p := r.folder.table(isAssociations)
	var ofPartitions []record
	for _, row := range r.site.tableOf(r.folder, p) {
		if row["partition"] != "" {
			ofPartitions = append(ofPartitions, row)
			continue
		}
		rows[rowName(row)] = row
	}
	if p.text == "" {
		r.site.say(diag.Warningf("%s has no sacctmgr -P show assoc: the limits of associations are not known", r.site.Name))
	}
	r.users = map[string]int{}
	tree := associationsOf(r.site.Tree)
	r.setup.Names = namesOf(tree)
	for i, x := range tree {
		a, name := slurmsched.Account{Parent: int(x.Parent), User: -1, Limits: slurmsched.Unlimited(len(r.setup.GRES))}, r.setup.Names[i]
		if x.User {
			if _, ok := r.users[x.Name]; !ok {
				r.users[x.Name] = len(r.users)
			}
			a.User = r.users[x.Name]
		}
		if row, ok := rows[name]; ok {
			var err error
			whose := slurmsched.Everybody
			whose.Account = i
			if a.Limits, a.Used, err = r.limits(row, whose, r.usedBy[name]); err != nil {
				return fmt.Errorf("%s: association %s: %w", p.Name, name, err)
			}
		}
		r.setup.Accounts = append(r.setup.Accounts, a)
		r.setup.Tree = append(r.setup.Tree, fstree.Association{Parent: x.Parent, Name: x.Name, User: x.User, Shares: x.Shares, FromParent: x.FromParent, Usage: x.Usage})
	}
	for _, row := range ofPartitions {
		r.ignorePartition(row)
	}
	return nil
}

// ignorePartition notes an association of one partition alone: its jobs have the limits and shares of the
// user's other association.
func (r *schedulerReader) ignorePartition(row record) {
	whose := slurmsched.Everybody
	whose.Account = slices.Index(r.setup.Names, rowName(row))
	whose.Partition = slices.IndexFunc(r.setup.Partitions, func(p slurmsched.Partition) bool { return p.Name == row["partition"] })
	if whose.Account >= 0 && whose.Partition >= 0 {
		r.ignore(whose, "the association of %s in partition %s alone, whose limits and shares are taken to be those of the user's other one", rowName(row), row["partition"])
	}
}

// weigh says what of a site is not modelled, and how many jobs with how much work it concerns of all that
// each tells of, with their core hours.
func weigh(setup *slurmsched.Setup, of string, each func(yield func(j *slurmsched.Job, hours float64) bool)) (remarks []diag.Remark) {
	for _, x := range setup.Ignored {
		jobs, sum := 0, 0.0
		for j, hours := range each {
			if x.Has(setup, j) {
				jobs++
				sum += hours
			}
		}
		if jobs == 0 {
			remarks = append(remarks, diag.Notef("%s is not modelled: no job of %s is under it", x.What, of))
			continue
		}
		remarks = append(remarks, diag.Warningf("%s is not modelled: %s of %s with %s core hours are under it", x.What, report.Count(jobs, "job"), of, report.Fixed(sum, 0)))
	}
	return remarks
}
