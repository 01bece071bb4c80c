package forecast

import (
	"cmp"

	"fairshare/cmd/internal/pbs"
)

// keptOut says which access list of its queue or of the server does not let a job in, "" for none that is known not to. The
// unknown are those that may.
func (s *Site) keptOut(a Ask) (why string, unknown []string) {
	if a.is != nil && s.Past.Names.List[a.is.Queue] == a.Queue {
		return "", nil // it is there already
	}
	user := a.User
	if a.User == nobody {
		user = ""
	}
	group, _ := s.groupOf(a)
	why, unknown = s.Site.Queue(a.Queue).Attributes.KeepsOut("queue "+a.Queue, user, group)
	if a.is != nil { // the server has let it in
		return why, unknown
	}
	ofServer, more := s.Site.Sched.Server.KeepsOut("the server", user, group)
	if why = cmp.Or(why, ofServer); why != "" {
		return why, nil
	}
	return "", append(unknown, more...)
}

// groupOf returns the group and the project of a job: of a new one the group of the last job of its user, and where jobs have projects the
// one that qsub gives a job without -P.
func (s *Site) groupOf(a Ask) (group, project string) {
	like := s.lastOf(a.User)
	if a.is != nil {
		like = a.is.Job
	}
	if like == nil {
		return "", a.project
	}
	project = s.Past.Names.List[like.Project]
	if a.is == nil && project != "" {
		project = pbs.DefaultProject
	}
	return s.Past.Names.List[like.Group], cmp.Or(a.project, project)
}
