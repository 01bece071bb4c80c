package pbs

import (
	"bytes"
	"iter"
	"maps"
	"math"
	"slices"
	"strings"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/report"
	"fairshare/fstree"
)

// Lack is a setting of a site of which not all is modelled, with a value under which that matters.
type Lack struct {
	Setting string   // as qmgr has it, and of which queue
	Says    string   // what of it is not modelled, in words that follow "not modelled: "
	Asks    []string // resources: it concerns jobs that ask for one of them, nil for any
	queue   string   // whose jobs it concerns, "" for those of all queues
	of      *Site    // of whose scheduler's jobs it is about, nil for those of all
	under   string   // under which of several policies it is lacking, " with what is set"; "" for all
}

// Concerns reports whether it is about jobs of a queue, as far as they ask for what it is about.
func (l Lack) Concerns(queue string) bool {
	return (l.queue == "" || l.queue == queue) && (l.of == nil || l.of.Places(queue))
}

// IsOfAll reports whether it concerns all jobs.
func (l Lack) IsOfAll() bool { return l.queue == "" && l.of == nil && l.Asks == nil }

// Lacks returns the settings of a site of which not all is modelled, those of each of its schedulers among them.
func (s *Site) Lacks() []Lack {
	lacks := s.ownLacks()
	for _, other := range s.Others { // which have the same server and queues
		lacks = append(lacks, slices.DeleteFunc(other.ownLacks(), func(l Lack) bool { return l.of == nil })...)
	}
	return lacks
}

// LacksBeside returns what Lacks does of a site that is compared with others under what is set: what some of these have is lacking
// without that alone, and what they lack besides is lacking with it.
func (s *Site) LacksBeside(others ...*Site) []Lack {
	lacks := s.Lacks()
	isSame := func(l Lack) func(Lack) bool {
		return func(m Lack) bool { return l.Setting == m.Setting && l.Says == m.Says && l.queue == m.queue }
	}
	common := len(lacks)
	for _, other := range others {
		theirs := other.Lacks()
		for i, l := range lacks[:common] {
			if !slices.ContainsFunc(theirs, isSame(l)) {
				lacks[i].under = " without what is set"
			}
		}
		for _, l := range theirs {
			if !slices.ContainsFunc(lacks, isSame(l)) {
				l.under = " with what is set"
				lacks = append(lacks, l)
			}
		}
	}
	return lacks
}

// ownLacks returns the settings of the server, the queues and the site's own scheduler of which not all is modelled.
func (s *Site) ownLacks() []Lack {
	var lacks []Lack
	own := Lack{} // of the scheduler, where there are several
	if len(s.schedulers) > 1 {
		own.of = s
	}
	add := func(of Owner, name, value, where string, l Lack) {
		if of == OfServer && name == scheduling { // that of the default scheduler
			if l = own; !IsDefaultScheduler(s.Scheduler.Name) {
				return
			}
		}
		base, _, _ := strings.Cut(name, ".")
		if is := SettingOf(of, base); is != nil && is.Lacks != "" && !is.isUsual(value) && (is.idle == nil || is.idle(s, Change{}, name) == "") {
			l.Setting, l.Says = name+where, is.Lacks
			lacks = append(lacks, l)
		}
		_, resource, _ := strings.Cut(name, available+".")
		if _, isAmount := limitAmount(value); resource != "" && !isAmount && s.checks(resource) && of&(OfServer|OfQueue) != 0 {
			l.Setting, l.Says, l.Asks = name+where, "values of "+resource+" that the server or a queue has for jobs ("+name+where+")", []string{resource}
			lacks = append(lacks, l)
		}
	}
	addAll := func(of Owner, attributes Attributes, where string, l Lack) {
		for _, name := range slices.Sorted(maps.Keys(attributes)) {
			add(of, name, attributes[name], where, l)
		}
	}
	addAll(OfServer, s.Sched.Server, "", Lack{})
	addAll(OfScheduler, s.Sched.Scheduler, "", own)
	for _, q := range s.Queues {
		addAll(OfQueue, q.Attributes, " of queue "+q.Name, Lack{queue: q.Name})
	}
	var others map[string][]string
	if s.SchedPriv != nil {
		others = s.SchedPriv.Config.Others
	}
	for _, name := range slices.Sorted(maps.Keys(others)) {
		if name == dynamicResources {
			if resources := s.dynamic(); len(resources) > 0 {
				says := strings.Replace(SettingOf(OfConfig, name).Lacks, "RESOURCES", strings.Join(resources, ", "), 1)
				lacks = append(lacks, Lack{Setting: name, Says: says, Asks: resources, of: own.of})
			}
			continue
		}
		for _, value := range others[name] {
			if n := len(lacks); n == 0 || lacks[n-1].Setting != name {
				add(OfConfig, name, value, "", own)
			}
		}
	}
	if !s.Accrues() && s.ever(func(p fstree.Policy) bool { return p.HelpStarving }) && s.lacksLevel("starving_jobs") == "" {
		lacks = append(lacks, Lack{Setting: helpStarving, Says: "starving jobs (help_starving_jobs) while eligible_time_enable of the server is false, which PBS tells by their etime: orders have none", of: own.of})
	}
	for i := range lacks {
		if lacks[i].of != nil {
			lacks[i].Says = "of scheduler " + s.Scheduler.Name + ", " + lacks[i].Says
		}
	}
	return lacks
}

