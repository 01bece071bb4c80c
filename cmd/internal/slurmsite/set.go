package slurmsite

import (
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/report"
	"fairshare/cmd/internal/slurm"
	"fairshare/cmd/internal/slurmsched"
	"fairshare/fstree"
)

// With returns a copy of a site in which some things are other than they are:
//
//	PriorityWeightAge=5000  PriorityFlags=…     a setting of slurm.conf on priorities
//	physics.shares=60  physics/bob.shares=parent  bob.usage=0    in the tree of associations
//	qos.high.priority=200
//	partition.gpu.tier=5  partition.gpu.factor=10                PriorityTier and PriorityJobFactor
//	job.105.nice=100  job.105.qos=high
//
// Usage is raw usage, of users: that of their accounts follows.
func (s *Site) With(settings []string) (*Site, []Change, error) {
	site := s.clone()
	var tree []fstree.Association // nil as long as nothing of it is changed
	changes, err := applySettings(settings, func(x *setting) (was string, err error) {
		switch {
		case x.kind == ofConf:
			return site.Conf.Set(x.name, x.value)
		case x.kind == ofQOS && x.key == "priority":
			return site.setQOS(x)
		case x.kind == ofPartition:
			return setPartition(site.Conf, x)
		case x.kind == ofJob:
			return site.setJob(x)
		case x.kind == ofTree && site.Tree == nil:
			return "", errors.New("the site has no whole tree, as sshare -a -l -P prints it")
		case x.kind == ofTree:
			if tree == nil {
				tree = associationsOf(site.Tree)
			}
			return x.change(tree)
		}
		return "", errors.New("the order does not depend on it: formula replay SITE SACCT --set shows what it changes")
	})
	if err != nil {
		return nil, nil, err
	}
	for _, c := range changes {
		if c.IsSame {
			return nil, nil, wrong(c.Name+"="+c.Value, errSame)
		}
	}
	if tree == nil {
		return site, changes, nil
	}
	if site.Tree, err = fstree.NewAssociations(tree); err != nil {
		return nil, nil, diag.Requestf("the tree cannot be so: %v", err)
	}
	return site, changes, nil
}

// associationsOf returns the associations of a tree.
func associationsOf(tree *fstree.Associations) (list []fstree.Association) {
	for i := range tree.Len() {
		list = append(list, tree.At(i))
	}
	return list
}

// clone returns a copy of what With changes.
func (s *Site) clone() *Site {
	site, conf := *s, *s.Conf
	conf.NoNormal, conf.Partitions = maps.Clone(conf.NoNormal), map[string]*slurm.Partition{}
	for name, p := range s.Conf.Partitions {
		part := *p
		conf.Partitions[name] = &part
	}
	site.Conf, site.QOS, site.Jobs = &conf, maps.Clone(s.QOS), slices.Clone(s.Jobs)
	return &site
}

func (s *Site) setQOS(x *setting) (was string, err error) {
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

func (s *Site) setJob(x *setting) (was string, err error) {
	i := slices.IndexFunc(s.Jobs, func(j slurm.Job) bool { return j.ID == x.of })
	if i < 0 {
		return "", fmt.Errorf("there is no job %s in scontrol show job", x.of)
	}
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
// they are, as With returns a copy of a site. That a setting changes nothing is no error here, since
// a search tries what is in force as well.
func ChangeSetup(setup *slurmsched.Setup, settings []string) (*slurmsched.Setup, []Change, error) {
	changed := setup.Clone()
	changes, err := applySettings(settings, func(x *setting) (was string, err error) {
		switch x.kind {
		case ofConf:
			return setReplayedConf(changed.Conf, x)
		case ofTree:
			return x.change(changed.Tree)
		case ofPartition:
			if was, err = setPartition(changed.Conf, x); err == nil {
				err = changed.Change("partition."+x.of+"."+x.key, x.value)
			}
			return was, err
		case ofQOS:
			at := slices.IndexFunc(changed.QOS, func(q slurmsched.QOS) bool { return q.Name == x.of })
			if at < 0 {
				var names []string
				for _, q := range changed.QOS {
					names = append(names, q.Name)
				}
				return "", errors.New(report.NoSuch("QOS", x.of, names))
			}
			if q := &changed.QOS[at]; x.key == "priority" {
				was, q.Priority = report.Plain(q.Priority), x.number
				return was, nil
			}
			return "", changeOther(changed, "qos."+x.of+"."+x.key, x.value)
		case ofScheduler:
			return "", changeOther(changed, x.key, x.value)
		}
		return "", errors.New("a replay does not know it: formula compare SITE --set shows what it changes in the order now")
	})
	if err != nil {
		return nil, nil, err
	}
	if _, err := fstree.NewAssociations(changed.Tree); err != nil {
		return nil, nil, diag.Requestf("the tree cannot be so: %v", err)
	}
	return changed, changes, nil
}

// setReplayedConf changes a setting of slurm.conf on which starts depend.
func setReplayedConf(conf *slurm.Conf, x *setting) (was string, err error) {
	switch x.key {
	case "priorityweightassoc":
		return "", errors.New("it changes nothing: the associations' own priorities are in none of the files")
	case "fairsharedampeningfactor":
		if !conf.DepthOblivious && !conf.NoFairTree {
			return "", errors.New("it changes nothing under Fair Tree")
		}
	}
	return conf.Set(x.name, x.value)
}

// changeOther makes a change, and returns an error if it changes nothing.
func changeOther(s *slurmsched.Setup, name, value string) error {
	before := s.Clone()
	if err := s.Change(name, value); err != nil {
		return err
	}
	if reflect.DeepEqual(before, s) {
		return errSame
	}
	return nil
}
