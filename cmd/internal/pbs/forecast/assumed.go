package forecast

import (
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/pbs"
	"fairshare/cmd/internal/report"
	"fairshare/cmd/internal/trace"
	"fairshare/formula"
)

// withWalltime returns what is asked for with the select that PBS makes of it, and with the walltime that it gives a job which
// asks for none, and says from where that is; "" for a job that has one or gets none.
func (s *Site) withWalltime(a Ask) (of Ask, from string) {
	a = s.chunked(a)
	if a.of("walltime") != "" || a.is != nil {
		return a, ""
	}
	given := func(value, source string) bool {
		if seconds, ok := formula.ParseDuration(value); from != "" || !ok || !(seconds > 0) {
			return false
		}
		a.Resources = append(slices.Clone(a.Resources), Resource{"walltime", value})
		from = source
		return true
	}
	const name = "resources_default"
	for _, q := range s.Site.Queues {
		if q.Name == a.Queue {
			given(q.Attributes.Of(name)["walltime"], name+" of queue "+q.Name)
		}
	}
	given(s.Site.Sched.Server.Of(name)["walltime"], name+" of the server")
	for _, q := range s.Site.Queues {
		if q.Name == a.Queue {
			given(q.Attributes.Of("resources_max")["walltime"], "resources_max of queue "+q.Name)
		}
	}
	given(s.Site.Sched.Server.Of("resources_max")["walltime"], "resources_max of the server")
	return a, from
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
	if of, from := s.withWalltime(a); from != "" {
		remarks = append(remarks, diag.Notef("the job asks for no walltime: it gets %s, the %s", of.of("walltime"), from))
	} else if a.of("walltime") == "" {
		remarks = append(remarks, diag.Warningf("the job asks for no walltime, and no resources_default or resources_max gives it one: the scheduler takes it to run for years, so that nothing planned lets it pass"))
	}
	if known := s.Users(); a.is == nil && !known[a.User] {
		text := fmt.Sprintf("neither the list nor the logs have a job of %s: its run time is taken from those of others, and it is in no group or project", a.User)
		if s.Site.Policy().FairShare && s.Site.Entity() == "euser" {
			if _, isInTree := s.Site.SchedPriv.Tree.Lookup(a.User); isInTree {
				text += "; its shares and usage are those of the fairshare tree"
			} else {
				text += "; the fairshare tree does not have it either, so that it is one of the unknown"
			}
		}
		if near := report.Nearest(a.User, slices.Collect(maps.Keys(known))); near != "" {
			text += "; did you mean " + near + "?"
		}
		remarks = append(remarks, diag.Warningf("%s", text))
	}
	return append(remarks, s.caveats(a, s.isOfList)...) // of whose jobs it was said when they were read
}

// Caveats says which access lists may keep a job out that is asked for, where nothing tells whether they do, and what of
// its resources and of the site is not modelled that concerns it.
func (s *Site) Caveats(a Ask) []diag.Remark {
	return s.caveats(a, func(pbs.Lack) bool { return false })
}

// caveats is Caveats but for what has been said.
func (s *Site) caveats(a Ask, isSaid func(pbs.Lack) bool) (remarks []diag.Remark) {
	if _, unknown := s.keptOut(a); len(unknown) > 0 {
		remarks = append(remarks, diag.Warningf("nothing tells whether it is let in: %s", strings.Join(unknown, " and ")))
	}
	names := a.names()
	for _, l := range append(s.Site.Lacks(), pbs.LacksOfRequests(names)...) {
		if concerns(l, a.Queue, slices.Values(names)) && !isSaid(l) {
			remarks = append(remarks, l.Remark(1, nil))
		}
	}
	return remarks
}

// isOfList reports whether what is not modelled concerns a job of the list.
func (s *Site) isOfList(l pbs.Lack) bool {
	names := s.Past.Names.List
	return slices.ContainsFunc(s.Now, func(n trace.ListedJob) bool {
		asked := func(yield func(name string) bool) {
			for name, value := range listed(names[n.Request]) {
				if !yield(name) || (name == trace.PlacedSelect || name == "select") && !eachOfChunks(value, yield) {
					return
				}
			}
		}
		return concerns(l, names[n.Queue], asked)
	})
}

// concerns reports whether what is not modelled is about a job of a queue that asks for some resources.
func concerns(l pbs.Lack, queue string, asked iter.Seq[string]) bool {
	if l.Asks == nil || !l.Concerns(queue) {
		return l.Concerns(queue)
	}
	for name := range asked {
		if slices.Contains(l.Asks, name) {
			return true
		}
	}
	return false
}
