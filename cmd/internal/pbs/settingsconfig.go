package pbs

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"fairshare/cmd/internal/report"
	"fairshare/formula"
	"fairshare/fstree"
)

// Why settings of sched_config are without effect, or a copy leaves them out.
const (
	longGone = "PBS had it once, and its scheduler no longer reads it"
	ofScript = "it names scripts and hosts"
)

// configSettings are the settings of sched_config that PBS 23.06 and its predecessors know, but for those that are
// attributes of the scheduler by now. fstree reads them.
var configSettings = []Setting{
	{Name: "fair_share", Of: OfConfig, Acts: OnOrder, Copy: CopyWords},
	{Name: "by_queue", Of: OfConfig, Acts: OnOrder, Copy: CopyWords},
	{Name: "round_robin", Of: OfConfig, Acts: OnOrder, Copy: CopyWords},
	{Name: "preemptive_sched", Of: OfConfig, Acts: OnOrder, Copy: CopyWords},
	{Name: helpStarving, Of: OfConfig, Acts: OnOrder, Copy: CopyWords, idle: whileStarving},
	{Name: "max_starve", Of: OfConfig, Acts: OnOrder, Copy: CopyWords, always: true, idle: whileStarving},
	{Name: "job_sort_key", Of: OfConfig, Acts: OnOrder, Copy: CopySortKeys, resources: jobSortKeys},
	{Name: "fairshare_usage_res", Of: OfConfig, Acts: OnOrder, Copy: CopyUsage, always: true, resources: usageResources},
	{Name: "fairshare_entity", Of: OfConfig, Acts: OnOrder, Copy: CopyEntityName, always: true},
	{Name: "fairshare_enforce_no_shares", Of: OfConfig, Acts: OnOrder, Copy: CopyWords, always: true},
	{Name: "fairshare_decay_factor", Of: OfConfig, Acts: OnOrder, isLater: true, Copy: CopyWords, always: true},
	{Name: "fairshare_decay_time", Of: OfConfig, Acts: OnOrder, isLater: true, Copy: CopyWords, always: true},
	{Name: "half_life", Of: OfConfig, Acts: OnOrder, isLater: true, Copy: CopyWords, always: true},
	{Name: "unknown_shares", Of: OfConfig, Acts: OnOrder, Copy: CopyWords, always: true},

	{Name: "strict_ordering", Of: OfConfig, Acts: OnStarts, Copy: CopyWords},
	{Name: "node_sort_key", Of: OfConfig, Acts: OnStarts, Copy: CopySortKeys, resources: nodeSortKeys},
	{Name: "resources", Of: OfConfig, Acts: OnStarts, Copy: CopyResources, always: true, resources: checkedResources},
	{Name: "resource_unset_infinite", Of: OfConfig, Acts: OnStarts, Copy: CopyResources, always: true, resources: unsetInfinite},
	{Name: "backfill_prime", Of: OfConfig, Acts: OnStarts, Copy: CopyWords},
	{Name: "prime_spill", Of: OfConfig, Acts: OnStarts, Copy: CopyWords, idle: whileBackfillPrime},
	{Name: "prime_exempt_anytime_queues", Of: OfConfig, Acts: OnStarts, Copy: CopyWords, idle: whileBackfillPrime},
	{Name: "primetime_prefix", Of: OfConfig, Acts: OnStarts, Copy: CopyPrefix},
	{Name: "nonprimetime_prefix", Of: OfConfig, Acts: OnStarts, Copy: CopyPrefix},
	{Name: "dedicated_prefix", Of: OfConfig, Acts: OnStarts, Copy: CopyPrefix},

	{Name: dynamicResources, Of: OfConfig, check: checkScript, IsRead: true, Secret: ofScript, resources: scriptResources,
		Lacks: "jobs that ask for RESOURCES (server_dyn_res), of which enough is taken to be there always"},
	{Name: "load_balancing", Of: OfConfig, check: checkSwitch, Lacks: "load_balancing of sched_config, which looks at the load of vnodes", Copy: CopyWords},
	{Name: "load_balancing_rr", Of: OfConfig, check: checkSwitch, Lacks: "load_balancing_rr of sched_config, which looks at the load of vnodes", Copy: CopyWords},
	{Name: "peer_queue", Of: OfConfig, check: checkPeers, Secret: ofScript, usual: []string{""},
		Lacks: "peer_queue of sched_config: jobs of other complexes come only as the record has them"},
	{Name: "smp_cluster_dist", Of: OfConfig, IsRead: true, check: wordOf("pack", "round_robin", "lowest_load"), Lacks: "load_balancing as smp_cluster_dist of sched_config, which looks at the load of vnodes", usual: []string{"", "pack", "round_robin"}, Copy: CopyWords},
	{Name: "provision_policy", Of: OfConfig, check: wordOf("aggressive_provision", "avoid_provision"), Without: ofAoe, Copy: CopyWords},
	{Name: "allow_aoe_calendar", Of: OfConfig, check: checkSwitch, Without: ofAoe, Copy: CopyWords},
	{Name: "select_provision", Of: OfConfig, Without: ofAoe},
	{Name: "node_group_key", Of: OfConfig, isGone: true, Without: longGone},
	{Name: "backfill", Of: OfConfig, isGone: true, Without: "backfill_depth of the server has taken its place", Copy: CopyWords},

	{Name: "only_explicit_psets", Of: OfConfig, isGone: true, Without: "the scheduler's attribute has taken its place"},
	{Name: "throughput_mode", Of: OfConfig, isGone: true, Without: "the scheduler's attribute has taken its place"},
	{Name: "log_filter", Of: OfConfig, Without: "it is about the scheduler's log", Copy: CopyWords},
	{Name: "update_comments", Of: OfConfig, check: checkSwitch, Without: "it is about comments of jobs"},
	{Name: "resv_confirm_ignore", Of: OfConfig, Without: "reservations are those of the record", Copy: CopyWords},
	{Name: "expired_resv_cleanup", Of: OfConfig, isGone: true, Without: longGone},
	{Name: "sync_time", Of: OfConfig, Without: "it only says how often the usage database is written", Copy: CopyWords},
	{Name: "sort_by", Of: OfConfig, isGone: true, Without: "job_sort_key has taken its place", Copy: CopySortKeys},
	{Name: "strict_fifo", Of: OfConfig, isGone: true, Without: "strict_ordering has taken its place", Copy: CopyWords},
	{Name: "sort_queues", Of: OfConfig, isGone: true, Without: longGone, Copy: CopyWords},
	{Name: "mem_per_ssinode", Of: OfConfig, isGone: true, Without: longGone, Copy: CopyWords},
	{Name: "cpus_per_ssinode", Of: OfConfig, isGone: true, Without: longGone, Copy: CopyWords},
	{Name: "preempt_sort", Of: OfConfig, Without: "as that of the scheduler's attributes", Copy: CopyWords},
	{Name: "preempt_checkpoint", Of: OfConfig, isGone: true, Without: longGone, Copy: CopyWords},
	{Name: "preempt_suspend", Of: OfConfig, isGone: true, Without: longGone, Copy: CopyWords},
	{Name: "preempt_requeue", Of: OfConfig, isGone: true, Without: longGone, Copy: CopyWords},
	{Name: "preempt_starving", Of: OfConfig, isGone: true, Without: longGone, Copy: CopyWords},
	{Name: "preempt_fairshare", Of: OfConfig, isGone: true, Without: longGone, Copy: CopyWords},
	{Name: "dont_preempt_starving", Of: OfConfig, isGone: true, Without: longGone},
	{Name: "assign_ssinodes", Of: OfConfig, isGone: true, Without: longGone},
	{Name: "dynamic_res", Of: OfConfig, isGone: true, Without: longGone},
	{Name: "max_jobs_to_check", Of: OfConfig, isGone: true, Without: longGone},
	{Name: "max_preempt_attempts", Of: OfConfig, isGone: true, Without: longGone},
	{Name: "mom_resources", Of: OfConfig, isGone: true, Without: longGone},
	{Name: "node_sort_unused", Of: OfConfig, isGone: true, Without: longGone},
	{Name: "peer_translation", Of: OfConfig, isGone: true, Without: longGone},
	{Name: "runjob_mode", Of: OfConfig, Without: "it only says how the scheduler waits for the server"},
	{Name: "sort_priority", Of: OfConfig, isGone: true, Without: longGone},
	{Name: "unique_partition", Of: OfConfig, isGone: true, Without: longGone},
}

