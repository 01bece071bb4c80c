package record

import (
	"cmp"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"fairshare/cmd/internal/file"
	"fairshare/cmd/internal/slurm/dump/dumptest"
	"fairshare/cmd/internal/slurm/setup"
	"fairshare/cmd/internal/workshop"
)

// What the line of sbatch asks for beside CPUs and nodes counts, or is said.
func TestAskedOfRecord(t *testing.T) {
	setup, _, err := setup.Open(dumptest.Replays + "S3a/site.tgz")
	if err != nil {
		t.Fatal(err)
	}
	const header = "JobID|User|Account|Partition|QOS|Timelimit|ReqCPUS|ReqTRES|AllocTRES|Submit|Eligible|Start|End|Elapsed|SubmitLine\n"
	for _, test := range []struct {
		id, options, tres, given string
		want                     string // nice, billing, whether it is free, all memory, whole nodes
		said                     string
	}{
		{"7", "", "", "", "0 0 false false false", ""},
		{"7", "--nice", "", "", "100 0 false false false", ""},
		{"7", "--nice=-5", "", "", "-5 0 false false false", ""},
		{"7", "", "", "billing=3", "0 3 false false false", ""},
		{"7", "--mem=0", ",mem=256000M", "", "0 0 false true false", ""},
		{"7", "--mem=0", ",mem=64000M", "", "0 0 false true false", ""},
		{"7", "--exclusive", "", "", "0 0 false false true", ""},
		{"7", "--exclusive=user", "", "", "0 0 false false false", "asked for nodes that they share with some jobs alone (--exclusive=user)"},
		{"7", "-d afterok:3", "", "", "0 0 false false false", "had dependencies"},
		{"7", "--contiguous", "", "", "0 0 false false false", "asked for --contiguous, which is not modelled"},
		{"7", "-B 2:8", "", "", "0 0 false false false", "asked for -B, which is not modelled"},
		{"7", "", ",gres/fpga=1", "", "0 0 false false false", "asked for gres/fpga, which no node of the site has"},
		{"7", "--gres=gpu:h100:1", ",gres/gpu=1", "", "0 0 false false false", "asked for GPUs of type h100"},
		{"7", "--gres=gpu:a100:1", ",gres/gpu=1", "", "0 0 false false false", ""},
		{"7+1", "", "", "", "0 0 false false false", "were parts of heterogeneous jobs"},
	} {
		tres := test.tres
		if !strings.Contains(tres, "mem=") {
			tres += ",mem=1000M"
		}
		line := strings.Join([]string{test.id, "bob", "hep", "main", "normal", "00:20:00", "1", "cpu=1,node=1" + tres, cmp.Or(test.given, "cpu=1,node=1"), "2026-03-02T09:00:00", "2026-03-02T09:00:00", "2026-03-02T09:10:00", "2026-03-02T09:20:00", "00:10:00", "sbatch -N1 -n1 " + test.options + " a.sh"}, "|")
		r := recordOf(t, setup, header+line+"\n")
		if len(r.Jobs) != 1 {
			t.Errorf("%s: %s", line, saidOf(r))
			continue
		}
		x := r.Jobs[0]
		if got := fmt.Sprint(x.Nice, x.Billing, x.IsFree, x.Request.AllMemory, x.Request.Exclusive); got != test.want {
			t.Errorf("%s %s: %s, want %s", test.options, test.tres, got, test.want)
		}
		if said := saidOf(r); test.said != "" && !strings.Contains(said, "1 job with 0 core hours: "+test.said) || test.said == "" && strings.Contains(said, "core hours:") {
			t.Errorf("%s %s: it is said %q, want %q", test.options, test.tres, said, test.said)
		}
	}
}

