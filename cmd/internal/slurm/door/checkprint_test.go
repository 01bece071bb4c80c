package door

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"fairshare/cmd/internal/site"
	"fairshare/cmd/internal/slurm/dump"
)

// adviceAlone returns what check finds in a file of its own, and what it says beside that.
func adviceAlone(t *testing.T, text string) (site.Advice, string) {
	t.Helper()
	name := filepath.Join(t.TempDir(), "print.txt")
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	in := site.NewInput(strings.NewReader(""), Scheduler().Formats...)
	tree, err := in.Tree(name, "")
	if err != nil || !dump.IsChecked(tree) {
		t.Fatal("it is not checked alone", err)
	}
	d, err := dump.FindChecked(tree)
	if err != nil {
		t.Fatal(err)
	}
	var said []string
	a, err := (&Site{dump: d, to: &site.Console{Input: in, Say: saying(&said)}}).Advice(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	return a, strings.Join(said, "\n")
}

// A print alone is checked as within its site: nothing is found in those that were recorded, and what is wrong with one is.
func TestCheckOfOnePrint(t *testing.T) {
	const others = "not checked, since nothing tells it here: "
	for _, test := range []struct{ file, lacks, old, text, want string }{
		{"scontrol-show-config.txt", "nodes, partitions, QOS, associations", "sched/backfill", "sched/fill", "SchedulerType: sched/fill is unknown"},
		{"scontrol-show-config.txt", "nodes, partitions, QOS, associations", "bf_max_job_user=20", "bf_max_job_usre=20", "SchedulerParameters: bf_max_job_usre is unknown"},
		{"scontrol-show-partition.txt", "settings of slurmctld, nodes, QOS, associations", "State=UP", "State=UPP", "PartitionName=main: State: UPP is unknown"},
		{"scontrol-show-partition.txt", "settings of slurmctld, nodes, QOS, associations", "PriorityTier=2", "PriorityTier=two", "prioritytier of short (two)"},
		{"sacctmgr-P-qos.txt", "settings of slurmctld, nodes, partitions, associations", "cpu=80", "cpu=many", `normal: MaxTRESPU: cpu: "many" is not a number`},
		{"sacctmgr-P-qos.txt", "settings of slurmctld, nodes, partitions, associations", "high|1000|00:00:00|", "high|1000|00:00:00|loww", "did you mean low?"},
		{"sacctmgr-P-assoc.txt", "settings of slurmctld, nodes, partitions, QOS", "cpu=128", "cpu=-5", `chem: GrpTRES: cpu: "-5" is not a number`},
	} {
		all, err := dump.Open("../../../../testdata/slurm-site/t2_busy.tgz")
		if err != nil {
			t.Fatal(err)
		}
		text := all.Text(test.file)
		edited := strings.Replace(text, test.old, test.text, 1)
		if edited == text {
			t.Fatalf("%s has no %s", test.file, test.old)
		}
		a, said := adviceAlone(t, text)
		if len(a.Findings) > 0 || !strings.HasSuffix(said, others+test.lacks) {
			t.Errorf("%s: %+v\n%s", test.file, a.Findings, said)
		}
		if a, _ = adviceAlone(t, edited); len(a.Findings) != 1 || !strings.Contains(a.Findings[0].Message, test.want) {
			t.Errorf("%s, %s: %+v, want %s", test.file, test.text, a.Findings, test.want)
		}
	}
}

// Other files of configuration are called what they are.
func TestOtherConf(t *testing.T) {
	for text, want := range map[string]string{
		"# GRES\nName=gpu File=/dev/nvidia[0-3]\n":                     "a gres.conf, which slurmd reads",
		"NodeName=g[01-02] Name=gpu Type=a100 File=/dev/nvidia[0-3]\n": "a gres.conf, which slurmd reads",
		"AutoDetect=nvml\n":                                "a gres.conf, which slurmd reads",
		"CgroupAutomount=yes\nConstrainCores=yes\n":        "a cgroup.conf, which slurmd reads",
		"AuthType=auth/munge\nDbdHost=db\nSlurmUser=slurm": "a slurmdbd.conf, which slurmdbd reads",
		"NodeName=n1 CPUs=4\nPartitionName=p Nodes=n1\n":   "a slurm.conf",
		"Name of the gpu File=x\n":                         "",
	} {
		if is := dump.PieceOf([]byte(text)); !strings.HasPrefix(is, want) || want == "" && is != "" {
			t.Errorf("%q is %q, want %q", text, is, want)
		}
	}
}
