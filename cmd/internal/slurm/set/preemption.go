package set

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"fairshare/cmd/internal/report"
	"fairshare/cmd/internal/slurm/sched"
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

// setPreempts changes whose jobs those of a QOS may preempt.
func setPreempts(setup *sched.Setup, q *sched.QOS, x *setting) (was string, err error) {
	var names []string
	for name := range strings.SplitSeq(x.value, ",") {
		if name = strings.TrimSpace(name); name == "" {
			continue
		}
		if !slices.ContainsFunc(setup.QOS, func(of sched.QOS) bool { return strings.EqualFold(of.Name, name) }) {
			var all []string
			for _, of := range setup.QOS {
				all = append(all, of.Name)
			}
			return "", errors.New(report.NoSuch("QOS", name, all))
		}
		names = append(names, name)
	}
	if !strings.EqualFold(setup.PreemptType, "preempt/qos") {
		return "", errors.New("it changes nothing: PreemptType is not preempt/qos")
	}
	if was = strings.Join(q.Preempts, ","); slices.Equal(q.Preempts, names) {
		return was, errSame
	}
	q.Preempts = names
	return was, nil
}

// setPreemption changes PreemptType or PreemptMode of slurm.conf.
func setPreemption(setup *sched.Setup, x *setting) error {
	value := strings.ToLower(x.value)
	if x.key == "preempttype" {
		if value != "preempt/none" && value != "preempt/qos" && value != "preempt/partition_prio" {
			return errors.New("PreemptType is preempt/none, preempt/qos or preempt/partition_prio")
		}
		setup.PreemptType = value
		return nil
	}
	if err := x.readMode(); err != nil {
		return err
	}
	if err := isModelled(setup, x.mode); err != nil {
		return err
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
