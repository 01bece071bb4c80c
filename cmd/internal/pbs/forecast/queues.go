package forecast

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"fairshare/cmd/internal/pbs"
	"fairshare/cmd/internal/report"
	"fairshare/formula"
)

// queues returns the names of a site's queues in which jobs can run, none where they are not known.
func (s *Site) queues() []string {
	var names []string
	for _, q := range s.Site.Queues {
		if !q.Stopped && !q.Routes {
			names = append(names, q.Name)
		}
	}
	return names
}

func (s *Site) hasQueue(name string) bool {
	return s.Site.Queues == nil || slices.ContainsFunc(s.Site.Queues, func(q pbs.Queue) bool { return q.Name == name })
}

// refuses says why a queue does not take a job as it is asked for, "" if it does. A queue takes no
// job that asks for more than its resources_max; what else may keep a job out is not looked at.
func (s *Site) refuses(a Ask) string {
	at := slices.IndexFunc(s.Site.Queues, func(q pbs.Queue) bool { return q.Name == a.Queue })
	if at < 0 {
		return ""
	}
	queue := s.Site.Queues[at]
	if queue.Routes {
		return "queue " + queue.Name + " only hands jobs on"
	}
	for _, r := range a.requested() {
		most, isBounded := queue.Max[r.Name]
		if x, ok := number(r.Value); isBounded && ok {
			if bound, ok := number(most); ok && x > bound {
				return fmt.Sprintf("queue %s takes jobs of %s up to %s", queue.Name, r.Name, most)
			}
		}
	}
	return ""
}

// number returns the amount of a resource.
func number(text string) (float64, bool) {
	amount, ok := formula.ParseAmount(text, "")
	if !ok {
		return 0, false
	}
	return amount.Number()
}

// Sensible returns changes that are worth a try: half the walltime, half the cpus, and other queues.
func (s *Site) Sensible(a Ask) []string {
	var changes []string
	if seconds, ok := number(a.of("walltime")); ok && seconds >= 120 {
		changes = append(changes, "walltime="+report.Duration(math.Floor(seconds/2)))
	}
	for _, r := range a.requested() {
		if n, err := strconv.Atoi(r.Value); r.Name == "ncpus" && err == nil && n > 1 {
			changes = append(changes, "ncpus="+strconv.Itoa(n/2))
		}
	}
	const most = 4 // queues
	for _, queue := range s.queues() {
		if queue != a.Queue && len(changes) < 2+most {
			changes = append(changes, "queue="+queue)
		}
	}
	return changes
}
