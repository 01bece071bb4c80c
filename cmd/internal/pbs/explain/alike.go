package explain

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"fairshare/cmd/internal/pbs/cycle"
	"fairshare/cmd/internal/pbs/joblist"
	"fairshare/cmd/internal/pbs/order"
	"fairshare/cmd/internal/pbs/qstat"
	"fairshare/cmd/internal/report"
	"fairshare/formula"
)

// turning are what jobs of one queue may not have alike, and the settings of which nothing is known that look at it.
var turning = []struct{ name, settings string }{
	{"Resource_List.walltime", "job_sort_key (by walltime)"}, {"Resource_List.select", ""}, {"Resource_List.place", ""}, // by which nothing sorts
	{"Resource_List.", "job_sort_key (by what they ask for) and preempt_prio (by soft limits on resources)"},
	{"Priority", "job_sort_key (job_priority)"},
	{"euser", "fair_share, soft limits and fairshare in preempt_prio"},
	{"Job_Owner", "fair_share, soft limits and fairshare in preempt_prio"},
	{"egroup", "fair_share (fairshare_entity) and soft limits of groups"},
	{"Account_Name", "fair_share (fairshare_entity)"},
	{"project", "soft limits of projects"},
	{"eligible_time", "help_starving_jobs (the other has waited longer)"}, {"etime", "help_starving_jobs (the other could run earlier)"},
	{"sched_preempted", "the place of jobs that were preempted"}, {"substate", "the place of jobs that were preempted"}, {"job_state", "the place of arrays that have begun and of suspended jobs"},
}

// Alike decides two jobs of one queue of a site without a formula whose sched_config is not known, as far as they have alike what its
// settings look at: the one that came to the queue first goes first then, and else it is said which settings could turn that. It returns
// whether they are decided.
func (v *Verdict) Alike(o *order.Order, a, b int, of [2]map[string]string) (isDecided bool) {
	first, second, key := decide(o, a, b)
	if o.QueueOf(a).Name != o.QueueOf(b).Name || key != cycle.ByRank && o.List.Unranked == 0 {
		return false
	}
	if o.List.Unranked > 0 { // by when they came to their queue, which is what queue_rank is made of
		came := [2]int64{}
		for i, row := range []int{a, b} {
			at, ok := qstat.ParseTime(o.List.Queued(row), time.UTC)
			if !ok {
				return false
			}
			came[i] = at
		}
		if came[0] == came[1] {
			return false
		}
		if first, second = a, b; came[1] < came[0] {
			first, second = b, a
		}
	}
	differ := map[string][]string{} // by the settings that look at it
	var settings []string           // in their order
	for _, name := range joblist.Apart(of) {
		if name == "eligible_time" && waitedLonger(of, first == a) || name == "etime" && wasEligible(of, first == a) {
			continue // so that it starves first
		}
		at := slices.IndexFunc(turning, func(t struct{ name, settings string }) bool { return strings.HasPrefix(name, t.name) })
		if at < 0 || turning[at].settings == "" {
			continue
		}
		of := turning[at].settings
		if differ[of] == nil {
			settings = append(settings, of)
		}
		differ[of] = append(differ[of], name)
	}
	one, other := o.List.Job(first).ID, o.List.Job(second).ID
	earlier := "it came to queue " + o.QueueOf(first).Name + " earlier"
	if withoutWeekday(o.List.Queued(first)) == withoutWeekday(o.List.Queued(second)) {
		earlier = fmt.Sprintf("both came to queue %s in one second, and its queue_rank is lower", o.QueueOf(first).Name)
	}
	if v.First != one { // as the parts stand
		for i, part := range v.Parts {
			v.Parts[i].First, v.Parts[i].Second = part.Second, part.First
		}
	}
	v.First, v.Second = one, other
	if settings == nil {
		v.Key, v.Unplaced = cycle.ByRank, ""
		v.Why = fmt.Sprintf("%s goes first, whatever sched_config sets: both have alike all that its settings look at, and %s", one, earlier)
		return true
	}
	v.Why = fmt.Sprintf("%s goes first, if the site goes by first come, first served: %s", one, earlier)
	for _, of := range settings {
		v.Turned = append(v.Turned, fmt.Sprintf("%s: they differ in %s", of, report.Listed(differ[of])))
	}
	return false
}

// wasEligible reports whether the job that came first could run no later than the other.
func wasEligible(of [2]map[string]string, isFirst bool) bool {
	a, isTold := qstat.ParseTime(of[0]["etime"], time.UTC)
	b, isToo := qstat.ParseTime(of[1]["etime"], time.UTC)
	if !isFirst {
		a, b = b, a
	}
	return isTold && isToo && a <= b
}

// waitedLonger reports whether the job that came first has waited at least as long as the other.
func waitedLonger(of [2]map[string]string, isFirst bool) bool {
	var waited [2]float64
	for i := range of {
		text := of[i]["eligible_time"]
		seconds, ok := formula.ParseDuration(text)
		if n, err := strconv.ParseFloat(text, 64); !ok && err == nil {
			seconds, ok = n, true
		}
		if !ok {
			return false
		}
		waited[i] = seconds
	}
	if isFirst {
		return waited[0] >= waited[1]
	}
	return waited[1] >= waited[0]
}