// dynamicResources is the setting of sched_config that names scripts which tell how much of a resource is free.
const dynamicResources = "server_dyn_res"

// helpStarving is the setting of sched_config that gives jobs which wait for long a level of preemption.
const helpStarving = "help_starving_jobs"

// dynamicOf yields the resources of server_dyn_res, each with its whole line, such as "licences !/path/to/script".
func dynamicOf(config *fstree.Config) iter.Seq2[string, string] {
	return func(yield func(name, value string) bool) {
		for _, value := range config.Others[dynamicResources] {
			if name, _, ok := strings.Cut(value, " "); ok && !yield(name, value) {
				return
			}
		}
	}
}

// dynamic returns the resources of server_dyn_res of which nobody tells how much there is.
func (s *Site) dynamic() []string {
	var resources []string
	for name, value := range dynamicOf(&s.SchedPriv.Config) {
		if strings.Contains(value, "!") && s.DynamicAmounts[name] == "" {
			resources = append(resources, name)
		}
	}
	return resources
}

// unmodelledRequests are the resources of PBS's own that are not modelled, each as a chunk asks for it: "aoe=".
var unmodelledRequests = func() (asked [][]byte) {
	for i := range jobSettings {
		if is := &jobSettings[i]; is.Of&OfRequest != 0 && is.Lacks != "" {
			asked = append(asked, []byte(is.Name+"="))
		}
	}
	return asked
}()

// UnmodelledOfChunks yields the resources that are not modelled for which the chunks of a select ask, by their names.
func UnmodelledOfChunks(selected []byte) iter.Seq[string] {
	return func(yield func(name string) bool) {
		for _, asked := range unmodelledRequests {
			for at := 0; ; at += len(asked) {
				next := bytes.Index(selected[at:], asked)
				if next < 0 {
					break
				}
				at += next
				if at > 0 && selected[at-1] != ':' && selected[at-1] != '+' { // the end of another name
					continue
				}
				if !yield(string(asked[:len(asked)-1])) {
					return
				}
				break
			}
		}
	}
}

// LacksOfRequests returns what is not modelled of the resources that jobs ask for.
func LacksOfRequests(names []string) []Lack {
	var lacks []Lack
	for _, name := range names {
		is := SettingOf(OfRequest, name)
		if is == nil || is.Lacks == "" {
			continue
		}
		if at := slices.IndexFunc(lacks, func(l Lack) bool { return l.Says == is.Lacks }); at >= 0 {
			lacks[at].Asks = append(lacks[at].Asks, name)
		} else {
			lacks = append(lacks, Lack{Setting: name, Says: is.Lacks, Asks: []string{name}})
		}
	}
	return lacks
}

// JobLacks returns the attributes of jobs of which not all is modelled, as far as they matter to one of the schedulers of
// a site.
func (s *Site) JobLacks() []*Setting {
	var lacks []*Setting
	for i := range jobSettings {
		is := &jobSettings[i]
		matters := func(of *Site) bool { return is.idle(of, Change{}, is.Name) == "" }
		if is.Of&OfJob != 0 && is.Lacks != "" && (matters(s) || slices.ContainsFunc(s.Others, matters)) {
			lacks = append(lacks, is)
		}
	}
	return lacks
}

// Matters reports whether a value is one under which something is lacking.
func (s *Setting) Matters(value string) bool { return !s.isUsual(value) }

// Remark says of a lack which jobs it concerns, and for how many cpu hours where they are known.
func (l Lack) Remark(jobs int, hours *float64) diag.Remark {
	if hours == nil {
		return diag.Warningf("not modelled%s: %s (%s)", l.under, l.Says, report.Count(jobs, "job"))
	}
	return diag.Warningf("not modelled%s: %s (%s, %s)", l.under, l.Says, report.Count(jobs, "job"), report.Count(int(math.Round(*hours)), "cpu hour"))
}

// Unweighed says what is lacking where there are no jobs that it could concern.
func (l Lack) Unweighed() diag.Remark { return diag.Warningf("not modelled: %s", l.Says) }

// isUsual reports whether a value is one under which nothing is lacking.
func (s *Setting) isUsual(value string) bool {
	value, _, _ = strings.Cut(strings.ToLower(strings.TrimSpace(value)), "\t")
	value = strings.Trim(strings.TrimSpace(value), `"`)
	if s.usual != nil {
		return slices.ContainsFunc(s.usual, func(usual string) bool {
			return usual == "*" || usual == value || usual != "" && strings.HasPrefix(value, usual)
		})
	}
	return value == "" || strings.HasPrefix(value, "false") || value == "0"
}

// IsOff reports whether the scheduler that places the jobs of a queue starts none now: its attribute scheduling is false, or
// of the default one that of the server.
func (s *Site) IsOff(queue string) bool {
	for _, of := range append([]*Site{s}, s.Others...) {
		if !of.Places(queue) {
			continue
		}
		return of.isOff()
	}
	return false
}

// isOff reports whether the scheduler starts no job now.
func (s *Site) isOff() bool {
	is := func(attributes Attributes) bool {
		value, isSet := attributes[scheduling]
		return isSet && !SettingOf(OfServer, scheduling).isUsual(value)
	}
	return is(s.Sched.Scheduler) || IsDefaultScheduler(s.Scheduler.Name) && is(s.Sched.Server)
}

// scheduling is the attribute of servers and schedulers without which no cycle begins.
const scheduling = "scheduling"
