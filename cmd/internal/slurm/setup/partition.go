package setup

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"fairshare/cmd/internal/report"
	"fairshare/cmd/internal/slurm"
	"fairshare/cmd/internal/slurm/sched"
)

// PartitionField is an attribute of a partition on which it depends which of its jobs start, and when, and not their order.
type PartitionField struct {
	Name  string // as scontrol calls it
	Usual string // what it is where slurm.conf does not have it

	use func(s *sched.Setup, at int, text string) error
	was func(s *sched.Setup, at int) string // what it is, in Slurm's words; nil where that is not told
}

// PartitionFields are all such attributes that can be other than they are.
var PartitionFields = []PartitionField{
	{"State", "UP", useState, func(s *sched.Setup, at int) string { return stateIn(&s.Partitions[at]) }},
	{"MaxTime", "UNLIMITED", useMaxTime, func(s *sched.Setup, at int) string {
		if longest := s.Partitions[at].MaxTime; longest > 0 {
			return report.Duration(float64(longest))
		}
		return "UNLIMITED"
	}},
	{"MaxNodes", "UNLIMITED", useMaxNodes, nil},
	{"MinNodes", "0", useMinNodes, func(s *sched.Setup, at int) string { return strconv.Itoa(int(s.Partitions[at].MinNodes)) }},
	{"MaxMemPerNode", "UNLIMITED", useMostMemory, func(s *sched.Setup, at int) string {
		if most := s.Partitions[at].NodeMemory; most > 0 {
			return strconv.FormatInt(most, 10)
		}
		return "UNLIMITED"
	}},
	{"AllowAccounts", "ALL", useList("account", func(a *sched.Access) *[]string { return &a.Accounts }, nil), nil},
	{"DenyAccounts", "", useList("account", func(a *sched.Access) *[]string { return &a.DeniedAccounts }, func(a *sched.Access) []string { return a.Accounts }), nil},
	{"AllowQos", "ALL", useList("QOS", func(a *sched.Access) *[]string { return &a.QOS }, nil), nil},
	{"DenyQos", "", useList("QOS", func(a *sched.Access) *[]string { return &a.DeniedQOS }, func(a *sched.Access) []string { return a.QOS }), nil},
	{"QoS", "N/A", usePartitionQOS, func(s *sched.Setup, at int) string {
		if s.PartitionQOS == nil || s.PartitionQOS[at] < 0 {
			return "N/A"
		}
		return s.QOS[s.PartitionQOS[at]].Name
	}},
}

// PartitionFieldNamed returns the attribute of a name in whatever letters, nil for none.
func PartitionFieldNamed(name string) *PartitionField {
	at := slices.IndexFunc(PartitionFields, func(f PartitionField) bool { return strings.EqualFold(f.Name, name) })
	if at < 0 {
		return nil
	}
	return &PartitionFields[at]
}

// Change gives the partition of a setup that is at a place in its list what a text says, and returns what was, "" where that is not
// told. The setup is one that may be changed, see sched.Setup.Clone.
func (f *PartitionField) Change(s *sched.Setup, at int, text string) (was string, err error) {
	if f.was != nil {
		was = f.was(s, at)
	}
	return was, f.use(s, at, text)
}

// stateIn returns the State of a partition.
func stateIn(p *sched.Partition) string {
	if p.State == "" {
		return "UP"
	}
	return p.State
}

func useState(s *sched.Setup, at int, text string) error {
	state := strings.ToUpper(text)
	if !slices.Contains(slurm.PartitionStates, state) {
		return fmt.Errorf("%q is no State of a partition: there are %s", text, strings.Join(slurm.PartitionStates, ", "))
	}
	if p := &s.Partitions[at]; state != stateIn(p) {
		p.State = state
	}
	return nil
}

func useMaxTime(s *sched.Setup, at int, text string) error {
	seconds, err := slurm.Duration(text)
	if err == nil && seconds == 0 {
		err = fmt.Errorf("%q is no time that a job may have", text)
	}
	if err != nil {
		return err
	}
	p := &s.Partitions[at]
	if p.MaxTime = 0; seconds < math.MaxInt32 {
		p.MaxTime = int64(seconds)
	}
	if of := s.Conf.Partitions[p.Name]; of != nil {
		of.UseMaxTime(seconds)
	}
	return nil
}

func useMaxNodes(s *sched.Setup, at int, text string) error {
	if !strings.EqualFold(text, "UNLIMITED") {
		if _, err := whole(text, "nodes, nor UNLIMITED"); err != nil {
			return err
		}
	}
	s.Partitions[at].MaxNodes = mostNodes(text)
	return nil
}