// entitySettings are what resource_group and the usage database say of an entity.
var entitySettings = []Setting{
	{Name: "shares", Of: OfEntity, Acts: OnOrder, Copy: CopyAsIs},
	{Name: "usage", Of: OfEntity, Acts: OnOrder, Copy: CopyAsIs},
}

func unsetInfinite(config *fstree.Config) (names, words []string, err error) {
	return config.UnsetInfinite, nil, nil
}

func checkedResources(config *fstree.Config) (names, words []string, err error) {
	return config.Resources, nil, nil
}

func scriptResources(config *fstree.Config) (names, words []string, err error) {
	for name := range dynamicOf(config) {
		names = append(names, name)
	}
	return names, nil, nil
}

func usageResources(config *fstree.Config) (names, words []string, err error) {
	usage, err := formula.Parse(config.UsageRes)
	if err != nil {
		return nil, nil, err
	}
	return usage.Names(), nil, nil
}

func jobSortKeys(config *fstree.Config) (names, words []string, err error) {
	for _, key := range slices.Concat(config.Prime.SortKeys, config.NonPrime.SortKeys) {
		if !slices.Contains(names, key.Resource) {
			names = append(names, key.Resource)
		}
	}
	return names, strings.Fields("sort_priority job_priority preempt_priority fair_share_perc fairshare_perc"), nil
}

func nodeSortKeys(config *fstree.Config) (names, words []string, err error) {
	for _, key := range slices.Concat(config.Prime.NodeSortKeys, config.NonPrime.NodeSortKeys) {
		if name := strings.Fields(key)[0]; !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names, []string{"sort_priority"}, nil
}

// wordOf returns a check of a value that is one of some words.
func wordOf(words ...string) func(value string) error {
	return func(value string) error {
		if !slices.ContainsFunc(words, func(word string) bool { return strings.EqualFold(word, value) }) {
			return errors.New(report.NoSuch("value", value, words))
		}
		return nil
	}
}

func checkPeers(value string) error {
	if len(strings.Fields(value)) != 2 {
		return fmt.Errorf("%q is not a queue of this complex and one of another, as in \"workq workq@other\"", value)
	}
	return nil
}

func checkScript(value string) error {
	if name, script, _ := strings.Cut(value, " "); name == "" || !strings.HasPrefix(strings.TrimSpace(script), "!") {
		return fmt.Errorf("%q is not a resource and a script, as in \"licences !/path/to/script\"", value)
	}
	return nil
}
