package pbs

import (
	"fmt"
	"slices"
	"strings"

	"fairshare/fstree"
)

// IdleChanges says of the changes that With has made which have no effect as long as another
// setting is as it is.
func (s *Site) IdleChanges() []string {
	var idle []string
	for _, c := range s.Changes {
		if why := s.whyIdle(c); why != "" {
			idle = append(idle, fmt.Sprintf("%s changes nothing while %s", c.Name, why))
		}
	}
	return idle
}

// whyIdle says what keeps a change from having an effect, "" if nothing does.
func (s *Site) whyIdle(c Change) string {
	of, name, _ := strings.Cut(c.Name, ".")
	isQueue := of == "queue"
	if isQueue {
		_, name, _ = strings.Cut(name, ".")
	}
	name, _, _ = strings.Cut(name, ".")
	ever := func(has func(p fstree.Policy) bool) bool {
		if s.SchedPriv == nil {
			return false
		}
		return has(s.SchedPriv.Config.Prime) || has(s.SchedPriv.Config.NonPrime)
	}
	isPreemptive := ever(func(p fstree.Policy) bool { return p.Preemptive })
	lacksLevel := func(word string) string {
		switch {
		case !isPreemptive:
			return "sched.preemptive_sched is false"
		case !slices.ContainsFunc(s.Sched.PreemptPrio, func(level string) bool { return slices.Contains(strings.Split(level, "+"), word) }):
			return "sched.preempt_prio has no " + word
		}
		return ""
	}
	isSet := strings.EqualFold(s.Sched.Server["node_group_enable"], "true")
	hasKey := s.Sched.Server["node_group_key"] != "" || slices.ContainsFunc(s.Queues, func(q Queue) bool { return q.Attributes["node_group_key"] != "" })
	switch {
	case (name == "backfill_depth" || name == "opt_backfill_fuzzy") && !ever(func(p fstree.Policy) bool { return p.StrictOrdering }):
		return "sched.strict_ordering is false"
	case strings.HasSuffix(name, "_soft") && isQueue:
		return lacksLevel("queue_softlimits")
	case strings.HasSuffix(name, "_soft"):
		return lacksLevel("server_softlimits")
	case strings.HasPrefix(name, "preempt_") && !isPreemptive:
		return "sched.preemptive_sched is false"
	case name == "max_starve" && !ever(func(p fstree.Policy) bool { return p.HelpStarving }):
		return "sched.help_starving_jobs is false"
	case name == "max_starve", name == "help_starving_jobs" && strings.EqualFold(c.Value, "true"):
		return lacksLevel("starving_jobs")
	case (name == "node_group_key" || name == "do_not_span_psets") && !isSet:
		return "server.node_group_enable is false"
	case name == "node_group_enable" && isSet && !hasKey, name == "do_not_span_psets" && !hasKey:
		return "there is no node_group_key"
	case (name == "prime_spill" || name == "prime_exempt_anytime_queues") && !s.SchedPriv.Config.Hours.Prime.Backfill && !s.SchedPriv.Config.Hours.NonPrime.Backfill:
		return "sched.backfill_prime is false"
	}
	return ""
}