func useMinNodes(s *sched.Setup, at int, text string) error {
	n, err := whole(text, "nodes")
	if err == nil {
		s.Partitions[at].MinNodes = int32(n)
	}
	return err
}

// whole reads a whole number of what a setting counts.
func whole(text, of string) (int64, error) {
	n, err := strconv.ParseInt(text, 10, 32)
	if err != nil || n < 0 {
		return 0, fmt.Errorf("%q is no number of %s", text, of)
	}
	return n, nil
}

// useMostMemory sets MaxMemPerNode, which stands in place of MaxMemPerCPU; without either, those of the cluster count.
func useMostMemory(s *sched.Setup, at int, text string) error {
	most := int64(0)
	if !strings.EqualFold(text, "UNLIMITED") {
		var err error
		if most, err = whole(text, "MB, nor UNLIMITED"); err != nil {
			return err
		}
	}
	ofCPU := int64(0)
	if most == 0 {
		ofCPU, most = s.ClusterMemory.CPU, s.ClusterMemory.Node
	}
	s.Partitions[at].NodeMemory = most
	if s.MostMemory = slices.Clone(s.MostMemory); s.MostMemory != nil {
		s.MostMemory[at] = ofCPU
	}
	return nil
}

// WhyNotSet says why an attribute of a partition, by its name in whatever letters, is none of those that can be other than they are, "" for
// what is no attribute of one.
func WhyNotSet(name string) string {
	x := slurm.PartitionAttributes.Of(name)
	switch {
	case x == nil:
		return ""
	case slices.Contains([]string{"DefMemPerCPU", "DefMemPerNode", "MaxMemPerCPU", "DefaultTime", "JobDefaults", "Default"}, x.Name):
		return x.Name + " counts as jobs are submitted, and those that are there keep what they have got by it"
	case x.Name == "OverSubscribe":
		return "OverSubscribe is not set here: with EXCLUSIVE, priorities change as slurmctld tries jobs on whole nodes, and otherwise jobs share no cores here"
	case x.Name == "TRESBillingWeights":
		return "TRESBillingWeights is not set here: the order of jobs right now does not depend on it, for usage that is charged already stays; what each second of a job is charged from then on does, by which fairshare sinks, and what limits of billing count (GrpTRES, MaxTRES and others)"
	case x.Lacks != "":
		return x.Name + " is not modelled: it makes partitions " + x.Lacks
	case x.Idle != "":
		return x.Name + " is without effect here: " + x.Idle
	}
	return x.Name + " of a partition cannot be set here"
}

// accountNames returns the names of the accounts that a site has.
func accountNames(s *sched.Setup) (list []string) {
	for _, name := range s.Names {
		if name.User == "" {
			list = append(list, name.Account)
		}
	}
	return list
}

// useList changes one of the lists of who may use a partition, of accounts or QOS that the site has. A list of those who may not
// counts only where there is none of those who may.
func useList(kind string, of func(*sched.Access) *[]string, before func(*sched.Access) []string) func(s *sched.Setup, at int, text string) error {
	return func(s *sched.Setup, at int, text string) error {
		known := sched.QOSNames(s.QOS)
		if kind == "account" {
			known = accountNames(s)
		}
		list := names(text)
		for _, name := range list {
			if !slurm.IsIn(known, name) {
				return errors.New(report.NoSuch(kind, name, known))
			}
		}
		if s.Access = slices.Clone(s.Access); s.Access == nil {
			s.Access = make([]sched.Access, len(s.Partitions))
		}
		access := &s.Access[at]
		if before != nil && before(access) != nil {
			return errors.New("it changes nothing: the list of those who may use the partition counts before it")
		}
		*of(access) = list
		return nil
	}
}

func usePartitionQOS(s *sched.Setup, at int, text string) error {
	place := -1
	if !slices.Contains([]string{"", "N/A", "NONE"}, strings.ToUpper(text)) {
		if place = slices.IndexFunc(s.QOS, func(q sched.QOS) bool { return strings.EqualFold(q.Name, text) }); place < 0 {
			return errors.New(report.NoSuch("QOS", text, sched.QOSNames(s.QOS)))
		}
	}
	if s.PartitionQOS == nil && place < 0 {
		return nil
	}
	if s.PartitionQOS = slices.Clone(s.PartitionQOS); s.PartitionQOS == nil {
		s.PartitionQOS = slices.Repeat([]int{-1}, len(s.Partitions))
	}
	s.PartitionQOS[at] = place
	return nil
}
