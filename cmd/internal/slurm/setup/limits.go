package setup

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/pattern"
	"fairshare/cmd/internal/report"
	"fairshare/cmd/internal/slurm"
	"fairshare/cmd/internal/slurm/dump"
	"fairshare/cmd/internal/slurm/sched"
)

// limits reads the limits of a QOS or of an association from its row, and what has been used of them.
func (r *reader) limits(row dump.Row, isOf int, whose sched.Scope, has managerUsage) (sched.Limits, sched.Usage, error) {
	l := r.setup.Unlimited()
	var used sched.Usage
	if r.setup.IsUnlimited {
		return l, used, nil
	}
	isRelative := isOf == OfQOS && slices.Contains(flagsOf(row), "relative")
	for i := range fields {
		f := &fields[i]
		text := row[f.column()]
		if f.isOf&isOf == 0 || text == "" || isRelative && f.IsLimit() {
			continue
		}
		if _, isThere := row[strings.ToLower(f.in)]; f.in != "" && !isThere {
			r.ignore(slurm.OnQueue, whose, "%s (%s) of %s, which the column %s would tell,", f.Name, text, owner(row), f.in)
		}
		if f.lacks != "" {
			r.ignore(slurm.OnQueue, whose, "%s (%s) of %s, so that %s,", f.Name, text, owner(row), f.lacks)
		}
		if r.isNow && f.Submits {
			r.ignore(slurm.OnArrivals, whose, "the refusal of jobs to come by %s (%s) of %s", f.Name, text, owner(row))
		}
		if err := r.limit(f, text, &l, owner(row)); err != nil {
			return l, used, fmt.Errorf("%s: %w", f.Name, err)
		}
	}
	r.sayUnknownColumns(row, isOf, whose)
	return l, r.usedOf(row, &l, whose, has), nil
}

// limit reads a limit from a column, if it is one.
func (r *reader) limit(f *Field, text string, l *sched.Limits, owner string) error {
	switch {
	case f.Amounts != nil:
		if f.Since[0] > 0 && r.setup.IsOlderThan(f.Since[0], f.Since[1]) {
			r.say(diag.Notef("%s of %s has no effect: Slurm enforces it since %d.%02d", f.Name, owner, f.Since[0], f.Since[1]).OfPeople())
		}
		list, err := slurm.ParseAmounts(text)
		if err == nil && len(list) > 0 {
			*f.Amounts(l), _ = r.setup.Limit(list) // readOthers has found all resources
		}
		return err
	case f.Seconds > 0:
		seconds, err := slurm.Duration(text)
		if err == nil {
			*f.Number(l) = int64(seconds) / f.Seconds
		}
		return err
	case f.Number != nil:
		n, err := strconv.ParseInt(text, 10, 64)
		if err != nil || n < -1 { // -1 is none
			return fmt.Errorf("%q is no number", text)
		}
		if n >= 0 && !(n == 0 && f.IsOpen) {
			*f.Number(l) = n
		}
	}
	return nil
}

// sayUnknownColumns notes what is set of a QOS or an association that no version of Slurm had which is known
// here.
func (r *reader) sayUnknownColumns(row dump.Row, isOf int, whose sched.Scope) {
	for _, key := range slices.Sorted(maps.Keys(row)) {
		if row[key] == "" || key == "" || slices.ContainsFunc(fields, func(f Field) bool { return f.isOf&isOf != 0 && f.column() == key }) {
			continue
		}
		r.ignore(slurm.OnQueue, whose, "%s (%s) of %s, which is not known here,", key, row[key], owner(row))
	}
}

// sayLackingColumns says what tables of sacctmgr do not tell.
func (r *reader) sayLackingColumns() {
	for _, of := range []struct {
		kind    dump.Kind
		isOf    int
		command string
	}{{dump.KindQOS, OfQOS, "qos"}, {dump.KindAssociations, OfAssociation, "assoc"}} {
		p := r.dump.Table(of.kind)
		rows, _ := r.dump.RowsOf(p)
		if len(rows) > 0 && !slurm.IsJSON(p.Text) && r.agesCount() {
			_, isTold := rows[0]["grpjobsaccrue"]
			r.setup.IsAgingMute = r.setup.IsAgingMute || !isTold
		}
		if names := lackingColumns(r.setup, rows, of.isOf); names != nil && !slurm.IsJSON(p.Text) {
			r.say(diag.Warningf("%s lacks the columns %s: what they say is not known (sacctmgr -P show %s has them)", p.Name, strings.Join(names, ", "), of.command))
		}
	}
}

// agesCount reports whether the age of jobs counts, and limits of how many of them have one are enforced.
func (r *reader) agesCount() bool {
	c := r.setup.Conf
	return !r.setup.IsUnlimited && c != nil && !c.Basic && c.Weights.Age > 0 && !c.AccrueAlways
}

