package order

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"fairshare/cmd/internal/slurm/dump/dumptest"
)

// Where there is no scontrol show job, squeue --json leads to the same order and priorities, and a table
// of squeue to the same order; both also without sprio.
func TestQueue(t *testing.T) {
	for moment := range dumptest.Moments {
		whole := openRecorded(t, moment)
		order := func(s *Site) (list []string) {
			for _, r := range s.Rows() {
				if r.Rank > 0 {
					list = append(list, fmt.Sprint(r.Rank, " ", r.Job.ID, " ", r.Value, " ", r.Tier, " ", r.Job.User, " ", r.Job.Account, " ", r.Job.QOS, " ", r.Partition))
				}
			}
			return list
		}
		priorities := func(s *Site) (list []string) {
			for _, r := range s.Rows() {
				if r.Rank > 0 {
					list = append(list, fmt.Sprint(r.Job.ID, " ", r.Priority, " ", r.Limit))
				}
			}
			return list
		}
		for _, c := range []struct {
			queue string
			left  []string
			of    []func(*Site) []string
		}{
			{"squeue.json", nil, []func(*Site) []string{order, priorities}},
			{"squeue.json", []string{"sprio-pipe.txt"}, []func(*Site) []string{order}},
			{"squeue-pipe.txt", nil, []func(*Site) []string{order}},
			{"squeue-pipe.txt", []string{"sprio-pipe.txt"}, []func(*Site) []string{order}},
		} {
			names := append(dumptest.Without(dumptest.Needed, append(c.left, "scontrol-show-job.txt")...), c.queue, "sacctmgr-P-assoc.txt")
			s, err := New(dumptest.Of(t, moment, names...))
			if err != nil {
				t.Errorf("%s: %s: %v", moment, c.queue, err)
				continue
			}
			if !strings.Contains(said(s), "the jobs are those of") || strings.Contains(said(s), "not in scontrol show job") {
				t.Error(said(s))
			}
			for _, of := range c.of {
				if got, want := strings.Join(of(s), "\n"), strings.Join(of(whole), "\n"); got != want {
					t.Errorf("%s: %s without %v:\n%s\nwant\n%s", moment, c.queue, c.left, got, want)
				}
			}
		}
	}
}

// A table of squeue needs priorities, from itself or from sprio; without times, reasons tell which jobs
// are considered, and a row with other columns is said.
func TestFewColumns(t *testing.T) {
	names := dumptest.Without(dumptest.Needed, "scontrol-show-job.txt", "sprio-pipe.txt")
	open := func(table string) (*Site, error) {
		d := dumptest.Of(t, "t2_busy", names...)
		d.Set("squeue.txt", table)
		return New(d)
	}
	if _, err := open("JOBID|USER|PARTITION|ST|REASON\n7|bob|main|PD|Priority\n8|bob|gpu|PD|Priority\n"); err == nil || !strings.Contains(err.Error(), "lacks the priorities (sprio -l, scontrol show job, or squeue -o with %Q, tells them), and its jobs do not stand by partition and priority either, as those of plain squeue do") {
		t.Error(err)
	}
	s, err := open("JOBID|USER|PARTITION|ST|REASON|PRIORITY\n7|bob|main|PD|Priority|5\n8_[1-3%2]|bob|main,gpu|PD|Resources|9\n9|bob|main|PD|BeginTime|7\n10|bob|main|PD|JobHeldUser|0\n11|x\n12|bob|main|R|None|3\n")
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, r := range s.Rows() {
		got = append(got, fmt.Sprint(r.Rank, r.Job.ID, r.Partition, r.Value))
	}
	if text := strings.Join(got, " "); text != "18main9 28gpu9 37main5 09main7 010main0 012main3" && text != "18main9 28gpu9 37main5 09main7 012main3 010main0" {
		t.Error(text)
	}
	if !strings.Contains(said(s), "squeue.txt: line 6 is left out, for it cannot be read") {
		t.Error(said(s))
	}
}

// A table that is cut off behind any of its lines is told by the other tables of the site.
func TestCutBehindLines(t *testing.T) {
	names := append(dumptest.Without(dumptest.Needed), "sacctmgr-P-assoc.txt", "squeue-pipe.txt", "scontrol-show-assoc_mgr.txt")
	whole, err := New(dumptest.Of(t, "t2_busy", names...))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"sacctmgr-P-assoc.txt", "sacctmgr-P-qos.txt", "sshare-alP.txt", "sprio-pipe.txt"} {
		d := dumptest.Of(t, "t2_busy", names...)
		text := strings.TrimSuffix(d.Text(name), "\n")
		for {
			end := strings.LastIndexByte(text, '\n')
			if end < 0 {
				break
			}
			text = text[:end]
			d.Set(name, text+"\n")
			if s, err := New(d); err == nil && len(s.Remarks) <= len(whole.Remarks) {
				t.Errorf("%s cut behind %q is read without a word", name, text[strings.LastIndexByte(text, '\n')+1:])
			}
		}
	}
	for name, c := range map[string]struct{ cut, want string }{
		"scontrol-show-job.txt":  {"JobId=105 ", "scontrol-show-job.txt lacks"},
		"squeue-pipe.txt":        {"167|167|", "squeue-pipe.txt lacks"},
		"scontrol-show-node.txt": {"NodeName=f01 ", "cannot be read together (one may be cut off, or of another site): PartitionName=main: there is no node f01"},
	} {
		d := dumptest.Of(t, "t2_busy", names...)
		before, _, _ := strings.Cut(d.Text(name), c.cut)
		d.Set(name, before)
		s, err := New(d)
		text := said(s)
		if err != nil {
			text += err.Error()
		}
		if !strings.Contains(strings.ReplaceAll(text, "t2_busy: ", ""), c.want) {
			t.Errorf("%s cut before %q: %s", name, c.cut, text)
		}
	}
}

