package forecast

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/forecast"
	"fairshare/cmd/internal/report"
	"fairshare/cmd/internal/slurm"
	"fairshare/cmd/internal/slurm/dump"
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
	remarks = o.fewerNodes(j)
	for _, name := range slices.Sorted(maps.Keys(o.asked)) {
		if other := o.assumes(name); other != nil {
			remarks = append(remarks, diag.Warningf("%s is not modelled: %s", o.naming(name), other.assumes).OfAsked())
		}
	}
	if _, isHeld := o.asked["hold"]; isHeld && !o.isReleased {
		remarks = append(remarks, diag.Notef("hold: the job starts no sooner than it is released (scontrol release)").OfAsked())
	}
	if j.Nice < 0 && o.asked["nice"] != "" {
		remarks = append(remarks, diag.Warningf("nice=%s: Slurm lets operators and administrators alone ask for less than 0", o.asked["nice"]).OfAsked())
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
	remarks = append(remarks, o.partlyReserved(j)...)
	remarks = append(remarks, o.awaited()...)
	if k := o.site.Setup.ReservationOf(j); k != nil && k.IsFlex {
		remarks = append(remarks, diag.Warningf("reservation %s is FLEX: that its jobs prefer its nodes is not modelled", k.Name))
	}
	return remarks
}

// partlyReserved says which reservations that last have some of the cores of nodes on which the job may run.
func (o *offer) partlyReserved(j *sched.Job) (remarks []diag.Remark) {
	for _, x := range o.doubtedNodes(j) {
		remarks = append(remarks, diag.Warningf("reservation %s has %s of %s that count as free here: a start there may be later", report.Printable(x.Name), x.Cores(), report.First(x.own)).OfAsked())
	}
	return remarks
}

// doubtedNodes are nodes on which a job may run of which a reservation that lasts has some of the cores.
type doubtedNodes struct {
	*dump.Reservation
	own []string
}

func (o *offer) doubtedNodes(j *sched.Job) (list []doubtedNodes) {
	s := o.site
	for i := range s.Reservations {
		k := &s.Reservations[i]
		if !k.IsOfSomeCores || k.IsPast || k.Start > s.At || k.End <= s.At || s.Setup.ReservationOf(j) != nil {
			continue
		}
		var own []string
		for i, node := range s.Setup.Nodes {
			if slices.Contains(k.Nodes, node.Name) && s.Setup.Partitions[j.Partition].Nodes.Has(i) {
				own = append(own, node.Name)
			}
		}
		if len(own) > 0 {
			list = append(list, doubtedNodes{k, own})
		}
	}
	return list
}

// IsDoubted implements forecast.Doubter.
func (o *offer) IsDoubted() bool {
	j, err := o.job()
	return err == nil && o.doubtedNodes(j) != nil
}

// Doubt implements forecast.Doubter.
func (o *offer) Doubt(starts *forecast.Job) string {
	j, err := o.job()
	if err != nil {
		return ""
	}
	var texts []string
	for _, x := range o.doubtedNodes(j) {
		for _, node := range starts.Nodes {
			if slices.Contains(x.own, node.Name) && starts.Low < float64(x.End) {
				texts = append(texts, fmt.Sprintf("not sure on %s, where it starts in %.0f %% of the runs: reservation %s has %s", node.Name, 100*node.Part, report.Printable(x.Name), x.Cores()))
			}
		}
	}
	return report.Clauses(texts...)
}

// fewerNodes says of a job that asks for more nodes than it has tasks how many it gets.
func (o *offer) fewerNodes(j *sched.Job) []diag.Remark {
	nodes, _ := o.asked.nodes()
	if named, _ := slurm.Hostlist(o.asked["nodelist"]); o.id == "" && nodes == 0 {
		nodes = len(named)
	}
	tasks := int(j.Request.Tasks) // those of the list, where a job of it is tried on other nodes
	if tasks >= nodes {
		return nil
	}
	return []diag.Remark{diag.Warningf("the job has %s in place of %d, as sbatch warns: can't run %d processes on %[2]d nodes, setting nnodes to %[3]d", report.Count(tasks, "node"), nodes, tasks).OfAsked()}
}