// flagsOf returns the flags of a QOS in lower case.
func flagsOf(r dump.Row) []string { return strings.Split(strings.ToLower(r["flags"]), ",") }

// usedOf returns what has been used of an association or a QOS, also where no limit is of that: --set may make one. It says where that is
// not known and one is.
func (r *reader) usedOf(row dump.Row, l *sched.Limits, whose sched.Scope, has managerUsage) (used sched.Usage) {
	key, isCounted := l.OfUse(), !r.setup.Conf.Basic
	switch {
	case key == "":
	case !isCounted:
		l.AllMinutes, l.AllWall = nil, sched.None
		r.say(diag.Notef("%s of %s has no effect: under priority/basic, slurmctld does not count what is used", key, owner(row)).OfPeople())
	case has.minutes == nil:
		r.unused = append(r.unused, owner(row))
		r.ignore(slurm.OnStarts, whose, "what had been used of %s of %s before (no scontrol show assoc_mgr tells it, and it counts from 0)", key, owner(row))
	default:
		r.say(diag.Generalf("what is used of %s of %s begins with what scontrol show assoc_mgr says; a limit that is reached keeps jobs from starting, and ends none", key, owner(row)).OfPeople())
	}
	if isCounted && has.minutes != nil {
		used = r.used(has)
	}
	return used
}

// used returns what has been used as slurmctld counts it.
func (r *reader) used(has managerUsage) (used sched.Usage) {
	const minute = 60
	used.TRES = make([]float64, len(r.setup.Unlimited().AllTRES))
	for name, text := range has.minutes {
		if i := r.setup.AmountOf(name); i >= 0 {
			used.TRES[i] = dump.Number(text, 0) * minute
		}
	}
	used.Wall = dump.Number(has.wall, 0) * minute
	return used
}

// owner returns whose limits a row has: a QOS's, or those of an account or of a user in it.
func owner(r dump.Row) string {
	if r["name"] != "" {
		return "QOS " + r["name"]
	}
	return rowName(r).String()
}

func (r *reader) readQOS() error {
	p := r.dump.Table(dump.KindQOS)
	rows := r.tableOf(p)
	mode := strings.ToUpper(r.dump.Config("preemptmode"))
	preempts := mode != "" && mode != "OFF" // without which NoReserve has no effect (backfill.c)
	for i, row := range rows {
		whose := sched.Everybody
		whose.QOS = i
		l, used, err := r.limits(row, OfQOS, whose, r.usedQOS[row["name"]])
		if err != nil && !r.isPartial {
			return fmt.Errorf("%s: QOS %s: %w", p.Name, row["name"], err)
		} else if err != nil {
			l = r.unreadable(p, row, err)
		}
		has := func(flag string) bool { return slices.Contains(flagsOf(row), flag) }
		r.setup.QOS = append(r.setup.QOS, sched.QOS{Name: row["name"], Limits: l, Priority: dump.Number(row["priority"], 0), UsageFactor: dump.Number(row["usagefactor"], 1), LimitFactor: dump.Number(row["limitfactor"], 0), Used: used,
			IsOver: has("overpartqos"), NoDecay: has("nodecay"), IsSafe: has("usagefactorsafe"), IsLong: has("partitiontimelimit"), IsWide: has("partitionmaxnodes"), IsNarrow: has("partitionminnodes"), NoReserve: has("noreserve") && preempts, IsDenying: has("denyonlimit"), Preempts: names(row["preempt"])})
		r.readQOSPreemption(row, &r.setup.QOS[len(r.setup.QOS)-1], whose)
		r.sayFlags(row, whose)
	}
	if len(r.setup.QOS) == 0 && !r.isPartial {
		if !r.setup.HasNoAccounts() {
			r.say(diag.Warningf("%s has no sacctmgr -P show qos: no QOS has limits here, nor preempts others", r.dump.Name))
		}
		r.setup.IsQOSUntold = true
		for _, name := range r.namedQOS() {
			r.setup.QOS = append(r.setup.QOS, sched.QOS{Name: name, Limits: r.setup.Unlimited(), UsageFactor: 1})
		}
	}
	r.findPartitionQOS()
	return nil
}

// namedQOS returns the QOS that associations and jobs name where no table tells of them: normal, which each site has, first.
func (r *reader) namedQOS() []string {
	has := map[string]bool{}
	for _, row := range r.tableOf(r.dump.Table(dump.KindAssociations)) {
		for _, name := range append(names(row["qos"]), row["def qos"]) {
			has[name] = true
		}
	}
	listed, _, _ := r.dump.Jobs()
	for i := range listed {
		for name := range strings.SplitSeq(listed[i].QOS, ",") {
			has[name] = true
		}
	}
	delete(has, "")
	delete(has, "normal")
	return append([]string{"normal"}, slices.Sorted(maps.Keys(has))...)
}

