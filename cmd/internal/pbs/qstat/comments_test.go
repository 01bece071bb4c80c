package qstat

import "testing"

// Comments say in words what they mean, and those that differ are told apart.
func TestComments(t *testing.T) {
	for text, want := range map[string]struct {
		kind  CommentKind
		words string
	}{
		"Can Never Run: Insufficient amount of resource: ngpus (R: 8 A: 0 T: 0)":           {OfNever, "never, as it and the site are: it or one of its chunks asks for 8 of ngpus (R), and there is 0 in all (T) where it may run, of which 0 is free (A)"},
		"Can Never Run: Insufficient amount of resource: vnode":                            {OfNever, "never, as it and the site are: no vnode has as much of vnode as it asks for, or the vnode that it names"},
		"Can Never Run: Not enough total nodes available":                                  {OfNever, "never, as it and the site are: all vnodes together do not have what it asks for"},
		"Can Never Run: something new":                                                     {OfNever, "never, as it and the site are"},
		"Not Running: Insufficient amount of resource: mem (R: 60gb A: 2097152kb T: 64gb)": {OfRoom, "too little of mem is free: it or one of its chunks asks for 60gb (R), and 2097152kb (A) of 64gb in all (T) is free where it may run"},
		"Not Running: Insufficient amount of resource: Qlist ":                             {OfRoom, "no vnode that is free has as much of Qlist as it asks for, or the Qlist that it names"},
		"Not Running: Job would conflict with reservation or top job":                      {OfPlan, "jobs or reservations that go before it would start later if it ran now"},
		"Not Running: would exceed group east's limit on resource ncpus in queue qb":       {OfLimit, "with it group east would be over a limit: it waits until one of those jobs ends"},
		"Not Running: User has reached server running job limit.":                          {OfLimit, "its user may not have more jobs running at a time: it waits until one of those ends"},
		"Not Running: Queue top per-user limit reached on resource ncpus":                  {OfLimit, "its user may not have more ncpus at a time: it waits until a job of that user ends"},
		"Not Running: Server job limit reached for group south":                            {OfLimit, "no more jobs may run at a time on the server, in its queue, or of its group or project: it waits until one of those ends"},
		"Not Running: Queue not started.":                                                  {OfHold, "its queue starts no jobs until an administrator starts it (qmgr: set queue NAME started = True)"},
		"Not Running: Job is in hold":                                                      {OfHold, "somebody, PBS or its dependency holds it: it starts after qrls, or when the dependency is met"},
		"Not Running: Dedicated time conflict":                                             {OfTime, "it would run into a time that is dedicated to other jobs, or waits for one"},
		"Job run at Mon Mar 02 at 10:00 on (n1:ncpus=4)":                                   {OfState, ""},
		"a user's own words": {NoComment, ""},
		"":                   {NoComment, ""},
	} {
		kind, _ := MeaningOf(text)
		if words := InWords(text); kind != want.kind || words != want.words {
			t.Errorf("%q is of kind %d: %q", text, kind, words)
		}
	}
}
