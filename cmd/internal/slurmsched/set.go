package slurmsched

import (
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"fairshare/cmd/internal/slurm"
)

// A SettingError is a setting that cannot be made.
type SettingError struct{ Name, Message string }

func (e *SettingError) Error() string { return e.Name + " " + e.Message }

// Clone returns a setup that can be changed without changing this one.
func (s *Setup) Clone() *Setup {
	c := *s
	conf := *s.Conf
	conf.Weights.TRES = slices.Clone(conf.Weights.TRES)
	conf.Partitions = map[string]*slurm.Partition{}
	for name, p := range s.Conf.Partitions {
		part := *p
		conf.Partitions[name] = &part
	}
	conf.NoNormal = maps.Clone(conf.NoNormal)
	cluster := *s.Cluster
	cluster.Partitions = slices.Clone(cluster.Partitions)
	c.Conf, c.Cluster = &conf, &cluster
	c.Accounts, c.Tree, c.QOS = slices.Clone(s.Accounts), slices.Clone(s.Tree), slices.Clone(s.QOS)
	if s.Backfill != nil {
		b := *s.Backfill
		c.Backfill = &b
	}
	return &c
}

// Change makes a change of --set: a setting of slurm.conf such as PriorityWeightFairshare, a
// parameter of SchedulerParameters such as bf_window, ACCOUNT.shares, ACCOUNT/USER.shares,
// qos.NAME.priority and its limits, partition.NAME.tier and partition.NAME.factor.
func (s *Setup) Change(name, value string) error {
	if of, ok := strings.CutSuffix(name, ".shares"); ok {
		return s.changeShares(name, of, value)
	}
	kind, rest, _ := strings.Cut(name, ".")
	if at := strings.LastIndexByte(rest, '.'); at > 0 {
		of, key := rest[:at], strings.ToLower(rest[at+1:])
		switch kind {
		case "partition":
			return s.changePartition(name, of, key, value)
		case "qos":
			return s.changeQOS(name, of, key, value)
		}
	}
	switch lower := strings.ToLower(name); {
	case lower == "bf_max_time", lower == "bf_yield_interval", lower == "bf_continue":
		return &SettingError{name, "is not modelled: no cycle runs out of time in a replay"}
	case strings.HasPrefix(lower, "bf_"), lower == "sched_interval", lower == "default_queue_depth":
		return s.Set(lower, value)
	case strings.HasPrefix(lower, "priority"):
		return s.changeConf(name, lower, value)
	case lower == "schedulertype":
		switch value {
		case "sched/builtin":
			s.Backfill = nil
		case "sched/backfill":
			if s.Backfill == nil {
				b := DefaultBackfill()
				s.Backfill = &b
			}
		default:
			return &SettingError{name, "is sched/builtin or sched/backfill"}
		}
		return nil
	}
	return &SettingError{name, "is no setting: PriorityWeightFairshare, bf_window, SchedulerType, partition.NAME.tier, qos.NAME.priority, ACCOUNT.shares and their like are"}
}

// amount reads a number from 0 to a bound that nothing real comes near.
func amount(name, value string) (float64, error) {
	x, err := strconv.ParseFloat(value, 64)
	if err != nil || !(x >= 0) || x > 1e15 {
		return 0, &SettingError{name, "needs a number from 0 to 1e15, not " + strconv.Quote(value)}
	}
	return x, nil
}

func (s *Setup) changeConf(name, lower, value string) error {
	w := &s.Conf.Weights
	weights := map[string]*float64{"priorityweightage": &w.Age, "priorityweightfairshare": &w.Fairshare, "priorityweightjobsize": &w.JobSize, "priorityweightpartition": &w.Partition, "priorityweightqos": &w.QOS}
	if into := weights[lower]; into != nil {
		x, err := amount(name, value)
		if err == nil {
			*into = x
		}
		return err
	}
	spans := map[string]*float64{"prioritymaxage": &s.Conf.MaxAge, "prioritydecayhalflife": &s.Conf.HalfLife, "prioritycalcperiod": &s.Conf.CalcPeriod}
	into := spans[lower]
	if into == nil {
		return &SettingError{name, "cannot be changed"}
	}
	x, err := slurm.Duration(value)
	if err != nil {
		return &SettingError{name, err.Error()}
	}
	*into = x
	return nil
}

