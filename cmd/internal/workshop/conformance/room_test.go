package conformance

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

// What nodes --submit says of a job that goes first is what sort --now says of one that is alone in the list, and what it
// would be refused for is what when --submit says.
func TestRoomNow(t *testing.T) {
	t.Parallel()
	const alone = "job.21.job_state=H;job.21.Hold_Types=u;job.22.job_state=H;job.22.Hold_Types=u;job.23.job_state=H;job.23.Hold_Types=u;job.25.job_state=H;job.25.Hold_Types=u;" +
		"job.24.Resource_List.select=1:ncpus=6;job.24.schedselect=1:ncpus=6;job.24.Resource_List.ncpus=6;job.24.Resource_List.nodect=1;job.24.Resource_List.walltime=02:00:00"
	for i, x := range []struct {
		changes string
		now     string
		refused string
		bar     string // what keeps n4, which is empty, from the job
		set     string // what makes the same of the site without changes, "" for nothing
	}{
		{"", "starts", "", "", "node.n4.offline=2026-03-02 13:00/2026-03-02 14:00"},
		{strings.TrimPrefix(reserved, ";"), "waits for reservation R1 from 12:30", "", "reservation (R1)", ""},
		{strings.TrimPrefix(reserved, ";") + ";resv.R1.resv_nodes=(n3:ncpus=8)", "starts", "", "", ""},
		{strings.TrimPrefix(reserved, ";") + ";resv.R1.resv_nodes=(n4:ncpus=2)", "starts", "", "", ""},
		{"queue.workq.started=False", "waits for its queue, which is stopped", "", "", "queue.workq.started=False"},
		{"queue.workq.enabled=False", "starts", "queue workq takes no jobs (enabled is false)", "", ""},
		{"queue.workq.resources_max.ncpus=5", "starts", "queue workq takes jobs of ncpus up to 5", "", ""},
		{"queue.workq.max_run=[o:PBS_ALL=3]", "waits for limit in queue workq (max_run: 3 of 3 run)", "", "", "queue.workq.max_run=[o:PBS_ALL=3]"},
		{"server.max_run_res.ncpus=[o:PBS_ALL=24]", "waits for limit of the server on ncpus (max_run_res.ncpus: 20 of 24 used, 6 asked)", "", "", "server.max_run_res.ncpus=[o:PBS_ALL=24]"},
		{"server.scheduling=False", "waits for scheduling, which is off", "", "", ""},
		{"vnode.n4.max_running=0", "waits for limit of vnodes (max_running of n4: 0 of 0 jobs)", "", "max_running (0 of 0 jobs)", ""},
		{"vnode.n4.max_running=1;job.13.exec_vnode=(n3:ncpus=4)+(n4:ncpus=1)", "waits for limit of vnodes (max_running of n4: 1 of 1 jobs)", "", "max_running (1 of 1 jobs)", ""},
		{"vnode.n4.max_user_run=1;job.13.exec_vnode=(n3:ncpus=4)+(n4:ncpus=1)", "starts", "", "", ""},
		{"vnode.n4.state=offline", "waits for free ncpus (6 asked, 4 free)", "", "state (offline)", "node.n4.offline=2026-03-02 11:00/2026-03-02 14:00"},
		{"vnode.n4.state=job-exclusive;vnode.n4.jobs=99.srv/0", "waits for free ncpus (6 asked, 4 free)", "", "state (job-exclusive)", ""},
		{"queue.workq.Priority=200;queue.highq.Priority=100;job.11.queue=highq;job.12.queue=highq;job.13.queue=highq;vnode.n4.resources_available.ncpus=1", "starts, preempting 1 running job (13.srv: suspended)", "", "ncpus (6 asked, 1 of 1 free)", ""},
	} {
		site := newSmallSite()
		site.edit(alone + ";" + x.changes)
		answers := answersOf(site.write(t, fmt.Sprint("room", i)))
		of := func(name, args string) answer { return answers.to(question{name, args}) }
		var said struct {
			Asked struct{ Now, Refused string }
			Nodes []struct {
				Node   string
				WhyNot []struct{ What, Has string } `json:"why_not"`
			}
		}
		room := of("room", "nodes DIR --submit select=1:ncpus=6,walltime=2:00:00 --queue workq --tz UTC -o json")
		if err := json.Unmarshal([]byte(room.out), &said); err != nil {
			t.Fatalf("%s: %v\n%s%s", x.changes, err, room.out, room.said)
		}
		now := of("now", "sort DIR --now --all --tz UTC").out
		if !strings.Contains(now, "  "+said.Asked.Now+"\n") && !strings.Contains(now, "  "+said.Asked.Now+"  ") || said.Asked.Now != x.now {
			t.Errorf("%s: nodes --submit says %q, it is %q, and sort --now says\n%s", x.changes, said.Asked.Now, x.now, now)
		}
		submit := of("submit", "when DIR --submit select=1:ncpus=6,walltime=2:00:00 --queue workq --user zed --runs 1 --tz UTC -o csv")
		_, refused, _ := strings.Cut(submit.said, "error: the job is refused: ")
		if strings.TrimSpace(refused) != said.Asked.Refused || said.Asked.Refused != x.refused {
			t.Errorf("%s: when --submit refuses it for %q, nodes --submit for %q, and it is %q", x.changes, refused, said.Asked.Refused, x.refused)
		}
		if x.set != "" {
			set := site
			if x.changes != "" {
				set = newSmallSite()
				set.edit(alone)
			}
			dir := set.write(t, fmt.Sprint("set", i))
			with := func(args string) answer {
				return ask(append(words(strings.ReplaceAll(args, "DIR", dir)), "--set", x.set)...)
			}
			const submit = " DIR --submit select=1:ncpus=6,walltime=2:00:00 --queue workq --tz UTC"
			var under struct{ Asked struct{ Now string } }
			if room := with("nodes" + submit + " -o json"); json.Unmarshal([]byte(room.out), &under) != nil || under.Asked.Now != x.now {
				t.Errorf("--set %s: nodes --submit says %q, and it is %q: %s", x.set, under.Asked.Now, x.now, room.said)
			}
			if now := with("sort DIR --now --all --tz UTC"); !strings.Contains(now.out, "  "+x.now) {
				t.Errorf("--set %s: it is %q, and sort --now says\n%s%s", x.set, x.now, now.out, now.said)
			}
			waits := strings.Replace(strings.TrimPrefix(x.now, "waits for "), "starts", "the next cycle", 1)
			if when := with("when" + submit + " --user zed --runs 1"); !strings.Contains(when.out, waits) {
				t.Errorf("--set %s: it is %q, and when --submit says\n%s%s", x.set, waits, when.out, when.said)
			}
		}
		for _, n := range said.Nodes {
			var bars []string
			for _, b := range n.WhyNot {
				bars = append(bars, fmt.Sprintf("%s (%s)", b.What, b.Has))
			}
			if got := strings.Join(bars, ", "); n.Node == "n4" && got != x.bar {
				t.Errorf("%s: %q keeps n4 from the job, and it is %q", x.changes, got, x.bar)
			}
		}
	}
}
