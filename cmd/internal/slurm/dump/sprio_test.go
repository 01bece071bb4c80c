package dump

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"fairshare/cmd/internal/accounts"
	"fairshare/cmd/internal/file"
	"fairshare/cmd/internal/slurm"
)

// The tables of sprio of other versions.
func TestVersionsOfSprio(t *testing.T) {
	for name, c := range map[string]struct {
		text string
		want StoredPriority
	}{
		"17.11":                 {"          JOBID PARTITION   PRIORITY        AGE  FAIRSHARE    JOBSIZE  PARTITION        QOS\n             57 main            9130          6       8750         35        100        200\n", StoredPriority{ID: "57", Partition: "main", Priority: 9130}},
		"17.02, ADMIN":          {"JOBID|PARTITION|PRIORITY|AGE|FAIRSHARE|JOBSIZE|PARTITION|QOS|ADMIN\n57|main|9137|6|8750|35|100|200|7\n", StoredPriority{ID: "57", Partition: "main", Priority: 9137, Terms: map[string]float64{"site": 7}}},
		"21.08, -M hpc":         {"CLUSTER: hpc\n          JOBID PARTITION     USER   PRIORITY       SITE        AGE      ASSOC  FAIRSHARE    JOBSIZE  PARTITION        QOS        NICE                 TRES\n             57 main           bob       9130          0          6          0       8750         35        100        200           0        cpu=36,mem=4\n", StoredPriority{ID: "57", Partition: "main", User: "bob", Priority: 9130}},
		"24.05, %c and weights": {"CLUSTER|JOBID|PARTITION|USER|ACCOUNT|PRIORITY|SITE|AGE|ASSOC|FAIRSHARE|JOBSIZE|PARTITION|QOSNAME|QOS|NICE|TRES\nhpc|Weights||||||1000||10000|500|1000||2000||CPU=500\nhpc|57|main|bob|hep|9130|0|6|0|8750|35|100|normal|200|0|cpu=36,mem=4\n", StoredPriority{ID: "57", Partition: "main", User: "bob", Priority: 9130}},
		"20.11":                 {"          JOBID PARTITION     USER   PRIORITY       SITE        AGE      ASSOC  FAIRSHARE    JOBSIZE  PARTITION        QOS        NICE                 TRES\n             57 main           bob       9130          0          6          0       8750         35        100        200           0        cpu=36,mem=4\n", StoredPriority{ID: "57", Partition: "main", User: "bob", Priority: 9130}},
		"23.11":                 {"          JOBID PARTITION     USER  ACCOUNT   PRIORITY       SITE        AGE      ASSOC  FAIRSHARE    JOBSIZE  PARTITION    QOSNAME        QOS        NICE                 TRES\n             57 main           bob      hep       9130          0          6          0       8750         35        100     normal        200           0        cpu=36,mem=4\n", StoredPriority{ID: "57", Partition: "main", User: "bob", Priority: 9130}},
	} {
		if KindOf(c.text) != KindPriorities {
			t.Errorf("%s is told as %v", name, KindOf(c.text))
		}
		list, unknown, err := parsePriorities(c.text)
		if err != nil || len(list) != 1 || len(unknown) > 0 {
			t.Errorf("%s: %v %v", name, list, err)
			continue
		}
		got := list[0]
		if got.ID != c.want.ID || got.Partition != c.want.Partition || got.User != c.want.User || got.Priority != c.want.Priority || got.Terms["age"] != 6 || got.Terms["partition"] != 100 || got.Terms["qos"] != 200 {
			t.Errorf("%s: %+v", name, got)
		}
		if got.Terms["site"] != c.want.Terms["site"] {
			t.Errorf("%s: %v", name, got.Terms)
		}
		if !strings.HasPrefix(name, "17.") && got.TRES["cpu"] != 36 {
			t.Errorf("%s: %v", name, got.TRES)
		}
	}
}

