package replay

import (
	"fmt"
	"iter"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"fairshare/cmd/internal/pbs"
	"fairshare/formula"
)

// limit is what one attribute of the server or of a queue allows to run.
type limit struct {
	where    string // the queue, "" for the server
	kind     byte   // u, g, p for users, groups and projects, s for arrays, o for all
	name     string // PBS_GENERIC for those without a limit of their own
	resource string // "" for a number of jobs
	most     float64
}

const (
	generic = "PBS_GENERIC"
	overall = "PBS_ALL"
)

// limits are all limits of a site.
type limits struct {
	list     []limit
	counters map[string]*counter
	soft     bool // whether these are the soft limits
}

// counter counts what runs under a limit.
type counter struct {
	number int
	used   float64
	limit  limit

	considered float64 // what jobs need that were considered at a cycle and did not start
	cycle      uint64  // that cycle
}

// LimitError is a limit that cannot be read.
type LimitError struct{ Where, Name, Value string }

func (e *LimitError) Error() string {
	return fmt.Sprintf("%s: %s = %s is not a limit, such as [u:PBS_GENERIC=3]", e.Where, e.Name, e.Value)
}

// oldLimits are the limits of old and what they are called since PBS 10.1.
var oldLimits = map[string]struct {
	kind byte
	name string
}{
	"max_running": {'o', overall}, "max_user_run": {'u', generic}, "max_group_run": {'g', generic},
	"max_user_res": {'u', generic}, "max_group_res": {'g', generic}, "resources_available": {'o', overall},
}

// newLimits returns the limits of a site. Soft limits stop nothing, and those on
// what is queued act when jobs are submitted.
func newLimits(site *pbs.Site) (*limits, error) {
	l := &limits{counters: map[string]*counter{}}
	return l, l.readSite(site)
}

func (l *limits) readSite(site *pbs.Site) error {
	if err := l.read("", site.Sched.Server); err != nil {
		return err
	}
	for _, q := range site.Queues {
		if err := l.read(q.Name, q.Attributes); err != nil {
			return err
		}
	}
	return nil
}

func (l *limits) read(where string, attributes pbs.Attributes) error {
	of := "server"
	if where != "" {
		of = "queue " + where
	}
	for _, full := range slices.Sorted(maps.Keys(attributes)) {
		value := attributes[full]
		name, resource, _ := strings.Cut(full, ".")
		if hard, isSoft := strings.CutSuffix(name, "_soft"); isSoft != l.soft {
			continue
		} else {
			name = hard
		}
		old, isOld := oldLimits[name]
		switch {
		case isOld:
			most, ok := limitAmount(value)
			if !ok && name == "resources_available" {
				continue // a text, which a job's request has to match
			}
			if !ok {
				return &LimitError{of, full, value}
			}
			l.list = append(l.list, limit{where, old.kind, old.name, resource, most})
		case name == "max_run_res" && resource == "":
			return &LimitError{of, full, value}
		case name == "max_run" || name == "max_run_res":
			parsed, ok := parseLimits(value)
			if !ok {
				return &LimitError{of, full, value}
			}
			for _, p := range parsed {
				p.where, p.resource = where, resource
				l.list = append(l.list, p)
			}
		}
	}
	return nil
}

// parseLimits reads [u:PBS_GENERIC=3],[g:physics=96].
func parseLimits(text string) (list []limit, ok bool) {
	for part := range strings.SplitSeq(text, "]") {
		part = strings.Trim(part, " \t,[")
		if part == "" {
			continue
		}
		kind, rest, hasKind := strings.Cut(part, ":")
		at := strings.LastIndexByte(rest, '=')
		kind = strings.TrimSpace(kind)
		if !hasKind || at < 0 || len(kind) != 1 || !strings.Contains("ugpo", kind) {
			return nil, false
		}
		most, isAmount := limitAmount(rest[at+1:])
		if !isAmount {
			return nil, false
		}
		list = append(list, limit{kind: kind[0], name: strings.Trim(strings.TrimSpace(rest[:at]), `"'`), most: most})
	}
	return list, len(list) > 0
}

// LimitedNames yields the kind, u, g or p, and the name of each user, group and project for
// whom a value of max_run or max_run_res has a limit.
func LimitedNames(value string) iter.Seq2[byte, string] {
	parsed, _ := parseLimits(value)
	return func(yield func(byte, string) bool) {
		for _, l := range parsed {
			if l.kind != 'o' && l.name != generic && !yield(l.kind, l.name) {
				return
			}
		}
	}
}

func limitAmount(text string) (float64, bool) {
	text = strings.Trim(strings.TrimSpace(text), `"'`)
	n, err := strconv.ParseFloat(text, 64)
	if err != nil {
		v, isAmount := formula.ParseAmount(text, "")
		if n, _ = v.Number(); !isAmount {
			return 0, false
		}
	}
	return n, n >= 0 && !math.IsInf(n, 0)
}

// ofArray returns the limit on how many subjobs of an array run, %N.
func (l *limits) ofArray(array string, most int32) check {
	key := "array " + array
	if l.counters[key] == nil {
		l.counters[key] = &counter{number: len(l.counters), limit: limit{kind: 's', name: array, most: float64(most)}}
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

// of returns the limits that hold for jobs of some names. A limit of somebody's own
// stands in for the generic one.
func (l *limits) of(queue, user, group, project string, need func(resource string) float64) []check {
	type slot struct {
		where    string
		kind     byte
		resource string
	}
	chosen := map[slot]limit{}
	var order []slot
	for _, m := range l.list {
		if m.where != "" && m.where != queue {
			continue
		}
		name := map[byte]string{'u': user, 'g': group, 'p': project, 'o': overall}[m.kind]
		if m.name != name && m.name != generic {
			continue
		}
		s := slot{m.where, m.kind, m.resource}
		before, isSet := chosen[s]
		if !isSet {
			order = append(order, s)
		}
		if !isSet || before.name == generic {
			chosen[s] = m
			continue
		}
	}
	var checks []check
	for _, s := range order {
		m := chosen[s]
		amount := 1.
		if s.resource != "" {
			if amount = need(s.resource); amount == 0 {
				continue
			}
		}
		m.name = map[byte]string{'u': user, 'g': group, 'p': project, 'o': overall}[m.kind]
		key := fmt.Sprintf("%s\x00%c%s\x00%s", m.where, m.kind, m.name, m.resource)
		if l.counters[key] == nil {
			l.counters[key] = &counter{number: len(l.counters), limit: m}
		}
		checks = append(checks, check{l.counters[key], amount})
	}
	return checks
}

// String returns what a limit is called: "limit of user bob".
func (m limit) String() string {
	text := map[byte]string{'u': "limit of user " + m.name, 'g': "limit of group " + m.name, 'p': "limit of project " + m.name, 's': "limit of array " + m.name, 'o': "limit"}[m.kind]
	if m.kind == 'o' && m.where == "" {
		text += " of the server"
	}
	if m.where != "" {
		text += " in queue " + m.where
	}
	if m.resource != "" {
		text += " on " + m.resource
	}
	return text
}
