package study_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"fairshare/cmd/internal/file"
	"fairshare/cmd/internal/pbs"
	pbsstudy "fairshare/cmd/internal/pbs/study"
	"fairshare/cmd/internal/pbs/study/studytest"
	"fairshare/cmd/internal/trace"
	"fairshare/fstree"
)

// What PBS does otherwise than a replay is said with the jobs and the cpu hours that it is about.
func TestUnmodelled(t *testing.T) {
	const at = 1772434800 // 2026-03-02 07:00 UTC
	var log strings.Builder
	for i, asks := range []string{"min_walltime=00:10:00", "licences=2", "aoe=rhel", "mem=1gb"} {
		common := fmt.Sprintf("user=ann group=bio queue=%s ctime=%[2]d qtime=%[2]d etime=%[2]d", []string{"workq", "workq", "workq", "gpuq"}[i], at)
		request := "Resource_List.select=1:ncpus=2 Resource_List.ncpus=2 Resource_List.walltime=02:00:00 Resource_List." + asks
		fmt.Fprintf(&log, "03/02/2026 07:00:0%d;Q;%d.s;%s %s\n", i, i+1, common, request)
		fmt.Fprintf(&log, "03/02/2026 07:00:0%d;S;%d.s;%s start=%d exec_vnode=(n01:ncpus=2) %s\n", i, i+1, common, at+i, request)
		fmt.Fprintf(&log, "03/02/2026 08:00:0%d;E;%d.s;%s start=%d exec_vnode=(n01:ncpus=2) %s end=%d Exit_status=0\n", i, i+1, common, at+i, request, at+3600+i)
	}
	config, _ := fstree.ParseConfig("server_dyn_res: \"licences !/usr/local/licences\"\nload_balancing: true ALL\npeer_queue: \"workq workq@other\"\nhelp_starving_jobs: true ALL\nmax_starve: 00:00:02\n")
	priv := &pbs.SchedPriv{Config: config}
	in := &pbsstudy.Inputs{Site: &pbs.Site{SchedPriv: priv, Queues: []pbs.Queue{{Name: "feed", Routes: true}, {Name: "workq", Attributes: pbs.Attributes{"max_queued": "[u:PBS_GENERIC=2]"}}, {Name: "gpuq", Partition: "gpu"}}}, ClusterSpec: "16"}
	read, err := trace.Read([]file.Source{studytest.Source(log.String())}, time.UTC, trace.Keep{Requests: true})
	if err != nil {
		t.Fatal(err)
	}
	_, remarks, err := in.Study(read)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, r := range remarks {
		if text, ok := strings.CutPrefix(r.Text, "not modelled: "); ok || strings.HasPrefix(text, "help_starving") {
			got = append(got, text)
		}
	}
	want := []string{
		"load_balancing of sched_config, which looks at the load of vnodes (3 jobs, 6 cpu hours)",
		"peer_queue of sched_config: jobs of other complexes come only as the record has them (3 jobs, 6 cpu hours)",
		"jobs that ask for licences (server_dyn_res), of which enough is taken to be there always (1 job, 2 cpu hours)",
		"jobs that ask for an aoe or eoe, whose vnodes PBS provisions first (1 job, 2 cpu hours)",
		"max_queued and the like, which keep jobs in routing queues: they come as the record has it, under each policy (3 jobs, 6 cpu hours)",
		"jobs of queues in a partition, of whose scheduler nothing tells (qmgr -c 'list sched'), which are left out (1 job, 2 cpu hours)",
		"help_starving_jobs has no effect here, as preempt_prio has no starving_jobs: 1 job (2 cpu hours) waited for max_starve (0:00:02) or longer",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
