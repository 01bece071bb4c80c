package slurmforecast

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/forecast"
	"fairshare/cmd/internal/report"
	"fairshare/cmd/internal/slurm"
	"fairshare/cmd/internal/slurmsched"
)

// options are what is asked for by the long options of sbatch, and cpus: how many in all.
type options map[string]string

// longNames are the long options by others that say the same.
var longNames = map[string]string{"N": "nodes", "n": "ntasks", "c": "cpus-per-task", "C": "constraint", "t": "time", "p": "partition", "A": "account", "q": "qos",
	"ncpus": "cpus", "walltime": "time", "queue": "partition"}

var (
	wholeNumber = regexp.MustCompile(`^[1-9]\d{0,5}$`)
	nodeSpan    = regexp.MustCompile(`^[1-9]\d{0,5}(-[1-9]\d{0,5})?$`)
	memory      = regexp.MustCompile(`^\d{1,12}(\.\d{1,6})?[KMGTkmgt]?$`)
)

// forms are the options that there are, and how their values look.
var forms = map[string]*regexp.Regexp{
	"nodes": nodeSpan, "ntasks": wholeNumber, "cpus": wholeNumber, "cpus-per-task": wholeNumber, "ntasks-per-node": wholeNumber, "mem": memory, "mem-per-cpu": memory,
	"constraint": regexp.MustCompile(`^[\w.-]+(&[\w.-]+)*$`), "exclusive": regexp.MustCompile(`^$`), "gres": regexp.MustCompile(`^[\w.-]+(:[\w.-]+)*$`),
	"time": nil, "partition": nil, "account": nil, "qos": nil,
}

// ofRequest are the options by which nodes are found.
var ofRequest = []string{"nodes", "ntasks", "cpus-per-task", "ntasks-per-node", "mem", "mem-per-cpu", "constraint", "exclusive", "gres"}

// wrong returns what is wrong with what is asked for.
func wrong(format string, args ...any) error { return askError{fmt.Errorf(format, args...)} }

// askError is a forecast.ErrAsk that says by itself what is wrong.
type askError struct{ error }

func (askError) Is(target error) bool { return target == forecast.ErrAsk }

// parse reads what is asked for: options of sbatch, such as "-N2 -n 32 --mem=64G -t 8:00:00", or
// nodes=2,ntasks=32,mem=64G,time=8:00:00.
func parse(text string) (options, error) {
	list := slurmsched.SplitOptions(strings.Fields(text))
	if !strings.HasPrefix(strings.TrimSpace(text), "-") {
		list = nil
		for part := range strings.SplitSeq(text, ",") {
			name, value, _ := strings.Cut(strings.TrimSpace(part), "=")
			list = append(list, slurmsched.Option{Name: name, Value: value})
		}
	}
	o := options{}
	for _, x := range list {
		name := cmp.Or(longNames[x.Name], x.Name)
		form, isKnown := forms[name]
		_, isTwice := o[name]
		switch {
		case strings.HasPrefix(name, "gpu"):
			return nil, wrong("%s is not read here: say it as gres=gpu:2, which is of each node", x.Name)
		case !isKnown:
			return nil, wrong("%q is none of %s", cmp.Or(x.Name, text), strings.Join(slices.Sorted(maps.Keys(forms)), ", "))
		case isTwice:
			return nil, wrong("%s is asked for twice", name)
		case form == nil && (x.Value == "" || len(x.Value) > 256):
			return nil, wrong("%s has no value", name)
		case form != nil && !form.MatchString(x.Value):
			return nil, wrong("%q is no value of %s", x.Value, name)
		}
		o[name] = x.Value
	}
	return o, o.check()
}

// check returns which options do not go together.
func (o options) check() error {
	_, isEach := o["mem"]
	if _, isByCPU := o["mem-per-cpu"]; isEach && isByCPU {
		return wrong("mem and mem-per-cpu cannot both be asked for")
	}
	_, hasTasks := o["ntasks"]
	if _, hasCPUs := o["cpus"]; hasTasks && hasCPUs {
		return wrong("cpus are ntasks times cpus-per-task: ntasks cannot be asked for as well")
	}
	if text, ok := o["time"]; ok {
		const longest = 10 * 365 * 24 * 3600
		if seconds, err := slurm.Duration(text); err != nil || !(seconds > 0) || seconds > longest {
			return wrong("%q is no time limit", text)
		}
	}
	return nil
}

