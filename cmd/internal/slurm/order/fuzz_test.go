package order

import (
	"os"
	"path/filepath"
	"testing"

	"fairshare/cmd/internal/slurm/dump"
)

// FuzzSite gives a site a text in place of one of its files, and makes sure that it is read or
// refused.
func FuzzSite(f *testing.F) {
	f.Add("PriorityWeightAge=1\nNodeName=a CPUs=2\nPartitionName=p Nodes=a\n", "JobId=1 JobName=a\n UserId=u(1) Priority=3 Account=a QOS=q\n JobState=PENDING\n Partition=p\n TRES=cpu=1\n", "Account|User|RawShares\nroot||\n")
	f.Add("Configuration data as of 2026-03-02T11:55:32\nPriorityType = priority/multifactor\nPriorityWeightAge = 1\n", "NodeName=a Arch=x CPUTot=3 RealMemory=1\n", "PartitionName=a\n AllowGroups=ALL AllowAccounts=ALL\n")
	f.Fuzz(func(t *testing.T, a, b, c string) {
		dir := t.TempDir()
		for name, text := range map[string]string{"a": a, "b": b, "c": c} {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		s, err := Open(dir)
		if err == nil {
			s.Differences()
		}
	})
}

// TestWithout holds that a site in which something is missing says so, and is read as far as it is
// there.
func TestWithout(t *testing.T) {
	for _, c := range []struct {
		name string
		keep func(dump.Kind) bool
		want int // priorities that are computed as Slurm has them, of 26
	}{
		{"slurm.conf is not needed", func(k dump.Kind) bool { return k != dump.KindConf }, 26},
		{"nor what scontrol shows of it", func(k dump.Kind) bool { return k != dump.KindConfig && k != dump.KindNodes && k != dump.KindPartitions }, 26},
		{"nor sprio, but for the CPUs of whole cores", func(k dump.Kind) bool { return k != dump.KindPriorities }, 25},
	} {
		t.Run(c.name, func(t *testing.T) {
			d, err := dump.Open("../../../../testdata/slurm-site/t2_busy.tgz")
			if err != nil {
				t.Fatal(err)
			}
			dir := t.TempDir()
			for _, p := range d.Parts {
				if c.keep(p.Kind) {
					if err := os.WriteFile(filepath.Join(dir, filepath.Base(p.Member)), []byte(p.Text), 0o600); err != nil {
						t.Fatal(err)
					}
				}
			}
			s, err := Open(dir)
			if err != nil {
				t.Fatal(err, s.Remarks)
			}
			equal, considered := 0, 0
			for _, r := range s.Rows() {
				if r.Rank > 0 {
					considered++
					if r.Priority == r.Value {
						equal++
					}
				}
			}
			if equal != c.want || considered != 26 {
				t.Errorf("%d of %d are equal, %v", equal, considered, s.Remarks)
			}
		})
	}
}
