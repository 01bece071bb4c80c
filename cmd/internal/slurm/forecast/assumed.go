package forecast

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/report"
	"fairshare/cmd/internal/slurm"
	"fairshare/cmd/internal/slurm/sched"
)

// usualMemory says how much memory a job gets that asks for none, "" for one that asks, and where memory is not given.
func (o *offer) usualMemory(j *sched.Job) string {
	c, name := o.site.Setup, o.site.Setup.Partitions[j.Partition].Name
	_, byNode := o.asked["mem"]
	_, byCPU := o.asked["mem-per-cpu"]
	switch {
	case byNode || byCPU || c.HasNoMemory:
		return ""
	case c.UsualCPUMemory[j.Partition] > 0:
		return fmt.Sprintf("%d MB for each CPU, the DefMemPerCPU that counts in partition %s", c.UsualCPUMemory[j.Partition], name)
	case c.UsualNodeMemory[j.Partition] > 0:
		return fmt.Sprintf("%d MB of each node, the DefMemPerNode that counts in partition %s", c.UsualNodeMemory[j.Partition], name)
	}
	return "all memory of its nodes, since neither DefMemPerCPU nor DefMemPerNode is set for partition " + name
}

// usual says which of its partition, account and QOS a job does not name, and of which it is taken to be, with the reason.
func (o *offer) usual(j *sched.Job) (missing, taken []string) {
	c := o.site.Setup
	account, qos := c.Names[j.Association].Account, c.QOS[j.QOS].Name
	asBefore := "as the last job of " + o.user + " was"
	if _, hasLast := o.site.last[o.user]; !hasLast {
		asBefore = "which is a guess"
	}
	because := func(isUsual bool, of string) string {
		if isUsual {
			return of
		}
		return asBefore
	}
	if o.isOfDefault {
		missing, taken = append(missing, "partition"), append(taken, "partition "+c.Partitions[j.Partition].Name+" (Default=YES)")
	}
	if o.asked["account"] == "" && !c.HasNoAccounts() {
		missing = append(missing, "account")
		taken = append(taken, fmt.Sprintf("account %s (%s)", account, because(account == c.UsualAccount[o.user], "DefAccount of "+o.user)))
	}
	if o.asked["qos"] == "" {
		missing = append(missing, "QOS")
		taken = append(taken, fmt.Sprintf("QOS %s (%s)", qos, because(qos == o.usualQOS(j.Association), "the default of the association")))
	}
	return missing, taken
}

// otherwise says what of the options that ask for a job is taken otherwise than they say.
func (o *offer) otherwise(j *sched.Job) (remarks []diag.Remark) {
	nodes, _ := o.asked.nodes()
	if named, _ := slurm.Hostlist(o.asked["nodelist"]); o.id == "" && nodes == 0 {
		nodes = len(named)
	}
	if tasks := o.asked.number("ntasks"); 0 < tasks && tasks < nodes {
		remarks = append(remarks, diag.Warningf("the job has %s in place of %d, as sbatch warns: can't run %d processes on %[2]d nodes, setting nnodes to %[3]d", report.Count(tasks, "node"), nodes, tasks))
	}
	for _, name := range slices.Sorted(maps.Keys(o.asked)) {
		if other := otherOption(name); other != nil && (name != "dependency" || len(o.awaited()) == 0) {
			remarks = append(remarks, diag.Warningf("%s is not modelled: %s", strings.TrimSuffix(name+"="+o.asked[name], "="), other.assumes))
		}
	}
	switch _, of, _ := slurm.ParseConstraint(o.asked["constraint"]); {
	case o.asked["constraint"] == "":
	case of == slurm.InPart:
		remarks = append(remarks, diag.Warningf("constraint=%s is modelled in part: how many nodes have a feature, or all of them together, is not looked at, and the job may start later", o.asked["constraint"]))
	case of == slurm.Counts:
		remarks = append(remarks, diag.Warningf("constraint=%s asks for some nodes with one feature and others with another, as none was seen to start under Slurm 24.11: taken never to start", o.asked["constraint"]))
	}
	if text := o.asked["cpus-per-gpu"]; text != "" && !o.asked.hasAny(ofGRES) && o.asked["ntasks-per-gpu"] == "" {
		remarks = append(remarks, diag.Warningf("cpus-per-gpu=%s changes nothing: no GPU is asked for", text))
	}
	if gpus := o.asked.readGPUs("gpus"); o.asked.memoryPerGPU() > 0 && o.asked.unit() == 0 && o.asked["nodes"] != "1" && o.asked.number("ntasks") < gpus.count &&
		o.asked["gres"]+o.asked["gpus-per-node"]+o.asked["gpus-per-task"] == "" {
		remarks = append(remarks, diag.Warningf("mem-per-gpu=%s: the job is taken to have a CPU with each of its %s and that memory, where Slurm gives it fewer CPUs", o.asked["mem-per-gpu"], report.Count(gpus.count, "GPU")))
	}
	if _, ok := o.asked["begin"]; ok && j.Submit > o.site.At {
		remarks = append(remarks, diag.Notef("begin=%s: the job is eligible from %s on", o.asked["begin"], o.site.clock(j.Submit)))
	}
	if k := o.site.Setup.ReservationOf(j); k != nil && strings.Contains(o.asked["reservation"], ",") {
		remarks = append(remarks, diag.Warningf("reservation=%s: the job is taken to run in %s, the first of them to begin, and in no other one", o.asked["reservation"], k.Name))
	}
	remarks = append(remarks, o.awaited()...)
	if k := o.site.Setup.ReservationOf(j); k != nil && k.IsFlex {
		remarks = append(remarks, diag.Warningf("reservation %s is FLEX: that its jobs prefer its nodes is not modelled", k.Name))
	}
	return remarks
}

