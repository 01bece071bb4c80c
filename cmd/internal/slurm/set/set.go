// Package set changes what a Slurm site is like, as --set asks for it: its order, or the set-up of its scheduler.
package set

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/report"
	"fairshare/cmd/internal/slurm"
	"fairshare/cmd/internal/slurm/order"
	"fairshare/cmd/internal/slurm/sched"
	"fairshare/cmd/internal/slurm/setup"
	"fairshare/fstree"
)

// With returns a copy of a site in which some things are other than they are:
//
//	PriorityWeightAge=5000  PriorityFlags=…     a setting of slurm.conf on priorities
//	physics.shares=60  physics/bob.shares=parent  bob.usage=0    in the tree of associations
//	qos.high.priority=200  qos.high.Preempt=normal  PreemptType=preempt/qos, with the PreemptMode that goes with it
//	partition.gpu.tier=5  partition.gpu.factor=10                PriorityTier and PriorityJobFactor
//	job.105.nice=100  job.105.qos=high
//	chem.GrpTRES=cpu=10  chem/erin.MaxJobs=2  qos.high.MaxTRESPU=cpu=8  partition.gpu.MaxTime=2:00:00    what holds jobs
//
// Usage is raw usage, of users: that of their accounts follows. A setting that changes nothing is no error, as it is none of
// ChangeSetup: Change.Remark says so.
func With(s *order.Site, settings []string) (*order.Site, []Change, error) {
	if what := s.LacksConf(); len(settings) > 0 && what != "" {
		return nil, nil, diag.Requestf("%s lacks %s (or slurm.conf), so that what --set changes cannot be computed; without these, formula explain JOB takes %s, and nothing with --vs", s.Name, what, halfLife)
	}
	site := clone(s)
	var tree []fstree.Association // nil as long as nothing of it is changed
	changes, err := applySettings(settings, func(x *setting) (was string, err error) {
		switch {
		case x.kind == ofConf:
			return site.Conf.Set(x.name, x.value)
		case x.kind == ofQOS && x.key == "priority":
			return setQOS(site, x)
		case x.isOfPreemption():
			return setOrderPreemption(site, x)
		case x.isMode() && slices.ContainsFunc(settings, func(text string) bool { of := settingOf(text); return of != nil && of.isType() }):
			return setOrderMode(site, x)
		case x.holds():
			return setHolds(site, x)
		case x.kind == ofPartition && x.key != "preemptmode":
			return setPartition(site.Conf, x)
		case x.kind == ofJob:
			return setJob(site, x)
		case x.kind == ofVersion: // the order is the same in all that are known
			was, site.Version = site.Version, x.value
			return was, nil
		case x.kind == ofTree && site.Tree == nil:
			return "", errors.New("the site has no whole tree, as sshare -a -l -P prints it")
		case x.kind == ofTree:
			if tree == nil {
				tree = setup.Associations(site.Tree)
			}
			return x.change(tree)
		}
		return "", errors.New("the order does not depend on it: formula sort --now, when and replay try it")
	})
	if err = cmp.Or(err, refuseLoop(site.Preemption().QOS, settings)); err != nil {
		return nil, nil, err
	}
	if tree == nil {
		return site, changes, nil
	}
	if site.Tree, err = fstree.NewAssociations(tree); err != nil {
		return nil, nil, diag.Requestf("the tree cannot be so: %v", err)
	}
	return site, changes, nil
}

// clone returns a copy of what With changes; of the jobs see cloneJobs.
func clone(s *order.Site) *order.Site {
	site := *s
	site.Conf, site.QOS = s.Conf.Clone(), maps.Clone(s.QOS)
	return &site
}

// cloneJobs gives a copy jobs of its own before some are changed, of which there are many.
func cloneJobs(site *order.Site) { site.Jobs = slices.Clone(site.Jobs) }

func setQOS(s *order.Site, x *setting) (was string, err error) {
	old, ok := s.QOS[x.of]
	switch {
	case s.QOS == nil:
		return "", errors.New("the site has no sacctmgr -P show qos")
	case !ok:
		return "", errors.New(report.NoSuch("QOS", x.of, slices.Collect(maps.Keys(s.QOS))))
	}
	s.QOS[x.of] = x.number
	return report.Plain(old), nil
}

