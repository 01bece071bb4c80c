package pbs

import (
	"strings"
	"testing"

	"fairshare/formula"
)

// A setting that names what there is not, or has a value that PBS does not take, is
// refused; where the site's own resources are not known their names are taken as they are.
func TestRefusedSettings(t *testing.T) {
	site := &Site{Queues: []Queue{{Name: "highq"}}, Resources: map[string]formula.Type{"ngpus": formula.Long, "rack": formula.String}}
	for _, test := range []struct{ setting, want string }{
		{"sched.fairshare_usage_res=cpput", "there is no resource cpput; did you mean cput?"},
		{"sched.fairshare_usage_res=ncpus*walltime", ""},
		{"strict_ordering=true", ""},
		{"job_sort_formula=ncpus", ""},
		{"backfill_depth=3", "there is no such setting; did you mean server.backfill_depth or queue.NAME.backfill_depth?"},
		{"half_life=48:00:00", "there is no such setting; did you mean sched.fairshare_decay_time?"},
		{"sched.halflife=48:00:00", "there is no setting sched.halflife; did you mean sched.fairshare_decay_time?"},
		{"sched.job_sort_key=ncpuss HIGH", "there is no resource ncpuss; did you mean ncpus?"},
		{`sched.job_sort_key="ncpus HIGH"`, ""},
		{"sched.job_sort_key=sort_priority LOW", ""},
		{"sched.node_sort_key=foo", `expected "RESOURCE HIGH" or "RESOURCE LOW" in quotes, perhaps with total, assigned or unused, found "foo"`},
		{"sched.node_sort_key=foo HIGH", "there is no resource foo"},
		{"sched.node_sort_key=ncpus HIGH unused", ""},
		{"server.max_run_res.ngpuss=[u:bob=3]", "there is no resource ngpuss; did you mean ngpus?"},
		{"queue.highq.max_run_res.ngpus=[u:bob=3]", ""},
		{"server.resources_available.ncpuss=10", "did you mean ncpus?"},
		{"server.resources_available.mem=foo", `"foo" is no size, such as 512mb or 4gb`},
		{"server.resources_available.mem=10gb", ""},
		{"server.resources_available.rack=foo", ""},
		{"nodes.added=4x64:mme=256gb", "there is no resource mme"},
		{"nodes.added=4x64:mem=256gb", ""},
		{"sched.preempt_prio=express_queue 80, normal_jobs", "percentages are for preempt_order"},
		{"sched.preempt_prio=express_queue,,normal_jobs", "has an empty preemption level"},
		{"sched.preempt_prio=foo", "there is no preemption level foo"},
		{"sched.preempt_prio=express_queue+fairshare, normal_jobs", ""},
		{"queue.highq.priority=99999999999", "is not a priority, from -1024 to 1023"},
		{"queue.highq.priority=1023", ""},
	} {
		_, err := site.WithReplayed([]string{test.setting})
		switch {
		case test.want == "" && err != nil:
			t.Errorf("%s: %v", test.setting, err)
		case test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)):
			t.Errorf("%s: %v, want %q", test.setting, err, test.want)
		}
	}
	for value, want := range map[string]string{"maybe": "is neither true nor false", "true": ErrNoOrder.Error()} { // the value first
		if _, err := site.With([]string{"sched.strict_ordering=" + value}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("sched.strict_ordering=%s of an order: %v, want %q", value, err, want)
		}
	}
	if _, err := (&Site{}).WithReplayed([]string{"server.resources_available.licences=10"}); err != nil {
		t.Errorf("a resource of a site whose resources are not known: %v", err)
	}
}
