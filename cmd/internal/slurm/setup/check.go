package setup

import (
	"slices"
	"strings"

	"fairshare/cmd/internal/slurm"
	"fairshare/cmd/internal/slurm/sched"
)

// plugins are the settings of slurm.conf that name a plugin on which starts depend, with the names of Slurm 22.05 to 25.05.
var plugins = []struct {
	name   string
	values []string
}{
	{"SchedulerType", []string{"sched/backfill", "sched/builtin"}},
	{"SelectType", []string{"select/cons_tres", "select/cons_res", "select/linear", "select/cray_aries"}},
	{"PreemptType", []string{"preempt/none", "preempt/qos", "preempt/partition_prio"}},
	{"TopologyPlugin", []string{"topology/default", "topology/flat", "topology/none", "topology/tree", "topology/block", "topology/3d_torus"}},
}

// words are the settings that are lists of words.
var words = []struct {
	name  string
	known slurm.Attributes
}{
	{"SchedulerParameters", slurm.SchedulerWords}, {"PreemptParameters", slurm.PreemptWords}, {"SelectTypeParameters", slurm.SelectWords},
}

// Unknown says which plugins and words of settings of scheduling are not known, and which numbers cannot be read. config returns
// a setting by its name in lower case, "" for none.
func Unknown(config func(name string) string) (list []string) {
	isSet := func(text string) bool {
		return text != "" && !strings.EqualFold(text, "(null)") && !strings.EqualFold(text, "none")
	}
	for _, of := range plugins {
		if is := config(strings.ToLower(of.name)); isSet(is) && !slices.Contains(of.values, is) {
			list = append(list, slurm.Unknown(of.name, is, of.values))
		}
	}
	backfill := sched.DefaultBackfill()
	trial := &sched.Setup{Backfill: &backfill}
	for _, of := range words {
		var names []string
		for _, a := range of.known {
			names = append(names, a.Name)
		}
		for word := range strings.SplitSeq(config(strings.ToLower(of.name)), ",") {
			name, value, _ := strings.Cut(strings.TrimSpace(word), "=")
			if of.name == "SelectTypeParameters" {
				name = memoryToo.ReplaceAllString(name, "")
			}
			switch {
			case !isSet(name):
			case of.known.Of(name) == nil && of.known.Of(word) == nil:
				list = append(list, slurm.Unknown(of.name, name, names))
			case of.name == "SchedulerParameters" && slices.Contains(sched.Parameters(), strings.ToLower(name)):
				if err := trial.Set(strings.ToLower(name), value); err != nil {
					list = append(list, of.name+": "+err.Error()+": the default counts, as in slurmctld")
				}
			}
		}
	}
	return list
}