// setPartition changes the tier or the factor of a partition.
func setPartition(conf *slurm.Conf, x *setting) (was string, err error) {
	part := conf.Partitions[x.of]
	if part == nil {
		return "", errors.New(report.NoSuch("partition", x.of, slices.Collect(maps.Keys(conf.Partitions))))
	}
	of := &part.Tier
	if x.key == "factor" {
		of = &part.JobFactor
	}
	was, *of = report.Plain(*of), x.number
	return was, nil
}

func setJob(s *order.Site, x *setting) (was string, err error) {
	i := slices.IndexFunc(s.Jobs, func(j slurm.Job) bool { return j.ID == x.of })
	if i < 0 {
		return "", fmt.Errorf("there is no job %s in scontrol show job", x.of)
	}
	cloneJobs(s)
	j := &s.Jobs[i]
	if x.key == "nice" {
		was, j.Nice = report.Plain(j.Nice), x.number
		return was, nil
	}
	was, j.QOS = j.QOS, x.value
	if _, ok := s.QOS[x.value]; !ok {
		err = errors.New(report.NoSuch("QOS", x.value, slices.Collect(maps.Keys(s.QOS))))
	}
	return was, err
}

// ChangeSetup returns a copy of what a scheduler knows of a site in which some things are other than
// they are, as With returns a copy of a site. That a setting changes nothing is no error, since
// a search tries what is in force as well.
func ChangeSetup(setup *sched.Setup, settings []string) (*sched.Setup, []Change, error) {
	changed := setup.Clone()
	changes, err := applySettings(settings, func(x *setting) (was string, err error) {
		switch x.kind {
		case ofConf:
			return setReplayedConf(changed, x)
		case ofTree:
			return x.change(changed.Tree)
		case ofPartition:
			return setReplayedPartition(changed, x)
		case ofQOS:
			return setReplayedQOS(changed, x)
		case ofAssociation:
			return setAssociation(changed, x)
		case ofVersion:
			return setVersion(changed, x)
		case ofScheduler:
			return "", change(changed, func() error { return setScheduler(changed, x) })
		case ofLicence:
			return "", change(changed, func() error { return setLicences(changed, x) })
		case ofNode, ofRemoved, ofReservation:
			return "", change(changed, func() error { return setWorld(changed, x) })
		}
		return "", errors.New("a replay does not know it: formula compare SITE --set shows what it changes in the order now")
	})
	if err = cmp.Or(err, refuseLoop(changed.QOS, settings)); err != nil {
		return nil, nil, err
	}
	if _, err := fstree.NewAssociations(changed.Tree); err != nil {
		return nil, nil, diag.Requestf("the tree cannot be so: %v", err)
	}
	return changed, changes, nil
}

// LimitsSubmissions reports whether a change is of a limit of submissions, which moves no start.
func (c Change) LimitsSubmissions() bool {
	return c.is(func(x *setting) bool { return x.limit != nil && x.limit.Submits })
}

// setReplayedConf changes a setting of slurm.conf on which starts depend.
func setReplayedConf(setup *sched.Setup, x *setting) (was string, err error) {
	conf := setup.Conf
	switch x.key {
	case "priorityweightassoc":
		if setup.MostPriority == 0 {
			return "", errors.New("it changes nothing: no association has a priority of its own in sacctmgr show assoc")
		}
	case "fairsharedampeningfactor":
		if !conf.DepthOblivious && !conf.NoFairTree {
			return "", errors.New("it changes nothing under Fair Tree")
		}
	case "priorityflags":
		for flag := range strings.SplitSeq(strings.ToUpper(x.value), ",") {
			if flag == "INCR_ONLY" || strings.HasPrefix(flag, "MAX_TRES") {
				return "", fmt.Errorf("%s is not modelled: a replay has the priorities that fall as well, and the billing of the record", flag)
			}
		}
	}
	return conf.Set(x.name, x.value)
}

// setReplayedPartition changes the tier or the factor of a partition as priorities and as the scheduler know it.
func setReplayedPartition(setup *sched.Setup, x *setting) (was string, err error) {
	if x.field != nil {
		return setPartitionField(setup, x)
	}
	if x.key == "preemptmode" { // of which priorities know nothing
		if setup.Conf.Partitions[x.of] == nil {
			return "", errors.New(report.NoSuch("partition", x.of, slices.Collect(maps.Keys(setup.Conf.Partitions))))
		}
	} else if was, err = setPartition(setup.Conf, x); err != nil {
		return "", err
	}
	i := setup.PartitionNamed(x.of)
	switch {
	case i < 0:
		return "", errors.New("the partition is not in scontrol show partition")
	case x.key == "factor":
		setup.Partitions[i].JobFactor = x.number
	case x.key == "preemptmode":
		if err := isModelled(setup, x.mode); err != nil {
			return "", err
		}
		if setup.Preemption.Partitions[i] == x.mode {
			return x.mode.String(), errSame
		}
		was, setup.Preemption.Partitions[i] = setup.Preemption.Partitions[i].String(), x.mode
	default:
		setup.Partitions[i].Tier = x.number
	}
	return was, nil
}

