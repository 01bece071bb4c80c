package forecast

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/forecast"
	"fairshare/cmd/internal/outcome"
	"fairshare/cmd/internal/report"
	"fairshare/cmd/internal/slurm/sched"
	"fairshare/cmd/internal/slurm/set"
)

// offer is a job as it is asked for at a Slurm site. It implements forecast.Offer.
type offer struct {
	site  *Site
	id    string // of the job that is changed, "" for a new one
	user  string
	asked options // of a job that is changed, what is to change

	isReleased bool // whether a job that is held no longer is

	said        []diag.Remark // of the line that asks for it
	isOfDefault bool          // whether it names no partition, and is of that with Default=YES
}

// New implements forecast.Subject.
func (s *Site) New(user, queue, resources string) (forecast.Offer, error) {
	o, said, err := s.parseLine(resources)
	if err != nil {
		return nil, err
	}
	of := &offer{site: s, user: user, asked: o, said: said}
	switch other, ok := o["partition"]; {
	case queue == "" && !ok:
		if queue, of.isOfDefault = s.UsualPartition(), true; queue == "" {
			return nil, forecast.ErrNowhere
		}
	case queue == "":
		queue = other
	case ok && other != queue:
		return nil, wrong("partition=%s is asked for beside --partition %s", other, queue)
	}
	o["partition"] = queue
	return of, nil
}

// UsualPartition returns the partition to which a job goes that names none, "" where there is no such one.
func (s *Site) UsualPartition() string {
	if at := slices.IndexFunc(s.Setup.Partitions, func(p sched.Partition) bool { return p.IsDefault }); at >= 0 {
		return s.Setup.Partitions[at].Name
	}
	return ""
}

// Waiting implements forecast.Subject.
func (s *Site) Waiting() (ids []string) {
	for _, id := range slices.Sorted(maps.Keys(s.listed)) {
		if s.listed[id].isChanging {
			ids = append(ids, id)
		}
	}
	return ids
}

// Offer implements forecast.Subject.
func (s *Site) Offer(id string) forecast.Offer {
	return &offer{site: s, id: id, user: s.listed[id].user, asked: options{}}
}

// Judges implements forecast.Subject. That AllowGroups is not looked at may change the answer where a partition has some.
func (s *Site) Judges() []diag.Remark {
	said := diag.Generalf("of what Slurm takes, and what ever starts, MaxTime, MinNodes, MaxNodes, MaxMemPerNode and the access lists of the partition, the QOS that the association may use, and limits of the QOS and the association are looked at, and not AllowGroups, of which nothing tells the members")
	if slices.ContainsFunc(s.Setup.Access, func(a sched.Access) bool { return a.Groups != nil }) {
		said = said.Briefly("who may submit is looked at by all but AllowGroups, of which nothing tells the members")
	}
	return []diag.Remark{said}
}

// With implements forecast.Offer.
func (o *offer) With(change string) (forecast.Offer, error) {
	of := &offer{site: o.site, id: o.id, user: o.user, asked: maps.Clone(o.asked), isReleased: o.isReleased}
	if first, rest, _ := strings.Cut(change, ","); strings.TrimSpace(first) == "release" {
		if !o.isHeld() {
			return nil, wrong("release is for a job that is held, and nobody holds this one")
		}
		if of.isReleased = true; rest == "" {
			return of, nil
		}
		change = rest
	}
	changes, err := o.site.parse(change)
	if err != nil {
		return nil, err
	}
	for name := range changes {
		if other := otherOption(name); other != nil {
			return nil, wrong("%s changes nothing here: %s", name, other.assumes)
		}
	}
	if text, ok := changes["nice"]; ok && o.id != "" {
		is := o.site.listed[o.id].Nice
		if nice, err := strconv.Atoi(text); err == nil && float64(nice) < is { // Slurm's job_mgr.c, _update_job: others are denied access
			return nil, wrong("nice=%d is less than the job has (%s), which operators and administrators alone may give it: --set job.%s.nice=%[1]d asks what theirs would make", nice, report.Plain(is), o.site.listed[o.id].row)
		}
	}
	of.asked.forget(ofMemory, changes)
	for _, name := range perGPU {
		if _, isAsked := changes[name]; isAsked && o.id != "" && !changes.hasAny(ofGRES) {
			return nil, wrong("%s of a job of the list is read together with its GPUs alone: name gres, gpus or gpus-per-task as well", name)
		}
	}
	if _, ok := changes["ntasks"]; ok {
		delete(of.asked, "cpus")
	}
	if _, ok := changes["cpus"]; ok && o.id == "" {
		is, err := o.job()
		if err != nil {
			return nil, err
		}
		resize(of.asked, changes, is.Request)
	}
	_, isNamed := changes["partition"]
	of.isOfDefault = o.isOfDefault && !isNamed
	maps.Copy(of.asked, changes)
	return of, nil
}

