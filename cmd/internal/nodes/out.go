package nodes

import (
	"fmt"

	"fairshare/cmd/internal/report"
)

// Out says how much of a site runs no jobs, where that is all of it or more than half of its cpus, and "" elsewhere. The nodes that are
// out are called by a noun, and all of them are so many.
func Out(noun string, names []string, all int, cpus, ofAll float64) string {
	var weight string
	if ofAll > 0 {
		weight = fmt.Sprintf(", with %s of %s cpus (%s)", report.Plain(cpus), report.Plain(ofAll), report.Percent(cpus/ofAll, 0))
	}
	switch {
	case len(names) == 0:
		return ""
	case len(names) == all && all == 1:
		return fmt.Sprintf("the only %s, %s%s, takes no jobs by its state: no job starts", noun, names[0], weight)
	case len(names) == all:
		return fmt.Sprintf("all %s (%s)%s take no jobs by their states: no job starts", report.Count(all, noun), report.First(names), weight)
	case 2*cpus > ofAll:
		return fmt.Sprintf("%d of %s (%s)%s take no jobs by their states: jobs have the others alone", len(names), report.Count(all, noun), report.First(names), weight)
	}
	return ""
}
