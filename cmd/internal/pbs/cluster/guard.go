package cluster

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/pbs"
	"fairshare/cmd/internal/report"
	"fairshare/cmd/internal/work"
	"fairshare/formula"
)

// Damage returns warnings where vnodes have amounts or other numbers that cannot be read or that no vnode has, which count as nothing, and
// where they say no state, which pbsnodes prints of each, or words that PBS does not have.
func (c *Cluster) Damage() []diag.Remark {
	return slices.Concat(c.unreadable(), c.odd(), c.stateless(), c.unknownWords(), c.unknownAttributes())
}

// unknownWords says which states of vnodes and which ways of sharing them are none of PBS's.
func (c *Cluster) unknownWords() (remarks []diag.Remark) {
	var states, sharings []string
	for _, v := range c.Vnodes {
		if v.oddState != "" {
			states = append(states, fmt.Sprintf("%.60q of %s", v.oddState, v.Name))
		}
		if v.Sharing != "" && !slices.Contains(pbs.SharingWords, v.Sharing) {
			sharings = append(sharings, fmt.Sprintf("%.60q of %s", v.Sharing, v.Name))
		}
	}
	if states != nil {
		remarks = append(remarks, diag.Damagef("%s in a state that PBS does not have, in which it takes no job now: %s", report.Count(len(states), "vnode"), report.First(states)))
	}
	if sharings != nil {
		remarks = append(remarks, diag.Damagef("%s with a sharing that PBS does not have, taken to be default_shared: %s", report.Count(len(sharings), "vnode"), report.First(sharings)))
	}
	return remarks
}

// unknownAttributes says which attributes of vnodes are none that is known here, each once.
func (c *Cluster) unknownAttributes() []diag.Remark {
	var unknown pbs.Unknown
	for _, v := range c.Vnodes {
		for _, name := range v.unknown {
			unknown.Add(name, v.Name)
		}
	}
	return unknown.Say("vnodes have")
}

func (c *Cluster) stateless() []diag.Remark {
	count, cpus, example := 0, 0., ""
	for _, v := range c.Vnodes {
		if v.IsStateless {
			count, example = count+1, cmp.Or(example, v.Name)
			if c.ncpus >= 0 {
				cpus += v.Amounts[c.ncpus]
			}
		}
	}
	if count == 0 {
		return nil
	}
	return []diag.Remark{diag.Damagef("%d of %s (%g cpus) without a state, taken to be up and free, such as: %s", count, report.Count(len(c.Vnodes), "vnode"), cpus, example)}
}

// odd says which numbers of vnodes beside their amounts cannot be read.
func (c *Cluster) odd() []diag.Remark {
	var list []string
	for _, v := range c.Vnodes {
		list = append(list, v.odd...)
	}
	if list == nil {
		return nil
	}
	return []diag.Remark{diag.Damagef("%s of vnodes that cannot be read, taken as if they were not set: %s", report.Count(len(list), "number"), report.First(list))}
}

func (c *Cluster) unreadable() []diag.Remark {
	count, example := 0, ""
	for _, v := range c.Vnodes {
		isOdd := false
		for _, name := range c.Consumables {
			if text, isSet := v.Words[name]; isSet && !isAmount(text) {
				example, isOdd = cmp.Or(example, fmt.Sprintf("%s of %s is %.60q", name, v.Name, text)), true
			}
		}
		if isOdd {
			count++
		}
	}
	if count == 0 {
		return nil
	}
	return []diag.Remark{diag.Damagef("%s with an amount that cannot be read, and that counts as 0, such as: %s", report.Count(count, "vnode"), example)}
}

// summed are the resources of which PBS itself keeps the sum of the chunks of a job, as Resource_List.ncpus and so on.
var summed = []string{"ncpus", "mem", "ngpus"}

// Mismatches returns a warning where the chunks by which jobs are placed do not come to what PBS says that they are
// given, in Resource_List or in exec_vnode: then it has added what the settings here do not tell.
func (c *Cluster) Mismatches(w *work.Work, jobs []*work.Job, site *pbs.Site) []diag.Remark {
	requests := NewRequests(w, c, site)
	known := map[requestKey]string{}
	count, cpus, example := 0, 0., ""
	for _, j := range jobs {
		queue := w.Trace.Names.List[j.Queue]
		request, _ := requests.Try(j.Request, queue)
		if request == nil || w.Requests[j.Request].IsWhole {
			continue
		}
		key := requestKey{number: j.Request, queue: queue}
		differs, isKnown := known[key]
		if !isKnown {
			var defaults map[string]string
			if site != nil {
				defaults = site.DefaultsOf(queue)
			}
			differs = c.differs(request, w.Requests[j.Request].Amounts, defaults)
			known[key] = differs
		}
		if text := j.Vnodes(); differs == "" && text != "" && !j.IsArray {
			differs = c.differs(request, given(text), nil)
		}
		if differs == "" {
			continue
		}
		count++
		cpus += w.Requests[j.Request].Amounts["ncpus"]
		example = cmp.Or(example, fmt.Sprintf("%s of queue %s: %s", j.ID, queue, differs))
	}
	if count == 0 {
		return nil
	}
	return []diag.Remark{diag.Warningf("the chunks of %s (%.0f cpus) differ from what PBS gives them, so that they are placed as other jobs: %s. Does a default_chunk lack, of the queue or the server (--queues, --sched)?",
		report.Count(count, "job"), cpus, example)}
}

// differs says of which resource a request takes something else in all than it is given, "" for none. What no chunk
// asks for and the whole job is given by default is no difference.
func (c *Cluster) differs(r *Request, has map[string]float64, defaults map[string]string) string {
	var parts []string
	for _, name := range summed {
		at := slices.Index(c.Consumables, name)
		amount, isGiven := has[name]
		if at < 0 || !isGiven || math.Abs(r.Total[at]-amount) <= math.Max(1, amount)*1e-9 {
			continue
		}
		if byDefault, ok := parseAmount(defaults[name]); ok && r.Total[at] == 0 && byDefault == amount {
			continue
		}
		taken, given := c.Amounts(name, r.Total[at], amount)
		parts = append(parts, fmt.Sprintf("%s %s of %s", name, taken, given))
	}
	return strings.Join(parts, ", ")
}

// given returns what exec_vnode has in all.
func given(vnodes string) map[string]float64 {
	all := map[string]float64{}
	for _, resources := range Vnodes(vnodes) {
		for part := range strings.SplitSeq(resources, ":") {
			name, value, _ := strings.Cut(part, "=")
			if amount, ok := formula.ParseAmount(value, ""); ok {
				x, _ := amount.Number()
				all[name] += x
			}
		}
	}
	return all
}
