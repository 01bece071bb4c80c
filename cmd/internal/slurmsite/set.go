package slurmsite

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/report"
	"fairshare/cmd/internal/slurm"
	"fairshare/fstree"
)

// Change is something of a site that is other than the site says: what if?
type Change struct{ Name, Value, Was string }

func (c Change) String() string {
	if c.Was == "" {
		return c.Name + "=" + c.Value
	}
	return fmt.Sprintf("%s=%s (was %s)", c.Name, c.Value, c.Was)
}

// SettingForms are the settings that With knows.
const SettingForms = "PriorityWeightAge (or another Priority… of slurm.conf), FairShareDampeningFactor, ACCOUNT.shares, USER.shares or ACCOUNT/USER.shares, ACCOUNT/USER.usage, qos.NAME.priority, partition.NAME.tier, partition.NAME.factor, job.ID.nice, job.ID.qos"

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
	e := editor{site: s.clone()}
	var changes []Change
	for _, setting := range settings {
		name, value, ok := strings.Cut(setting, "=")
		name, value = strings.TrimSpace(name), strings.TrimSpace(value)
		if !ok || value == "" {
			return nil, nil, diag.Requestf("--set %s: expected NAME=VALUE", setting)
		}
		if slices.ContainsFunc(changes, func(c Change) bool { return strings.EqualFold(c.Name, name) }) {
			return nil, nil, diag.Requestf("--set %s: it is set twice", setting)
		}
		was, err := e.set(name, value)
		if err == nil && was == value {
			err = errors.New("it is that already")
		}
		if err != nil {
			return nil, nil, diag.Requestf("--set %s: %v", setting, err)
		}
		changes = append(changes, Change{name, value, was})
	}
	if err := e.finish(); err != nil {
		return nil, nil, err
	}
	return e.site, changes, nil
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

// editor changes a site.
type editor struct {
	site *Site
	tree []fstree.Association // nil as long as nothing of it is changed
}

// set sets one thing and returns what it was.
func (e *editor) set(name, value string) (was string, err error) {
	at := strings.LastIndexByte(name, '.')
	if at < 0 {
		return e.site.Conf.Set(name, value)
	}
	of, what := name[:at], strings.ToLower(name[at+1:])
	kind, object, isOfKind := strings.Cut(of, ".")
	switch {
	case isOfKind && strings.EqualFold(kind, "qos"):
		return e.qos(object, what, value)
	case isOfKind && strings.EqualFold(kind, "partition"):
		return e.partition(object, what, value)
	case isOfKind && strings.EqualFold(kind, "job"):
		return e.job(object, what, value)
	case what == "shares" || what == "usage":
		return e.association(of, what, value)
	}
	return "", fmt.Errorf("there is no such setting: there are %s", SettingForms)
}

func (e *editor) qos(name, what, value string) (was string, err error) {
	old, ok := e.site.QOS[name]
	switch {
	case what != "priority":
		return "", errors.New("of a QOS there is qos.NAME.priority")
	case e.site.QOS == nil:
		return "", errors.New("the site has no sacctmgr -P show qos")
	case !ok:
		return "", errors.New(report.NoSuch("QOS", name, slices.Collect(maps.Keys(e.site.QOS))))
	}
	x, err := whole(value, 0, 4294967295)
	e.site.QOS[name] = x
	return report.Plain(old), err
}

func (e *editor) partition(name, what, value string) (was string, err error) {
	part := e.site.Conf.Partitions[name]
	if part == nil {
		return "", errors.New(report.NoSuch("partition", name, slices.Collect(maps.Keys(e.site.Conf.Partitions))))
	}
	const most = 65533 // of both, in slurm.conf
	x, err := whole(value, 0, most)
	var of *float64
	switch what {
	case "tier", "prioritytier":
		of = &part.Tier
	case "factor", "priorityjobfactor":
		of = &part.JobFactor
	default:
		return "", errors.New("of a partition there are partition.NAME.tier (PriorityTier) and partition.NAME.factor (PriorityJobFactor)")
	}
	was = report.Plain(*of)
	*of = x
	return was, err
}

