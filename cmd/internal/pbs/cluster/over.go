package cluster

import (
	"maps"
	"slices"
	"strings"

	"fairshare/cmd/internal/pbs"
	"fairshare/cmd/internal/report"
	"fairshare/formula"
)

// Release returns a listing as it is once some jobs are gone, each with the exec_vnode that it had, whom vnodes still name.
func (l *Listing) Release(gone map[string]string) *Listing {
	changed := &Listing{slices.Clone(l.vnodes)}
	for i, a := range changed.vnodes {
		isGone := func(slot string) bool {
			return slices.ContainsFunc(JobsOn(slot), func(id string) bool { _, is := gone[id]; return is })
		}
		slots := strings.Split(a["jobs"], ",")
		left := slices.DeleteFunc(slices.Clone(slots), isGone)
		if len(left) == len(slots) {
			continue
		}
		a = maps.Clone(a)
		changed.vnodes[i] = a
		ids := JobsOn(a["jobs"])
		slices.Sort(ids)
		for _, id := range slices.Compact(ids) {
			a.release(gone[id])
		}
		a["jobs"] = strings.TrimSpace(strings.Join(left, ","))
		for _, word := range []string{"job-busy", "job-exclusive"} {
			a["state"], _ = pbs.WithoutState(a["state"], word)
		}
	}
	return changed
}

// release takes from what is assigned of a vnode what a job had there.
func (a attributes) release(places string) {
	number := func(text string) float64 {
		value, _ := formula.ParseAmount(strings.TrimSpace(text), "")
		x, _ := value.Number()
		return x
	}
	for vnode, resources := range Vnodes(places) {
		if vnode != a[""] {
			continue
		}
		for part := range strings.SplitSeq(resources, ":") {
			name, amount, _ := strings.Cut(part, "=")
			of := "resources_assigned." + name
			if was, isTold := a[of]; isTold {
				unit := ""
				if strings.HasSuffix(strings.TrimSpace(was), "b") {
					unit = "kb"
				}
				a[of] = report.Plain(max(0, number(was)-number(amount))) + unit
			}
		}
	}
}
