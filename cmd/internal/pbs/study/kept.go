package study

import (
	"slices"
	"strings"

	"fairshare/cmd/internal/pbs/cluster"
	"fairshare/cmd/internal/pbs/qstat"
	"fairshare/cmd/internal/pbs/world"
	"fairshare/cmd/internal/trace"
)

// kept returns since when vnodes take no job that are job-exclusive for jobs which by the record never ran on them: PBS's
// server keeps them, see cluster.State.Refused. A replay finds out by itself which it would keep.
func (in *Inputs) kept(t *trace.Trace) (events []world.VnodeEvent) {
	if in.listing == nil { // there is no list of them
		return nil
	}
	local, err := in.localTime()
	if err != nil {
		return nil
	}
	for a := range in.listing.Vnodes() {
		isExclusive := slices.Contains(strings.Split(a["state"], ","), "job-exclusive")
		since, ok := qstat.ParseTime(a["last_state_change_time"], local.Zone)
		if isExclusive && ok && !mayHaveRun(t, cluster.JobsOn(a["jobs"]), a[""]) {
			events = append(events, world.VnodeEvent{At: since, Vnode: a[""], Kind: world.Offline})
		}
	}
	return events
}

// mayHaveRun reports whether one of some jobs has run on a vnode, as far as a record tells, or may have: the record does not
// have it.
func mayHaveRun(t *trace.Trace, ids []string, vnode string) bool {
	elsewhere := map[string]bool{}
	for _, p := range t.Places {
		id := t.Jobs[p.Job].ID
		if !slices.Contains(ids, id) {
			continue
		}
		elsewhere[id] = true
		for name := range cluster.Vnodes(t.ExecVnodes.List[p.Vnodes]) {
			if name == vnode {
				return true
			}
		}
	}
	return len(ids) == 0 || slices.ContainsFunc(ids, func(id string) bool { return !elsewhere[id] })
}
