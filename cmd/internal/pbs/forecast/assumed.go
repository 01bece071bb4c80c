package forecast

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/pbs"
	"fairshare/cmd/internal/report"
	"fairshare/cmd/internal/trace"
	"fairshare/formula"
)

// settled returns what is asked for as PBS takes it, with what it gives a job that does not ask for it, and with the select
// that it makes of that. A job that is there already has what it was given.
func (s *Site) settled(a Ask) (of Ask, given []pbs.Given) {
	if a.is != nil {
		return a, nil
	}
	given = s.defaultsOf(a)
	a.Resources = slices.Clone(a.Resources)
	for _, g := range given {
		a.Resources = append(a.Resources, Resource{g.Name, g.Value})
	}
	return s.chunked(a), given
}

// defaultsOf returns what the queue and the server give a job that does not ask for it. The cpus of a select are what
// default_chunk says.
func (s *Site) defaultsOf(a Ask) (given []pbs.Given) {
	has := map[string]bool{"nodect": true, "select": true}
	for _, name := range a.names() {
		has[name] = true
	}
	has["ncpus"] = has["ncpus"] || a.of("select") != "" || a.of("nodes") != ""
	for _, g := range s.Site.GivenTo(a.Queue) {
		isWrong := s.Site.CheckResource(g.Name) != nil || s.checkAmount(g.Name, g.Value) != nil || g.Name == "walltime" && !isWalltime(g.Value)
		if !has[g.Name] && !isWrong {
			given = append(given, g)
			has[g.Name] = true
		}
	}
	return given
}

func isWalltime(value string) bool {
	seconds, ok := formula.ParseDuration(value)
	return ok && seconds > 0
}

// sayDefaults says of what a job is given without asking for it how much that is, and from where.
func sayDefaults(given []pbs.Given, isTold func(name string) bool) (remarks []diag.Remark) {
	for _, g := range given {
		if isTold(g.Name) {
			remark := diag.Notef("the job asks for no %s: it gets %s, the %s", g.Name, g.Value, g.From)
			if g.Name == "walltime" { // by which it ends
				remark = remark.OfAsked()
			}
			remarks = append(remarks, remark)
		}
	}
	return remarks
}

// queueGiven says to which queue a job goes that names none, or why that is not known.
func (s *Site) queueGiven(a Ask) []diag.Remark {
	usual := s.usualQueue()
	switch {
	case a.isOfDefault:
		return []diag.Remark{diag.Notef("no queue is named (--queue): the job goes to %s, the server's default_queue", a.Queue)}
	case a.Queue == "" && s.routes(usual):
		return []diag.Remark{diag.Notef("no queue is named (--queue): the server's default_queue, %s, only hands jobs on, and it is not looked at to which queue", usual)}
	}
	return nil
}

// Assumed says what is taken of a job as it is asked for that nobody has told: its walltime, and who
// its user is.
func (s *Site) Assumed(a Ask) (remarks []diag.Remark) {
	remarks = s.queueGiven(a)
	settled, given := s.settled(a)
	remarks = append(remarks, sayDefaults(given, func(string) bool { return true })...)
	if settled.of("walltime") == "" {
		remarks = append(remarks, diag.Warningf("the job asks for no walltime, and no resources_default or resources_max gives it one: the scheduler takes it to run for years, so that nothing planned lets it pass"))
	}
	if known := s.jobUsers(); a.is == nil && !known[a.User] {
		text := fmt.Sprintf("neither the list nor the logs have a job of %s: its run time is taken from those of others, and it is in no group or project", a.User)
		if s.Site.Policy().FairShare && s.Site.Entity() == "euser" {
			if _, isInTree := s.Site.SchedPriv.Tree.Lookup(a.User); isInTree {
				text += "; its shares and usage are those of the fairshare tree"
			} else {
				text += "; the fairshare tree does not have it either, so that it is one of the unknown"
			}
		}
		text += report.Meant(report.Nearest(a.User, slices.Collect(maps.Keys(known))))
		remarks = append(remarks, diag.Warningf("%s", text).OfAsked())
	}
	givesOfQueue := func(q pbs.Queue) bool { return len(q.Attributes.Of("resources_default")) > 0 }
	if a.is != nil && slices.ContainsFunc(s.Site.Queues, givesOfQueue) {
		remarks = append(remarks, diag.Notef("a job that is there keeps what it was given without asking for it (resources_default), also in another queue"))
	}
	if a.is != nil {
		remarks = append(remarks, diag.Notef("no recording shows what qalter and qmove check: a resource that is changed is checked by what the queue and the server take (resources_min, resources_max), and a job that moves by all that its new queue checks of a new job"))
	}
	return append(remarks, s.caveats(settled, s.isOfList)...) // of whose jobs it was said when they were read
}

