package record

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"fairshare/cmd/internal/file"
	"fairshare/cmd/internal/slurm/dump/dumptest"
	"fairshare/cmd/internal/slurm/sched"
	"fairshare/cmd/internal/slurm/setup"
)

// Where a recorded job may run, by what sacct prints of it.
func TestRecordedPartitions(t *testing.T) {
	setup, _, err := setup.Open(dumptest.Replays + "S3a/site.tgz")
	if err != nil {
		t.Fatal(err)
	}
	const header = "JobID|User|Account|Partition|QOS|Submit|Eligible|Start|End|Timelimit|ReqCPUS|ReqTRES|SubmitLine\n"
	for _, test := range []struct{ partition, start, line, want string }{
		{"main", "2026-03-02T09:10:00", "sbatch -n1 a.sh", "main: main of []"},
		{"main", "2026-03-02T09:10:00", "", "main: main of []"},
		{"debug", "2026-03-02T09:10:00", "sbatch -p main,debug a.sh", "debug: main of [main debug]"},
		{"debug", "2026-03-02T09:10:00", "sbatch -pgpu,debug a.sh", "debug: gpu of [gpu debug]"},
		{"debug", "2026-03-02T09:10:00", "/usr/bin/sbatch --partition=main,debug,main a.sh", "debug: main of [main debug]"},
		{"debug", "2026-03-02T09:10:00", "sbatch --partition main,debug a.sh", "debug: main of [main debug]"},
		{"debug", "2026-03-02T09:10:00", "sbatch a.sh -p main,debug", "debug: debug of []"},
		{"debug", "2026-03-02T09:10:00", "sbatch -p main,gpu a.sh", "debug: debug of []"}, // it was moved
		{"debug", "2026-03-02T09:10:00", "sbatch -p debug a.sh", "debug: debug of []"},
		{"main,debug", "Unknown", "", "main: main of [main debug]"},
		{"main,debug", "Unknown", "sbatch -p main,debug a.sh", "main: main of [main debug]"},
		{"elsewhere,debug,gpu", "Unknown", "", "debug: debug of [debug gpu] with a note"},
		{"elsewhere,debug", "Unknown", "", "debug: debug of [] with a note"},
		{"elsewhere", "2026-03-02T09:10:00", "sbatch -p elsewhere,debug a.sh", "left out"},
		{"elsewhere,", "Unknown", "", "left out"},
	} {
		end := "2026-03-02T09:20:00"
		if test.start == "Unknown" {
			end = test.start
		}
		other := "1|bob|hep|main|normal|2026-03-02T09:00:00|2026-03-02T09:00:00|Unknown|Unknown|00:10:00|1|cpu=1,mem=100M,node=1|\n"
		r := recordOf(t, setup, header+strings.Join([]string{"7", "bob", "hep", test.partition, "normal", "2026-03-02T09:00:00", "2026-03-02T09:00:00", test.start, end, "00:20:00", "1", "cpu=1,mem=100M,node=1", test.line}, "|")+"\n"+other)
		got := "left out"
		if x := r.Jobs[0]; x.ID == "7" {
			var names []string
			for _, p := range x.Partitions {
				names = append(names, setup.Partitions[p].Name)
			}
			got = fmt.Sprint(x.Partition, ": ", setup.Partitions[x.Job.Partition].Name, " of ", names)
		}
		if strings.Contains(saidOf(r), "named partitions that") {
			got += " with a note"
		}
		if got != test.want {
			t.Errorf("%s, %q: %s, want %s", test.partition, test.line, got, test.want)
		}
	}
}

// Under which QOS a recorded job may run, that of the highest priority first, by what sacct prints of it.
func TestRecordedQOS(t *testing.T) {
	setup, _, err := setup.Open(dumptest.Replays + "S3a/site.tgz")
	if err != nil {
		t.Fatal(err)
	}
	const header = "JobID|User|Account|Partition|QOS|QOSREQ|Submit|Eligible|Start|End|Timelimit|ReqCPUS|ReqTRES\n"
	for _, test := range []struct{ qos, asked, want string }{
		{"normal", "normal", "normal of []"},
		{"normal", "", "normal of []"},
		{"normal", "low,normal,high", "high of [high normal low]"},
		{"high", "low,high", "high of [high low]"},
		{"high", "low,normal", "high of []"}, // it was moved
		{"high", "low,high,elsewhere", "high of [high low] with a note"},
		{"high", "high,elsewhere", "high of [] with a note"},
	} {
		r := recordOf(t, setup, header+"7|bob|hep|main|"+test.qos+"|"+test.asked+"|2026-03-02T09:00:00|2026-03-02T09:00:00|2026-03-02T09:10:00|2026-03-02T09:20:00|00:20:00|1|cpu=1,mem=100M,node=1\n")
		x := r.Jobs[0]
		var names []string
		for _, q := range x.AnyQOS {
			names = append(names, setup.QOS[q].Name)
		}
		got := fmt.Sprint(setup.QOS[x.Job.QOS].Name, " of ", names)
		if strings.Contains(saidOf(r), "named QOS that") {
			got += " with a note"
		}
		if got != test.want {
			t.Errorf("%s, %q: %s, want %s", test.qos, test.asked, got, test.want)
		}
	}
}