// Tasks of arrays that wait are one record in scontrol and one each in squeue -r: none is missing in either, and one that is left out is.
func TestTasksOfTwoLists(t *testing.T) {
	const name = "squeue.txt"
	d := dumptest.Of(t, "t2_busy", append(dumptest.Without(dumptest.Needed), name)...)
	tasks := regexp.MustCompile(`(?m)^( *\d+_)\[(\d+)-(\d+)(?:%\d+)?\](.*\n)`)
	d.Set(name, tasks.ReplaceAllStringFunc(d.Text(name), func(line string) (each string) {
		parts := tasks.FindStringSubmatch(line)
		first, _ := strconv.Atoi(parts[2])
		last, _ := strconv.Atoi(parts[3])
		for n := first; n <= last; n++ {
			each += parts[1] + strconv.Itoa(n) + parts[4]
		}
		return each
	}))
	s, err := New(d)
	if err != nil || strings.Contains(said(s), " lacks ") || !strings.Contains(d.Text(name), " 143_12 ") {
		t.Errorf("%s\n%s, %v", d.Text(name), said(s), err)
	}
	d.Set(name, regexp.MustCompile(`(?m)^ *143_12 .*\n`).ReplaceAllString(d.Text(name), ""))
	if s, err = New(d); err != nil || !strings.Contains(said(s), "squeue.txt lacks 1 job of t2_busy: scontrol-show-job.txt") {
		t.Errorf("without a task: %s, %v", said(s), err)
	}
}

// Under priority/basic, the order is that of the priorities that Slurm gave the jobs when they came, and none has terms,
// whatever the weights are.
func TestBasic(t *testing.T) {
	const config = "scontrol-show-config.txt"
	d := dumptest.Of(t, "t2_busy", config, "scontrol-show-job.txt", "scontrol-show-partition.txt", "scontrol-show-node.txt", "sshare-alP.txt")
	dumptest.Edit(t, d, config, "priority/multifactor", "priority/basic")
	s, err := New(d)
	if err != nil {
		t.Fatal(err)
	}
	rows, last, ranked := s.Rows(), map[string]float64{}, 0
	for _, r := range rows {
		if r.Rank == 0 {
			continue
		}
		ranked++
		if e := s.Explain(rows, r); e.Computed != nil || len(e.Parts) > 0 || len(e.Terms) > 0 || r.Value != r.Job.Priority {
			t.Errorf("job %s has terms: %v", e.ID, e.Parts)
		}
		if r.Job.Reservation != "" || r.Attracted != "" {
			continue
		}
		if before, isThere := last[r.Partition]; isThere && before < r.Value {
			t.Errorf("job %s stands behind one of priority %v", r.Job.ID, before)
		}
		last[r.Partition] = r.Value
	}
	if ranked < 5 {
		t.Errorf("%d jobs are ranked", ranked)
	}
}

// TestNoTime orders jobs where nothing tells the time: by what Slurm says that they wait for, and none is left out.
func TestNoTime(t *testing.T) {
	d := dumptest.Of(t, "t2_busy", "scontrol-show-partition.txt")
	d.Set("slurm.conf", "ClusterName=c\nPriorityType=priority/multifactor\nPriorityWeightAge=1000\nNodeName=n[1-4] CPUs=16\nPartitionName=batch Nodes=ALL\n")
	d.Set("squeue.txt", "JOBID|PARTITION|STATE|USER|PRIORITY|NODELIST(REASON)\n11|batch|PENDING|bob|900|(Resources)\n12|batch|PENDING|eve|1100|(Priority)\n18|batch|PENDING|eve|950|(Dependency)\n")
	s, err := New(d)
	if err != nil {
		t.Fatal(err)
	}
	var ids []string
	for _, r := range s.Rows() {
		if r.Rank > 0 {
			ids = append(ids, r.Job.ID)
		}
	}
	if got := strings.Join(ids, " "); got != "12 11" {
		t.Errorf("the order is %q", got)
	}
}
