package setup

import (
	"fmt"
	"slices"
	"strings"

	"fairshare/cmd/internal/report"
	"fairshare/cmd/internal/slurm"
	"fairshare/cmd/internal/slurm/dump"
	"fairshare/cmd/internal/slurm/sched"
)

// Traps says which settings do what hardly anybody wants. config and where are those of Unknown.
func Traps(conf *slurm.Conf, config, where func(name string) string) (list []string) {
	const parameters = "schedulerparameters"
	isBackfill := !strings.EqualFold(config("schedulertype"), "sched/builtin")
	if longest := longestTime(conf); isBackfill && longest != nil {
		backfill := sched.DefaultBackfill()
		at, text := where("partitionname"), "bf_window is not set, which is %d minutes"
		if value, is := parameterOf(config(parameters), "bf_window"); is {
			at, text = where(parameters), "bf_window is %d minutes"
			if (&sched.Setup{Backfill: &backfill}).Set("bf_window", value) != nil { // which is said
				text = "bf_window is the default, %d minutes"
			}
		}
		window := backfill.Window / 60
		text = fmt.Sprintf(text, window)
		if float64(window) < longest.MaxTime {
			list = append(list, fmt.Sprintf("%s%s, and MaxTime of partition %s %s: backfill plans nothing beyond it, so that jobs may wait for ever for nodes that such long ones have; Slurm's manual advises at least %.0f",
				at, text, longest.Name, report.Duration(longest.MaxTime*60), longest.MaxTime))
		}
	}
	if depth, is := parameterOf(config(parameters), "default_queue_depth"); is && depth == "0" {
		list = append(list, where(parameters)+"default_queue_depth is 0: when jobs come or end, no more than one job is tried, and all others wait for backfill or the pass of each sched_interval")
	}
	list = append(list, ShortTimes(conf, where)...)
	if text, isKnown := removedPlugin(config, where); text != "" && !isKnown {
		list = append(list, text)
	}
	for _, text := range Uncounted(conf, counts(config)) {
		list = append(list, where("priorityweighttres")+text)
	}
	return list
}

// ShortTimes says which times of priorities are so short that days were meant perhaps, where slurm.conf has minutes.
func ShortTimes(conf *slurm.Conf, where func(name string) string) (list []string) {
	const shortest = 3600 // seconds
	for _, of := range []struct {
		name    string
		seconds float64
		does    string
	}{
		{"PriorityDecayHalfLife", conf.HalfLife, "usage is as good as forgotten within some hours"},
		{"PriorityMaxAge", conf.MaxAge, "all jobs that have waited for longer have the same age"},
	} {
		if of.seconds > 0 && of.seconds < shortest {
			list = append(list, fmt.Sprintf("%s%s is %s: %s; a number alone is of minutes, and 7-0 of 7 days", where(strings.ToLower(of.name)), of.name, report.Duration(of.seconds), of.does))
		}
	}
	return list
}

// parameterOf returns the value of one of SchedulerParameters, as Slurm finds it: the first of the name.
func parameterOf(parameters, name string) (value string, is bool) {
	words, _ := wordsOf("", parameters)
	for _, word := range words {
		if key, value, _ := strings.Cut(strings.TrimSpace(word), "="); strings.EqualFold(key, name) {
			return value, true
		}
	}
	return "", false
}

// longestTime returns the partition of the longest MaxTime that is limited, nil for none.
func longestTime(conf *slurm.Conf) (longest *slurm.Partition) {
	for _, p := range conf.SortedPartitions() {
		if p.HasMaxTime() && (longest == nil || p.MaxTime > longest.MaxTime) {
			longest = p
		}
	}
	return longest
}

// alwaysCounted are the resources that Slurm counts whatever AccountingStorageTRES says, by the part of their names before a slash.
var alwaysCounted = []string{"cpu", "mem", "energy", "node", "billing", "vmem", "pages", "fs"}

// Counting returns a configuration without the weights of resources that Slurm does not count at its site, and leaves out, and
// without those that count nothing since there is no accounting.
func Counting(conf *slurm.Conf, config func(name string) string) *slurm.Conf {
	isCounted, conf := counts(config), conf.Clone()
	conf.Weights.TRES = slices.DeleteFunc(conf.Weights.TRES, func(t slurm.Amount) bool { return !isCounted(t.Name) })
	if lacksAccounts(conf, config) {
		for _, of := range accounted {
			*of.weight(&conf.Weights) = 0
		}
	}
	return conf
}