// offer is a job as it is asked for at a Slurm site. It implements forecast.Offer.
type offer struct {
	site  *Site
	id    string // of the job that is changed, "" for a new one
	user  string
	asked options // of a job that is changed, what is to change
}

// New implements forecast.Subject.
func (s *Site) New(user, queue, resources string) (forecast.Offer, error) {
	o, err := parse(resources)
	if err != nil {
		return nil, err
	}
	if other, ok := o["partition"]; ok && other != queue {
		return nil, wrong("partition=%s is asked for beside --queue %s", other, queue)
	}
	o["partition"] = queue
	return &offer{s, "", user, o}, nil
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
func (s *Site) Offer(id string) forecast.Offer { return &offer{s, id, s.listed[id].user, options{}} }

// Judges implements forecast.Subject.
func (s *Site) Judges() string {
	return "of what Slurm takes, MaxTime of the partition and limits of the QOS and the association are looked at, and not who may use which partition and QOS"
}

// With implements forecast.Offer.
func (o *offer) With(change string) (forecast.Offer, error) {
	changes, err := parse(change)
	if err != nil {
		return nil, err
	}
	of := &offer{o.site, o.id, o.user, maps.Clone(o.asked)}
	_, byCPU := changes["mem-per-cpu"]
	_, byNode := changes["mem"]
	if byCPU || byNode {
		delete(of.asked, "mem")
		delete(of.asked, "mem-per-cpu")
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
	maps.Copy(of.asked, changes)
	return of, nil
}

// resize makes options ask for another number of cpus: on as many nodes as leave each node what it has,
// where that divides.
func resize(o, changes options, was *slurmsched.Request) {
	cpus, _ := strconv.Atoi(changes["cpus"])
	if _, isSaid := changes["nodes"]; !isSaid && was.MinNodes > 1 {
		nodes := int(was.MinNodes)
		if each := max(1, int(was.CPUs)/nodes); cpus%each == 0 {
			nodes = cpus / each
		}
		o["nodes"] = strconv.Itoa(min(nodes, cpus))
	}
	delete(o, "ntasks")
	delete(o, "ntasks-per-node")
}

// optionsOf returns what asks for a request.
func optionsOf(r *slurmsched.Request, kinds []string) options {
	o := options{"ntasks": strconv.Itoa(int(r.Tasks))}
	if r.Tasks*r.CPUsPerTask != r.CPUs {
		o["ntasks"] = strconv.Itoa(int(max(1, r.CPUs/r.CPUsPerTask)))
	}
	switch {
	case r.MaxNodes == r.MinNodes:
		o["nodes"] = strconv.Itoa(int(r.MinNodes))
	case r.MaxNodes > 0 || r.MinNodes > 1:
		o["nodes"] = fmt.Sprintf("%d-%d", r.MinNodes, cmp.Or(r.MaxNodes, 999_999))
	}
	for name, n := range map[string]int64{"cpus-per-task": int64(r.CPUsPerTask), "ntasks-per-node": int64(r.TasksPerNode), "mem": r.NodeMemory, "mem-per-cpu": r.CPUMemory} {
		if n > 0 {
			o[name] = strconv.FormatInt(n, 10)
		}
	}
	if len(r.Features) > 0 {
		o["constraint"] = strings.Join(r.Features, "&")
	}
	if r.Exclusive {
		o["exclusive"] = ""
	}
	for i, kind := range kinds {
		if !strings.Contains(kind, ":") && r.GRES[i] > 0 {
			o["gres"] = fmt.Sprintf("%s:%d", kind, r.GRES[i])
		}
	}
	return o
}

// request returns what is asked of the nodes, with what an earlier request leaves as it is.
func (o *offer) request(was *slurmsched.Request, cpuMemory int64) (*slurmsched.Request, error) {
	kinds := o.site.Setup.GRES
	of := options{}
	if was != nil {
		of = optionsOf(was, kinds)
		if _, ok := o.asked["cpus"]; ok {
			resize(of, o.asked, was)
		}
		_, byCPU := o.asked["mem-per-cpu"]
		if _, byNode := o.asked["mem"]; byCPU || byNode {
			delete(of, "mem")
			delete(of, "mem-per-cpu")
		}
	}
	maps.Copy(of, o.asked)
	if text, ok := of["cpus"]; ok {
		cpus, _ := strconv.Atoi(text)
		each, _ := strconv.Atoi(cmp.Or(of["cpus-per-task"], "1"))
		if cpus%each != 0 {
			return nil, wrong("cpus=%d is no multiple of cpus-per-task=%d", cpus, each)
		}
		of["ntasks"] = strconv.Itoa(cpus / each)
	}
	if low, high, ok := strings.Cut(of["nodes"], "-"); ok {
		from, _ := strconv.Atoi(low)
		if to, _ := strconv.Atoi(high); to < from {
			return nil, wrong("nodes=%s ends before it begins", of["nodes"])
		}
	}
	var words []string
	for _, name := range ofRequest {
		if value, ok := of[name]; ok {
			words = append(words, "--"+name+"="+value)
		}
	}
	r := slurmsched.ParseRequest(words, kinds, cpuMemory)
	if text := of["gres"]; text != "" && !slices.ContainsFunc(r.GRES, func(n int32) bool { return n > 0 }) {
		return nil, wrong("no node has gres=%s", text)
	}
	for _, feature := range r.Features {
		if !slices.ContainsFunc(o.site.Setup.Nodes, func(n slurmsched.Node) bool { return slices.Contains(n.Features, feature) }) {
			return nil, wrong("no node has the feature %s", feature)
		}
	}
	return r, nil
}

// job returns the job as the scheduler sees it.
func (o *offer) job() (*slurmsched.Job, error) {
	c, asked := o.site.Setup, o.asked
	j := &slurmsched.Job{ID: len(o.site.listed) + 1, Submit: o.site.At, Eligible: o.site.At}
	if o.id != "" {
		if j = o.site.listed[o.id].Job; len(asked) > 0 {
			j = j.Change()
		}
	}
	if name, ok := asked["partition"]; ok {
		var names []string
		for _, p := range c.Partitions {
			names = append(names, p.Name)
		}
		if j.Partition = slices.Index(names, name); j.Partition < 0 {
			return nil, &forecast.NoQueueError{Called: "partition", Queue: name, There: names}
		}
	}
	if err := o.setAssociation(j); err != nil {
		return nil, err
	}
	if err := o.setQOS(j); err != nil {
		return nil, err
	}
	if text, ok := asked["time"]; ok {
		seconds, _ := slurm.Duration(text)
		j.Limit = int64(seconds)
	} else if o.id == "" {
		j.Limit, _ = o.site.limitOf(j.Partition)
	}
	if o.id != "" && !slices.ContainsFunc(append(ofRequest, "cpus"), func(name string) bool { _, ok := asked[name]; return ok }) {
		return j, nil
	}
	r, err := o.request(j.Request, c.CPUMemory[j.Partition])
	if err != nil {
		return nil, err
	}
	j.Request, j.TRES, j.Billing = r, nil, 0
	return j, nil
}

// limitOf returns the time limit of a job that gives none, and from where that is.
func (s *Site) limitOf(partition int) (limit int64, from string) {
	p := s.Setup.Partitions[partition]
	const endless = 365 * 24 * 3600
	switch {
	case s.Setup.DefaultTimes[partition] > 0:
		return s.Setup.DefaultTimes[partition], "DefaultTime of partition " + p.Name
	case p.MaxTime > 0:
		return p.MaxTime, "MaxTime of partition " + p.Name
	}
	return endless, "most that there is, since partition " + p.Name + " has no DefaultTime and no MaxTime"
}

// setAssociation finds the association of a job: that of the account that is asked for, of the user's last
// job, or the only one.
func (o *offer) setAssociation(j *slurmsched.Job) error {
	account, isAsked := o.asked["account"]
	if o.id != "" && !isAsked {
		return nil
	}
	var accounts []string
	names, found := o.site.Setup.Names, -1
	for i, name := range names {
		if name.User != o.user || name.User == "" {
			continue
		}
		if accounts = append(accounts, name.Account); name.Account == account || !isAsked {
			found = i
		}
	}
	last, hasLast := o.site.last[o.user]
	switch {
	case len(accounts) == 0:
		return wrong("%s is in no account of the tree, so that Slurm takes no job of theirs", o.user)
	case isAsked && found < 0:
		return wrong("%s is not in it: %s", o.user, report.NoSuch("account of theirs", account, accounts))
	case !isAsked && hasLast:
		found = last.association
	case !isAsked && len(accounts) > 1:
		return wrong("%s is in several accounts (%s): say which, such as account=%s", o.user, strings.Join(accounts, ", "), accounts[0])
	}
	j.Association = found
	return nil
}

// setQOS finds the QOS of a job: that which is asked for, that of the user's last job, normal, or the first.
func (o *offer) setQOS(j *slurmsched.Job) error {
	name, isAsked := o.asked["qos"]
	last, hasLast := o.site.last[o.user]
	switch {
	case o.id != "" && !isAsked:
		return nil
	case !isAsked && hasLast:
		j.QOS = last.qos
		return nil
	}
	var names []string
	for _, q := range o.site.Setup.QOS {
		names = append(names, q.Name)
	}
	if j.QOS = slices.Index(names, cmp.Or(name, "normal")); j.QOS < 0 && isAsked {
		return wrong("%s", report.NoSuch("QOS", name, names))
	}
	j.QOS = max(0, j.QOS)
	return nil
}

// Check implements forecast.Offer.
func (o *offer) Check() error {
	_, err := o.job()
	return err
}

// Refused implements forecast.Offer.
func (o *offer) Refused() string {
	j, err := o.job()
	if err != nil {
		return ""
	}
	p := o.site.Setup.Partitions[j.Partition]
	if p.MaxTime > 0 && j.Limit > p.MaxTime {
		return fmt.Sprintf("partition %s has jobs of up to %s", p.Name, report.Duration(float64(p.MaxTime)))
	}
	if limit := o.site.Setup.Bars(j); limit != "" {
		return limit + ", whatever else runs"
	}
	return ""
}

// Enter implements forecast.Offer.
func (o *offer) Enter() (*forecast.State, forecast.Scheduler, string, error) {
	j, err := o.job()
	if err != nil {
		return nil, nil, "", err
	}
	of := *o.site
	of.listed = maps.Clone(o.site.listed)
	id := cmp.Or(o.id, forecast.NewID)
	p := present{Job: j, user: o.user, name: o.site.listed[id].name}
	of.listed[id] = p
	of.state = o.site.state.With(of.traced(id, p), of.never(j))
	return of.state, &of, id, nil
}

// Sensible implements forecast.Offer.
func (o *offer) Sensible() (changes []string) {
	j, err := o.job()
	if err != nil {
		return nil
	}
	const shortest = 120
	if j.Limit >= shortest {
		changes = append(changes, "time="+report.Duration(math.Floor(float64(j.Limit)/2)))
	}
	if half := j.Request.CPUs / 2; half > 0 && half%j.Request.CPUsPerTask == 0 {
		changes = append(changes, fmt.Sprintf("cpus=%d", half))
	}
	const most = 4 // partitions
	for i, p := range o.site.Setup.Partitions {
		if i != j.Partition && len(changes) < 2+most {
			changes = append(changes, "partition="+p.Name)
		}
	}
	return changes
}

// Assumed implements forecast.Offer.
func (o *offer) Assumed() (remarks []diag.Remark) {
	j, err := o.job()
	if err != nil || o.id != "" {
		return nil
	}
	say := func(r diag.Remark) { remarks = append(remarks, r) }
	c := o.site.Setup
	if o.asked["time"] == "" {
		limit, from := o.site.limitOf(j.Partition)
		say(diag.Notef("the job asks for no time limit: it gets %s, the %s", report.Duration(float64(limit)), from))
	}
	var missing []string
	for _, name := range []string{"account", "qos"} {
		if o.asked[name] == "" {
			missing = append(missing, name)
		}
	}
	if len(missing) > 0 {
		why := "as the last job of " + o.user + " was"
		if !o.site.users[o.user] {
			why = "which is a guess"
		}
		say(diag.Notef("the job names no %s: it is taken to be of account %s and QOS %s, %s", strings.Join(missing, " and no "), c.Names[j.Association].Account, c.QOS[j.QOS].Name, why))
	}
	if part := c.Conf.Partitions[c.Partitions[j.Partition].Name]; part != nil && part.HasBilling {
		say(diag.Warningf("partition %s has TRESBillingWeights, which are not applied to a job that is not there: it is billed by its CPUs", part.Name))
	}
	if !o.site.users[o.user] {
		text := fmt.Sprintf("neither the list nor the logs have a job of %s: its run time is drawn from those of others", o.user)
		if near := report.Nearest(o.user, slices.Collect(maps.Keys(o.site.users))); near != "" {
			text += "; did you mean " + near + "?"
		}
		say(diag.Warningf("%s", text))
	}
	return remarks
}
