package forecast

import (
	"fmt"
	"slices"
	"testing"

	"fairshare/cmd/internal/pbs"
	"fairshare/cmd/internal/trace"
)

// A job that is there is never refused as it is, whatever its queue takes now. What is changed of it is checked, and all where it moves to
// another queue, but for what the server has let in.
func TestRefusesWhatIsChanged(t *testing.T) {
	s := *pastMoment(t, "P1x", "1772462700")
	site := *s.Site
	s.Site = &site
	const id = "142.pbsref"
	is, _ := s.askOf(id)
	closed := pbs.Attributes{
		"enabled": "False", "from_route_only": "True", "acl_user_enable": "True", "max_queued": "[u:PBS_GENERIC=1]", "resources_max.ncpus": "1", "resources_min.walltime": "900:00:00",
	}
	for _, test := range []struct {
		name         string
		other        pbs.Attributes
		server       pbs.Attributes
		change, want string
	}{
		{name: "as it is"},
		{name: "the same", change: "walltime=" + is.of("walltime")},
		{name: "the same queue", change: "queue=" + is.Queue},
		{name: "less", change: "walltime=60", want: "queue workq takes jobs of walltime from 900:00:00 on"},
		{name: "enough", change: "walltime=901:00:00"},
		{name: "more", change: "ncpus=8", want: "queue workq takes jobs of ncpus up to 1"},
		{name: "few", change: "ncpus=1"},
		{"moves", pbs.Attributes{}, nil, "queue=other", ""},
		{"moves by the server", pbs.Attributes{}, pbs.Attributes{"acl_user_enable": "True", "max_queued": "[u:PBS_GENERIC=1]"}, "queue=other", ""},
		{"closed", pbs.Attributes{"enabled": "False"}, nil, "queue=other", "queue other takes no jobs (enabled is false)"},
		{"users", pbs.Attributes{"acl_user_enable": "True"}, nil, "queue=other", "queue other takes no jobs of user mona (acl_users)"},
		{"large", pbs.Attributes{"resources_max.ncpus": "1"}, nil, "queue=other", "queue other takes jobs of ncpus up to 1"},
		{"crowded", pbs.Attributes{"max_queued": "[u:PBS_GENERIC=0]"}, nil, "queue=other", "max_queued of queue other lets in 0 for user mona, which are there"},
	} {
		site.Queues, site.Sched.Server = []pbs.Queue{{Name: is.Queue, Attributes: closed}, {Name: "other", Attributes: test.other}}, test.server
		of := s.Offer(id)
		if test.change != "" {
			var err error
			if of, err = of.With(test.change); err != nil {
				t.Fatal(err)
			}
		}
		if err := of.Check(); err != nil || of.Refused() != test.want {
			t.Errorf("%s: %v, %q", test.name, err, of.Refused())
		}
	}
	for _, priority := range []int32{is.is.Priority, 7} {
		a, err := is.With(fmt.Sprintf("priority=%d", priority))
		if err != nil {
			t.Fatal(err)
		}
		at := slices.IndexFunc(s.Now, func(n trace.ListedJob) bool { return n.ID == id })
		if n := s.with(a).Now[at]; s.isAsItIs(a) != (priority == is.is.Priority) || n.Priority != priority || n.Queued != is.is.Queued {
			t.Errorf("with priority %d: %+v", priority, n)
		}
	}
	site.Queues = []pbs.Queue{{Name: "other"}}
	if err := s.Offer(id).Check(); err != nil {
		t.Errorf("in a queue that the list of queues lacks: %v", err)
	}
}