// sayFlags notes the flags of a QOS that are not modelled.
func (r *reader) sayFlags(row dump.Row, whose sched.Scope) {
	for _, flag := range flagsOf(row) {
		switch of := QOSFlags.Of(flag); {
		case flag == "":
		case of == nil:
			r.ignore(slurm.OnQueue, whose, "the flag %s of %s, which is not known here,", flag, owner(row))
		case of.Lacks != "":
			r.ignore(of.On, whose, "the flag %s of %s, so that %s,", of.Name, owner(row), of.Lacks)
		}
	}
}

// findPartitionQOS finds the QOS of the partitions.
func (r *reader) findPartitionQOS() {
	for i, name := range r.partitionQOS {
		if name == "" || name == "N/A" {
			continue
		}
		at := slices.IndexFunc(r.setup.QOS, func(q sched.QOS) bool { return q.Name == name })
		if at < 0 || r.setup.IsQOSUntold {
			whose := sched.Everybody
			whose.Partition = i
			r.ignore(slurm.OnQueue, whose, "QOS %s of partition %s, which sacctmgr show qos lacks,", name, r.setup.Partitions[i].Name)
			continue
		}
		if r.setup.PartitionQOS == nil {
			r.setup.PartitionQOS = slices.Repeat([]int{-1}, len(r.setup.Partitions))
		}
		r.setup.PartitionQOS[i] = at
	}
}

// unreadable says that the limits of a row are not known, and returns none.
func (r *reader) unreadable(p dump.Part, row dump.Row, err error) sched.Limits {
	r.say(diag.Damagef("%s: %s: %v: its limits are not known", p.Name, strings.TrimSpace(row["name"]+row["account"]+" "+row["user"]), err))
	return r.setup.Unlimited()
}

// readOthers finds the resources beside CPUs, memory, nodes and GRES of which QOS or associations have limits.
func (r *reader) readOthers() {
	for _, k := range []dump.Kind{dump.KindQOS, dump.KindAssociations} {
		rows, _ := r.dump.RowsOf(r.dump.Table(k))
		for i := range fields {
			f := &fields[i]
			if f.Amounts == nil {
				continue
			}
			for _, row := range rows {
				list, _ := slurm.ParseAmounts(row[f.column()])
				for _, x := range list {
					if r.setup.AmountOf(x.Name) < 0 {
						r.setup.Others = append(r.setup.Others, x.Name)
					}
				}
			}
		}
	}
}

// knownTRES matches the resources beside GRES that Slurm has at every site, or that a site gives names to.
var knownTRES = pattern.Of(`^(cpu|mem|energy|node|billing|vmem|pages|(fs|bb|ic|license)/.+)$`)

// sayUnknownTRES says which limits are of resources that neither Slurm nor the nodes have.
func (r *reader) sayUnknownTRES() {
	hasNodes := len(r.dump.Records(dump.KindNodes)) > 0
	isKnown := func(name string) bool {
		isGRES := strings.HasPrefix(name, "gres/")
		return knownTRES().MatchString(name) || isGRES && (!hasNodes || !slices.Contains(r.setup.Others, name))
	}
	var unknown []string
	for _, k := range []dump.Kind{dump.KindQOS, dump.KindAssociations} {
		rows, _ := r.dump.RowsOf(r.dump.Table(k))
		for _, row := range rows {
			for i := range fields {
				f := &fields[i]
				if f.Amounts == nil {
					continue
				}
				list, _ := slurm.ParseAmounts(row[f.column()])
				for _, x := range list {
					if !isKnown(x.Name) {
						unknown = append(unknown, fmt.Sprintf("%s of %s (%s)", report.Printable(x.Name), owner(row), f.Name))
					}
				}
			}
		}
	}
	if unknown != nil {
		r.say(diag.Warningf("limits of resources that neither Slurm nor the nodes have by that name hold nobody here: %s", report.First(unknown)))
	}
}

// Weigh says what of a site is not modelled and some answers depend on, and how many jobs with how much work it concerns of
// all that each tells of, with their core hours.
func Weigh(setup *sched.Setup, on slurm.Answers, of string, each func(yield func(j *sched.Job, hours float64) bool)) (remarks []diag.Remark) {
	for _, x := range setup.Omissions {
		if !x.Matters(on) {
			continue
		}
		jobs, sum := 0, 0.0
		for j, hours := range each {
			if x.Has(setup, j) {
				jobs++
				sum += hours
			}
		}
		if jobs == 0 {
			remarks = append(remarks, diag.Generalf("%s is not modelled: no job of %s is under it", x.What, of))
			continue
		}
		remarks = append(remarks, diag.Warningf("%s is not modelled: %s of %s with %s core hours are under it", x.What, report.Count(jobs, "job"), of, report.Fixed(sum, 0)).Joined(diag.NotModelled, "%s (%s, %s core hours)", x.What, report.Count(jobs, "job"), report.Fixed(sum, 0)))
	}
	return remarks
}
