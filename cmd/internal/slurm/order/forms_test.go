package order

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"fairshare/cmd/internal/slurm/dump"
	"fairshare/cmd/internal/slurm/obfuscate"
	"fairshare/cmd/internal/workshop"
)

// otherForms are the parts of a site that Slurm prints as JSON as well, or in columns of a width, by those as text.
var otherForms = [][2]string{
	{"scontrol-show-job.txt", "scontrol-job.json"}, {"scontrol-show-job.txt", "squeue.json"}, {"scontrol-show-node.txt", "scontrol-node.json"}, {"scontrol-show-partition.txt", "scontrol-partition.json"},
	{"scontrol-show-res.txt", "scontrol-res.json"}, {"sacctmgr-P-qos.txt", "sacctmgr-qos.json"}, {"sacctmgr-P-assoc.txt", "sacctmgr-assoc.json"}, {"sshare-alP.txt", "sshare.json"}, {"sshare-alP.txt", "sshare-al.txt"},
	{"sprio-pipe.txt", "sprio-l.txt"},
}

// A site has the same order in whatever forms its parts are: each alone, all together, and every subset of them. So has
// a copy without names.
func TestForms(t *testing.T) {
	for _, moment := range []string{"23.11-morning", "24.11-busy", "25.05-evening"} {
		text, err := dump.Open("../../../../testdata/slurm-now/" + moment + ".tgz")
		if err != nil {
			t.Fatal(err)
		}
		other, err := dump.Open("../../../../testdata/slurm-json/" + moment + ".tgz")
		if err != nil && !dump.IsMissing(err) {
			t.Fatal(err)
		}
		want := ""
		for subset := range 1 << len(otherForms) {
			isWhole := subset == 1<<len(otherForms)-1
			if isOne := subset&(subset-1) == 0; !isOne && !isWhole && (!workshop.TestsAll() || moment != "24.11-busy" || subset%7 != 0) {
				continue
			}
			d, forms := text.Empty(), ""
			for _, p := range text.Parts {
				d.Set(p.File(), p.Text)
			}
			for i, names := range otherForms {
				if subset>>i&1 == 1 && other.Text(names[1]) != "" {
					d.Set(names[0], other.Text(names[1]))
					forms += " " + names[1]
				}
			}
			s, err := New(d)
			if err != nil {
				t.Fatalf("%s:%s: %v", moment, forms, err)
			}
			if subset == 0 {
				want = places(s)
			}
			if got := places(s); got != want {
				t.Errorf("%s:%s:\n%s\nwant\n%s", moment, forms, got, want)
			}
			if _, _, err := ReadNow(d, time.UTC); err != nil {
				t.Errorf("%s:%s: %v", moment, forms, err)
			}
			if subset > 0 && !isWhole {
				continue
			}
			hidden, err := obfuscate.Copy(d)
			if err != nil {
				t.Fatal(err)
			}
			copied, err := New(hidden)
			if err != nil {
				t.Fatalf("%s:%s: the copy: %v", moment, forms, err)
			}
			if got := places(copied); got != want {
				t.Errorf("%s:%s: the copy has\n%s\nwant\n%s", moment, forms, got, want)
			}
		}
	}
}

// places says where each job stands, with the priority that orders it and whether that is the one computed.
func places(s *Site) string {
	var b strings.Builder
	for _, r := range s.Rows() {
		if r.Rank > 0 {
			fmt.Fprintln(&b, r.Rank, r.Job.ID, r.Value, r.Tier, math.Abs(r.Priority-r.Value) <= 1, r.Limit != nil, r.Never != nil)
		}
	}
	return b.String()
}

// What is in a form that is not read is named, with the command to use instead.
func TestUnreadForms(t *testing.T) {
	text, err := dump.Open("../../../../testdata/slurm-now/24.11-busy.tgz")
	if err != nil {
		t.Fatal(err)
	}
	other, _ := dump.Open("../../../../testdata/slurm-json/24.11-busy.tgz")
	for name, x := range map[string]struct{ in, want string }{
		"sprio-n.txt":      {"sprio-pipe.txt", "sprio-n.txt is what sprio -n prints, of which the ages alone are taken: its priorities are parts of 1: sprio -l is read"},
		"squeue.txt":       {"scontrol-show-job.txt", "squeue.txt is what squeue prints in columns of a width, which cuts names off: scontrol show job, squeue --json or "},
		"squeue-l.txt":     {"scontrol-show-job.txt", "squeue-l.txt is what squeue prints in columns of a width"},
		"sacctmgr-qos.txt": {"sacctmgr-P-qos.txt", "sacctmgr-qos.txt is what sacctmgr show qos prints in columns of a width, which cuts names off: sacctmgr -P show qos is read"},
	} {
		d := text.Empty()
		for _, p := range text.Parts {
			if p.File() != x.in {
				d.Set(p.File(), p.Text)
			}
		}
		d.Set(name, other.Text(name))
		s, _ := New(d)
		if !strings.Contains(said(s), x.want) {
			t.Errorf("%s: %s", name, said(s))
		}
	}
}
