package sched

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
	for member, text := range workshop.Members(t, filepath.Join("../../../../testdata/slurm-replay", run, "site.tgz")) {
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
			conf, _, err := slurm.ParseConf(siteFile(t, name, "slurm.conf"), slurm.Beside{})
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
	var computed, nearly, printed Score
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
	if computed.Share() < 0.979 || nearly.Share() < 0.985 || printed.Share() < 0.99 {
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

// What a job's priority is made of, one thing at a time, for one that has waited for 1800 of the 3600
// seconds after which age counts for all that it can.
func TestPriority(t *testing.T) {
	const now, began = 10_000, 8_200
	for _, test := range []struct {
		name string
		set  func(c *slurm.Conf, j *Job)
		want uint32
	}{
		{"age", func(*slurm.Conf, *Job) {}, 500},
		{"age as old as counts", func(_ *slurm.Conf, j *Job) { j.Eligible = now - 3600 }, 1000},
		{"age beyond it", func(_ *slurm.Conf, j *Job) { j.Eligible = now - 5400 }, 1000},
		{"eligible later", func(_ *slurm.Conf, j *Job) { j.Eligible = now + 60 }, 1},
		{"nice", func(_ *slurm.Conf, j *Job) { j.Nice = 100 }, 400},
		{"nice as low as it can get", func(_ *slurm.Conf, j *Job) { j.Nice = 10_000 }, 1},
		{"what no setting explains", func(_ *slurm.Conf, j *Job) { j.extra = 7 }, 507},
		{"set by somebody", func(_ *slurm.Conf, j *Job) { j.IsFixed, j.Priority = true, 42 }, 42},
		{"quality of service", func(c *slurm.Conf, _ *Job) { c.Weights.QOS = 200 }, 700},
	} {
		conf := &slurm.Conf{MaxAge: 3600, HalfLife: 3600, DampFactor: 1, Weights: slurm.Weights{Age: 1000}, NoNormal: map[string]bool{}, Partitions: map[string]*slurm.Partition{}}
		j := &Job{Request: &Request{}, Association: 1, Eligible: began}
		test.set(conf, j)
		p := newPriorities(conf, []fstree.Association{{Parent: -1, Name: "root"}, {Parent: 0, Name: "a", User: true, Shares: 1}}, []QOS{{Name: "q", Priority: 10, UsageFactor: 1}}, &Cluster{Partitions: []Partition{{}}}, 0)
		if got := p.of(j, now); got != test.want {
			t.Errorf("%s: %d, want %d", test.name, got, test.want)
		}
	}
}

// A running job is charged from its start or the last sweep on, whichever came later, for what its
// quality of service counts of a second, and so are all accounts above; what came first has decayed.
func TestCharge(t *testing.T) {
	for _, test := range []struct {
		start, now int64
		want       float64
	}{{500, 1100, 600}, {1000, 1100, 600}, {1050, 1100, 300}, {1100, 1100, 0}} {
		p := newPriorities(&slurm.Conf{DampFactor: 1}, []fstree.Association{{Parent: -1, Name: "root"}, {Parent: 0, Name: "a", Shares: 1, Usage: 8}}, []QOS{{UsageFactor: .5}, {UsageFactor: 1.5}}, &Cluster{}, 1000)
		e := &engine{now: test.now, priorities: p, ledger: &Ledger{}}
		e.charge(&Job{Association: 1, QOS: 1, Billing: 4, Start: test.start})
		if root, a := p.usage[0].Usage, p.usage[1].Usage; root != test.want || a != 8+test.want {
			t.Errorf("a job that started at %d is charged %v, and the root %v; want %v", test.start, a-8, root, test.want)
		}
	}
	p := newPriorities(&slurm.Conf{HalfLife: 693, DampFactor: 1}, []fstree.Association{{Parent: -1, Name: "root", Usage: 1000}}, []QOS{{UsageFactor: 1}}, &Cluster{}, 0)
	p.decay(693)
	if left := p.usage[0].Usage; left < 499 || left > 501 {
		t.Errorf("%v of 1000 is left after a half-life", left)
	}
}
