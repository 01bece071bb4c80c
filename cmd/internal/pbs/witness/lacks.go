package witness

import (
	"maps"
	"slices"

	"fairshare/cmd/internal/pbs"
	"fairshare/cmd/internal/pbs/study"
	"fairshare/cmd/internal/witness"
)

// lacksOf returns the settings of the site that is judged which the table of settings has as not modelled, and whose starts
// they concern.
func lacksOf(on *study.Study) []witness.Lack {
	judged := on.Inputs.Site
	if used := on.Used(); len(used) > 0 {
		judged = used[0].Site // with what --set tells
	}
	var lacks []witness.Lack
	for _, l := range slices.Concat(judged.Lacks(), pbs.LacksOfRequests(slices.Sorted(maps.Keys(on.Work.Requested())))) {
		lack := witness.Lack{Setting: l.Setting, Says: l.Says}
		if !l.IsOfAll() {
			lack.Concerns = func(s *witness.Start, _ witness.Side) bool {
				return l.Concerns(s.Queue) && (l.Asks == nil || slices.ContainsFunc(l.Asks, func(name string) bool { return slices.Contains(s.Asks, name) }))
			}
		}
		lacks = append(lacks, lack)
	}
	return lacks
}