// How many tasks of its array may run beside a recorded one, by its ID and its submission.
func TestThrottle(t *testing.T) {
	for _, test := range []struct{ id, line, want string }{
		{"20_[5-20%5]", "", "20 5"},
		{"20_[5-20%5]", "sbatch --array=1-20%3 a.sh", "20 5"}, // as it was changed
		{"20_4", "sbatch --array=1-20%5 a.sh", "20 5"},
		{"20_4", "sbatch -a 1-20:2%5 a.sh", "20 5"},
		{"20_4", "sbatch -a1-20 a.sh", "20 0"},
		{"20_4", "", "20 0"},
		{"20_[5-20]", "", "20 0"},
		{"20", "sbatch --array=1-20%5 a.sh", "0 0"},
		{"20_4", "sbatch --array=1-20%0 a.sh", "20 0"},
		{"20_4", "sbatch --array=1-20%99999999999 a.sh", "20 0"},
		{"20_4", "sbatch --array=1-20%-1 a.sh", "20 0"},
		{"x_4", "sbatch --array=1-20%5 a.sh", "0 0"},
	} {
		array, together := throttle(test.id, sched.SplitOptions(submitted(test.line)))
		if got := fmt.Sprint(array, together); got != test.want {
			t.Errorf("%s, %q: %s, want %s", test.id, test.line, got, test.want)
		}
	}
}

// What a real sacct tells of the jobs that asked for two partitions, for licences, and for so many tasks of an array.
func TestSubmittedToSite(t *testing.T) {
	const site = "../../../../testdata/slurm-site/"
	setup, _, err := setup.Open(site + "t5_end.tgz")
	if err != nil {
		t.Fatal(err)
	}
	r, err := Read(setup, []file.Source{file.At(site + "sacct-all.txt.gz")}, time.UTC)
	if err != nil {
		t.Fatal(err)
	}
	var several, licensed []string
	throttled := map[int32]int{}
	for _, x := range r.Jobs {
		if x.Partitions != nil {
			var names []string
			for _, p := range x.Partitions {
				names = append(names, setup.Partitions[p].Name)
			}
			several = append(several, x.ID+" "+strings.Join(names, ",")+" in "+x.Partition)
		}
		if x.Licences != nil {
			licensed = append(licensed, fmt.Sprint(x.ID, x.Licences))
		}
		if x.Throttle > 0 {
			throttled[x.Throttle]++
		}
	}
	slices.Sort(several)
	slices.Sort(licensed)
	if got, want := strings.Join(several, "; "), "237 main,short in short; 292 main,short in short; 298 main,short in short; 348 main,short in main; 72 main,short in short; 97 main,short in short"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if got, want := strings.Join(licensed, " "), "15[2] 205[2] 206[2] 47[2] 49[2]"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if got, want := fmt.Sprint(throttled), "map[3:18 5:40]"; got != want {
		t.Errorf("tasks by how many may run: %s, want %s", got, want)
	}
}

// What licences a recorded job asked for, by what sacct prints of it.
func TestRecordedLicences(t *testing.T) {
	setup, _, err := setup.Open(dumptest.Replays + "S3a/site.tgz")
	if err != nil {
		t.Fatal(err)
	}
	setup.Licences = []sched.Licence{{Name: "matlab", Total: 4}, {Name: "ansys", Total: 2}}
	const header = "JobID|User|Account|Partition|QOS|Submit|Eligible|Start|End|Timelimit|ReqCPUS|ReqTRES|Licenses|SubmitLine\n"
	for _, test := range []struct{ tres, column, line, want string }{
		{"", "", "sbatch a.sh", "[]"},
		{"", "", "sbatch -L matlab:2 a.sh", "[2 0]"},
		{"", "", "sbatch --licenses=matlab:2,ansys a.sh", "[2 1]"},
		{",license/matlab=1", "", "sbatch -L matlab:2 a.sh", "[1 0]"},
		{"", "ansys:2", "sbatch -L matlab:2 a.sh", "[0 2]"},
		{"", "(null)", "sbatch -L matlab:2 a.sh", "[2 0]"},
		{"", "", "sbatch -L octave a.sh", "[] 1 job with 0 core hours: asked for licences that the site does not have"},
		{",license/octave=1", "", "", "[] 1 job with 0 core hours: asked for licences that the site does not have"},
		{"", "", "sbatch -L matlab|ansys a.sh", ""}, // of which the columns cannot be told apart
		{"", "matlab(x)", "", "[] 1 job with 0 core hours: asked for licences in a way that is not modelled"},
	} {
		r := recordOf(t, setup, header+strings.Join([]string{"7|bob|hep|main|normal|2026-03-02T09:00:00|2026-03-02T09:00:00|2026-03-02T09:10:00|2026-03-02T09:20:00|00:20:00|1|cpu=1,mem=100M,node=1" + test.tres, test.column, test.line}, "|")+
			"\n8|bob|hep|main|normal|2026-03-02T09:00:00|2026-03-02T09:00:00|2026-03-02T09:10:00|2026-03-02T09:20:00|00:20:00|1|cpu=1,mem=100M,node=1||\n")
		got := fmt.Sprint(r.Jobs[0].Licences)
		if at := strings.Index(saidOf(r), "1 job with 0 core hours: asked for licences"); at >= 0 {
			got += " " + saidOf(r)[at:]
		}
		if !strings.HasPrefix(got, test.want) || test.want != "" && strings.Contains(got, "asked") != strings.Contains(test.want, "asked") {
			t.Errorf("%s %s %s: %s, want %s", test.tres, test.column, test.line, got, test.want)
		}
	}
}