// The times of the hour that comes twice are told apart by how long jobs ran; a number that is used again is another
// job's; what is not billed beside jobs that are is free; and what ran before a job ran again is said.
func TestRowsThatBelongTogether(t *testing.T) {
	setup, _, err := setup.Open(dumptest.Replays + "S3a/site.tgz")
	if err != nil {
		t.Fatal(err)
	}
	zone := workshop.Zone(t, "Europe/Berlin")
	const header = "JobID|JobName|User|Account|Partition|QOS|Timelimit|ReqCPUS|ReqTRES|AllocTRES|Submit|Eligible|Start|End|ElapsedRaw\n"
	row := func(id, name, given, start, end, ran string) string {
		return strings.Join([]string{id, name, "bob", "hep", "main", "normal", "04:00:00", "4", "cpu=4,mem=100M,node=1", given, "2026-10-25T01:00:00", "2026-10-25T01:00:00", start, end, ran}, "|") + "\n"
	}
	text := header +
		row("1", "a", "billing=4", "2026-10-25T01:30:00", "2026-10-25T02:20:00", "6600") + // an hour and fifty minutes
		row("2", "a", "cpu=4", "2026-10-25T02:40:00", "2026-10-25T03:40:00", "3600") + // from the second 2:40 on
		row("3", "a", "billing=4", "2026-10-25T04:00:00", "2026-10-25T06:00:00", "7200") +
		row("3", "a", "billing=4", "2026-10-25T07:00:00", "2026-10-25T08:00:00", "3600") +
		row("3", "b", "billing=4", "2026-10-25T09:00:00", "2026-10-25T10:00:00", "3600")
	r, err := Read(setup, []file.Source{{Name: "sacct", Open: func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(text)), nil }}}, zone)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, x := range r.Jobs {
		got = append(got, fmt.Sprint(x.ID, " ", x.Run, " ", x.IsFree))
	}
	if want := "[1 6600 false 2 3600 true 3 3600 false 3 3600 false]"; fmt.Sprint(got) != want {
		t.Errorf("%v, want %s", got, want)
	}
	if said := saidOf(r); !strings.Contains(said, "1 job ran more than once: a replay has the last run alone; the others, with 8 core hours, are in what was observed") {
		t.Error(said)
	}
}

// The tasks of an array that wait are jobs of their own, and those of one with a throttle come with its first one.
func TestTasksThatWait(t *testing.T) {
	setup, _, err := setup.Open(dumptest.Replays + "S3a/site.tgz")
	if err != nil {
		t.Fatal(err)
	}
	const header = "JobID|JobIDRaw|User|Account|Partition|QOS|Timelimit|ReqCPUS|ReqTRES|Submit|Eligible|Start|End|SubmitLine\n"
	row := func(id, raw, eligible, start, end, line string) string {
		return strings.Join([]string{id, raw, "bob", "hep", "main", "normal", "01:00:00", "1", "cpu=1,mem=100M,node=1", "2026-03-02T09:00:00", eligible, start, end, line}, "|") + "\n"
	}
	const throttled, free = "sbatch --array=0-5%1 a.sh", "sbatch --array=0-3 a.sh"
	r := recordOf(t, setup, header+
		row("20_0", "21", "2026-03-02T09:00:00", "2026-03-02T09:01:00", "2026-03-02T09:30:00", throttled)+
		row("20_1", "22", "2026-03-02T09:30:00", "2026-03-02T09:31:00", "2026-03-02T10:00:00", throttled)+
		row("20_[2-3%1]", "20", "Unknown", "Unknown", "Unknown", throttled)+
		row("30_0", "31", "2026-03-02T09:00:00", "2026-03-02T09:01:00", "2026-03-02T09:30:00", free)+
		row("30_[1-3]", "30", "2026-03-02T09:00:00", "Unknown", "Unknown", free))
	var got []string
	for _, x := range r.Jobs {
		got = append(got, fmt.Sprintf("%s %d %d %s", x.ID, x.Job.ID, x.Throttle, time.Unix(x.Submit, 0).UTC().Format("15:04")))
	}
	want := "20_0 20 1 09:00, 20_1 21 1 09:00, 20_2 22 1 09:00, 20_3 23 1 09:00, 30_0 30 0 09:00, 30_1 31 0 09:00, 30_2 32 0 09:00, 30_3 33 0 09:00"
	if strings.Join(got, ", ") != want {
		t.Errorf("%v, want %s", got, want)
	}
	if said := saidOf(r); !strings.Contains(said, "2 tasks of arrays (%N) left out: sacct has none that could not run yet") {
		t.Error(said)
	}
}
