package replay

import (
	"fmt"

	"fairshare/cmd/internal/outcome"
	"fairshare/cmd/internal/pbs"
	"fairshare/cmd/internal/pbs/cluster"
)

// limit is what one attribute of the server or of a queue, or the %N of an array, allows to
// run.
type limit struct {
	most     float64
	where    string // the queue, "" for the server
	kind     byte   // u, g, p for users, groups and projects, s for arrays, o for all
	name     string
	resource string // "" for a number of jobs
	setting  string // such as max_run_res.ncpus

	isDynamic bool // whether who exceeds it can never run now, see pbs.Limit
}

// limits are all limits of a site.
type limits struct {
	list     []pbs.Limit
	counters map[string]*counter
}

// counter counts what runs under a limit. What is used stands beside what may be, as cycles ask for both of many limits.
type counter struct {
	used   float64
	limit  limit
	number int

	considered float64 // what jobs need that were considered at a cycle and did not start
	cycle      uint64  // that cycle
	peaks      peaks   // memory of the calendar

	parked []*class // those that it holds back, and that are not among their peers meanwhile
}

// newLimits returns the limits of a site, or its soft limits, which stop nothing: who exceeds
// them is of another preemption level. Limits on what is queued act when jobs are submitted.
func newLimits(site *pbs.Site, soft bool) (*limits, error) {
	list, err := site.Limits(soft)
	return &limits{list: list, counters: map[string]*counter{}}, err
}

// ofArray returns the limit on how many subjobs of an array run, %N.
func (l *limits) ofArray(array string, most int32) check {
	key := "array " + array
	if l.counters[key] == nil {
		l.counters[key] = &counter{number: len(l.counters), limit: limit{kind: 's', name: array, setting: "max_run_subjobs", most: float64(most)}}
	}
	return check{l.counters[key], 1}
}

// check is a limit as it holds for a class of jobs.
type check struct {
	counter *counter
	need    float64
}

// isOwn reports whether the limit is one of the job's own user, group or project,
// under which its eligible_time stands still.
func (c check) isOwn() bool { return c.counter.limit.kind != 'o' }

// counts reports whether the limit is checked once more with the jobs that are considered
// and do not start: those of users, groups and projects.
func (c check) counts() bool { return c.isOwn() && c.counter.limit.kind != 's' }

// reached reports whether a job more would exceed the limit.
func (c check) reached() bool { return c.counter.used+c.need > c.counter.limit.most }

// exceeds reports whether the job alone would exceed the limit, so that it never starts as long as that stands.
func (c check) exceeds() bool {
	return c.need > c.counter.limit.most && !c.counter.limit.isDynamic
}

// never says of a job that alone exceeds the limit what it asks for of how much: "limit of user bob on ncpus
// (max_run_res.ncpus: 64 at most, 100 asked)".
func (c check) never(of *cluster.Cluster) string {
	l := &c.counter.limit
	text := outcome.Never + l.String() + " (" + l.setting + ": "
	if l.resource == "" {
		return text + fmt.Sprintf("%g at most)", l.most)
	}
	most, asked := of.Amounts(l.resource, l.most, c.need)
	return text + most + " at most, " + asked + " asked)"
}

// amounts says how much of a limit is used, of which some jobs that begin in this cycle use a part, and how much more the
// job would: "max_run_res.ncpus: 60 of 64 used, 8 asked".
func (c check) amounts(of *cluster.Cluster, begun float64) string {
	l := &c.counter.limit
	if l.resource == "" {
		text := fmt.Sprintf("%s: %g of %g run", l.setting, c.counter.used, l.most)
		if begun > 0 {
			text += fmt.Sprintf(", %g", begun) + outcome.FromThisCycle
		}
		return text
	}
	used, most, asked := of.Use(l.resource, c.counter.used, l.most, c.need)
	text := l.setting + ": " + used + " of " + most + " used"
	if begun > 0 {
		text += ", " + of.Amount(l.resource, begun) + outcome.FromThisCycle
	}
	return text + ", " + asked + " asked"
}

// of returns the limits that hold for jobs of some names. A limit of somebody's own
// stands in for the generic one.
func (l *limits) of(queue, user, group, project string, need func(resource string) float64) []check {
	counters := l.counters
	var checks []check
	for _, l := range pbs.LimitsFor(l.list, queue, user, group, project) {
		amount := 1.
		if l.Resource != "" {
			if amount = need(l.Resource); amount == 0 {
				continue
			}
		}
		m := limit{l.Most, l.Queue, l.Kind, l.Name, l.Resource, l.Setting, l.IsDynamic}
		key := fmt.Sprintf("%s\x00%c%s\x00%s", m.where, m.kind, m.name, m.resource)
		if counters[key] == nil {
			counters[key] = &counter{number: len(counters), limit: m}
		}
		checks = append(checks, check{counters[key], amount})
	}
	return checks
}

// String returns what a limit is called: "limit of user bob".
func (m limit) String() string {
	if m.isDynamic {
		return waitsForFree + m.resource
	}
	text := map[byte]string{'u': "limit of user " + m.name, 'g': "limit of group " + m.name, 'p': "limit of project " + m.name, 's': "limit of array " + m.name, 'o': "limit"}[m.kind]
	return text + m.place()
}

// place returns where a limit holds and of what it is, as its name ends: " in queue workq on ncpus".
func (m limit) place() string {
	text := ""
	if m.kind == 'o' && m.where == "" {
		text = " of the server"
	}
	if m.where != "" {
		text = " in queue " + m.where
	}
	if m.resource != "" {
		text += " on " + m.resource
	}
	return text
}
