package slurmsched

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"fairshare/cmd/internal/accounts"
	"fairshare/cmd/internal/slurm"
	"fairshare/cmd/internal/workshop"
	"fairshare/fstree"
)

// siteFile returns a file of the site of a recorded run.
func siteFile(t *testing.T, run, name string) string {
	t.Helper()
	for member, text := range workshop.Members(t, filepath.Join("../../../testdata/slurm-replay", run, "site.tgz")) {
		if member == name {
			return text
		}
	}
	t.Fatalf("%s has no %s", run, name)
	return ""
}

// TestRecordedPriorities computes the priorities of three recorded runs from their beginning to
// their end, from what was charged and when, and compares them with what Slurm computed, and with
// what sprio printed every 600 seconds.
func TestRecordedPriorities(t *testing.T) {
	for _, name := range []string{"S1a", "S2a", "S3a"} {
		t.Run(name, func(t *testing.T) {
			r := openRecording(t, name)
			conf, _, err := slurm.ParseConf(siteFile(t, name, "slurm.conf"))
			if err != nil {
				t.Fatal(err)
			}
			conf.CalcPeriod = 300
			tree, _, err := accounts.Parse(siteFile(t, name, "sshare-alP.txt"), accounts.Sshare)
			if err != nil {
				t.Fatal(err)
			}
			var list []fstree.Association
			for i := range tree.Len() {
				list = append(list, tree.At(i))
			}
			place := func(name string) int {
				user, account, _ := strings.Cut(name, "@")
				return slices.IndexFunc(list, func(a fstree.Association) bool {
					return a.User && a.Name == user && list[a.Parent].Name == account
				})
			}
			for _, j := range r.jobs {
				j.Association = place(r.users[j.Association-1])
				j.Eligible, j.TRES = j.Submit, j.Request.TRES(r.GRES)
			}
			comparePriorities(t, r, newPriorities(conf, list, r.qos, r.Cluster, 0))
		})
	}
}

func comparePriorities(t *testing.T, r *recording, p *priorities) {
	var computed, nearly, printed score
	stored := map[int]uint32{}
	sweepsAt := int64(0) // 0 while no sweep goes on
	for _, e := range r.events {
		if sweepsAt > 0 && e.kind != "u" { // all is charged
			p.rank()
			p.swept, sweepsAt = sweepsAt, 0
		}
		switch e.kind {
		case "w":
			p.decay(e.at)
			sweepsAt = e.at
		case "u":
			p.charge(e.job, float64(num(e.rest[0])))
		case "n":
			at := max(e.job.Eligible, p.swept)
			if e.job.Start == 0 {
				stored[e.job.ID] = p.of(e.job, at)
				difference := int64(stored[e.job.ID]) - num(e.rest[0])
				computed.add(difference == 0)
				nearly.add(max(difference, -difference) <= 1)
			}
		case "q":
			printed.add(stored[e.job.ID] == uint32(num(e.rest[0])))
		case "a", "B":
			set := r.set(e.rest[0])
			e.job.Start = num(e.rest[1])
			e.job.Billing = float64(e.job.Request.CPUs)
			if e.job.Request.Exclusive {
				e.job.Billing = 0
				for i := range set.all {
					e.job.Billing += float64(r.Nodes[i].CPUs)
				}
			}
		}
	}
	t.Logf("computed %+v, to 1 point %+v, printed by sprio %+v", computed, nearly, printed)
	if computed.share() < 0.979 || nearly.share() < 0.985 || printed.share() < 0.99 {
		t.Errorf("%d of %d priorities are those that Slurm computed, %d to 1 point; and %d of %d those that sprio printed", computed.right, computed.all, nearly.right, printed.right, printed.all)
	}
}

// TestBasic: under priority/basic jobs have the order in which they came, nice values aside, whatever
// their users have used and whatever they weigh.
func TestBasic(t *testing.T) {
	p := newPriorities(&slurm.Conf{Basic: true, HalfLife: 3600, DampFactor: 1, Weights: slurm.Weights{Age: 1000, Fairshare: 10000}}, []fstree.Association{{Parent: -1, Name: "root"}}, nil, &Cluster{}, 0)
	jobs := []*Job{{ID: 1}, {ID: 2}, {ID: 3, Nice: 100}, {ID: 4}}
	var got []uint32
	for range 2 { // when they come, and in a sweep
		for _, j := range jobs {
			j.Priority = p.of(j, 1e6)
			got = append(got, j.Priority)
		}
	}
	const first = 4294901759
	if want := []uint32{first, first - 1, first - 102, first - 3, first, first - 1, first - 102, first - 3}; !slices.Equal(got, want) {
		t.Errorf("%d, not %d", got, want)
	}
}
