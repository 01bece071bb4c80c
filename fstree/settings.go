package fstree

import (
	"maps"
	"slices"
	"strings"

	"github.com/agnivade/levenshtein"
)

// settings are the names that matter here. A setter gets the value as it stands
// in the file, and the word for prime or non-prime time behind it.
var settings = map[string]func(p *configParser, name, value, period string){
	"fair_share":         periodic(func(q *Policy, on bool) { q.FairShare = on }),
	"by_queue":           periodic(func(q *Policy, on bool) { q.ByQueue = on }),
	"round_robin":        periodic(func(q *Policy, on bool) { q.RoundRobin = on }),
	"preemptive_sched":   periodic(func(q *Policy, on bool) { q.Preemptive = on }),
	"help_starving_jobs": periodic(func(q *Policy, on bool) { q.HelpStarving = on }),
	"max_starve":         (*configParser).maxStarve,
	"strict_ordering":    periodic(func(q *Policy, on bool) { q.StrictOrdering = on }),
	"job_sort_key":       (*configParser).sortKey,
	"node_sort_key": func(p *configParser, _, value, period string) {
		for _, q := range p.policies(period) {
			q.NodeSortKeys = append(q.NodeSortKeys, value)
		}
	},
	"resources": func(p *configParser, _, value, _ string) {
		p.config.Resources = strings.FieldsFunc(value, func(r rune) bool { return r == ',' || r == ' ' || r == '\t' })
	},

	"fairshare_usage_res": func(p *configParser, _, value, _ string) { p.config.UsageRes = value },
	"fairshare_entity":    (*configParser).entity,
	"fairshare_enforce_no_shares": func(p *configParser, name, value, _ string) {
		p.config.EnforceNoShares = p.boolean(name, value)
	},
	"unknown_shares": func(p *configParser, name, value, _ string) {
		n, exact := number(value)
		if !exact {
			p.warn("%s: %q is not a number of shares, PBS takes it for %d", name, value, n)
		}
		p.config.UnknownShares = n
	},
	"fairshare_decay_factor": (*configParser).decayFactor,
	"fairshare_decay_time":   (*configParser).decayTime,
	"half_life": func(p *configParser, name, value, period string) {
		p.warn("half_life is deprecated, use fairshare_decay_time and fairshare_decay_factor")
		p.decayTime(name, value, period)
	},
}

// Settings returns the names of the settings of sched_config that Config has, and of the others that PBS 23.06 and
// its predecessors know.
func Settings() (has, others []string) {
	has = slices.AppendSeq(slices.Collect(maps.Keys(settings)), maps.Keys(hourSettings))
	slices.Sort(has)
	return has, slices.DeleteFunc(slices.Clone(otherSettings), func(name string) bool { return slices.Contains(has, name) })
}

// otherSettings are the names that PBS 23.06 and its predecessors know and that
// neither fairshare nor the order of jobs depends on.
var otherSettings = strings.Fields(`
allow_aoe_calendar assign_ssinodes backfill backfill_prime cpus_per_ssinode dedicated_prefix
dont_preempt_starving dynamic_res expired_resv_cleanup load_balancing
load_balancing_rr log_filter max_jobs_to_check max_preempt_attempts mem_per_ssinode mom_resources
node_group_key node_sort_unused nonprimetime_prefix only_explicit_psets peer_queue
peer_translation preempt_checkpoint preempt_fairshare preempt_order preempt_prio
preempt_queue_prio preempt_requeue preempt_sort preempt_starving preempt_suspend
prime_exempt_anytime_queues prime_spill primetime_prefix provision_policy
resource_unset_infinite resv_confirm_ignore runjob_mode select_provision server_dyn_res smp_cluster_dist
sort_by sort_priority sort_queues strict_fifo sync_time throughput_mode
unique_partition update_comments`)

// oldAttributes are those of otherSettings that Config.Old keeps.
var oldAttributes = []string{"preempt_prio", "preempt_queue_prio", "preempt_order"}

// entities are the attributes of a job that fairshare_entity usually names. PBS
// takes any other attribute as well.
var entities = strings.Fields(`Account_Name egroup egroup:euser euser group_list Job_Name project queue Submit_Host User_List`)

// didYouMean returns a question for the candidate that is most like a word, ""
// if none is.
func didYouMean(word string, candidates []string) string {
	best, distance := "", len(word)/4+2
	for _, candidate := range slices.Sorted(slices.Values(candidates)) {
		if d := levenshtein.ComputeDistance(word, candidate); d < distance {
			best, distance = candidate, d
		}
	}
	if best == "" {
		return ""
	}
	return "; did you mean " + best + "?"
}
