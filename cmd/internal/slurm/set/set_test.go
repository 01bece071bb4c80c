package set

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"fairshare/cmd/internal/slurm"
	"fairshare/cmd/internal/slurm/dump"
	"fairshare/cmd/internal/slurm/dump/dumptest"
	"fairshare/cmd/internal/slurm/order"
	"fairshare/cmd/internal/slurm/setup"
)

// afterSettings returns the rows of a recorded moment under some settings, and what is said.
func afterSettings(t *testing.T, s *order.Site, settings ...string) (before, after []order.Row, said []string) {
	t.Helper()
	changed, changes, err := With(s, settings)
	if err != nil {
		t.Fatal(err)
	}
	before = s.Rows()
	after, remarks := After(s, before, changed, changes)
	for _, r := range remarks {
		said = append(said, r.Text)
	}
	return before, after, said
}

// Under other weights, priorities are the sum of the factors that sprio -n prints, which the
// computation here has not seen, with the new weights.
func TestWeightsAgainstNormalised(t *testing.T) {
	for moment := range dumptest.Moments {
		s := openMoment(t, moment)
		d, err := dump.Open("../../../../testdata/slurm-site/" + moment + ".tgz")
		if err != nil {
			t.Fatal(err)
		}
		var table [][]string
		for _, p := range d.All(dump.KindPriorities) {
			if strings.HasSuffix(p.Name, "sprio-n.txt") {
				for line := range strings.Lines(p.Text) {
					table = append(table, strings.Fields(line))
				}
			}
		}
		if len(table) != dumptest.Moments[moment]+1 {
			t.Fatalf("%s: sprio -n has %d lines", moment, len(table))
		}
		weights := map[string]string{"AGE": "PriorityWeightAge", "FAIRSHARE": "PriorityWeightFairshare", "JOBSIZE": "PriorityWeightJobSize", "PARTITION": "PriorityWeightPartition", "QOS": "PriorityWeightQOS"}
		if moment == "t1_morning" { // whose only job fits several seconds of the last sweep
			delete(weights, "AGE")
		}
		for column, name := range weights {
			const weight = 123_456
			before, after, _ := afterSettings(t, s, fmt.Sprintf("%s=%d", name, weight))
			old := map[string]order.Row{}
			for _, r := range before {
				old[r.Job.ID+r.Partition] = r
			}
			at := slices.Index(table[0], column)
			if column == "PARTITION" { // the name stands before the factor
				at += 1 + slices.Index(table[0][at+1:], column)
			}
			factors := map[string]float64{}
			for _, cells := range table[1:] {
				x, err := strconv.ParseFloat(cells[at], 64)
				if err != nil {
					t.Fatal(column, cells, err)
				}
				factors[cells[0]+cells[1]] = x
			}
			w := s.Conf.Weights
			was := map[string]float64{"AGE": w.Age, "FAIRSHARE": w.Fairshare, "JOBSIZE": w.JobSize, "PARTITION": w.Partition, "QOS": w.QOS}[column]
			for _, r := range after {
				if r.Rank == 0 {
					continue
				}
				key := r.Job.ID + r.Partition
				want := old[key].Value + (weight-was)*factors[key]
				if math.Abs(r.Value-want) > 1.1 { // sprio -n prints seven decimals
					t.Errorf("%s, %s: job %s has %g, want %g", moment, name, key, r.Value, want)
				}
			}
		}
	}
}

