package order

import (
	"fmt"
	"strings"
	"testing"

	"fairshare/cmd/internal/slurm/dump/dumptest"
)

// Without sprio, Slurm shows one of the priorities that a job has in several partitions: it is that of the
// partition in which the computed one is the same. The others are computed, and do not differ from anything.
func TestPriorityInEachPartition(t *testing.T) {
	const asked = "   Priority=6624 "
	siteOf := func(t *testing.T, priority string) *Site {
		t.Helper()
		d := dumptest.Of(t, "t2_busy", "scontrol-show-config.txt", "scontrol-show-partition.txt", "scontrol-show-node.txt", "scontrol-show-job.txt", "sshare-alP.txt", "sacctmgr-P-qos.txt")
		blocks := strings.SplitAfter(d.Text("scontrol-show-job.txt"), "\n\n")
		for i, block := range blocks {
			if strings.HasPrefix(block, "JobId=70 ") {
				blocks[i] = strings.Replace(strings.Replace(block, asked, "   Priority="+priority+" ", 1), " Partition=main ", " Partition=main,gpu ", 1)
				if priority != "6624" && blocks[i] == block {
					t.Fatal("the recording is not what it was")
				}
			}
		}
		d.Set("scontrol-show-job.txt", strings.Join(blocks, ""))
		s, err := New(d)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	valuesOf := func(s *Site) (values, differences string) {
		for _, partition := range []string{"main", "gpu"} {
			row, err := Find(s.Rows(), "70@"+partition)
			if err != nil {
				t.Fatal(err)
			}
			values += fmt.Sprintf("%s %v ", partition, row.Value)
			differences += row.Difference()
		}
		return values, differences
	}
	for _, test := range []struct{ shown, values, differences, remark string }{
		{"6624", "main 6624 gpu 7142 ", "", "without sprio -l, one priority alone is known of 1 job in several partitions: those in the others are computed"},
		{"7142", "main 6624 gpu 7142 ", "", "without sprio -l, one priority alone is known of 1 job in several partitions: those in the others are computed"},
		{"9999", "main 9999 gpu 9999 ", "9999 in Slurm in one of its partitions, 6624 computed9999 in Slurm in one of its partitions, 7142 computed",
			"without sprio -l, one priority alone is known of 1 job in several partitions, and nothing tells in which: it is taken for all of them"},
	} {
		s := siteOf(t, test.shown)
		if values, differences := valuesOf(s); values != test.values || differences != test.differences {
			t.Errorf("%s: %s%q", test.shown, values, differences)
		}
		var said []string
		for _, r := range s.Remarks {
			said = append(said, r.Text)
		}
		if !strings.Contains("\n"+strings.Join(said, "\n")+"\n", "\n"+test.remark+"\n") {
			t.Errorf("%s: %q", test.shown, said)
		}
	}
}