// Limits implements forecast.Limiter: squeue shows one node also of a job that may be spread over several.
func (o *offer) Limits() string {
	if o.id == "" || o.asked["nodes"] == "" {
		return ""
	}
	is, err := o.job()
	was := o.site.listed[o.id].Request
	if err != nil || is.Request.MaxNodes == 0 || was.MaxNodes > 0 && was.MaxNodes <= is.Request.MaxNodes || was.Tasks <= is.Request.MaxNodes {
		return ""
	}
	return fmt.Sprintf("no more than %s, where its tasks may be on more as it is", report.Count(int(is.Request.MaxNodes), "node"))
}

// isHeld reports whether somebody holds the job, or it is asked for so that it waits for its release.
func (o *offer) isHeld() bool {
	_, isAsked := o.asked["hold"]
	return isAsked || o.site.listed[o.id].isHeld
}

// job returns the job as the scheduler sees it.
func (o *offer) job() (*sched.Job, error) {
	c, asked := o.site.Setup, o.asked
	j := &sched.Job{ID: len(o.site.listed) + 1, Submit: o.site.At, Eligible: o.site.At}
	if o.id != "" {
		if j = o.site.listed[o.id].Job; len(asked) > 0 || o.isReleased {
			j = j.Change()
		}
		if o.isReleased && j.IsAgeless { // from when on its age counts
			j.IsAgeless, j.Eligible = false, max(o.site.At, j.Submit)
			if c.Conf.AccrueAlways {
				j.Eligible = j.Submit
			}
		}
	}
	if name, ok := asked["partition"]; ok {
		named, err := o.site.partitionsNamed(name)
		if err != nil {
			return nil, err
		}
		j.Partitions = nil
		for _, at := range named {
			if !slices.Contains(j.Partitions, at) {
				j.Partitions = append(j.Partitions, at)
			}
		}
		if j.Partition = j.Partitions[0]; len(j.Partitions) == 1 {
			j.Partitions = nil
		}
	}
	if err := o.setAssociation(j); err != nil {
		return nil, err
	}
	if err := o.setQOS(j); err != nil {
		return nil, err
	}
	if text, ok := asked["licenses"]; ok {
		list, _ := sched.ParseLicences(text)
		var others []string
		if j.Licences, others = c.Licensed(list); len(others) > 0 {
			return nil, refused("Invalid license specification", "the site has no licences of %s", others[0])
		}
	}
	if err := o.setBegin(j); err != nil {
		return nil, err
	}
	if err := o.checkArray(); err != nil {
		return nil, err
	}
	if err := o.setDependency(j); err != nil {
		return nil, err
	}
	if text, ok := asked["nice"]; ok {
		const usual = 100
		nice, _ := strconv.Atoi(cmp.Or(text, strconv.Itoa(usual)))
		if most := set.MostNice; nice < -most || nice > most {
			return nil, refused("Invalid --nice value", "nice=%d is not from -%d to %[2]d", nice, most)
		}
		j.Nice = float64(nice)
	}
	if text, ok := asked["time"]; ok {
		j.Limit, _ = limitOf(text)
		j.NoLimit = false
	} else if o.id == "" {
		j.Limit, _ = o.site.usualLimit(j.Partition)
	}
	if o.id != "" && !asked.hasAny(ofNodes) {
		return j, nil
	}
	r, err := o.request(j.Request, j.Partition)
	if err != nil {
		return nil, err
	}
	j.Request, j.TRES, j.Billing = o.site.withinMemory(r, j.Partition), nil, 0
	return j, nil
}

// usualLimit returns the time limit of a job that gives none, and from where that is.
func (s *Site) usualLimit(partition int) (limit int64, from string) {
	p := s.Setup.Partitions[partition]
	switch {
	case s.Setup.DefaultTimes[partition] > 0:
		return s.Setup.DefaultTimes[partition], "DefaultTime of partition " + p.Name
	case p.MaxTime > 0:
		return p.MaxTime, "MaxTime of partition " + p.Name
	}
	return s.Setup.LongestIn(partition), "most that there is, since partition " + p.Name + " has no DefaultTime and no MaxTime"
}

// withinMemory returns a request with as many CPUs as its memory takes, of which each has no more than MaxMemPerCPU
// (Slurm's job_mgr.c, _valid_job_part and its memory checks).
func (s *Site) withinMemory(r *sched.Request, partition int) *sched.Request {
	if s.Setup.MostMemory == nil || s.Setup.MostMemory[partition] == 0 {
		return r
	}
	most, of := s.Setup.MostMemory[partition], *r
	switch {
	case r.CPUMemory > most:
		times := (r.CPUMemory + most - 1) / most
		of.CPUMemory, of.CPUsPerTask, of.CPUs = (r.CPUMemory+times-1)/times, r.CPUsPerTask*int32(times), r.CPUs*int32(times)
	case r.NodeMemory > 0:
		tasks := int64(max(1, r.TasksPerNode, (r.Tasks+r.MinNodes-1)/max(1, r.MinNodes)))
		each := int32(((r.NodeMemory+most-1)/most + tasks - 1) / tasks)
		if each <= r.CPUsPerTask {
			return r
		}
		of.CPUsPerTask, of.CPUs = each, max(r.CPUs, each*r.Tasks)
	default:
		return r
	}
	return &of
}

