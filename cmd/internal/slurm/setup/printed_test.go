package setup

import (
	"strings"
	"testing"

	"fairshare/cmd/internal/slurm/dump/dumptest"
)

// A value that slurmctld does not take is said of what scontrol prints as of a slurm.conf, and the others of its partition count.
func TestPrintedValues(t *testing.T) {
	names := []string{"scontrol-show-config.txt", "scontrol-show-node.txt", "scontrol-show-partition.txt"}
	of := func(was, is string) string {
		d := dumptest.Of(t, "t2_busy", names...)
		for _, name := range names {
			d.Set(name, strings.ReplaceAll(d.Text(name), was, is))
		}
		_, remarks, err := d.Conf()
		if err != nil {
			t.Fatal(err)
		}
		refused, list := Unknown(d.Config, d.Where)
		for _, r := range remarks {
			list = append(list, r.Text)
		}
		return strings.Join(append(list, refused...), "\n")
	}
	for _, test := range []struct{ was, is, says string }{
		{"State=UP ", "State=UPP ", "State: UPP is unknown and has no effect here; did you mean UP?"},
		{"PreemptMode=OFF", "PreemptMode=OFFF", "PreemptMode: OFFF is unknown and has no effect here; did you mean OFF?"},
		{"OverSubscribe=NO", "OverSubscribe=MAYBE", "OverSubscribe: MAYBE is unknown and has no effect here"},
		{"TRESBillingWeights=CPU=1.0", "TRESBillingWeights=CPU=zz", "TRESBillingWeights: \"CPU=zz,Mem=0.25G\" is not NAME=NUMBER of resources that Slurm counts and has no effect here"},
		{"accounting_storage/slurmdbd", "zzz", "AccountingStorageType: zzz is unknown"},
		{"PriorityCalcPeriod      = 00:05:00", "PriorityCalcPeriod      = 00:00:00", "PriorityCalcPeriod is printed as 0, with which slurmctld does not start, and has no effect here: 5m0s is taken"},
	} {
		if before := of(test.is, test.is); strings.Contains(before, test.says) {
			t.Errorf("of the site as it was printed: %s", before)
		}
		if said := of(test.was, test.is); !strings.Contains(said, test.says) {
			t.Errorf("%s: said %q, want %q", test.is, said, test.says)
		}
	}
}