// What a table of sprio says that nobody can know is said or refused.
func TestOddTablesOfSprio(t *testing.T) {
	const header = "JOBID|PARTITION|PRIORITY|AGE|PARTITION|QOS"
	if _, unknown, err := parsePriorities(header + "|BURST\n57|main|9130|6|100|200|5\n"); err != nil || !slices.Equal(unknown, []string{"BURST"}) {
		t.Error(unknown, err)
	}
	for name, text := range map[string]string{
		"two clusters below each other": "CLUSTER: a\n" + header + "\n57|main|9130|6|100|200\nCLUSTER: b\n" + header + "\n57|main|9130|6|100|200\n",
		"two clusters in a column":      "CLUSTER|" + header + "\na|57|main|9130|6|100|200\nb|57|main|9130|6|100|200\n",
		"an empty name moves the rest":  "JOBID PARTITION PRIORITY AGE PARTITION QOSNAME QOS NICE\n57 main 9130 6 100 200 0\n",
	} {
		if list, _, err := parsePriorities(text); err == nil {
			t.Errorf("%s: %+v", name, list)
		}
	}
}

// Tables of sprio of two moments, in one file or two, are said: rows of one job and partition that differ are those of several
// QOS alone.
func TestTablesOfTwoMoments(t *testing.T) {
	const header, row = "JOBID|PARTITION|PRIORITY|AGE|PARTITION|QOS\n", "57|main|9130|6|100|200\n"
	const later = "57|main|9131|7|100|200\n"
	for _, c := range []struct {
		qos           string
		first, second string
		said          string
	}{
		{"normal", header + row, header + row, ""},
		{"normal", header + row + row, "", ""},
		{"normal", header + row + later, "", "s/a: left out: it lists job 57 in partition main twice, with priorities 9130 and 9131, as of two moments"},
		{"normal,high", header + row + later, "", ""},
		{"normal", header + row, header + later, "s/b is not read: s/a is what sprio prints as well, and they differ"},
		{"normal,high", header + row, header + later, ""},
		{"", header + row + later, "", ""},
	} {
		files := map[string][]byte{"a": []byte(c.first)}
		if c.second != "" {
			files["b"] = []byte(c.second)
		}
		d, err := Find(file.TreeOf("s", files))
		if err != nil {
			t.Fatal(err)
		}
		var said []string
		_, remarks := d.Priorities([]slurm.Job{{ID: "57", QOS: c.qos}})
		for _, r := range remarks {
			if !r.IsGeneral {
				said = append(said, r.Text)
			}
		}
		if got := strings.Join(said, "\n"); got != c.said {
			t.Errorf("%+v: %q", c, got)
		}
	}
}

// A partition whose name the width of the table cuts off is found by the job, where it can be.
func TestCutPartitions(t *testing.T) {
	for _, c := range []struct {
		partitions []string
		want, said string
	}{{[]string{"gpu-long-queue", "main"}, "gpu-long-queue", ""}, {[]string{"gpu-long-a", "gpu-long-b"}, "gpu-long-", "are cut off"}} {
		stored, said := []StoredPriority{{ID: "5", Partition: "gpu-long-", isNarrow: true}}, ""
		for _, r := range findPartitions(stored, []slurm.Job{{ID: "5", Partitions: c.partitions}}) {
			said += r.Text
		}
		if stored[0].Partition != c.want || !strings.Contains(said, c.said) || (said == "") != (c.said == "") {
			t.Errorf("%s %s", stored[0].Partition, said)
		}
	}
}

func FuzzPriorities(f *testing.F) {
	f.Add("JOBID PARTITION USER PRIORITY SITE AGE FAIRSHARE JOBSIZE PARTITION QOS NICE TRES\n57 main bob 9130 0 6 8750 35 100 200 0 cpu=36,mem=4\n")
	f.Add("JOBID|PARTITION|PRIORITY|PRIORITY|PARTITION|TRES\n57|main|9130|0.1|100|cpu=36\n")
	f.Fuzz(func(_ *testing.T, text string) {
		parsePriorities(text)
		parseQueue(text)
		new(Dump).parseQueueJSON(text)
	})
}

