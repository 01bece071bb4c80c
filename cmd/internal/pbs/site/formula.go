package site

import (
	"errors"
	"fmt"
	"slices"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/pbs"
	"fairshare/cmd/internal/report"
)

// ErrUnknownFormula is for a site of which nothing says which formula is in force.
var ErrUnknownFormula = errors.New("no formula: give -f FORMULA, -F FILE, a site or a file (--sched FILE) with what qstat -Bf prints, which tells the one in force, or --no-formula")

// SetFormula sets the formula of a site to the one given, or for "" to the one in force. It need not be known where settings, which
// are made later, give one.
func SetFormula(site *pbs.Site, given string, settings []string) ([]diag.Remark, error) {
	remarks, isKnown, err := site.SetFormula(given)
	switch {
	case err != nil:
		return nil, err
	case !isKnown && !pbs.GivesFormula(settings):
		return remarks, &diag.RequestError{Err: ErrUnknownFormula}
	case pbs.SetsFormula(settings):
	case site.Sched.Formula == "" && !site.AsksFormula() && site.Unordered() != "":
		first, in := queuesFirst(site), ""
		if first != "" {
			in = ", and by_queue might put those of other queues first"
		}
		remarks = append(remarks, diag.Warningf("%s: places are by when jobs came to their queue alone, as if sched_config set nothing; by_queue, which the one that PBS installs has, fair_share and job_sort_key would put them otherwise%s", site.Unordered(), first).
			Briefly("%s: places are by when jobs came to their queue alone%s", site.Unordered(), in))
	case site.Sched.Formula == "" && !site.AsksFormula():
		remarks = append(remarks, diag.Notef(noFormula))
	}
	return remarks, nil
}

// queuesFirst says behind another text whose jobs go first by the sched_config that PBS installs, "" where queues have no priorities that
// differ.
func queuesFirst(site *pbs.Site) string {
	var queues []pbs.Queue
	for _, q := range site.Queues {
		if !q.Routes {
			queues = append(queues, q)
		}
	}
	slices.SortStableFunc(queues, func(a, b pbs.Queue) int { return b.Priority - a.Priority })
	if len(queues) < 2 || queues[0].Priority == queues[len(queues)-1].Priority {
		return ""
	}
	var names []string
	for _, q := range queues {
		names = append(names, fmt.Sprintf("%s (%d)", q.Name, q.Priority))
	}
	const most = 5
	return "; by by_queue, which the one that PBS installs has, those go first whose queue has the higher priority: " + report.Some(names, most)
}
