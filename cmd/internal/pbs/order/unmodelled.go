package order

import (
	"maps"
	"slices"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/pbs"
	"fairshare/cmd/internal/pbs/joblist"
)

// NotModelled says what of a site and of its jobs is not modelled, with how many jobs of a list it concerns. What concerns
// none of them is not said. beside are the sites that it is compared with.
func NotModelled(site *pbs.Site, list *joblist.List, beside ...*pbs.Site) []diag.Remark {
	var remarks []diag.Remark
	add := func(l pbs.Lack, jobs int) {
		if jobs > 0 {
			remarks = append(remarks, l.Remark(jobs, nil))
		}
	}
	asking := func(names []string) (jobs int) {
		for _, name := range names {
			jobs = max(jobs, list.Asking[name])
		}
		return jobs
	}
	for _, l := range site.LacksBeside(beside...) {
		if l.Asks != nil {
			add(l, asking(l.Asks))
		} else {
			add(l, jobsOf(list, l))
		}
	}
	for _, l := range pbs.LacksOfRequests(slices.Sorted(maps.Keys(list.Asking))) {
		add(l, asking(l.Asks))
	}
	for _, s := range site.JobLacks() {
		add(pbs.Lack{Setting: s.Name, Says: s.Lacks}, list.Counts[s.Name])
	}
	return remarks
}

// jobsOf returns how many jobs of a list are of queues that something concerns which is not modelled.
func jobsOf(list *joblist.List, l pbs.Lack) (jobs int) {
	for row := range list.Len() {
		j := list.Job(row)
		if !j.HasLeft() && !j.IsRepeated && l.Concerns(list.Queues.List[j.Queue]) {
			jobs++
		}
	}
	return jobs
}