func (e *editor) job(id, what, value string) (was string, err error) {
	i := slices.IndexFunc(e.site.Jobs, func(j slurm.Job) bool { return j.ID == id })
	if i < 0 {
		return "", fmt.Errorf("there is no job %s in scontrol show job", id)
	}
	j := &e.site.Jobs[i]
	switch what {
	case "nice":
		const most = 2147483645 // NICE_OFFSET less 3
		was = report.Plain(j.Nice)
		j.Nice, err = whole(value, -most, most)
	case "qos":
		was, j.QOS = j.QOS, value
		if _, ok := e.site.QOS[value]; !ok {
			err = errors.New(report.NoSuch("QOS", value, slices.Collect(maps.Keys(e.site.QOS))))
		}
	default:
		err = errors.New("of a job there are job.ID.nice and job.ID.qos")
	}
	return was, err
}

// whole reads a whole number between two bounds.
func whole(text string, least, most float64) (float64, error) {
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || float64(n) < least || float64(n) > most {
		return 0, fmt.Errorf("%q is not a whole number from %s to %s", text, report.Plain(least), report.Plain(most))
	}
	return float64(n), nil
}

// association changes the shares of an account or a user, or the usage of a user.
func (e *editor) association(name, what, value string) (was string, err error) {
	if e.site.Tree == nil {
		return "", errors.New("the site has no whole tree, as sshare -a -l -P prints it")
	}
	if e.tree == nil {
		for i := range e.site.Tree.Len() {
			e.tree = append(e.tree, e.site.Tree.At(i))
		}
	}
	i, err := e.find(name)
	if err != nil {
		return "", err
	}
	x := &e.tree[i]
	switch {
	case what == "shares" && i == 0:
		return "", errors.New("the root has no shares")
	case what == "shares":
		if was = report.Plain(x.Shares); x.FromParent {
			was = "parent"
		}
		if x.FromParent = value == "parent"; x.FromParent {
			x.Shares = 0
			return was, nil
		}
		const most = 4294967293
		x.Shares, err = whole(value, 0, most)
		return was, err
	case !x.User:
		return "", errors.New("the usage of an account is that of its users: set theirs")
	}
	was = report.Plain(x.Usage)
	to, err := strconv.ParseFloat(value, 64)
	if err != nil || !(to >= 0) || to > 1e18 {
		return "", fmt.Errorf("%q is not a usage from 0 on", value)
	}
	by := to - x.Usage
	x.Usage = to
	for at := x.Parent; at >= 0; at = e.tree[at].Parent {
		e.tree[at].Usage = max(0, e.tree[at].Usage+by)
	}
	return was, nil
}

// find returns the place of ACCOUNT, USER or ACCOUNT/USER.
func (e *editor) find(name string) (int, error) {
	var names []string
	var found []int
	isAccount := false
	for i, x := range e.tree {
		full := x.Name
		if x.User {
			full = e.tree[x.Parent].Name + "/" + x.Name
		}
		names = append(names, full)
		switch {
		case full == name && !x.User:
			isAccount = true
			found = []int{i}
		case full == name || x.Name == name && !isAccount:
			found = append(found, i)
		}
	}
	switch len(found) {
	case 0:
		return 0, errors.New(report.NoSuch("association", name, names))
	case 1:
		return found[0], nil
	}
	var full []string
	for _, i := range found {
		full = append(full, names[i])
	}
	return 0, fmt.Errorf("%s has several associations: %s", name, strings.Join(full, ", "))
}

// finish makes the tree that has been changed.
func (e *editor) finish() error {
	if e.tree == nil {
		return nil
	}
	tree, err := fstree.NewAssociations(e.tree)
	if err != nil {
		return fmt.Errorf("the tree cannot be so: %w", err)
	}
	e.site.Tree = tree
	return nil
}
