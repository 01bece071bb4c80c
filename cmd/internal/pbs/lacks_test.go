package pbs

import (
	"slices"
	"testing"

	"fairshare/formula"
	"fairshare/fstree"
)

// What is not modelled of one of two sites alone, which differ by what is set, is said to be of that one.
func TestLacksBeside(t *testing.T) {
	config, _ := fstree.ParseConfig("server_dyn_res: \"lic !/opt/lic\"\nserver_dyn_res: \"mat !/opt/mat\"\n")
	site := &Site{SchedPriv: &SchedPriv{Config: config, Tree: fstree.New(0, 0)}, Resources: map[string]formula.Type{"lic": formula.Long, "mat": formula.Long}}
	site.Sched.Server = Attributes{"has_runjob_hook": "True"}
	const hooks, taken = "not modelled: hooks, which may let no job start (1 job)", " (server_dyn_res), of which enough is taken to be there always (1 job)"
	for _, test := range []struct {
		settings []string
		want     []string
	}{
		{nil, []string{hooks, "not modelled: jobs that ask for lic, mat" + taken}},
		{[]string{"server.backfill_depth=3"}, []string{hooks, "not modelled: jobs that ask for lic, mat" + taken}},
		{[]string{"server_dyn_res.lic=2"}, []string{hooks, "not modelled without what is set: jobs that ask for lic, mat" + taken, "not modelled with what is set: jobs that ask for mat" + taken}},
		{[]string{"server_dyn_res.lic=2", "server_dyn_res.mat=2"}, []string{hooks, "not modelled without what is set: jobs that ask for lic, mat" + taken}},
	} {
		changed, err := site.WithReplayed(test.settings)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, l := range site.LacksBeside(changed) {
			got = append(got, l.Remark(1, nil).Text)
		}
		if !slices.Equal(got, test.want) {
			t.Errorf("%q: %q, want %q", test.settings, got, test.want)
		}
	}
}