// awaited says which of the jobs that a job is to wait for (--dependency) are in the list, and which are not.
func (o *offer) awaited() (remarks []diag.Remark) {
	var there, others []string
	for part := range strings.FieldsFuncSeq(o.asked["dependency"], func(c rune) bool { return c == ',' || c == '?' }) {
		kind, ids, _ := strings.Cut(part, ":")
		for id := range strings.SplitSeq(ids, ":") {
			id, _, _ = strings.Cut(id, "+") // after:JOB+MINUTES
			p, isListed := o.site.awaitedJob(id)
			switch {
			case id == "" || kind == "singleton":
			case !isListed:
				others = append(others, id)
			case p.Start > 0 && kind == "after": // which has begun
			case p.Start > 0 && p.Limit < sched.Endless:
				there = append(there, fmt.Sprintf("%s (runs, until %s at the latest)", id, o.site.clock(max(o.site.At, p.Start+p.Limit))))
			case p.Start > 0:
				there = append(there, id+" (runs)")
			default:
				there = append(there, id+" (waits)")
			}
		}
	}
	if there != nil {
		remarks = append(remarks, diag.Warningf("dependency=%s: the job starts no sooner than its condition on jobs of the list is met, which are taken to end well: %s", o.asked["dependency"], strings.Join(there, ", ")))
	}
	if others != nil {
		remarks = append(remarks, diag.Warningf("dependency=%s: jobs that are not in the list are taken to have ended as it asks: %s", o.asked["dependency"], report.First(others)))
	}
	return remarks
}

// awaitedJob returns a job of the list by its number, or of an array one of its tasks.
func (s *Site) awaitedJob(id string) (listedJob, bool) {
	if p, ok := s.listed[id]; ok {
		return p, true
	}
	for _, task := range slices.Sorted(maps.Keys(s.listed)) {
		if p := s.listed[task]; strings.HasPrefix(task, id+"_") || p.row == id && id != "" {
			return p, true
		}
	}
	return listedJob{}, false
}

// Assumed implements forecast.Offer.
func (o *offer) Assumed() (remarks []diag.Remark) {
	j, err := o.job()
	if err != nil || o.id != "" {
		return nil
	}
	remarks = slices.Concat(o.said, o.otherwise(j))
	say := func(r diag.Remark) { remarks = append(remarks, r) }
	c := o.site.Setup
	if by := o.site.tells().Never(j); by != nil {
		until := " for ever"
		if by.IsOfNow {
			until = ""
		}
		say(diag.Warningf("Slurm takes the job all the same, and lets it wait%s: %s", until, inWords(by)))
	}
	if o.asked["time"] == "" {
		limit, from := o.site.usualLimit(j.Partition)
		say(diag.Notef("the job asks for no time limit: it gets %s, the %s", report.Duration(float64(limit)), from))
	}
	if text := o.usualMemory(j); text != "" {
		say(diag.Notef("the job asks for no memory: it gets %s", text))
	}
	if usual := c.GPUDefaults[j.Partition]; usual != "" && o.asked.hasAny(ofGRES) {
		say(diag.Warningf("JobDefaults that count in partition %s (%s) are not applied: the job gets the CPUs and the memory that it asks for", c.Partitions[j.Partition].Name, usual))
	}
	if c.IsFiltered {
		say(diag.Notef("the site has plugins that may change or refuse the job (JobSubmitPlugins, CliFilterPlugins): it is taken as it stands"))
	}
	if missing, taken := o.usual(j); len(missing) > 0 {
		say(diag.Notef("the job names no %s: it is taken to be of %s", strings.Join(missing, ", no "), strings.Join(taken, ", ")))
	}
	if part := c.Conf.Partitions[c.Partitions[j.Partition].Name]; part != nil && part.HasBilling {
		say(diag.Warningf("partition %s has TRESBillingWeights, which are not applied to a job that is not there: it is billed by its CPUs", part.Name))
	}
	if !o.site.users[o.user] {
		text := fmt.Sprintf("neither the list nor the logs have a job of %s: its run time is taken from those of others", o.user)
		if near := report.Nearest(o.user, slices.Collect(maps.Keys(o.site.users))); near != "" {
			text += "; did you mean " + near + "?"
		}
		say(diag.Warningf("%s", text))
	}
	return remarks
}