// qosNamed returns one of all QOS of a site by its name.
func qosNamed(all []sched.QOS, name string) (*sched.QOS, error) {
	at := slices.IndexFunc(all, func(q sched.QOS) bool { return q.Name == name })
	if at >= 0 {
		return &all[at], nil
	}
	return nil, errors.New(report.NoSuch("QOS", name, sched.QOSNames(all)))
}

// setReplayedQOS changes the priority, the usage factor or a limit of a QOS.
func setReplayedQOS(setup *sched.Setup, x *setting) (was string, err error) {
	q, err := qosNamed(setup.QOS, x.of)
	if err != nil {
		return "", err
	}
	if err := isIdle(setup, x.limit); err != nil {
		return "", err
	}
	switch x.key {
	case "priority":
		was, q.Priority = report.Plain(q.Priority), x.number
		return was, nil
	case "preempt":
		return setPreempts(setup.PreemptType, setup.QOS, q, x)
	case "preemptmode":
		if err := isModelled(setup, x.mode); err != nil {
			return "", err
		}
		return "", change(setup, func() error { q.PreemptMode = x.mode; return nil })
	}
	if x.limit != nil && x.limit.IsLimit() {
		was = limitOf(setup, &q.Limits, x)
	}
	return was, change(setup, func() error {
		if x.limit == nil || !x.limit.IsLimit() {
			q.UsageFactor = x.number
			return nil
		}
		return setLimit(setup, &q.Limits, x)
	})
}

// setVersion makes the rules those of another version of Slurm.
func setVersion(setup *sched.Setup, x *setting) (was string, err error) {
	if setup.Version[0] > 0 {
		was = sched.VersionText(setup.Version)
	}
	v, err := sched.ParseVersion(x.value)
	switch {
	case err != nil:
		return was, err
	case v == setup.Version:
		return was, errSame
	}
	setup.UseVersion(v)
	return was, nil
}

// setScheduler changes SchedulerType or one of SchedulerParameters.
func setScheduler(setup *sched.Setup, x *setting) error {
	switch x.key {
	case "bf_max_time", "bf_yield_interval", "bf_continue":
		return fmt.Errorf("%s is not modelled: no cycle runs out of time in a replay", x.name)
	case "preempttype", "preemptmode":
		return setPreemption(setup, x)
	case "schedulertype":
		if x.value != "sched/builtin" && x.value != "sched/backfill" {
			return errors.New("SchedulerType is sched/builtin or sched/backfill")
		}
		setup.UseBackfill(x.value == "sched/backfill")
		return nil
	}
	near := report.Nearest(x.key, sched.Parameters())
	if err := setup.Set(x.key, x.value); err == nil || near == "" || near == x.key {
		return err
	}
	return fmt.Errorf("%s is not modelled; did you mean %s?", x.name, near)
}

// change makes a change, and returns an error if it changes nothing.
func change(s *sched.Setup, do func() error) error {
	before := s.Clone()
	if err := do(); err != nil {
		return err
	}
	if reflect.DeepEqual(before, s) {
		return errSame
	}
	return nil
}

// halfLife is the setting by which usage decays.
const halfLife = "PriorityDecayHalfLife"

// Halving returns a site of which nothing tells the configuration with the half-life that one of some settings gives, that change, and
// the other settings; the site itself, nil and all of them where its configuration is known, or none does.
func Halving(s *order.Site, settings []string) (of *order.Site, change *Change, others []string, err error) {
	isIt := func(text string) bool { x := settingOf(text); return x != nil && strings.EqualFold(x.name, halfLife) }
	at := slices.IndexFunc(settings, isIt)
	if at < 0 || s.LacksConf() == "" {
		return s, nil, settings, nil
	}
	changes, err := applySettings(settings[at:at+1], func(x *setting) (string, error) {
		of, err = s.Halving(x.value)
		return "", err
	})
	if err != nil {
		return nil, nil, nil, err
	}
	return of, &changes[0], slices.Delete(slices.Clone(settings), at, at+1), nil
}
