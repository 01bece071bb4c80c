package forecast

import (
	"testing"

	"fairshare/cmd/internal/pbs"
)

// A job that is new is of the project that qsub gives it, whatever its user's last job was of, and one that is there of its own.
func TestProjectOf(t *testing.T) {
	s := pastMoment(t, "P1x", "1772462700")
	list := s.Past.Names.List
	like := s.lastOf("bob")
	list[like.Project] = "astro"
	waits, ok := s.askOf("142.pbsref")
	if !ok {
		t.Fatal("it does not wait")
	}
	for _, test := range []struct {
		ask  Ask
		want string
	}{
		{Ask{User: "bob"}, pbs.DefaultProject},
		{Ask{User: "bob", project: "chem"}, "chem"},
		{Ask{User: "zoe"}, ""},
		{waits, list[waits.is.Project]},
	} {
		if _, got := s.groupOf(test.ask); got != test.want {
			t.Errorf("%+v: project %q, not %q", test.ask, got, test.want)
		}
	}
}

// Access lists count where they are enabled, for a job that comes to the queue, and it is said which may keep it out.
func TestKeptOut(t *testing.T) {
	s := *pastMoment(t, "P1x", "1772462700")
	site := *s.Site
	s.Site = &site
	bob := Ask{User: "bob", Queue: "workq", Resources: []Resource{{"ncpus", "1"}}}
	group := s.Past.Names.List[s.lastOf("bob").Group]
	for _, test := range []struct {
		name          string
		queue, server pbs.Attributes
		ask           Ask
		why, unknown  string
	}{
		{name: "none", ask: bob},
		{"not enabled", pbs.Attributes{"acl_users": "ann"}, nil, bob, "", ""},
		{"of a queue", pbs.Attributes{"acl_user_enable": "True", "acl_users": "ann"}, nil, bob, "queue workq takes no jobs of user bob (acl_users)", ""},
		{"of the server", nil, pbs.Attributes{"acl_user_enable": "True", "acl_users": "-bob,+"}, bob, "the server takes no jobs of user bob (acl_users)", ""},
		{"lets in", pbs.Attributes{"acl_user_enable": "True", "acl_users": "bob"}, pbs.Attributes{"acl_user_enable": "True", "acl_users": "+"}, bob, "", ""},
		{"group", pbs.Attributes{"acl_group_enable": "True", "acl_groups": "other"}, nil, bob, "queue workq takes no jobs of group " + group + " (acl_groups)", ""},
		{"own group", pbs.Attributes{"acl_group_enable": "True", "acl_groups": group}, nil, bob, "", ""},
		{"group of somebody new", pbs.Attributes{"acl_group_enable": "True", "acl_groups": group}, nil, Ask{User: "zoe", Queue: "workq"}, "", "nothing tells whether it is let in: acl_groups of queue workq"},
		{"hosts", nil, pbs.Attributes{"acl_host_enable": "True", "acl_hosts": "login1"}, bob, "", "nothing tells whether it is let in: acl_hosts of the server"},
		{"all hosts", nil, pbs.Attributes{"acl_host_enable": "True", "acl_hosts": "+"}, bob, "", ""},
		{"no host", nil, pbs.Attributes{"acl_host_enable": "True", "acl_hosts": "-"}, bob, "the server takes no jobs of any host (acl_hosts)", ""},
		{"user is not known", pbs.Attributes{"acl_user_enable": "True", "acl_users": "ann"}, nil, Ask{User: nobody, Queue: "workq"}, "", "nothing tells whether it is let in: acl_users of queue workq"},
	} {
		site.Queues, site.Sched.Server = []pbs.Queue{{Name: "workq", Attributes: test.queue}}, test.server
		unknown := ""
		for _, remark := range s.Caveats(test.ask) {
			unknown = remark.Text
		}
		if why := s.refuses(test.ask); why != test.why || unknown != test.unknown {
			t.Errorf("%s: %q, %q", test.name, why, unknown)
		}
	}
	for text, n := range map[string]int{"select=1:ncpus=1:aoe=rhel+1:eoe=x": 1, "select=1:ncpus=1": 0, "aoe=rhel": 1} {
		list, err := parseResources(text)
		if got := s.Caveats(Ask{User: "bob", Queue: "none", Resources: list}); err != nil || len(got) != n {
			t.Errorf("%s: %v, %v", text, got, err)
		}
	}
	waits, _ := s.askOf("142.pbsref")
	site.Queues = []pbs.Queue{{Name: waits.Queue, Attributes: pbs.Attributes{"acl_user_enable": "True"}}, {Name: "other", Attributes: pbs.Attributes{"acl_user_enable": "True"}}}
	if why := s.refuses(waits); why != "" {
		t.Errorf("a job that is there: %s", why)
	}
	if waits.Queue = "other"; s.refuses(waits) == "" {
		t.Error("it is let into another queue")
	}
}