// Some settings move jobs in ways that need no computation.
func TestAfter(t *testing.T) {
	s := openMoment(t, "t2_busy")
	rank := func(rows []order.Row, id string) int {
		r, err := order.Find(rows, id)
		if err != nil {
			t.Fatal(err)
		}
		return r.Rank
	}
	if _, after, _ := afterSettings(t, s, "partition.gpu.tier=9"); after[0].Partition != "gpu" || after[3].Partition != "gpu" || after[4].Partition != "short" {
		t.Error("the jobs of the highest tier are not first")
	}
	before, after, _ := afterSettings(t, s, "job.57.nice=100")
	if old, now := mustFind(t, before, "57"), mustFind(t, after, "57"); now.Value != old.Value-100 {
		t.Errorf("nice takes %g to %g", old.Value, now.Value)
	}
	if _, after, _ := afterSettings(t, s, "job.167.qos=normal"); rank(after, "167") <= rank(before, "167") {
		t.Error("a lower QOS does not move the job behind")
	}
	// All shares of a level times three is the same tree.
	var all []string
	for i := range s.Tree.Len() {
		if x := s.Tree.At(i); i > 0 && x.Parent == 0 && !x.FromParent {
			name := x.Name
			if x.User {
				name = "root/" + name
			}
			all = append(all, fmt.Sprintf("%s.shares=%g", name, 3*x.Shares))
		}
	}
	before, after, said := afterSettings(t, s, all...)
	for i := range after {
		if after[i].Job.ID != before[i].Job.ID || after[i].Value != before[i].Value {
			t.Errorf("rank %d is %s with %g, was %s with %g", i, after[i].Job.ID, after[i].Value, before[i].Job.ID, before[i].Value)
		}
	}
	if len(said) > len(all) || len(said) == 0 && len(all) == 0 {
		t.Error(said)
	}
	// Somebody who has used nothing comes next to the front, behind root's own user.
	_, after, _ = afterSettings(t, s, "bio.shares=1000000", "genomics.shares=1000000", "genomics/ivan.usage=0", "genomics/ivan.shares=100000")
	if f := mustFind(t, after, "137").Norm.Fairshare; f != 15./16 {
		t.Errorf("fairshare is %g", f)
	}
	// What has no effect is said.
	if _, _, said := afterSettings(t, s, "PriorityWeightAssoc=7"); len(said) != 1 || !strings.Contains(said[0], "changes the priority and the tier of no job") {
		t.Error(said)
	}
	if _, _, said := afterSettings(t, s, "SLURM_VERSION=24.11"); len(said) != 1 || !strings.Contains(said[0], "formula when and formula replay say under --rules") {
		t.Error(said)
	}
	// Nothing of the site itself is changed.
	if again := s.Rows(); again[0].Value != before[0].Value || s.Conf.Partitions["gpu"].Tier != 1 {
		t.Error("the site is changed")
	}
}