// awaited says which of the jobs that a job is to wait for (--dependency) are in the list, and which are not.
func (o *offer) awaited() (remarks []diag.Remark) {
	d, ok := slurm.SubmittedDependency(o.asked["dependency"])
	if !ok {
		return nil
	}
	say := func(remark func(format string, args ...any) diag.Remark, what string, jobs []string) {
		if jobs != nil {
			remarks = append(remarks, remark("dependency=%s: %s", o.asked["dependency"], what+strings.Join(jobs, ", ")))
		}
	}
	var there, begun, others, untold []string
	parents, isSingle := o.parents(), false
	for i := range d.Conditions {
		c := &d.Conditions[i]
		if c.Kind == "singleton" {
			isSingle = true
			continue
		}
		switch jobs, isKnown := parents.of(c, forecast.NewID); {
		case !isKnown:
			untold = append(untold, c.Job)
		case len(jobs) == 0:
			others = append(others, c.Job)
		case o.site.haveBegun(c, jobs):
			begun = append(begun, c.Job)
		default:
			there = append(there, c.Job+" ("+o.site.stand(c, jobs)+")")
		}
	}
	say(diag.Warningf, "the job starts no sooner than its condition on jobs of the list is met, which are taken to end well: ", there)
	say(diag.Notef, "its condition on jobs that have begun is met already: ", begun)
	say(diag.Warningf, "of jobs of the list nothing tells when they are over, since they are suspended, left out, or behind the first 1000 tasks of an array: ", untold)
	if others != nil {
		remarks = append(remarks, diag.Warningf("dependency=%s: jobs that are not in the list are taken to have ended as it asks: %s", o.asked["dependency"], report.First(others)))
	}
	if isSingle {
		remarks = append(remarks, diag.Warningf("dependency=%s: singleton is not modelled: no other job of %s is taken to have the name of this one", o.asked["dependency"], o.user))
	}
	return remarks
}

// haveBegun reports whether all of some jobs have begun as long ago as a condition on that asks.
func (s *Site) haveBegun(c *slurm.DependencyCondition, jobs []string) bool {
	return c.Kind == "after" && !slices.ContainsFunc(jobs, func(id string) bool {
		p := s.listed[id]
		return p.Start == 0 || p.Start+60*c.Minutes > s.At
	})
}

// stand says which of some jobs run and which wait, of one that runs also when what a condition asks of it comes about at the latest.
func (s *Site) stand(c *slurm.DependencyCondition, jobs []string) string {
	runs := 0
	for _, id := range jobs {
		if s.listed[id].Start > 0 {
			runs++
		}
	}
	switch p := s.listed[jobs[0]]; {
	case len(jobs) > 1 && runs == 0:
		return report.Count(len(jobs), "task") + " wait"
	case len(jobs) > 1 && runs == len(jobs):
		return report.Count(len(jobs), "task") + " run"
	case len(jobs) > 1:
		return fmt.Sprintf("of %s %d run", report.Count(len(jobs), "task"), runs)
	case runs == 0:
		return "waits"
	case c.Kind == "after":
		return "runs, and meets it at " + s.clock(p.Start+60*c.Minutes)
	case p.Limit < sched.Endless:
		return "runs, until " + s.clock(max(s.At, p.Start+p.Limit)) + " at the latest"
	}
	return "runs"
}

// waitsAllTheSame says for how long a job waits that Slurm takes though it does not start as things are, and why; "" where that is not so.
func (o *offer) waitsAllTheSame(j *sched.Job) string {
	by, unplaceable := o.site.tells().Never(j), o.site.Setup.Unplaceable(j)
	switch {
	case o.Refused() != "":
		return ""
	case by != nil && by.IsOfNow:
		return ": " + inWords(by)
	case by != nil:
		return " for ever: " + inWords(by)
	case unplaceable != nil:
		return " until nodes are up again: " + unplaceable.Detail
	}
	return ""
}

// Assumed implements forecast.Offer.
func (o *offer) Assumed() (remarks []diag.Remark) {
	j, err := o.job()
	switch {
	case err != nil:
		return nil
	case o.id != "": // all else is as the list tells it
		return o.fewerNodes(j)
	}
	remarks = slices.Concat(o.said, o.otherwise(j))
	say := func(r diag.Remark) { remarks = append(remarks, r) }
	c := o.site.Setup
	if why := o.waitsAllTheSame(j); why != "" {
		say(diag.Warningf("Slurm takes the job all the same, and lets it wait%s", why).OfAsked())
	}
	if o.asked["time"] == "" {
		limit, from := o.site.usualLimit(j.Partition)
		say(diag.Notef("the job asks for no time limit: it gets %s, the %s", report.Duration(float64(limit)), from).OfAsked())
	}
	if text := o.usualMemory(j); text != "" {
		say(diag.Notef("the job asks for no memory: it gets %s", text))
	}
	if usual := c.GPUDefaults[j.Partition]; usual != "" && o.asked.hasAny(ofGRES) {
		name := c.Partitions[j.Partition].Name
		switch _, each := o.asked.withUsualCPUs(usual); {
		case each == 0:
			say(diag.Warningf("JobDefaults that count in partition %s (%s) are not applied: the job gets the CPUs and the memory that it asks for", name, usual))
		case strings.Contains(strings.ToLower(usual), "defmempergpu"):
			say(diag.Warningf("each GPU brings %s, as JobDefaults of partition %s have it, and not the memory of these (%s): the job gets what it asks for", report.Count(each, "CPU"), name, usual))
		default:
			say(diag.Notef("the job asks for no CPUs of its tasks or GPUs: each GPU brings %s, as JobDefaults of partition %s have it (%s)", report.Count(each, "CPU"), name, usual))
		}
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
		text += report.Meant(report.Nearest(o.user, slices.Collect(maps.Keys(o.site.users))))
		say(diag.Warningf("%s", text).OfAsked())
	}
	return remarks
}
