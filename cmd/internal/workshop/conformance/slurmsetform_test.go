package conformance

import (
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
	{"partition.batch.PriorityTier=5", "partition.batch.tier=5"},
	{"config.SchedulerType=sched/builtin", "SchedulerType=sched/builtin"},
}

// What jobs wait for, which of them never start, and their places are the same whether a file of the site or --set has a setting.
func TestFileOrSet(t *testing.T) {
	t.Parallel()
	standing := func(of answer) (list [][3]string) {
		if !of.isGiven() {
			t.Fatal(of.said)
		}
		for _, row := range ofCSV(t, of.out).rows {
			list = append(list, [3]string{row["job"], row["place"], row["reason"]})
		}
		return list
	}
	plain := newSmallSlurm()
	at := answersOf(plain.write(t, "plain"))
	for i, x := range settingForms {
		site := newSmallSlurm()
		site.edit(x[0])
		inFile := answersOf(site.write(t, "form"+string(rune('a'+i)))).to(question{"when", "when DIR --runs 1 -o csv"})
		inSet := at.to(question{"when", "when DIR --runs 1 -o csv --set " + x[1]})
		if diff := cmp.Diff(standing(inFile), standing(inSet)); diff != "" || len(standing(inSet)) == 0 {
			t.Errorf("%s: in the file (-), with --set (+):\n%s%s", x[0], diff, inSet.said)
		}
	}
}
