package site

import (
	"slices"
	"time"

	"fairshare/cmd/internal/pbs/qstat"
	"fairshare/cmd/internal/trace"
)

// ToldByJobs returns when a list was made, by how long its jobs have run: the last time up to which most of those that run have, each by
// its resources_used.walltime. MoMs report that a little later, so that it is of then or of soon after. jobs is how many tell it; ok is
// false where they do not agree, or something is of a later time than they tell.
func ToldByJobs(list []trace.ListedJob) (at int64, jobs int, ok bool) {
	const near = int64(Prompt / time.Second)
	var till []int64
	newest := int64(0) // of what has come or started
	for _, n := range list {
		newest = max(newest, n.Queued, n.Arrival, n.Start)
		if n.Letter == 'R' && !n.IsArray && n.Start != trace.Unknown && n.Used > 0 {
			till = append(till, n.Start+n.Used)
		}
	}
	slices.Sort(till)
	for last := len(till) - 1; last >= 0; last-- {
		first, _ := slices.BinarySearch(till, till[last]-near)
		if jobs = last + 1 - first; 2*jobs > len(till) {
			return till[last], jobs, newest <= till[last]+near
		}
	}
	return 0, 0, false
}

// dateByJobs takes a list to be of when its jobs tell, where that is clearly not when it was written: a copy has a time of its own. Few jobs
// count where the time of writing cannot be that of the list, by most of those that run.
func (p *Place) dateByJobs() {
	if p.writtenBy == "" || len(p.Jobs) == 0 || p.Jobs[0].Name != p.writtenBy {
		return
	}
	t, err := trace.Read(nil, p.Local().Zone, trace.Keep{})
	if err != nil {
		return
	}
	list, _, err := qstat.ReadNow(t, p.Jobs[0], p.Local().Zone)
	if err != nil {
		return // whoever reads it says what is wrong
	}
	at, jobs, ok := ToldByJobs(list)
	told := time.Unix(at, 0).In(p.Zone())
	if !ok || told.Sub(p.made).Abs() <= Prompt {
		return
	}
	const enough = 3 // of which no chance makes one time, as of jobs that were suspended
	if jobs < enough && !isRefuted(list, p.made.Unix()) {
		return
	}
	p.written, p.made, p.Taken = p.made, told, told
}

// isRefuted reports whether a list cannot be of a time, by most of its jobs that run: they would have reached their walltime, or had not
// started.
func isRefuted(list []trace.ListedJob, at int64) bool {
	const near = int64(Prompt / time.Second)
	running, refute := 0, 0
	for _, n := range list {
		if n.Letter != 'R' || n.IsArray || n.Start == trace.Unknown {
			continue
		}
		if running++; n.Start > at+near || n.Walltime > 0 && at-n.Start > n.Walltime+near {
			refute++
		}
	}
	return 2*refute > running
}