func (s *Setup) changePartition(name, of, key, value string) error {
	i := slices.IndexFunc(s.Partitions, func(p Partition) bool { return p.Name == of })
	if i < 0 {
		return &SettingError{name, "is of a partition that the site does not have"}
	}
	x, err := amount(name, value)
	if err != nil {
		return err
	}
	switch key {
	case "tier", "prioritytier":
		s.Partitions[i].Tier = x
	case "factor", "priorityjobfactor":
		s.Partitions[i].JobFactor = x
		if p := s.Conf.Partitions[of]; p != nil {
			p.JobFactor = x
		}
	default:
		return &SettingError{name, "cannot be changed: tier and factor can"}
	}
	return nil
}

func (s *Setup) changeQOS(name, of, key, value string) error {
	i := slices.IndexFunc(s.QOS, func(q QOS) bool { return q.Name == of })
	if i < 0 {
		return &SettingError{name, "is of a QOS that the site does not have"}
	}
	q := &s.QOS[i]
	whole := map[string]*int64{"maxjobspu": &q.Limits.UserJobs, "grpjobs": &q.Limits.AllJobs}
	amounts := map[string]*Amounts{"maxtrespu": &q.Limits.UserTRES, "grptres": &q.Limits.AllTRES, "maxtres": &q.Limits.JobTRES}
	switch {
	case whole[key] != nil && value == "":
		*whole[key] = None
	case whole[key] != nil:
		x, err := amount(name, value)
		if err != nil {
			return err
		}
		*whole[key] = int64(x)
	case amounts[key] != nil:
		list, err := slurm.ParseAmounts(value)
		if err != nil {
			return &SettingError{name, err.Error()}
		}
		limit := slices.Clone(Unlimited(len(s.GRES)).AllTRES)
		for _, a := range list {
			at := s.AmountOf(a.Name)
			if at < 0 {
				return &SettingError{name, "is of " + a.Name + ", which is not modelled"}
			}
			limit[at] = int64(a.Count)
		}
		*amounts[key] = limit
	case key == "maxwall":
		seconds, err := slurm.Duration(value)
		if err != nil {
			return &SettingError{name, err.Error()}
		}
		q.Limits.MaxWall = int64(min(seconds, math.MaxInt32))
	case key == "priority" || key == "usagefactor":
		x, err := amount(name, value)
		if err != nil {
			return err
		}
		if key == "priority" {
			q.Priority = x
		} else {
			q.UsageFactor = x
		}
	default:
		return &SettingError{name, "cannot be changed: priority, UsageFactor, MaxJobsPU, MaxTRESPU, GrpJobs, GrpTRES, MaxTRES and MaxWall can"}
	}
	return nil
}

// changeShares changes the shares of an account, of ACCOUNT/USER, or of a user with one association.
func (s *Setup) changeShares(name, of, value string) error {
	account, user, hasUser := strings.Cut(of, "/")
	var found []int
	for i, x := range s.Names {
		if x == (AccountName{account, user}) || !hasUser && x.User == of {
			found = append(found, i)
		}
	}
	switch {
	case len(found) == 0:
		return &SettingError{name, "is of an association that the tree does not have"}
	case len(found) > 1:
		return &SettingError{name, "has several associations: name it as ACCOUNT/USER.shares"}
	}
	x := &s.Tree[found[0]]
	if value == "parent" {
		x.Shares, x.FromParent = 0, true
		return nil
	}
	shares, err := amount(name, value)
	if err == nil {
		x.Shares, x.FromParent = shares, false
	}
	return err
}