// The JSON of newer versions has numbers, states and times in other forms, and may be of another zone.
func TestQueueJSON(t *testing.T) {
	const newer = `{"jobs":[{"job_id":7,"user_name":"bob","account":"hep","qos":"normal","partition":"main","job_state":["PENDING"],"state_reason":"QOSGrpGRES","priority":{"set":true,"infinite":false,"number":9130},
"nice":-5,"user_id":6,"node_count":{"set":true,"infinite":false,"number":1},"cpus":{"set":true,"infinite":false,"number":16},"submit_time":{"set":true,"infinite":false,"number":1772444843},"eligible_time":{"set":true,"infinite":false,"number":1772444843},"accrue_time":{"set":false,"infinite":false,"number":0},
"last_sched_evaluation":{"set":true,"infinite":false,"number":1772452535},"time_limit":{"set":true,"infinite":false,"number":180},"shared":["none"],"tres_req_str":"cpu=16,mem=32000M,node=1"}, {"job_id":8}]}`
	if KindOf(newer) != KindQueue {
		t.Error("it is not told as squeue")
	}
	q, err := new(Dump).parseQueueJSON(newer)
	if err != nil || len(q.jobs) != 1 || len(q.problems) != 1 {
		t.Fatal(q, err)
	}
	j := q.jobs[0]
	if j.ID != "7" || j.State != "PENDING" || j.Priority != 9130 || j.Nice != -5 || j.TimeLimit != 180 || !j.Accrued.IsZero() || !j.Exclusive || j.TRES["mem"] != 32000 {
		t.Errorf("%+v", j)
	}
	d := &Dump{}
	d.Set("config.txt", "Configuration data as of "+j.Submitted.Add(7692e9+3*3600e9).Format(TimeLayout)+"\nPriorityType = priority/multifactor\n")
	d.Set("squeue.json", newer)
	remarks := q.take(d.Zone())
	if got := q.jobs[0].Submitted.Sub(j.Submitted).Hours(); got != 3 || !strings.Contains(remarks[len(remarks)-1].Text, "3:00:00 off") {
		t.Error(got, remarks)
	}
	for _, text := range []string{newer[:300], `{"jobs":[{"job_id":8}]}`, `{"jobs":7}`} {
		if q, err := new(Dump).parseQueueJSON(text); err == nil {
			t.Errorf("%q gives %+v", text, q)
		}
	}
}

func FuzzManager(f *testing.F) {
	f.Add("ClusterName=h Account=root UserName= ID=1\n    UsageRaw/Norm/Efctv=1/1/1\nClusterName=h Account=root UserName=bob(1) ID=2\n    SharesRaw/Norm/Level/Factor=1/0/1/0\n    UsageRaw/Norm/Efctv=1/1/1\nQOS Records\n")
	f.Fuzz(func(t *testing.T, text string) {
		tree, err := accounts.ParseManager(text)
		if err == nil && tree.Len() == 0 {
			t.Error("a tree without a root")
		}
	})
}

// A name of a job that has blanks in it moves no other column, and a job of a second list in the same file is not one more.
func TestQueueBlanks(t *testing.T) {
	const header = "JOBID PARTITION NAME USER ST TIME NODES NODELIST(REASON)\n"
	for rows, want := range map[string]string{
		"1 b a eve PD 0:00 1 (Priority)\n":                             "[1 eve PENDING Priority]",
		"1 b a job x eve PD 0:00 1 (Priority)\n":                       "[1 eve PENDING Priority]",
		"1 b a eve PD 0:00 1 (Nodes are DOWN)\n":                       "[1 eve PENDING Nodes are DOWN]",
		"1 b a R PD eve PD 0:00 1 (Priority)\n":                        "",
		"1 b a eve XX 0:00 1 (Priority)\n":                             "",
		"1 b a eve R 0:00 1 n1\n" + header + "1 b a eve R 0:00 1 n1\n": "[1 eve RUNNING ]",
	} {
		got := ""
		if q, err := parseQueue(header + rows); err == nil {
			for _, j := range q.jobs {
				got += fmt.Sprint([]string{j.ID, j.User, j.State, j.Reason})
			}
		}
		if got != want {
			t.Errorf("%q: %s, want %s", rows, got, want)
		}
	}
}
