package witness

import (
	"maps"
	"slices"
	"strings"

	"fairshare/cmd/internal/pbs"
	"fairshare/cmd/internal/pbs/study"
	"fairshare/cmd/internal/witness"
)

// lacksOf returns the settings of a site that the table of settings has as not modelled, and whose starts they
// concern.
func lacksOf(on *study.Study) []witness.Lack {
	site := on.Inputs.Site
	var lacks []witness.Lack
	add := func(of pbs.Owner, name, shown string, concerns func(*witness.Start, witness.Side) bool) {
		if s := pbs.SettingOf(of, name); s != nil && s.Lacks != "" {
			lacks = append(lacks, witness.Lack{Setting: shown, Says: s.Lacks, Concerns: concerns})
		}
	}
	for _, q := range site.Queues {
		isOfQueue := func(s *witness.Start, _ witness.Side) bool { return s.Queue == q.Name }
		for _, name := range slices.Sorted(maps.Keys(q.Attributes)) {
			base, _, _ := strings.Cut(name, ".")
			add(pbs.OfQueue, base, name+" of queue "+q.Name, isOfQueue)
		}
	}
	for of, attributes := range map[pbs.Owner]pbs.Attributes{pbs.OfServer: site.Sched.Server, pbs.OfScheduler: site.Sched.Scheduler} {
		for _, name := range slices.Sorted(maps.Keys(attributes)) {
			if base, _, _ := strings.Cut(name, "."); !isUsual(base, attributes[name]) {
				add(of, base, name, nil)
			}
		}
	}
	lacks = append(lacks, requestLacks(on)...)
	if site.SchedPriv == nil {
		return lacks
	}
	others := site.SchedPriv.Config.Others
	for _, name := range slices.Sorted(maps.Keys(others)) {
		if !slices.ContainsFunc(others[name], func(value string) bool { return !isUsual(name, value) }) {
			continue
		}
		add(pbs.OfConfig, name, name, dynamicOf(name, others[name]))
	}
	if keys := site.Policy().NodeSortKeys; slices.ContainsFunc(keys, func(key string) bool {
		return strings.Contains(key, "unused") || strings.Contains(key, "assigned")
	}) {
		add(pbs.OfConfig, "node_sort_key", "node_sort_key", func(_ *witness.Start, side witness.Side) bool { return side == witness.Where })
	}
	return lacks
}

// requestLacks returns the resources that jobs ask for and that are not modelled.
func requestLacks(on *study.Study) []witness.Lack {
	var lacks []witness.Lack
	for _, name := range slices.Sorted(maps.Keys(on.Work.Requested())) {
		s := pbs.SettingOf(pbs.OfRequest, name)
		if s == nil || s.Lacks == "" {
			continue
		}
		lacks = append(lacks, witness.Lack{Setting: name, Says: s.Lacks, Concerns: func(s *witness.Start, _ witness.Side) bool { return slices.Contains(s.Asks, name) }})
	}
	return lacks
}

// dynamicOf returns whose starts server_dyn_res concerns, nil for another setting.
func dynamicOf(name string, values []string) func(*witness.Start, witness.Side) bool {
	if name != "server_dyn_res" {
		return nil
	}
	return func(s *witness.Start, _ witness.Side) bool {
		return slices.ContainsFunc(values, func(value string) bool {
			resource, _, _ := strings.Cut(value, " ")
			return slices.Contains(s.Asks, resource)
		})
	}
}

// isUsual reports whether a setting has the value that it has where nobody sets it, so that nothing is lacking.
func isUsual(name, value string) bool {
	value, _, _ = strings.Cut(strings.ToLower(strings.TrimSpace(value)), "\t")
	value = strings.Trim(strings.TrimSpace(value), `"`)
	switch name {
	case "scheduling", "eligible_time_enable":
		return value == "true"
	case "smp_cluster_dist":
		return strings.HasPrefix(value, "pack")
	case "provision_policy":
		return strings.HasPrefix(value, "aggressive")
	case "preempt_order":
		return true // hardly any site has scripts for checkpoints
	}
	return value == "" || strings.HasPrefix(value, "false") || value == "0"
}