// Check implements forecast.Offer.
func (o *offer) Check() error {
	_, err := o.job()
	return err
}

// Enter implements forecast.Offer.
func (o *offer) Enter() (*forecast.State, forecast.Scheduler, string, error) {
	j, err := o.job()
	if err != nil {
		return nil, nil, "", err
	}
	of := *o.site
	of.listed, of.ofOffers = maps.Clone(o.site.listed), nil
	id := cmp.Or(o.id, forecast.NewID)
	p := listedJob{Job: j, row: o.site.listed[id].row, user: o.user, name: o.site.listed[id].name}
	of.listed[id] = p
	why := of.never(j)
	if o.isHeld() && !o.isReleased {
		why = outcome.HeldByUser
	}
	if _, isStuck := o.depends(); isStuck && why == "" {
		why = heldFor(o.asked["dependency"])
	}
	of.state = o.site.state.With(of.traced(id, p), why, o.unmodelled())
	return of.state, &of, id, nil
}

// unmodelled names what the job asks for that is not modelled: of the list, and by options.
func (o *offer) unmodelled() []string {
	fields := slices.Clone(o.site.listed[o.id].unmodelled)
	for _, name := range slices.Sorted(maps.Keys(o.asked)) {
		if o.assumes(name) != nil {
			fields = append(fields, o.naming(name))
		}
	}
	return fields
}

// assumes returns the option of a name in whose place something else is taken, nil for another one.
func (o *offer) assumes(name string) *sbatchOption {
	if other := otherOption(name); other != nil && (name != "dependency" || len(o.awaited()) == 0) {
		return other
	}
	return nil
}

// naming returns an option as it is asked.
func (o *offer) naming(name string) string {
	return strings.TrimSuffix(name+"="+o.asked[name], "=")
}

// Sensible implements forecast.Offer.
func (o *offer) Sensible() (changes []string) {
	j, err := o.job()
	if err != nil {
		return nil
	}
	const shortest = 120
	add := func(change string) { // unless it cannot be asked, as where the job names more nodes than it would have CPUs
		if of, err := o.With(change); err == nil && of.Check() == nil {
			changes = append(changes, change)
		}
	}
	if o.isHeld() && !o.isReleased {
		return []string{"release"} // without which nothing else makes it start
	}
	if j.Limit >= shortest && j.Limit != sched.Endless {
		add("time=" + report.Duration(math.Floor(float64(j.Limit)/2)))
	}
	if half := j.Request.CPUs / 2; half > 0 && half%j.Request.CPUsPerTask == 0 {
		add(fmt.Sprintf("cpus=%d", half))
	}
	const most = 4                                                  // partitions
	ofGPUs := !o.asksGPUs(j.Request) && !o.hasOnlyGPUs(j.Partition) // whether partitions of GPUs are for others
	for i, p := range o.site.Setup.Partitions {
		if i != j.Partition && !slices.Contains(j.Partitions, i) && len(changes) < 2+most && !(ofGPUs && o.hasOnlyGPUs(i)) && o.isOpen(i) {
			changes = append(changes, "partition="+p.Name)
		}
	}
	return changes
}

// asksGPUs reports whether a request is of GPUs.
func (o *offer) asksGPUs(r *sched.Request) bool {
	return o.hasGPUs(r.GRES) || o.hasGPUs(r.JobGRES) || o.hasGPUs(r.TaskGRES)
}

// hasOnlyGPUs reports whether all nodes of a partition have GPUs.
func (o *offer) hasOnlyGPUs(partition int) bool {
	c := o.site.Setup
	for i := range c.Nodes {
		if c.Partitions[partition].Nodes.Has(i) && !o.hasGPUs(c.Nodes[i].GRES) {
			return false
		}
	}
	return true
}

// hasGPUs reports whether some amounts of GRES are of GPUs.
func (o *offer) hasGPUs(amounts []int32) bool {
	for k, n := range amounts {
		if kind, _, _ := strings.Cut(o.site.Setup.GRES[k], ":"); n > 0 && kind == "gpu" {
			return true
		}
	}
	return false
}

// isOpen reports whether a partition is known to take the job.
func (o *offer) isOpen(partition int) bool {
	c := o.site.Setup
	if c.Access != nil && c.Access[partition].Groups != nil {
		return false // of which nobody knows whether the user is in one
	}
	of, err := o.With("partition=" + c.Partitions[partition].Name)
	if err != nil || of.Refused() != "" {
		return false
	}
	j, err := of.(*offer).job()
	return err == nil && o.site.never(j) == ""
}
