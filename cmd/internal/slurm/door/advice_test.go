package door

import (
	"io"
	"strings"
	"testing"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/site"
	"fairshare/cmd/internal/slurm/dump"
	"fairshare/cmd/internal/slurm/dump/dumptest"
)

// The files of a site that tests of its check change.
const (
	configFile    = "scontrol-show-config.txt"
	partitionFile = "scontrol-show-partition.txt"
	confFile      = "slurm.conf"
)

// advised returns what is found in a recorded site of which one file has another text in place of one, a finding in a line with its kind.
func advised(t *testing.T, file, old, text string) string {
	t.Helper()
	d, err := dump.Open("../../../../testdata/slurm-site/t2_busy.tgz")
	if err != nil {
		t.Fatal(err)
	}
	if old != "" {
		dumptest.Edit(t, d, file, old, text)
	}
	console := &site.Console{Input: site.NewInput(strings.NewReader(""), Scheduler().Formats...), Say: (&diag.Printer{W: io.Discard}).Say}
	a, err := (&Site{dump: d, to: console}).Advice(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	list := a.Counts
	for _, f := range a.Findings {
		list = append(list, f.Kind+": "+f.Place+f.Message)
	}
	return strings.Join(list, "\n")
}

// A site of which one line is broken is told so, in the words of what Slurm does with it.
func TestBrokenLines(t *testing.T) {
	for _, test := range []struct{ file, old, text, want, not string }{
		{partitionFile, "AllowQos=normal,high,gpuq", "AllowQos=nomal", "error: PartitionName=gpu: AllowQos=nomal: there is no QOS nomal, and since the list has no other name, it keeps every job out; did you mean normal?", "no effect"},
		{partitionFile, "AllowQos=normal,high,gpuq", "AllowQos=nomal,high", "error: PartitionName=gpu: AllowQos=nomal,high: there is no QOS nomal, and the list keeps out all jobs but those of the others in it; did you mean normal?", ""},
		{partitionFile, "AllowQos=normal,high,gpuq", "DenyQos=nomal", "error: PartitionName=gpu: DenyQos=nomal: there is no QOS nomal, which keeps nobody out; did you mean normal?", ""},
		{partitionFile, "QoS=gpupart", "QoS=gpuprt", "error: PartitionName=gpu: QOS=gpuprt: there is no QOS gpuprt, and slurmctld does not start with it; did you mean gpupart?", ""},
		{partitionFile, "AllowAccounts=ALL", "AllowAccounts=nope", "error: PartitionName=main: AllowAccounts=nope: there is no account nope, and since the list has no other name, it keeps every job out", ""},
		{partitionFile, "AllowAccounts=ALL", "AllowAccounts=bio,chem", "waiting jobs never start as things are (57, ", "AllowAccounts=bio"},
		{partitionFile, "", "", "warning: 1 waiting job never starts as things are (106): PartitionConfig: partition main has 224 CPUs, and it asks for 400", "AllowQos"},
		{partitionFile, "DefaultTime=01:00:00", "DefaultTime=20-0", "warning: PartitionName=main: DefaultTime is 20-0, which is more than MaxTime, 2-00:00:00", ""},
		{partitionFile, "MaxNodes=4", "MaxNodes=4 MinNodes=7", "warning: PartitionName=short: MinNodes is 7 and MaxNodes 4", ""},
		{partitionFile, "Nodes=c[01-06],f", "Nodes=c[01-08],f", "error: PartitionName=main: there is no node c07, c08", "line 0"},
		{configFile, "PriorityWeightAge       = 1000", "PriorityWeightAge       = abc", `error: PriorityWeightAge: "abc" is not a whole number`, "line "},
		{configFile, ",gres/gpu\n", "\n", "PriorityWeightTRES counts gres/gpu, which AccountingStorageTRES lacks: Slurm leaves the weight out", "TRES gres/gpu 1000"},
		{configFile, "GRES/gpu=1000", "GRES/gpus=1000", "PriorityWeightTRES counts gres/gpus, which AccountingStorageTRES lacks: Slurm leaves the weight out", "TRES gres/gpus 1000"},
		{configFile, "bf_continue", "bf_continue,bf_window=100000", "warning: bf_window is the default, 1440 minutes, and MaxTime of partition main 48:00:00", ""},
		{configFile, "bf_continue", "bf_continue,bf_window=2000", "warning: bf_window is 2000 minutes, and MaxTime of partition main 48:00:00", ""},
		{configFile, "bf_continue", "bf_continue,bf_window=2880", "priorities: ", "warning: bf_window"},
		{configFile, "Enforce = associations,limits,qos,safe", "Enforce = none", "warning: AccountingStorageEnforce has no limits: those of QOS normal, high, low, gpuq, gpupart and 5 associations keep no job from starting", ""},
		{"sacctmgr-P-qos.txt", "high|1000|00:00:00||", "high|1000|00:00:00|loww|", "warning: Preempt of QOS high names loww, which sacctmgr show qos lacks: the name is misspelt, or the table is cut off or hides it; did you mean low?", ""},
		{"sacctmgr-P-qos.txt", "high|1000|00:00:00||", "high|1000|00:00:00|normal|", "bf_window", "loop"},
		{"sacctmgr-P-qos.txt", "00:00:00|||cluster", "00:00:00|high,normal||cluster", "error: QOS normal preempts high preempts normal: sacctmgr refuses such a loop of preemption", ""},
		{"sacctmgr-P-qos.txt", "cpu=80", "gres/gpuu=3", "error: limits of resources that neither Slurm nor the nodes have by that name hold nobody here: gres/gpuu of QOS normal (MaxTRESPU)", ""},
		{"sacctmgr-P-assoc.txt", "cpu=128", "cpu=-5", `error: ../../../../testdata/slurm-site/t2_busy.tgz: sacctmgr-P-assoc.txt: chem: GrpTRES: cpu: "-5" is not a number from 0 to 1e15: its limits are not known`, ""},
		{configFile, "accounting_storage/slurmdbd", "accounting_storage/none", "error: AccountingStorageEnforce=associations,limits,qos,safe needs accounting", ""},
		{configFile, "AccountingStorageEnforce = associations,limits,qos,safe", "AccountingStorageEnforce = none", "bf_window", "needs accounting"},
		{configFile, "proctrack/", "proctrac/", "error: ProctrackType: proctrac/linuxproc is unknown, and slurmd does not start with it; did you mean proctrack/linuxproc?", ""},
		{configFile, "matlab:4", "matlab:x", "error: Licenses=matlab:x is not NAME:NUMBER of each", ""},
		{confFile, "SchedulerType=sched/backfill", "SchedulerType=foo", "error: slurm.conf: line 45: SchedulerType: foo is unknown, and slurmctld does not start with it", ""},
		{confFile, "PriorityWeightAge=", "PriorityWieghtAge=", "error: slurm.conf: line 54: PriorityWieghtAge is no key of slurm.conf", "age 0"},
		{confFile, "AllowQos=normal,high,gpuq", "AllowQos=nomal", "error: slurm.conf: line 67: PartitionName=gpu: AllowQos=nomal: there is no QOS nomal", ""},
		{confFile, "AccountingStorageEnforce=associations,limits,qos,safe\n", "", "warning: slurm.conf: AccountingStorageEnforce has no limits: those of QOS", ""},
		{confFile, "AccountingStorageEnforce", "AccountingStorageEnforce", "bf_window", "has no limits"},
		{confFile, "PriorityDecayHalfLife=", "PriorityDecayHalfLife=7 # ", "warning: slurm.conf: line 51: PriorityDecayHalfLife is 0:07:00: usage is as good as forgotten within some hours; a number alone is of minutes, and 7-0 of 7 days", ""},
		{configFile, "PriorityMaxAge          = 1-00:00:00", "PriorityMaxAge          = 00:30:00", "warning: PriorityMaxAge is 0:30:00: all jobs that have waited for longer have the same age; a number alone is of minutes, and 7-0 of 7 days", "HalfLife is"},
		{configFile, "", "", "TRES gres/gpu 1000 (6%)", "error"},
		{configFile, "", "", "bf_window is not set", "slurm.conf"},
	} {
		got := advised(t, test.file, test.old, test.text)
		if !strings.Contains(got, test.want) || test.not != "" && strings.Contains(got, test.not) {
			t.Errorf("%s in place of %s: it is not said %q, or it is %q:\n%s", test.text, test.old, test.want, test.not, got)
		}
	}
}
