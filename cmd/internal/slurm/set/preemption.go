package set

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"fairshare/cmd/internal/report"
	"fairshare/cmd/internal/slurm"
	"fairshare/cmd/internal/slurm/order"
	"fairshare/cmd/internal/slurm/sched"
	"fairshare/cmd/internal/slurm/setup"
)

// readMode reads a PreemptMode.
func (s *setting) readMode() error {
	if sched.IsWithin(s.value) {
		return errors.New("that jobs preempt others of their own QOS (WITHIN) is not modelled")
	}
	mode, ok := sched.ParsePreemptMode(s.value)
	if s.mode = mode; !ok {
		return fmt.Errorf("%q is no PreemptMode: OFF, CANCEL, REQUEUE or SUSPEND", s.value)
	}
	return nil
}

// isModelled returns why jobs of a site cannot be replayed under a mode, nil where they can.
func isModelled(s *sched.Setup, mode sched.PreemptMode) error {
	if mode == sched.ModeSuspend && !strings.EqualFold(s.PreemptType, "preempt/partition_prio") {
		return errors.New("jobs that are suspended for others are modelled under PreemptType=preempt/partition_prio alone")
	}
	return nil
}

// setPreempts changes whose jobs those of one of all QOS may preempt, under a PreemptType.
func setPreempts(preemptType string, all []sched.QOS, q *sched.QOS, x *setting) (was string, err error) {
	var names []string
	for name := range strings.SplitSeq(x.value, ",") {
		if name = strings.TrimSpace(name); name == "" {
			continue
		}
		if !slurm.IsIn(sched.QOSNames(all), name) {
			return "", errors.New(report.NoSuch("QOS", name, sched.QOSNames(all)))
		}
		names = append(names, name)
	}
	if !strings.EqualFold(preemptType, "preempt/qos") {
		return "", errors.New("it changes nothing: PreemptType is not preempt/qos")
	}
	if was = strings.Join(q.Preempts, ","); slices.Equal(q.Preempts, names) {
		return was, errSame
	}
	q.Preempts = names
	return was, nil
}

// refuseLoop returns an error for the first of some settings that makes a loop of preemption among the QOS as all of them make these.
func refuseLoop(all []sched.QOS, settings []string) error {
	for _, text := range settings {
		x := settingOf(text)
		if x == nil || x.kind != ofQOS || x.key != "preempt" {
			continue
		}
		if loop := sched.PreemptionLoop(all, x.of); loop != nil {
			return wrong(text, fmt.Errorf("sacctmgr refuses a loop of preemption: %s", strings.Join(loop, " preempts ")))
		}
	}
	return nil
}

// preemptType reads a PreemptType.
func preemptType(text string) (string, error) {
	if kind := strings.ToLower(text); slices.Contains(setup.PreemptTypes, kind) {
		return kind, nil
	}
	last := len(setup.PreemptTypes) - 1
	return "", fmt.Errorf("PreemptType is %s or %s", report.Listed(setup.PreemptTypes[:last]), setup.PreemptTypes[last])
}

// setOrderPreemption changes which jobs of a site may preempt which and so go first: PreemptType, or whom a QOS names.
func setOrderPreemption(s *order.Site, x *setting) (was string, err error) {
	p := s.Preemption()
	switch {
	case s.IsAsListed():
		return "", errors.New("nothing tells the priorities: jobs stand as squeue lists them, whatever is set")
	case x.kind == ofScheduler:
		kind, err := preemptType(x.value)
		if err != nil {
			return "", err
		}
		if was = p.Type; strings.EqualFold(was, kind) || was == "" && kind == "preempt/none" {
			return was, errSame
		}
		p.Type = kind
	case p.QOS == nil:
		return "", errors.New("the site has no sacctmgr -P show qos")
	default:
		p.QOS = slices.Clone(p.QOS)
		q, err := qosNamed(p.QOS, x.of)
		if err != nil {
			return "", err
		}
		if was, err = setPreempts(p.Type, p.QOS, q, x); err != nil {
			return was, err
		}
	}
	s.UsePreemption(p)
	return was, nil
}

// isMode reports whether a setting is PreemptMode of slurm.conf.
func (s *setting) isMode() bool { return s.kind == ofScheduler && s.key == "preemptmode" }

// isType reports whether a setting is PreemptType.
func (s *setting) isType() bool { return s.kind == ofScheduler && s.key == "preempttype" }

// setOrderMode changes PreemptMode of a site of which PreemptType is changed as well: slurmctld takes some modes beside some types alone.
func setOrderMode(s *order.Site, x *setting) (was string, err error) {
	if err := x.readMode(); err != nil {
		return "", err
	}
	p := s.Preemption()
	was, p.Mode = p.Mode, strings.ToUpper(x.value)
	s.UsePreemption(p)
	return was, nil
}

// isOfPreemption reports whether a setting is one of those on which the order of the queue depends by preemption.
func (s *setting) isOfPreemption() bool {
	return s.isType() || s.kind == ofQOS && s.key == "preempt"
}

// setPreemption changes PreemptType or PreemptMode of slurm.conf.
func setPreemption(setup *sched.Setup, x *setting) error {
	if x.key == "preempttype" {
		kind, err := preemptType(x.value)
		if err == nil {
			setup.PreemptType = kind
		}
		return err
	}
	if err := x.readMode(); err != nil {
		return err
	}
	if err := isModelled(setup, x.mode); err != nil {
		return err
	}
	if x.mode == sched.ModeOff && setup.Preemption.Mode == sched.ModeUnset {
		return errSame
	}
	if p := setup.Preemption.Partitions; p != nil { // scontrol prints that of slurm.conf where a partition has none
		for i := range p {
			if p[i] == setup.Preemption.Mode {
				p[i] = x.mode
			}
		}
	}
	setup.Preemption.Mode = x.mode
	return nil
}