func mustFind(t *testing.T, rows []order.Row, id string) order.Row {
	t.Helper()
	r, err := order.Find(rows, id)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// A priority that an administrator has set stays.
func TestAfterSet(t *testing.T) {
	s := openMoment(t, "t2_busy")
	for i := range s.Stored {
		if s.Stored[i].ID == "57" {
			s.Stored[i].Priority = 50_000
		}
	}
	_, after, said := afterSettings(t, s, "PriorityWeightAge=0")
	if r := mustFind(t, after, "57"); r.Value != 50_000 || len(said) != 1 || !strings.Contains(said[0], "1 of the jobs") {
		t.Error(r.Value, said)
	}
}

func TestWrongSettings(t *testing.T) {
	s := openMoment(t, "t2_busy")
	for setting, want := range map[string]string{
		"PriorityWeightAges=5":                             "did you mean PriorityWeightAge?",
		"PriorityWeightAge=x":                              "not a whole number",
		"PriorityWeightAge":                                "expected NAME=VALUE",
		"PriorityFlags=DEPTH_OBLIVIUS":                     "is unknown",
		"PriorityWeightTRES=CPU=500,Mem=200,GRES/gpu=1000": "",
		"qos.hihg.priority=5":                              "did you mean high?",
		"chem.GrpTRES=cpu=10":                              "",
		"hep/bob.MaxJobs=1":                                "",
		"high.GrpTRES=cpu=10":                              "there is no association high; there are 25, of which the nearest are bio, chem, hep, ops, root; QOS high has qos.high.GrpTRES",
		"hep/bob.MaxSubmit=1":                              "the order does not depend on it: formula sort --now, when and replay try it",
		"SchedulerParameters=bf_interval=30":               "each of its words is a setting of its own, such as --set bf_interval=30; --set FILE takes a slurm.conf with the whole list",
		"qos.high.MaxJobPU=4":                              "did you mean qos.NAME.MaxJobsPU?",
		"qos.high.prio=5":                                  "of a QOS there are priority",
		"qos.high.MaxSubmitPU=5":                           "the order does not depend on it: formula sort --now, when and replay try it",
		"qos.high.UsageFactor=2":                           "the order does not depend on it: formula sort --now, when and replay try it",
		"partition.gpu.stat=UP":                            "partition.NAME.PreemptMode, and likewise State, MaxTime, MaxNodes, MinNodes, MaxMemPerNode, AllowAccounts, DenyAccounts, AllowQos, DenyQos and QoS",
		"partition.gpu.MinNodes=x":                         "is no number of nodes",
		"partition.gpu.MaxCPUsPerNode=2":                   "MaxCPUsPerNode is not modelled: it makes partitions whose jobs may have all CPUs of a node here",
		"gpu.MaxTime=1":                                    "did you mean partition.gpu.MaxTime?",
		"bf_window=5":                                      "the order does not depend on it",
		"qos.high.priority=-1":                             "not a whole number",
		"partition.gpus.tier=5":                            "did you mean gpu?",
		"partition.gpu.teir=5":                             "partition.NAME.tier",
		"partition.gpu.tier=70000":                         "not a whole number",
		"job.99999.nice=5":                                 "there is no job 99999",
		"job.57.nice=1.5":                                  "not a whole number",
		"job.57.qos=normla":                                "did you mean normal?",
		"job.57.time=5":                                    "job.ID.nice and job.ID.qos",
		"physic.shares=5":                                  "did you mean physics?",
		"alice.shares=5":                                   "has several associations: astro/alice, hep/alice",
		"physics.usage=5":                                  "that of its users",
		"root.shares=5":                                    "the root has no shares",
		"hep/alice.usage=-1":                               "not a number from 0",
		"hep/alice.share=1":                                "there is no such setting",
	} {
		_, _, err := With(s, []string{setting})
		switch {
		case err == nil && want != "":
			t.Errorf("%s is taken", setting)
		case err != nil && (want == "" || !strings.Contains(err.Error(), want)):
			t.Errorf("%s: %v", setting, err)
		}
	}
	if _, _, err := With(s, []string{"qos.high.priority=5", "QOS.high.priority=6"}); err == nil || !strings.Contains(err.Error(), "set twice") {
		t.Error(err)
	}
}

// Setting what a site has already is an error, in whatever words.
func TestSetSame(t *testing.T) {
	conf, _, err := slurm.ParseConf("NodeName=n1 CPUs=4\nPriorityWeightAge=1000\nPriorityFlags=DEPTH_OBLIVIOUS\nPriorityMaxAge=1-0\nPriorityWeightTRES=CPU=5\nPriorityFavorSmall=YES\n", slurm.Beside{})
	if err != nil {
		t.Fatal(err)
	}
	for _, setting := range [][2]string{{"PriorityMaxAge", "1440"}, {"PriorityFlags", "depth_oblivious"}, {"PriorityWeightTRES", "cpu=5"}, {"PriorityFavorSmall", "true"}, {"PRIORITYWEIGHTAGE", "0x3e8"}} {
		if was, err := conf.Set(setting[0], setting[1]); err != nil || was != setting[1] {
			t.Errorf("%v: was %q, %v", setting, was, err)
		}
	}
	if was, err := conf.Set("PriorityFlags", "NO_FAIR_TREE"); err != nil || was != "DEPTH_OBLIVIOUS" || conf.DepthOblivious || !conf.NoFairTree {
		t.Error(was, err)
	}
}

// compare and replay take the same settings, refuse the same ones in the same words, and say the same of
// what was.
func TestSettingsAgree(t *testing.T) {
	s := openMoment(t, "t2_busy")
	setup, _, err := setup.Open("../../../../testdata/slurm-site/t2_busy.tgz")
	if err != nil {
		t.Fatal(err)
	}
	for _, setting := range []string{
		"PriorityWeightAge=5000", "priorityweightage=1.5", "PriorityWeightAges=5", "PriorityWeightAge=x", "PriorityWeightAge=", "PriorityWeightAge", "=5", "PriorityFlags=NO_FAIR_TREE",
		"PriorityFlags=NO_FAIR_TREES", "PriorityWeightTRES=CPU=5,Mem=1", "PriorityMaxAge=2-0", "PriorityMaxAge=1x", "PriorityDecayHalfLife=12-0", "PriorityCalcPeriod=7", "PriorityFavorSmall=maybe",
		"partition.main.tier=5", "PARTITION.main.PriorityTier=5", "partition.main.tier=1.5", "partition.main.tier=70000", "partition.mian.tier=5", "partition.main.teir=5", "partition.main.factor=3",
		"qos.high.priority=5", "QOS.high.priority=5", "qos.high.priority=-1", "qos.high.priority=4294967296", "qos.hihg.priority=5", "qos.high.prio=5", "qos.high.priority=",
		"hep/bob.shares=5", "hep/bob.shares=parent", "hep/bob.shares=1.5", "hep/bob.shares=4294967294", "alice.shares=5", "physic.shares=5", "root.shares=5", "hep/bob.usage=0", "hep/bob.usage=-1",
		"hep.usage=5", "hep/bob.share=5", "ncpus=5", "hep/bob.shares=NaN", "partition.main.tier=NaN",
		"partition.main.State=UPP", "partition.main.MaxTime=0", "partition.main.MaxTime=1x", "partition.main.MaxTime=", "partition.main.MaxTime=30", "partition.main.MaxNodes=-1", "partition.main.MaxNodes=x", "partition.main.MaxNodes=2",
		"partition.main.AllowAccounts=hepp", "partition.main.DenyAccounts=hep", "partition.main.AllowQos=normla", "partition.main.AllowQos=high,normal", "partition.main.DenyQos=high", "partition.main.QoS=hihg", "partition.main.QoS=high",
		"partition.mian.MaxTime=30", "qos.high.MaxJobsPU=5", "qos.high.MaxTRESPU=cpu=5", "qos.high.MaxJobsPU=x", "qos.hihg.MaxJobsPU=5",
	} {
		_, of, wrong := With(s, []string{setting})
		_, in, bad := ChangeSetup(setup, []string{setting})
		if fmt.Sprint(wrong) != fmt.Sprint(bad) || fmt.Sprint(of) != fmt.Sprint(in) {
			t.Errorf("%s: an order has %v, %v; a replay %v, %v", setting, of, wrong, in, bad)
		}
	}
	for setting, want := range map[string]string{
		"job.1.nice=5": "a replay does not know it", "PriorityWeightAssoc=5": "it changes nothing", "FairShareDampeningFactor=5": "it changes nothing under Fair Tree", "bf_windows=5": "is not modelled",
		"qos.high.GrpTRES=gres/gpu:h100=0": "it is of gres/gpu:h100, which is not modelled", "qos.high.MaxTRESRunMinsPU=cpu=5": "it changes nothing: Slurm enforces it since 24.05", "bf_resolution=0": "needs a whole number from 1 to",
		"qos.high.MaxJobsPU=x": "not a whole number", "qos.none.MaxJobsPU=1": "there is no QOS none",
	} {
		if _, _, err := ChangeSetup(setup, []string{setting}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", setting, err)
		}
	}
	for _, setting := range []string{"SchedulerType=sched/backfill", "qos.high.GrpJobs="} {
		if _, changes, err := ChangeSetup(setup, []string{setting}); err != nil || !changes[0].IsSame {
			t.Errorf("%s: %v, %v", setting, changes, err)
		}
	}
	for _, limit := range []string{"GrpJobs=3", "MaxJobsPU=3", "GrpTRES=cpu=3", "MaxTRESPU=cpu=3"} {
		limited, _, err := ChangeSetup(setup, []string{"qos.high." + limit})
		if err != nil {
			t.Fatal(err)
		}
		name, _, _ := strings.Cut(limit, "=")
		if _, changes, err := ChangeSetup(limited, []string{"qos.high." + name + "="}); err != nil || changes[0].IsSame {
			t.Errorf("%s is taken away: %v, %v", limit, changes, err)
		}
	}
	if _, _, err := ChangeSetup(setup, []string{"qos.high.MaxJobsPU=1", "qos.high.maxjobspu=2"}); err == nil || !strings.Contains(err.Error(), "set twice") {
		t.Error(err)
	}
}

func FuzzWith(f *testing.F) {
	f.Add("PriorityWeightTRES=cpu=1")
	f.Add("a/b.usage=1e300")
	f.Add("qos..priority=5")
	d := &dump.Dump{Name: "site"}
	d.Set("conf", "PriorityType=priority/multifactor\nPriorityWeightFairshare=100\nNodeName=n1 CPUs=4\nPartitionName=p Nodes=n1\n")
	d.Set("jobs", "JobId=1 JobName=a\n   UserId=b(1) GroupId=b(1)\n   Priority=5 Nice=0 Account=a QOS=q\n   JobState=PENDING Reason=None\n   SubmitTime=2026-03-02T09:00:00 EligibleTime=2026-03-02T09:00:00\n   Partition=p TimeLimit=1:00:00\n   NumNodes=1 NumCPUs=1\n   TRES=cpu=1,node=1\n")
	d.Set("sshare", "Account|User|RawShares|NormShares|RawUsage\nroot|||0|5\n a||1|1|5\n  a|b|1|1|5\n")
	d.Set("qos", "Name|Priority|UsageFactor\nq|5|1\n")
	f.Fuzz(func(t *testing.T, setting string) {
		s, err := order.New(d)
		if err != nil {
			t.Fatal(err)
		}
		changed, changes, err := With(s, []string{setting})
		if err == nil {
			After(s, s.Rows(), changed, changes)
		}
	})
}

// openMoment returns the site of a recorded moment.
func openMoment(t *testing.T, moment string) *order.Site {
	t.Helper()
	s, err := order.Open(dumptest.Sites + moment + ".tgz")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestWas: of each row of a changed site it is found what it was, also where the site lists other jobs, in another order.
func TestWas(t *testing.T) {
	site := openMoment(t, "t2_busy")
	now := site.PlainRows()
	by := map[order.Place]*order.Row{}
	for i := range now {
		by[now[i].Place()] = &now[i]
	}
	changed := clone(site)
	for round := range 20 {
		switch cloneJobs(changed); {
		case round == 0: // the same ones
		case round%2 == 0:
			slices.Reverse(changed.Jobs)
		default:
			changed.Jobs = changed.Jobs[1:]
			changed.Jobs[len(changed.Jobs)/2].ID += "0" // one that was not there
		}
		found := 0
		for _, r := range sorted(now, changed) {
			if r.Was != by[r.Place()] {
				t.Fatalf("round %d: job %s was %v, not %v", round, r.Job.ID, r.Was, by[r.Place()])
			}
			if r.Was != nil {
				found++
			}
		}
		if found < len(now)/10 {
			t.Fatalf("round %d: only %d of %d rows are found", round, found, len(now))
		}
	}
}

// TestFirstRows: the first rows of a site are those of all its rows, so that a change which is seen among them is one of the order.
func TestFirstRows(t *testing.T) {
	for _, name := range []string{"t1_morning", "t2_busy", "t5_end"} {
		for _, settings := range [][]string{nil, {"PriorityWeightAge=5000"}, {"partition.gpu.tier=3"}, {"PriorityFlags=NO_FAIR_TREE"}, {"qos.high.priority=7"}} {
			site, _, err := With(openMoment(t, name), settings)
			if err != nil {
				t.Fatal(name, err)
			}
			all := site.UnsortedRows()
			for jobs := range len(site.Jobs) + 2 {
				n := 0
				for _, j := range site.Jobs[:min(jobs, len(site.Jobs))] {
					n += len(j.Partitions) * len(j.QOSNames())
				}
				if first := site.FirstRows(jobs); !reflect.DeepEqual(first, all[:n]) {
					t.Fatalf("%s, %v: the rows of %d jobs are others than the first %d of all", name, settings, jobs, n)
				}
			}
		}
	}
}
