package pbs

import (
	"slices"
	"testing"

	"fairshare/cmd/internal/file"

	"github.com/google/go-cmp/cmp"
)

// What refuses jobs that nobody means to refuse is said, once, and what lets them in is not.
func TestCheckSubmissions(t *testing.T) {
	for _, x := range []struct {
		server, queues string
		want           []string
	}{
		{"acl_user_enable = True", "", []string{"acl_user_enable of the server is true, and acl_users is empty: it takes no jobs of any user"}},
		{"acl_user_enable = False", "acl_group_enable = True\n    acl_groups = bio\n    acl_host_enable = true", []string{"acl_host_enable of queue q is true, and acl_hosts is empty: it takes no jobs of any host"}},
		{"resources_default.walltime = 48:00:00\n    resources_max.walltime = 24:00:00", "resources_max.walltime = 72:00:00", nil},
		{"resources_default.walltime = 24:00:00\n    resources_max.walltime = 24:00:00", "Priority = 1", nil},
		{"resources_default.walltime = 48:00:00\n    resources_max.walltime = 72:00:00", "resources_max.walltime = 3600",
			[]string{"resources_default.walltime of the server, 48:00:00, is above resources_max of queue q, 3600: queue q refuses jobs that do not ask for walltime"}},
		{"resources_min.mem = 1gb", "resources_default.mem = 512mb", []string{"resources_default.mem of queue q, 512mb, is below resources_min of the server, 1gb: queue q refuses jobs that do not ask for mem"}},
		{"resources_default.ncpus = 1", "resources_max.ncpus = 0", []string{"resources_default.ncpus of the server, 1, is above resources_max of queue q, 0: queue q refuses jobs that do not ask for ncpus, and those that ask for any"}},
		{"resources_max.ncpus = 1", "queue_type = Route\n    resources_default.ncpus = 2", nil},
	} {
		site, _, err := Files{Sched: []file.Source{text("Server: s\n    " + x.server + "\n")}, Queues: []file.Source{text("Queue: q\n    " + x.queues + "\n")}}.Read()
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, r := range site.checkSubmissions() {
			got = append(got, r.Text)
		}
		if diff := cmp.Diff(x.want, got); diff != "" || !slices.Equal(x.want, got) {
			t.Errorf("%s, %s: %s", x.server, x.queues, diff)
		}
	}
}

// A limit of 0 jobs, or of 0 of a resource, is warned of where it holds for everybody.
func TestCheckZeros(t *testing.T) {
	for attributes, want := range map[string][]string{
		"max_run = [u:PBS_GENERIC=0]":                     {"max_run of queue q lets in 0 jobs of anybody (u:PBS_GENERIC): none starts"},
		"max_run = [u:PBS_GENERIC=0],[u:ann=2]":           nil,
		"max_run = [u:PBS_GENERIC=0],[g:bio=2]":           {"max_run of queue q lets in 0 jobs of anybody (u:PBS_GENERIC): none starts"},
		"max_run_res.ngpus = [o:PBS_ALL=0]":               {"max_run_res.ngpus of queue q lets in 0 ngpus of anybody (o:PBS_ALL): no job that asks for some starts"},
		"max_run_res.ngpus = [u:PBS_GENERIC=0],[u:ann=1]": nil,
		"max_run = [o:PBS_ALL=0],[u:ann=2]":               {"max_run of queue q lets in 0 jobs of anybody (o:PBS_ALL): none starts"},
		"max_run = [u:PBS_GENERIC=1]":                     nil,
		"max_run_res.ncpus = [u:PBS_GENERIC=0]":           {"max_run_res.ncpus of queue q lets in 0 ncpus of anybody (u:PBS_GENERIC): no job that asks for some starts"},
		"max_user_run = 0":                                {"max_user_run of queue q lets in 0 jobs of anybody (u:PBS_GENERIC): none starts"},
		"max_queued = [u:PBS_GENERIC=0]":                  {"max_queued of queue q lets in 0 jobs of anybody (u:PBS_GENERIC): none is taken"},
		"queued_jobs_threshold = [u:PBS_GENERIC=0]":       {"queued_jobs_threshold of queue q lets in 0 jobs of anybody (u:PBS_GENERIC): none is taken"},
	} {
		site, _, err := Files{Queues: []file.Source{text("Queue: q\n    " + attributes + "\n")}}.Read()
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, r := range site.checkZeros() {
			got = append(got, r.Text)
		}
		if !slices.Equal(want, got) {
			t.Errorf("%s: %q, not %q", attributes, got, want)
		}
	}
}
