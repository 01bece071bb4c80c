package set

import (
	"slices"
	"strings"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/slurm"
	"fairshare/cmd/internal/slurm/order"
	"fairshare/cmd/internal/slurm/sched"
	"fairshare/cmd/internal/slurm/setup"
)

// AsSet refuses of a site of a preemption what settings make of it, where slurmctld does not start so, and warns of a time that is as
// short as hardly anybody wants it.
func AsSet(p order.Preemption, settings []string) (remarks []diag.Remark, err error) {
	var times slurm.Conf // of those that are set
	isSet := false
	for _, text := range settings {
		name, value, _ := strings.Cut(text, "=")
		name, value = strings.ToLower(strings.TrimSpace(name)), strings.TrimSpace(value)
		switch name {
		case "preempttype":
			p.Type, isSet = strings.ToLower(value), true
		case "preemptmode":
			if p.Mode, isSet = strings.ToUpper(value), true; p.Mode == "SUSPEND" { // which is set without what goes with it
				p.Mode = "GANG,SUSPEND"
			}
		case "prioritydecayhalflife", "prioritymaxage":
			_, _ = times.Set(name, value) // whoever makes the change says what is wrong with it
		}
	}
	if text := setup.PreemptionConflict(p.Type, p.Mode); isSet && text != "" {
		return nil, diag.Requestf("as set: %s%s", text, besidePreemption(settings, p.Type))
	}
	for _, text := range setup.ShortTimes(&times, func(string) string { return "as set: " }) {
		remarks = append(remarks, diag.Warningf("%s", text))
	}
	return remarks, nil
}

// besidePreemption names the setting that lacks where PreemptType or PreemptMode is set without the other, and slurmctld does not start so. kind is
// the PreemptType as set.
func besidePreemption(settings []string, kind string) string {
	sets := func(name string) bool {
		return slices.ContainsFunc(settings, func(text string) bool {
			of, _, _ := strings.Cut(text, "=")
			return strings.EqualFold(strings.TrimSpace(of), name)
		})
	}
	preempts := kind == "preempt/qos" || kind == "preempt/partition_prio"
	switch hasType, hasMode := sets("preempttype"), sets("preemptmode"); {
	case hasType && !hasMode && preempts:
		return ": set PreemptMode beside it (CANCEL, REQUEUE or SUSPEND,GANG)"
	case hasType && !hasMode:
		return ": set PreemptMode=OFF beside it"
	case hasMode && !hasType && preempts:
		return ": set PreemptType=preempt/none beside it"
	case hasMode && !hasType:
		return ": set PreemptType beside it (preempt/qos or preempt/partition_prio)"
	}
	return ""
}

// AsSetOf is AsSet of a site as its scheduler knows it.
func AsSetOf(s *sched.Setup, settings []string) ([]diag.Remark, error) {
	p := order.Preemption{Type: s.PreemptType, Mode: s.Preemption.Mode.String()}
	if s.Preemption.Mode == sched.ModeSuspend {
		p.Mode = "GANG,SUSPEND"
	}
	return AsSet(p, settings)
}
