package fstree

import (
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/agnivade/levenshtein"
)

// setting is a setting of sched_config that Config has.
type setting struct {
	// set gets the value as it stands in the file, and the word for prime or non-prime time behind it.
	set func(p *configParser, name, value, period string)
	// get returns what Config.Setting does; nil for one that has several values.
	get func(c *Config) string
}

var settings = map[string]setting{
	"fair_share":              periodic(func(q *Policy) *bool { return &q.FairShare }),
	"by_queue":                periodic(func(q *Policy) *bool { return &q.ByQueue }),
	"round_robin":             periodic(func(q *Policy) *bool { return &q.RoundRobin }),
	"preemptive_sched":        periodic(func(q *Policy) *bool { return &q.Preemptive }),
	"help_starving_jobs":      periodic(func(q *Policy) *bool { return &q.HelpStarving }),
	"strict_ordering":         periodic(func(q *Policy) *bool { return &q.StrictOrdering }),
	"max_starve":              {(*configParser).maxStarve, func(c *Config) string { return strconv.FormatInt(c.MaxStarve, 10) }},
	"job_sort_key":            {(*configParser).sortKey, nil},
	"node_sort_key":           {(*configParser).nodeSortKey, nil},
	"resources":               words(func(c *Config) *[]string { return &c.Resources }),
	"resource_unset_infinite": words(func(c *Config) *[]string { return &c.UnsetInfinite }),

	"fairshare_usage_res":         text(func(c *Config) *string { return &c.UsageRes }),
	"fairshare_entity":            {(*configParser).entity, func(c *Config) string { return c.Entity }},
	"fairshare_enforce_no_shares": boolean(func(c *Config) *bool { return &c.EnforceNoShares }),
	"unknown_shares":              {(*configParser).unknownShares, func(c *Config) string { return strconv.Itoa(int(c.UnknownShares)) }},
	"fairshare_decay_factor":      {(*configParser).decayFactor, func(c *Config) string { return strconv.FormatFloat(float64(c.DecayFactor), 'g', -1, 32) }},
	"fairshare_decay_time":        {(*configParser).decayTime, func(c *Config) string { return strconv.FormatInt(c.DecayTime, 10) }},
	"half_life": {func(p *configParser, name, value, period string) {
		p.remark("half_life is deprecated, use fairshare_decay_time and fairshare_decay_factor")
		p.decayTime(name, value, period)
	}, nil},

	"backfill_prime": {(*configParser).backfillPrime, func(c *Config) string {
		return equal(strconv.FormatBool(c.Hours.Prime.Backfill), strconv.FormatBool(c.Hours.NonPrime.Backfill))
	}},
	"prime_spill": {(*configParser).primeSpill, func(c *Config) string {
		return equal(strconv.FormatInt(c.Hours.Prime.Spill, 10), strconv.FormatInt(c.Hours.NonPrime.Spill, 10))
	}},
	"prime_exempt_anytime_queues": boolean(func(c *Config) *bool { return &c.Hours.ExemptsAnytime }),
	"primetime_prefix":            text(func(c *Config) *string { return &c.Hours.PrimePrefix }),
	"nonprimetime_prefix":         text(func(c *Config) *string { return &c.Hours.NonPrimePrefix }),
	"dedicated_prefix":            text(func(c *Config) *string { return &c.Hours.DedicatedPrefix }),
}

// periodic is a switch that may differ between prime and non-prime time.
func periodic(of func(q *Policy) *bool) setting {
	return setting{func(p *configParser, name, value, period string) {
		on := p.boolean(name, value)
		for _, q := range p.policies(period) {
			*of(q) = on
		}
	}, func(c *Config) string {
		return equal(strconv.FormatBool(*of(&c.Prime)), strconv.FormatBool(*of(&c.NonPrime)))
	}}
}

// boolean is a switch for all times.
func boolean(of func(c *Config) *bool) setting {
	return setting{func(p *configParser, name, value, _ string) { *of(&p.config) = p.boolean(name, value) },
		func(c *Config) string { return strconv.FormatBool(*of(c)) }}
}

// words is a list for all times.
func words(of func(c *Config) *[]string) setting {
	return setting{func(p *configParser, _, value, _ string) {
		*of(&p.config) = strings.FieldsFunc(value, func(r rune) bool { return r == ',' || r == ' ' || r == '\t' })
	}, func(c *Config) string { return strings.Join(*of(c), ", ") }}
}

// text is a text for all times.
func text(of func(c *Config) *string) setting {
	return setting{func(p *configParser, _, value, _ string) { *of(&p.config) = value }, func(c *Config) string { return *of(c) }}
}

// equal returns the value of prime time, "" if that of non-prime time is another one.
func equal(prime, nonPrime string) string {
	if prime != nonPrime {
		return ""
	}
	return prime
}

// settingNames returns the names of all settings of sched_config that PBS knows.
var settingNames = sync.OnceValue(func() []string {
	return slices.Sorted(slices.Values(slices.Concat(slices.Collect(maps.Keys(settings)), otherSettings)))
})

// Settings returns the names of the settings of sched_config that Config has, and of the others that PBS 23.06 and
// its predecessors know.
func Settings() (has, others []string) {
	return slices.Sorted(maps.Keys(settings)), slices.Clone(otherSettings)
}

// otherSettings are the names that PBS 23.06 and its predecessors know and that
// neither fairshare nor the order of jobs depends on.
var otherSettings = strings.Fields(`
allow_aoe_calendar assign_ssinodes backfill cpus_per_ssinode dont_preempt_starving dynamic_res
expired_resv_cleanup load_balancing load_balancing_rr log_filter max_jobs_to_check max_preempt_attempts
mem_per_ssinode mom_resources node_group_key node_sort_unused only_explicit_psets peer_queue peer_translation
preempt_checkpoint preempt_fairshare preempt_order preempt_prio preempt_queue_prio preempt_requeue
preempt_sort preempt_starving preempt_suspend provision_policy resv_confirm_ignore
runjob_mode select_provision server_dyn_res smp_cluster_dist sort_by sort_priority sort_queues strict_fifo
sync_time throughput_mode unique_partition update_comments`)

// IsOldAttribute reports whether a setting of sched_config is an attribute of the scheduler since PBS 19, which Config.Old keeps.
func IsOldAttribute(name string) bool { return slices.Contains(oldAttributes, name) }

// oldAttributes are those of otherSettings that Config.Old keeps.
var oldAttributes = []string{"preempt_prio", "preempt_queue_prio", "preempt_order"}

// entities are the attributes of a job that fairshare_entity usually names. PBS
// takes any other attribute as well.
var entities = strings.Fields(`Account_Name egroup egroup:euser euser group_list Job_Name project queue Submit_Host User_List`)

// didYouMean returns a question for the candidate that is most like a word, of several the first by name, ""
// if none is.
func didYouMean(word string, candidates []string) string {
	best, distance := "", len(word)/4+2
	letters := utf8.RuneCountInString(word)
	for _, candidate := range candidates {
		apart := letters - utf8.RuneCountInString(candidate) // they differ by as many letters at least
		if max(apart, -apart) > distance {
			continue
		}
		if d := levenshtein.ComputeDistance(word, candidate); d < distance || d == distance && best != "" && candidate < best {
			best, distance = candidate, d
		}
	}
	if best == "" {
		return ""
	}
	return "; did you mean " + best + "?"
}
