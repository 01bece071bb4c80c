package pbs

import (
	"fairshare/formula"
	"fairshare/fstree"
	"fmt"
	"slices"
	"strings"
)

// check returns what is wrong with a value of an attribute that a replay depends on: it is
// none of its values, or is of a resource that there is not.
func (e *editor) check(name, value string) error {
	base, resource, isOfResource := strings.Cut(name, ".")
	hard := strings.TrimSuffix(base, "_soft")
	if hard == "max_run" || hard == "max_run_res" {
		if _, ok := ParseLimits(value); !ok {
			return fmt.Errorf("%q is not a limit, such as [u:PBS_GENERIC=3]", value)
		}
	}
	if !isOfResource {
		return checkReplayed(name, value)
	}
	if err := e.site.CheckResource(resource); err != nil {
		return err
	}
	isOfWords, _ := OwnResource(resource)
	if t := e.site.Resources[resource]; base != "resources_available" || isOfWords || t == formula.String || t == formula.StringArray || t == formula.Boolean {
		return nil
	}
	if _, ok := formula.ParseAmount(value, ""); !ok {
		return fmt.Errorf("%q is not an amount", value)
	}
	return nil
}

// checkConfig returns what is wrong with the resources that a setting of sched_config names.
func (e *editor) checkConfig(name string, config *fstree.Config) error {
	var names []string
	var others []string // words that stand for no resource
	switch name {
	case "fairshare_usage_res":
		usage, err := formula.Parse(config.UsageRes)
		if err != nil {
			return err
		}
		names = usage.Names()
	case "job_sort_key":
		others = strings.Fields("sort_priority job_priority preempt_priority fair_share_perc fairshare_perc")
		for _, key := range config.Prime.SortKeys { // for all times
			names = append(names, key.Resource)
		}
	case "node_sort_key":
		others = []string{"sort_priority"}
		for _, key := range config.Prime.NodeSortKeys {
			words := strings.Fields(key)
			if len(words) < 2 || len(words) > 3 || !slices.Contains([]string{"HIGH", "LOW"}, strings.ToUpper(words[1])) {
				return fmt.Errorf(`expected "RESOURCE HIGH" or "RESOURCE LOW", found %q`, key)
			}
			names = append(names, words[0])
		}
	}
	for _, resource := range names {
		if err := e.site.CheckResource(resource, others...); err != nil {
			return err
		}
	}
	return nil
}

// softLimits are the soft limits that are named to those who ask what there is; the others are
// of old.
var softLimits = []string{"max_run_soft", "max_run_res_soft"}
