package conformance

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// settingForms are changes of the small site as its files have them, and as --set does. Those of priorities are left out: the
// files have them as Slurm printed them, whatever a weight is.
var settingForms = [][2]string{
	{"qos.normal.MaxWall=00:10:00", "qos.normal.MaxWall=00:10:00"},
	{"qos.normal.MaxTRES=cpu=1", "qos.normal.MaxTRES=cpu=1"},
	{"qos.normal.MaxTRESPU=cpu=1", "qos.normal.MaxTRESPU=cpu=1"},
	{"qos.normal.MinTRES=cpu=64", "qos.normal.MinTRES=cpu=64"},
	{"qos.normal.MaxJobsPU=1", "qos.normal.MaxJobsPU=1"},
	{"qos.normal.GrpTRES=cpu=2", "qos.normal.GrpTRES=cpu=2"},
	{"assoc.a/.GrpTRES=cpu=2", "a.GrpTRES=cpu=2"},
	{"assoc.a/.GrpJobs=1", "a.GrpJobs=1"},
	{"assoc.a/ann.MaxJobs=1", "a/ann.MaxJobs=1"},
	{"assoc.a/.MaxTRES=cpu=1;assoc.a/ann.MaxTRES=cpu=1;assoc.a/bob.MaxTRES=cpu=1", "a.MaxTRES=cpu=1"},
	{"assoc.b/cat.MaxWall=00:10:00", "b/cat.MaxWall=00:10:00"},
	{"partition.batch.PriorityTier=5", "partition.batch.tier=5"},
	{"config.SchedulerType=sched/builtin", "SchedulerType=sched/builtin"},
	{"partition.batch.State=DOWN", "partition.batch.State=DOWN"},
	{"partition.batch.State=DRAIN", "partition.batch.state=drain"},
	{"partition.batch.State=INACTIVE", "partition.batch.State=INACTIVE"},
	{"partition.fast.State=DOWN", "partition.fast.State=DOWN"},
	{"partition.batch.MaxTime=00:10:00", "partition.batch.MaxTime=10"},
	{"partition.batch.MaxNodes=1", "partition.batch.MaxNodes=1"},
	{"partition.batch.AllowAccounts=b", "partition.batch.AllowAccounts=b"},
	{"partition.batch.DenyAccounts=a", "partition.batch.DenyAccounts=a"},
	{"partition.batch.AllowQos=high", "partition.batch.AllowQos=high"},
	{"partition.batch.DenyQos=normal", "partition.batch.DenyQos=normal"},
	{"partition.batch.QoS=high", "partition.batch.QoS=high"},
	{"partition.batch.MinNodes=2", "partition.batch.MinNodes=2"},
	{"partition.batch.MaxMemPerNode=3000", "partition.batch.MaxMemPerNode=3000"},
}

// stateForms are states of nodes as scontrol prints them, and as --set does. Jobs 21, 24 and 25 ask for several nodes.
var stateForms = [][2]string{
	{"node.n1.State=ALLOCATED+DRAIN;node.n2.State=ALLOCATED+DRAIN", "node.n[1-2].offline=always"},
	{"node.n1.State=ALLOCATED+DRAIN;node.n2.State=ALLOCATED+DRAIN", "node.n[1-2].State=DRAIN"},
	{"node.n4.State=IDLE+DRAIN;node.n3.State=MIXED+DRAIN;node.n2.State=ALLOCATED+DRAIN", "node.n[2-4].State=drain"},
	{"node.n4.State=DOWN;node.n3.State=MIXED+DRAIN", "node.n4.State=DOWN --set node.n3.State=DRAIN"},
	{"node.n4.State=IDLE+NOT_RESPONDING;node.n3.State=MIXED+DRAIN", "node.n4.down=always --set node.n3.offline=always"},
}

// setBack are changes of the files that --set makes what they were.
var setBack = [][2]string{
	{"partition.batch.State=DOWN", "partition.batch.State=UP"},
	{"partition.batch.State=INACTIVE", "partition.batch.State=UP"},
	{"partition.batch.State=DOWN;job.22.Reason=PartitionDown", "partition.batch.State=UP"},
	{"partition.batch.MaxTime=00:10:00", "partition.batch.MaxTime=UNLIMITED"},
	{"partition.batch.MaxTime=00:10:00;job.22.Reason=PartitionTimeLimit", "partition.batch.MaxTime=UNLIMITED"},
	{"partition.batch.AllowAccounts=b", "partition.batch.AllowAccounts=ALL"},
	{"partition.batch.MinNodes=2", "partition.batch.MinNodes=1"},
	{"partition.batch.MaxMemPerNode=3000", "partition.batch.MaxMemPerNode=UNLIMITED"},
}

// What holds jobs, what they wait for, which of them start now or never, and their places are the same whether a file of the site
// or --set has a setting.
func TestFileOrSet(t *testing.T) {
	t.Parallel()
	plain := answersToSlurm(t, "plain")
	for i, x := range settingForms {
		inFile := answersToSlurm(t, fmt.Sprint("form", i), x[0])
		isOfOrder := x[1] != "SchedulerType=sched/builtin"
		sameStanding(t, x[0], inFile, plain, x[1], isOfOrder)
	}
	for i, x := range stateForms {
		inFile := answersToSlurm(t, fmt.Sprint("state", i), x[0])
		if held := inFile.out(t, "when", "when DIR --runs 1"); !strings.Contains(held, "held: it fits on no nodes of partition batch that are up") || strings.Contains(held, "never") {
			t.Errorf("%s: no job is held by nodes that are not up, or one never starts:\n%s", x[0], held)
		}
		sameStanding(t, x[0], inFile, plain, x[1], true)
		sameStanding(t, x[0]+" and back", plain, inFile, "node.n*.State=RESUME", true)
	}
	for i, x := range setBack {
		sameStanding(t, x[0]+" and back", plain, answersToSlurm(t, fmt.Sprint("back", i), x[0]), x[1], true)
	}
}

// sameStanding holds the answers of a site on how jobs stand to be those of another one with a setting.
func sameStanding(t *testing.T, name string, inFile, other *answers, setting string, isOfOrder bool) {
	t.Helper()
	for _, ask := range []struct {
		args    string
		columns []string
	}{
		{"when DIR --runs 1 -o csv", []string{"job", "place", "reason"}},
		{"sort DIR --now -o csv", []string{"id", "partition", "rank", "limit", "never", "starts_now", "waits_for"}},
		{"sort DIR -o csv", []string{"id", "partition", "rank", "limit", "never"}},
	} {
		if !isOfOrder && ask.args == "sort DIR -o csv" {
			continue
		}
		standing := func(at *answers, args string) (list [][]string) {
			for _, row := range ofCSV(t, at.out(t, args, args)).rows {
				var cells []string
				for _, column := range ask.columns {
					cells = append(cells, row[column])
				}
				list = append(list, cells)
			}
			return list
		}
		if diff := cmp.Diff(standing(inFile, ask.args), standing(other, ask.args+" --set "+setting)); diff != "" {
			t.Errorf("%s: %s: in the file (-), with --set (+):\n%s", name, ask.args, diff)
		}
	}
}
