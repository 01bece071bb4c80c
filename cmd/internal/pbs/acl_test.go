package pbs

import "testing"

// The first entry with a name decides whether an access list lets it in; who has none is kept out but for +.
func TestAdmits(t *testing.T) {
	for _, test := range []struct {
		list, name      string
		letsIn, isKnown bool
	}{
		{"", "bob", false, true}, {"bob", "bob", true, true}, {"ann, bob", "bob", true, true}, {"ann", "bob", false, true}, {"-bob,+", "bob", false, true},
		{"+,-bob", "bob", false, true}, {"-bob,+", "ann", true, true}, {"+", "ann", true, true}, {"-", "ann", false, true}, {"+bob", "bob", true, true},
		{"+bob@*", "bob", true, true}, {"bob@login1", "bob", false, false}, {"bob@login1", "ann", false, true}, {"ann", "", false, false}, {"bobby", "bob", false, true},
		{"+", "", true, true}, {"-", "", false, true}, {"+,login1", "", true, false}, {"", "", false, false},
	} {
		if letsIn, isKnown := admits(test.list, test.name); letsIn != test.letsIn || isKnown != test.isKnown {
			t.Errorf("%q of %q: %t, known %t", test.list, test.name, letsIn, isKnown)
		}
	}
}

// A job may be moved to a queue that is known to take it, whatever it asks for.
func TestMayMove(t *testing.T) {
	bound := Attributes{"resources_max.ncpus": "8"}
	for name, test := range map[string]struct {
		from, to Queue
		server   Attributes
		may      bool
	}{
		"any":                          {may: true},
		"not enabled":                  {to: Queue{Attributes: Attributes{"enabled": "False"}}},
		"not started":                  {to: Queue{Stopped: true}},
		"routing":                      {to: Queue{Routes: true}},
		"from routing queues":          {to: Queue{Attributes: Attributes{"from_route_only": "True"}}},
		"of another scheduler":         {to: Queue{Partition: "gpu"}},
		"of other users":               {to: Queue{Attributes: Attributes{"acl_user_enable": "True", "acl_users": "ann"}}},
		"of this user":                 {to: Queue{Attributes: Attributes{"acl_user_enable": "True", "acl_users": "bob"}}, may: true},
		"of other groups":              {to: Queue{Attributes: Attributes{"acl_group_enable": "True", "acl_groups": "g2"}}},
		"that may be full":             {to: Queue{Attributes: Attributes{"max_queuable": "5"}}},
		"of this group":                {to: Queue{Attributes: Attributes{"acl_group_enable": "True", "acl_groups": "g1"}}, may: true},
		"of some hosts":                {to: Queue{Attributes: Attributes{"acl_host_enable": "True", "acl_hosts": "login1"}}},
		"with bounds":                  {to: Queue{Attributes: bound}},
		"with a limit of what waits":   {to: Queue{Attributes: Attributes{"max_queued": "[u:PBS_GENERIC=1]"}}},
		"under the server's bounds":    {server: bound, may: true},
		"from bounds to the server's":  {server: bound, from: Queue{Attributes: bound}},
		"from bounds to where none is": {from: Queue{Attributes: bound}, may: true},
	} {
		test.from.Name, test.to.Name = "from", "to"
		site := Site{Queues: []Queue{test.from, test.to}, Sched: Sched{Server: test.server}}
		if got := site.MayMove(test.from, test.to, "bob", "g1"); got != test.may {
			t.Errorf("%s: %t", name, got)
		}
	}
}

// With acl_group_sloppy a queue lets jobs in by any group of their user, of which one is known: it may let them in.
func TestKeepsOutSloppily(t *testing.T) {
	of := Attributes{"acl_group_enable": "True", "acl_groups": "g2"}
	if why, unknown := of.KeepsOut("queue q", "bob", "g1"); why == "" || unknown != nil {
		t.Errorf("without acl_group_sloppy: %q %q", why, unknown)
	}
	of["acl_group_sloppy"] = "True"
	if why, unknown := of.KeepsOut("queue q", "bob", "g1"); why != "" || len(unknown) != 1 || unknown[0] != "acl_groups of queue q" {
		t.Errorf("with it: %q %q", why, unknown)
	}
	if why, unknown := of.KeepsOut("queue q", "bob", "g2"); why != "" || unknown != nil {
		t.Errorf("of a group that is let in: %q %q", why, unknown)
	}
}
