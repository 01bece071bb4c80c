package pbs

import (
	"slices"
	"testing"

	"fairshare/cmd/internal/diag"
	"fairshare/formula"
	"fairshare/fstree"
)

func TestIdleChanges(t *testing.T) {
	for _, test := range []struct {
		config, server string // node_group_enable
		setting, want  string
	}{
		{"", "", "server.backfill_depth=3", "server.backfill_depth changes nothing while sched.strict_ordering is false"},
		{"strict_ordering: true prime\n", "", "server.backfill_depth=3", ""},
		{"preemptive_sched: false all\n", "", "server.max_run_soft=[u:a=1]", "server.max_run_soft changes nothing while sched.preemptive_sched is false"},
		{"preemptive_sched: true all\n", "", "server.max_run_soft=[u:a=1]", "server.max_run_soft changes nothing while sched.preempt_prio has no server_softlimits"},
		{"preemptive_sched: true all\n", "", "queue.q.max_run_res_soft.ncpus=[u:a=1]", ""},
		{"preemptive_sched: true all\n", "", "server.max_run=[u:a=1]", ""},
		{"preemptive_sched: false all\n", "", "sched.preempt_order=R", "sched.preempt_order changes nothing while sched.preemptive_sched is false"},
		{"preemptive_sched: true all\n", "", "sched.preempt_order=R", ""},
		{"preemptive_sched: true all\n", "", "sched.max_starve=3600", "sched.max_starve changes nothing while sched.help_starving_jobs is false"},
		{"preemptive_sched: true all\n", "", "sched.help_starving_jobs=true", "sched.help_starving_jobs changes nothing while sched.preempt_prio has no starving_jobs"},
		{"", "", "server.node_group_key=rack", "server.node_group_key changes nothing while server.node_group_enable is false"},
		{"", "True", "server.node_group_key=rack", ""},
		{"", "", "server.node_group_enable=true", "server.node_group_enable changes nothing while there is no node_group_key"},
		{"", "", "sched.do_not_span_psets=true", "sched.do_not_span_psets changes nothing while server.node_group_enable is false"},
		{"", "", "sched.prime_spill=3600", "sched.prime_spill changes nothing while sched.backfill_prime is false"},
		{"backfill_prime: true non_prime\n", "", "sched.prime_spill=3600", ""},
		{"resources: \"ncpus, mem\"\n", "", "server.resources_available.lic=1", "server.resources_available.lic changes nothing while resources of sched_config does not name lic"},
		{"resources: \"ncpus, mem, lic\"\n", "", "queue.q.resources_available.lic=1", ""},
		{"", "", "nodes.removed=n1", ""},
		{"", "", "queue.q.priority=5", ""},
	} {
		config, _ := fstree.ParseConfig(test.config)
		site := &Site{Queues: []Queue{{Name: "q"}}, SchedPriv: &SchedPriv{Tree: fstree.New(0, 0), Config: config}, Sched: defaultSched()}
		site.Sched.PreemptPrio = []string{"express_queue", "normal_jobs", "queue_softlimits+fairshare"}
		if test.server != "" {
			site.Sched.Server = Attributes{"node_group_enable": test.server}
		}
		changed, err := site.WithReplayed([]string{test.setting})
		if err != nil {
			t.Fatal(err)
		}
		var want []string
		if test.want != "" {
			want = []string{test.want}
		}
		if got := changed.IdleChanges(); !slices.Equal(got, want) {
			t.Errorf("%s with %q: %q, want %q", test.setting, test.config, got, test.want)
		}
	}
}

// A setting of sched_config that names no resource is said, where it acts and the site's resources are known.
func TestUnknownResources(t *testing.T) {
	for _, test := range []struct {
		config, formula string
		want            []string
	}{
		{"job_sort_key: \"ncpus HIGH\" all\njob_sort_key: \"sort_priority LOW\" all\nnode_sort_key: \"sort_priority HIGH\" all\nnode_sort_key: \"lic LOW unused\" all\nresource_unset_infinite: \"lic\"\n", "", nil},
		{"job_sort_key: \"x HIGH\" prime\njob_sort_key: \"x HIGH\" non_prime\njob_sort_key: \"y LOW\" non_prime\n", "", []string{"1: job_sort_key names x", "2: job_sort_key names x", "3: job_sort_key names y"}},
		{"job_sort_key: \"x HIGH\" prime\n", "ncpus", []string{"1: job_sort_key names x"}}, // which decides where values tie
		{"server_dyn_res: \"lic !/opt/lic\"\nserver_dyn_res: \"x !/opt/x\"\n", "", []string{"2: server_dyn_res names x"}},
		{"resources: \"ncpus, mem, arch, host, vnode, aoe, eoe, lic, x, netwins\"\n", "", []string{"1: resources names x"}},
		{"node_sort_key: \"x HIGH assigned\" non_prime\n", "ncpus", []string{"1: node_sort_key names x"}},
		{"fair_share: true all\nfairshare_usage_res: ncpus*x\n", "", []string{"2: fairshare_usage_res names x"}},
		{"fair_share: false all\nfairshare_usage_res: ncpus*x\n", "", nil},
		{"resource_unset_infinite: \"x, lic\"\n", "", []string{"1: resource_unset_infinite names x"}},
	} {
		config, _ := fstree.ParseConfig(test.config)
		lines := slices.Collect(fstree.ConfigLines(test.config))
		site := &Site{SchedPriv: &SchedPriv{Config: config, configLines: lines}, Resources: map[string]formula.Type{"lic": formula.Long}}
		site.Sched.Formula = test.formula
		var want []string
		for _, names := range test.want {
			want = append(want, "sched_config: line "+names+", a resource that neither PBS nor the site has: nothing comes of it")
		}
		holdUnknown(t, site, site.unknownResources, want)
	}
}

// A node_group_key that names no resource is said where it counts and the site's resources are known, and refused where it is set.
func TestUnknownGroupKeys(t *testing.T) {
	for _, test := range []struct {
		enable, server, queue string
		want                  []string
	}{
		{"True", "host,lic", "vnode", nil},
		{"True", `"rack, host"`, "", []string{"the server names rack"}},
		{"True", "host", "lic,rack", []string{"queue q names rack"}},
		{"False", "rack", "rack", nil},
	} {
		site := &Site{Resources: map[string]formula.Type{"lic": formula.Long}, Queues: []Queue{{Name: "q", Attributes: Attributes{"node_group_key": test.queue}}}}
		site.Sched.Server = Attributes{"node_group_enable": test.enable, "node_group_key": test.server}
		var want []string
		for _, of := range test.want {
			want = append(want, "node_group_key of "+of+", a resource that neither PBS nor the site has: it makes no placement sets")
		}
		holdUnknown(t, site, site.unknownGroupKeys, want)
	}
}

// holdUnknown holds what is said of a site to some texts, and that nothing is said where nobody knows its resources.
func holdUnknown(t *testing.T, site *Site, find func() []diag.Remark, want []string) {
	t.Helper()
	var got []string
	for _, r := range find() {
		got = append(got, r.Text)
	}
	if !slices.Equal(got, want) {
		t.Errorf("%q and %v: %q, want %q", site.Sched.Formula, site.Sched.Server, got, want)
	}
	if site.Resources = nil; find() != nil {
		t.Errorf("%q and %v: it is said where nobody knows the resources of the site", site.Sched.Formula, site.Sched.Server)
	}
}
