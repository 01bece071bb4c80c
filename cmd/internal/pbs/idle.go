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
		setting := c.setting()
		if setting == nil || setting.idle == nil {
			continue
		}
		if why := setting.idle(s, c, setting.Name); why != "" {
			idle = append(idle, fmt.Sprintf("%s changes nothing while %s", c.Name, why))
		}
	}
	return idle
}

// setting returns what a change sets of the server, the scheduler, sched_config or a queue; nil for anything else.
func (c Change) setting() *Setting {
	of, name, _ := strings.Cut(c.Name, ".")
	switch of {
	case "queue":
		_, name, _ = strings.Cut(name, ".")
		return SettingOf(OfQueue, name)
	case "server", "sched":
		return SettingOf(OfAttributes|OfConfig, name)
	}
	return nil
}

// HasChanged reports whether With has changed a setting, of whomever it is.
func (s *Site) HasChanged(name string) bool {
	return slices.ContainsFunc(s.Changes, func(c Change) bool {
		setting := c.setting()
		return setting != nil && setting.Name == name
	})
}

// ever reports whether a policy of prime or of non-prime time has something.
func (s *Site) ever(has func(p fstree.Policy) bool) bool {
	return s.SchedPriv != nil && (has(s.SchedPriv.Config.Prime) || has(s.SchedPriv.Config.NonPrime))
}

func whileStrict(s *Site, _ Change, _ string) string {
	if s.ever(func(p fstree.Policy) bool { return p.StrictOrdering }) {
		return ""
	}
	return "sched.strict_ordering is false"
}

func whilePreemptive(s *Site, _ Change, _ string) string {
	if s.ever(func(p fstree.Policy) bool { return p.Preemptive }) {
		return ""
	}
	return "sched.preemptive_sched is false"
}

// whileSuspended says that nothing but preemption suspends jobs by itself.
func whileSuspended(s *Site, of Change, value string) string {
	if why := whilePreemptive(s, of, value); why != "" {
		return why + " and nobody suspends a job"
	}
	return ""
}

// lacksLevel says that there is no preemption, or none of a level.
func (s *Site) lacksLevel(word string) string {
	isOf := func(level string) bool { return slices.Contains(strings.Split(level, "+"), word) }
	if why := whilePreemptive(s, Change{}, ""); why != "" || slices.ContainsFunc(s.Sched.PreemptPrio, isOf) {
		return why
	}
	return "sched.preempt_prio has no " + word
}

func whileSoftLimits(s *Site, c Change, _ string) string {
	if strings.HasPrefix(c.Name, "queue.") {
		return s.lacksLevel("queue_softlimits")
	}
	return s.lacksLevel("server_softlimits")
}

func whileStarving(s *Site, c Change, name string) string {
	isAge := name == "max_starve"
	switch {
	case isAge && !s.ever(func(p fstree.Policy) bool { return p.HelpStarving }):
		return "sched.help_starving_jobs is false"
	case isAge || strings.EqualFold(c.Value, "true"):
		return s.lacksLevel("starving_jobs")
	}
	return ""
}

func whilePlacementSets(s *Site, _ Change, name string) string {
	isSet := strings.EqualFold(s.Sched.Server["node_group_enable"], "true")
	hasKey := s.Sched.Server["node_group_key"] != "" || slices.ContainsFunc(s.Queues, func(q Queue) bool { return q.Attributes["node_group_key"] != "" })
	switch {
	case name != "node_group_enable" && !isSet:
		return "server.node_group_enable is false"
	case name != "node_group_key" && isSet && !hasKey:
		return "there is no node_group_key"
	}
	return ""
}

func whileBackfillPrime(s *Site, _ Change, _ string) string {
	if hours := s.SchedPriv.Config.Hours; hours.Prime.Backfill || hours.NonPrime.Backfill {
		return ""
	}
	return "sched.backfill_prime is false"
}

// Later returns those of some changes that act on usage as it decays, and so not on the order now.
func Later(changes []Change) (settings []string) {
	for _, c := range changes {
		if s := c.setting(); s != nil && s.isLater {
			settings = append(settings, c.Name+"="+c.Value)
		}
	}
	return settings
}
