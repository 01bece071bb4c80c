package trace

import "fairshare/cmd/internal/diag"

// userSet is who has jobs of a trace, as far as it matters whether that is one user.
type userSet struct {
	first  int32 // by the number of the name
	isMany bool  // or one whose name is not told
}

func (s *userSet) add(user int32) {
	s.isMany = s.isMany || user == 0 || s.first != 0 && s.first != user
	s.first = user
}

// OnlyUser returns the user that all jobs are of, where the trace may be of one's own jobs alone; "" where it has those of several, or is
// of accounting logs.
func (t *Trace) OnlyUser() string {
	if t.PrintsAll == "" || t.users.isMany {
		return ""
	}
	return t.Names.List[t.users.first]
}

// OfOneUser says that all jobs are of OnlyUser, "" where there is none.
func (t *Trace) OfOneUser() string {
	user := t.OnlyUser()
	if user == "" {
		return ""
	}
	return OfOneUser("the logs", user, t.PrintsAll)
}

// OfOneUser says that all jobs of a record are of a user, and what prints those of all.
func OfOneUser(what, user, prints string) string {
	return diag.AllOf(what, user, "others have any", prints)
}
