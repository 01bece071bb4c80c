package order

import (
	"maps"
	"slices"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/pbs"
)

// NotModelled says what of the site and of its jobs is not modelled, with how many jobs of the list it concerns. That
// none of them does is not said.
func (o *Order) NotModelled() []diag.Remark {
	var remarks []diag.Remark
	add := func(l pbs.Lack, jobs int) {
		if jobs > 0 {
			remarks = append(remarks, l.Remark(jobs, nil))
		}
	}
	asking := func(names []string) (jobs int) {
		for _, name := range names {
			jobs = max(jobs, o.List.Asking[name])
		}
		return jobs
	}
	for _, l := range o.Plan.Site.LacksBeside(o.Plan.Beside...) {
		if l.Asks != nil {
			add(l, asking(l.Asks))
		} else {
			add(l, o.jobsOf(l))
		}
	}
	for _, l := range pbs.LacksOfRequests(slices.Sorted(maps.Keys(o.List.Asking))) {
		add(l, asking(l.Asks))
	}
	for _, s := range o.Plan.Site.JobLacks() {
		add(pbs.Lack{Setting: s.Name, Says: s.Lacks}, o.List.Counts[s.Name])
	}
	return remarks
}

// jobsOf returns how many jobs of the list are of queues that something concerns which is not modelled.
func (o *Order) jobsOf(l pbs.Lack) (jobs int) {
	for row := range o.List.Len() {
		j := o.List.Job(row)
		if !j.HasLeft() && !j.IsRepeated && l.Concerns(o.List.Queues.List[j.Queue]) {
			jobs++
		}
	}
	return jobs
}
