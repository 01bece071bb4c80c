package order

import (
	"fmt"
	"math"
	"math/bits"
	"slices"
	"strings"
	"testing"
	"time"

	moved "fairshare/cmd/internal/obfuscate"
	"fairshare/cmd/internal/slurm"
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
	moments := []string{"23.11-morning", "24.11-busy", "25.05-evening"}
	for at, moment := range moments {
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
			} else if isOne && subset > 0 && !workshop.TestsAll() && (bits.TrailingZeros(uint(subset))+at)%len(moments) > 0 {
				continue // a run of some asks each form alone at one moment
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
			if _, _, err := ReadNow(d, slurm.OnStarts, time.UTC); err != nil {
				t.Errorf("%s:%s: %v", moment, forms, err)
			}
			if subset > 0 && !isWhole {
				continue
			}
			hidden, err := obfuscate.Copy(d, moved.Shift{})
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
		"sprio-n.txt":      {"sprio-pipe.txt", "sprio-n.txt is what sprio -n prints, whose terms are parts of 1 and no points (the ages alone are taken); sprio -l is read"},
		"sacctmgr-qos.txt": {"sacctmgr-P-qos.txt", "sacctmgr-qos.txt is what sacctmgr show qos prints in columns of a width, which cuts names off; sacctmgr -P show qos is read"},
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

// squeue in columns of a width has the same jobs as scontrol: with sprio they have the same places, and alone none goes
// before one of its partition with a higher priority, as squeue itself sorts them.
func TestQueueInColumns(t *testing.T) {
	const multi = "205" // in 25.05-evening, of several QOS, which squeue does not tell
	for _, site := range []string{"23.11-morning", "24.11-busy", "25.05-evening"} {
		text, err := dump.Open("../../../../testdata/slurm-now/" + site + ".tgz")
		if err != nil {
			t.Fatal(err)
		}
		other, _ := dump.Open("../../../../testdata/slurm-json/" + site + ".tgz")
		priorities := other.Text("sprio-l.txt")
		read := func(d *dump.Dump) []Row {
			s, err := New(d)
			if err != nil {
				t.Fatalf("%s: %v", site, err)
			}
			return slices.DeleteFunc(s.Rows(), func(r Row) bool { return r.Rank == 0 || site == "25.05-evening" && r.Job.ID == multi })
		}
		for _, name := range []string{"squeue.txt", "squeue-l.txt"} {
			whole, narrow, alone := text.Empty(), text.Empty(), text.Empty()
			whole.Set("jobs.txt", text.Text("scontrol-show-job.txt"))
			whole.Set("sprio.txt", priorities)
			narrow.Set("sprio.txt", priorities)
			narrow.Set(name, other.Text(name))
			alone.Set(name, other.Text(name))
			want, value := []string{}, map[string]float64{}
			for _, r := range read(whole) {
				want, value[r.Job.ID] = append(want, r.Job.ID+r.Partition+r.Job.User), r.Value
			}
			var got []string
			for _, r := range read(narrow) {
				got = append(got, r.Job.ID+r.Partition+r.Job.User)
			}
			if !slices.Equal(got, want) {
				t.Errorf("%s, %s:\n%v\nnot\n%v", site, name, got, want)
			}
			last, ranked := map[string]float64{}, read(alone)
			for _, r := range ranked {
				if before, ok := last[r.Partition]; ok && value[r.Job.ID] > before || value[r.Job.ID] == 0 {
					t.Errorf("%s, %s: job %s of priority %v stands behind %v", site, name, r.Job.ID, value[r.Job.ID], before)
				}
				last[r.Partition] = value[r.Job.ID]
			}
			if len(ranked) < len(want)/2 {
				t.Errorf("%s, %s: %d jobs of %d", site, name, len(ranked), len(want))
			}
		}
	}
}
