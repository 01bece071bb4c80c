package cluster

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/report"
	"fairshare/cmd/internal/work"
	"fairshare/formula"
)

// ownConsumables are the resources of PBS itself that jobs use up.
var ownConsumables = []string{"ncpus", "mem", "vmem", "naccelerators", "accelerator_memory", "hbmem"}

// learn takes from what vnodes say of themselves what the settings of a site do not tell of its own resources: one of which
// vnodes print how much is assigned is used up by jobs, and where nothing tells which resources the scheduler looks at it is
// taken to look at those that jobs use up, as there is no other use in counting them.
func (c *Checks) learn(found []attributes) {
	types, flags := maps.Clone(c.Types), maps.Clone(c.Flags)
	if types == nil {
		types = map[string]formula.Type{}
	}
	if flags == nil {
		flags = map[string]string{}
	}
	has := map[string]bool{}
	for _, a := range found {
		for full, value := range a {
			name, ok := strings.CutPrefix(full, prefix)
			if !ok || slices.Contains(ownConsumables, name) || !isAmount(value) {
				continue
			}
			has[name] = true
			if c.Types[name] == "" && a["resources_assigned."+name] != "" {
				types[name], flags[name] = formula.Float64, "n"
			}
		}
	}
	c.Types, c.Flags = types, flags
	for _, name := range slices.Sorted(maps.Keys(has)) {
		if c.Resources == nil && c.isConsumed(name) {
			c.counted = append(c.counted, name)
		}
	}
}

// Unstated says of which resources jobs ask that vnodes have, by themselves or by the default_chunk of their queue, where nothing
// tells whether the scheduler looks at them.
func (c *Cluster) Unstated(w *work.Work, jobs []*work.Job) []diag.Remark {
	if c.checks.Resources != nil || c.IsTorque {
		return nil
	}
	byRequest := map[requestKey]int{} // jobs
	for _, j := range jobs {
		byRequest[requestKey{number: j.Request, queue: w.Trace.Names.List[j.Queue]}]++
	}
	asked := map[string]int{} // jobs, by resource
	for of, n := range byRequest {
		selected := cmp.Or(w.Requests[of.number].Placed, w.Requests[of.number].Select)
		for name, value := range c.checks.chunkDefaults(of.queue) {
			if value != "0" {
				selected += ":" + name + "=" + value
			}
		}
		for name := range c.odds(selected) {
			asked[name] += n
		}
	}
	const unknown = "nothing tells which resources the scheduler looks at (resources of sched_config, which --sched-priv gives): "
	var remarks []diag.Remark
	for _, name := range slices.Sorted(maps.Keys(asked)) {
		says := name + " is taken to be none of them, as PBS has it where nothing is changed, so that jobs get vnodes here without it"
		isTold := false // by PBS itself
		short := ""     // why it is taken to be one of them
		const isTaken = ", which PBS does not look at where nothing is changed, is taken to be one of them, since "
		switch {
		case slices.Contains(c.checks.Lacked, name):
			short, isTold = "PBS has written of a job that it lacks it", true
		case slices.Contains(c.checks.counted, name):
			short = "jobs use it up on vnodes"
		}
		if short != "" {
			says = name + isTaken + short
		}
		r := diag.Warningf("%s%s (asked for by %s)", unknown, says, report.Count(asked[name], "job"))
		if r.IsGeneral = isTold; short != "" && !isTold {
			r = r.Briefly("%s is taken to be a resource that the scheduler looks at (resources of sched_config), since %s", name, short)
		}
		remarks = append(remarks, r)
	}
	return remarks
}

// odds returns the resources of a select that vnodes have and that the scheduler does not look at where nothing is changed.
func (c *Cluster) odds(selected string) map[string]bool {
	odds := map[string]bool{}
	for chunk := range splitOutside(selected, '+') {
		for part := range splitOutside(chunk, ':') {
			name, _, isResource := strings.Cut(part, "=")
			isThere := func(v Vnode) bool { return v.Words[name] != "" }
			isUsual := slices.Contains(defaultResources, name) || c.checks.Types[name] == formula.Boolean
			if isResource && !isUsual && slices.ContainsFunc(c.Vnodes, isThere) {
				odds[name] = true
			}
		}
	}
	return odds
}