// hooks says which hooks of the server see a job that is submitted, or one that is changed.
func (s *Site) hooks(a Ask) []diag.Remark {
	event, does := "queuejob", "submitted"
	if a.is != nil {
		event, does = "modifyjob", "changed"
	}
	names := s.Site.Sched.HooksAt(event)
	if names == nil {
		return nil
	}
	return []diag.Remark{diag.Warningf("not modelled: what the server's hooks do when a job is %s: they may change or reject it (%s: %s)", does, event, strings.Join(names, ", "))}
}

// Caveats says which access lists may keep a job out that is asked for, where nothing tells whether they do, and what of
// its resources and of the site is not modelled that concerns it.
func (s *Site) Caveats(a Ask) []diag.Remark {
	return s.caveats(a, func(pbs.Lack) bool { return false })
}

// caveats is Caveats but for what has been said.
func (s *Site) caveats(a Ask, isSaid func(pbs.Lack) bool) (remarks []diag.Remark) {
	switch {
	case a.script != "" && a.directives == nil:
		remarks = append(remarks, diag.Notef("%s is read, and has no directive before its first command", report.Printable(a.script)))
	case a.script != "":
		remarks = append(remarks, diag.Notef("of %s these directives are read: %s; what the line of qsub asks for counts before them", report.Printable(a.script), strings.Join(a.directives, " ")))
	}
	if a.always != "" {
		remarks = append(remarks, diag.Notef("default_qsub_arguments of the server is read: %s; what the job asks for itself counts before it", report.Printable(a.always)))
	}
	if a.unread != nil {
		remarks = append(remarks, diag.Warningf("of default_qsub_arguments of the server is not read: %s", strings.Join(a.unread, ", ")))
	}
	remarks = append(remarks, s.unheardOf(a)...)
	remarks = append(remarks, s.idleProject(a)...)
	remarks = append(remarks, s.hooks(a)...)
	if _, unknown := s.keptOut(a); len(unknown) > 0 {
		remarks = append(remarks, diag.Warningf("nothing tells whether it is let in: %s", strings.Join(unknown, " and ")))
	}
	names := a.names()
	for _, l := range append(s.Site.Lacks(), pbs.LacksOfRequests(names)...) {
		isAsked := l.Asks == nil || slices.ContainsFunc(names, func(name string) bool { return slices.Contains(l.Asks, name) })
		if isAsked && l.Concerns(a.Queue) && !isSaid(l) {
			remarks = append(remarks, l.Remark(1, nil))
		}
	}
	return remarks
}

// idleProject says of a project that is asked for that nothing depends on it, where no limit is one of projects: of all that PBS's
// scheduler looks at, these alone are.
func (s *Site) idleProject(a Ask) []diag.Remark {
	hard, err := s.Site.Limits(false)
	soft, wrong := s.Site.Limits(true)
	isOfProjects := func(l pbs.Limit) bool { return l.Kind == 'p' }
	if a.project == "" || s.Site.Queues == nil || !s.Site.Sched.OfServer || err != nil || wrong != nil || slices.ContainsFunc(slices.Concat(hard, soft, s.Site.QueuedLimits()), isOfProjects) {
		return nil
	}
	return []diag.Remark{diag.Notef("neither the server nor a queue has a limit of projects (p:), and nothing else that decides when a job starts depends on its project").OfAsked()}
}

// isOfList reports whether what is not modelled concerns a job of the list.
func (s *Site) isOfList(l pbs.Lack) bool {
	names := s.Past.Names.List
	return slices.ContainsFunc(s.Now, func(n trace.ListedJob) bool {
		asks := func(name string) bool { return slices.Contains(l.Asks, name) }
		return l.Concerns(names[n.Queue]) && (l.Asks == nil || someIsAsked(names[n.Request], asks))
	})
}

// someIsAsked reports whether what a job of the list asks for, as a whole or by chunks, has some resource.
func someIsAsked(request string, is func(name string) bool) bool {
	for name, value := range listed(request) {
		isSelect := name == trace.PlacedSelect || name == "select"
		if is(name) || isSelect && slices.ContainsFunc(slices.Collect(ofChunks(value)), is) {
			return true
		}
	}
	return false
}