// accounted are the weights of what Slurm knows by its accounting alone.
var accounted = []struct {
	setting string
	weight  func(w *slurm.Weights) *float64
}{
	{"PriorityWeightAssoc", func(w *slurm.Weights) *float64 { return &w.Assoc }},
	{"PriorityWeightFairshare", func(w *slurm.Weights) *float64 { return &w.Fairshare }},
	{"PriorityWeightQOS", func(w *slurm.Weights) *float64 { return &w.QOS }},
}

// lacksAccounts reports whether a site has no accounting: its configuration says so, or is a whole slurm.conf that says nothing of it.
func lacksAccounts(conf *slurm.Conf, config func(name string) string) bool {
	return conf.HasNoAccounts || conf.IsFile && !conf.IsPart() && conf.Missing == nil && config("accountingstoragetype") == ""
}

// Unaccounted says which weights count nothing, since there is no accounting.
func Unaccounted(conf *slurm.Conf, config func(name string) string, where func(name string) string) (list []string) {
	if conf.Basic || !lacksAccounts(conf, config) {
		return nil
	}
	for _, of := range accounted {
		if points := *of.weight(&conf.Weights); points > 0 {
			list = append(list, fmt.Sprintf("%s%s of %s adds nothing: there is no accounting (AccountingStorageType), so that this factor of all jobs is 0", where(strings.ToLower(of.setting)), of.setting, report.Plain(points)))
		}
	}
	return list
}

// Unaccountable says that slurmctld does not start, since associations, limits or QOS are to be enforced that nothing keeps.
func Unaccountable(conf *slurm.Conf, config, where func(name string) string) []string {
	enforced := config("accountingstorageenforce")
	if !isSet(enforced) || enforced == "0" || !lacksAccounts(conf, config) {
		return nil
	}
	return []string{where("accountingstorageenforce") + "AccountingStorageEnforce=" + report.Printable(enforced) + " needs accounting (AccountingStorageType=accounting_storage/slurmdbd), and slurmctld does not start without it"}
}

// Uncounted says which resources PriorityWeightTRES has a weight for that Slurm does not count.
func Uncounted(conf *slurm.Conf, isCounted func(resource string) bool) (list []string) {
	for _, t := range conf.Weights.TRES {
		if !isCounted(t.Name) {
			list = append(list, fmt.Sprintf("PriorityWeightTRES counts %s, which AccountingStorageTRES lacks: Slurm leaves the weight out%s", t.Name, report.Meant(report.Typo(t.Name, slurm.EveryTRES()))))
		}
	}
	return list
}

// counts returns whether Slurm counts a resource, which is so of all where nothing tells of the site's accounting: of a part of a
// slurm.conf, or of a copy without it.
func counts(config func(name string) string) func(resource string) bool {
	if config("accountingstoragetype") == "" && config("accountingstoragetres") == "" {
		return func(string) bool { return true }
	}
	var counted []string
	for name := range strings.SplitSeq(strings.ToLower(config("accountingstoragetres")), ",") {
		counted = append(counted, strings.TrimSpace(name))
	}
	return func(resource string) bool {
		kind, _, _ := strings.Cut(resource, "/")
		return slices.Contains(alwaysCounted, kind) || slices.Contains(counted, resource)
	}
}

// Unbillable says for which resources partitions have billing weights that AccountingStorageTRES lacks, with which slurmctld does not
// start (its partition_mgr.c, set_partition_billing_weights).
func Unbillable(conf *slurm.Conf, config, where func(name string) string) (list []string) {
	isCounted := counts(config)
	for _, p := range conf.SortedPartitions() {
		for _, weight := range p.Billed {
			if !isCounted(weight.Name) {
				list = append(list, fmt.Sprintf("%sTRESBillingWeights of partition %s counts %s, which AccountingStorageTRES lacks, and slurmctld does not start with it", where("partitionname"), p.Name, weight.Name))
			}
		}
	}
	return list
}

// Counts returns whether a site counts a resource for its jobs, as counts does.
func Counts(d *dump.Dump) func(resource string) bool { return counts(d.Config) }
