package forecast

import "cmp"

// keptOut says which access list of its queue or of the server does not let a job in, "" for none that is known not to. The
// unknown are those that may.
func (s *Site) keptOut(a Ask) (why string, unknown []string) {
	if a.is != nil && s.Past.Names.List[a.is.Queue] == a.Queue {
		return "", nil // it is there already
	}
	user, group := a.User, ""
	if like := s.lastOf(a.User); like != nil {
		group = s.Past.Names.List[like.Group]
	}
	if a.User == nobody {
		user = ""
	}
	why, unknown = s.Site.Queue(a.Queue).Attributes.KeepsOut("queue "+a.Queue, user, group)
	ofServer, more := s.Site.Sched.Server.KeepsOut("the server", user, group)
	if why = cmp.Or(why, ofServer); why != "" {
		return why, nil
	}
	return "", append(unknown, more...)
}
