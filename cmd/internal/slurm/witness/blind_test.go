package witness

import (
	"flag"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"fairshare/cmd/internal/file"
	"fairshare/cmd/internal/slurm/record"
	"fairshare/cmd/internal/slurm/sched"
	"fairshare/cmd/internal/slurm/setup"
	"fairshare/cmd/internal/witness"
	"fairshare/cmd/internal/witness/witnesstest"
	"fairshare/cmd/internal/workshop"
)

// recordings are runs of a real slurmctld.
const recordings = "../../../../testdata/slurm-replay/"

// judge judges the record of a run by its site, of which a rule may be taken away.
func judge(t *testing.T, run string, spoil func(s *sched.Setup, jobs []*record.Job)) *witnesstest.Judged {
	t.Helper()
	past, _, err := setup.OpenPast(recordings + run + "/site.tgz")
	if err != nil {
		t.Fatal(err)
	}
	table := recordings + run + "/sacct.txt.gz"
	if _, err := os.Stat(table); err != nil {
		table = recordings + run + "/sacct.json.gz"
	}
	recorded, err := record.Read(past.Setup, []file.Source{file.At(table)}, time.UTC)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := record.ReadWorld(past, nil, recorded, time.UTC); err != nil {
		t.Fatal(err)
	}
	if spoil != nil {
		spoil(past.Setup, recorded.Jobs)
	}
	return witnesstest.Judge(t, New(past.Setup, recorded, time.UTC))
}

// moreCPUs gives each node more CPUs, or fewer.
func moreCPUs(n int32) func(*sched.Setup, []*record.Job) {
	return ofSite(func(s *sched.Setup) {
		for i := range s.Nodes {
			s.Nodes[i].CPUs += n
		}
	})
}

// ofQOS changes the limits of a QOS.
func ofQOS(name string, change func(l *sched.Limits)) func(*sched.Setup, []*record.Job) {
	return func(s *sched.Setup, _ []*record.Job) {
		change(&s.QOS[slices.IndexFunc(s.QOS, func(q sched.QOS) bool { return q.Name == name })].Limits)
	}
}

// ofAccount changes the limits of an association.
func ofAccount(name string, change func(l *sched.Limits)) func(*sched.Setup, []*record.Job) {
	return func(s *sched.Setup, _ []*record.Job) {
		change(&s.Accounts[slices.IndexFunc(s.Names, func(n sched.AccountName) bool { return n.String() == name })].Limits)
	}
}

// ofSite changes what the scheduler knows of the site.
func ofSite(change func(s *sched.Setup)) func(*sched.Setup, []*record.Job) {
	return func(s *sched.Setup, _ []*record.Job) { change(s) }
}

// ofRequests changes what jobs ask for.
func ofRequests(change func(q *sched.Request)) func(*sched.Setup, []*record.Job) {
	return func(_ *sched.Setup, jobs []*record.Job) {
		for _, x := range jobs {
			q := *x.Request
			change(&q)
			x.Request = &q
		}
	}
}

// noReservation takes a reservation away.
func noReservation(name string) func(*sched.Setup, []*record.Job) {
	return func(s *sched.Setup, jobs []*record.Job) {
		for i, k := range s.Reservations {
			if k.Name != name {
				continue
			}
			s.Reservations = slices.Delete(s.Reservations, i, i+1)
			for _, x := range jobs {
				if x.Reservation == k.ID {
					x.Reservation = 0
				}
			}
			return
		}
		panic("no such reservation")
	}
}

// blind has rules that are taken away from the site that judges a record, one at a time, and what the first
// group has to be about.
var blind = []struct {
	rule, run string
	spoil     func(*sched.Setup, []*record.Job) // nil for what the recorded site does not tell
	side      witness.Side
	group     string // part of its sentence; "" for what is not noticed
}{
	{"`MaxTRESPU=cpu`, `MaxJobsPU` of QOS normal", "S3a", ofQOS("normal", func(l *sched.Limits) { l.UserTRES, l.UserJobs = nil, sched.None }), witness.Wait, "of QOS normal"},
	{"`MaxTRESPU=cpu` of QOS high5", "S5a", ofQOS("high5", func(l *sched.Limits) { l.UserTRES = nil }), witness.Wait, "of QOS high5"},
	{"`MaxTRESPU=cpu`, `MaxJobsPU` of QOS norm5", "S5a", ofQOS("norm5", func(l *sched.Limits) { l.UserTRES, l.UserJobs = nil, sched.None }), witness.May, "of QOS norm5"},
	{"`GrpTRES=cpu` of QOS scav5", "S5a", ofQOS("scav5", func(l *sched.Limits) { l.AllTRES = nil }), witness.Wait, ""},
	{"the QOS of partition gpu", "S5a", ofSite(func(s *sched.Setup) { s.PartitionQOS = nil }), witness.May, "on node g0"},
	{"`GrpTRES=cpu` of account physics", "S5a", ofAccount("physics", func(l *sched.Limits) { l.AllTRES = nil }), witness.Wait, ""},
	{"`GrpTRESRunMins=cpu` of account bio", "S5a", ofAccount("bio", func(l *sched.Limits) { l.RunMinutes = nil }), witness.Wait, "of account genomics"},
	{"`MaxJobs` of user fred", "S5a", ofAccount("chem/fred", func(l *sched.Limits) { l.UserJobs = sched.None }), witness.Wait, "of user fred"},
	{"reservation of n[07-08]", "S4a", noReservation("course"), witness.Where, "would have taken nodes with 16 CPUs"},
	{"maintenance reservation of g04", "S4a", noReservation("upkeep"), witness.Wait, "on node g04"},
	{"`FLEX` reservation of n[05-06]", "S4a", noReservation("soft"), witness.Where, "would have taken nodes with 16 CPUs"},
	{"node n02, which was drained", "S4a", ofSite(func(s *sched.Setup) { s.Outages = nil }), witness.Where, "node n02"},
	{"node g02, which was drained", "S8a", ofSite(func(s *sched.Setup) { s.Outages = nil }), witness.Wait, "node g02"},
	{"`AllowAccounts` of partition closed", "S7a", ofSite(func(s *sched.Setup) { s.Access = nil }), witness.Wait, ""},
	{"licences (a thousand of each)", "S8a", ofSite(func(s *sched.Setup) {
		for i := range s.Licences {
			s.Licences[i].Total = 1000
		}
	}), witness.Wait, "license/ansys"},
	{"`PriorityTier` of partition debug", "S4a", ofSite(func(s *sched.Setup) { s.Partitions[2].Tier = 1 }), witness.May, "of partition debug"},
	{"nodes of partition debug (all in its place)", "S4a", ofSite(func(s *sched.Setup) { s.Partitions[2].Nodes = s.Partitions[0].Nodes }), witness.Wait, "of partition debug"},
	{"nodes of partition gpu (all in its place)", "S1a", ofSite(func(s *sched.Setup) { s.Partitions[1].Nodes = s.Partitions[0].Nodes }), witness.May, "on nodes with 16 CPUs"},
	{"`Weight` of nodes", "S5a", ofSite(func(s *sched.Setup) {
		for i := range s.Nodes {
			s.Nodes[i].Weight = 1
		}
	}), witness.Where, "would have taken nodes with 32 CPUs"},
	{"`CPUEfctv` (2 CPUs more on each node)", "S5a", moreCPUs(2), witness.Where, "is something of a node not known"},
	{"`CPUEfctv` (2 CPUs fewer on each node)", "S5a", moreCPUs(-2), witness.May, "nodes that are in use"},
	{"memory", "S5a", ofSite(func(s *sched.Setup) { s.HasNoMemory = true }), witness.Where, "is less free on n01"},
	{"`Gres=gpu:4` (8 in its place)", "S2a", ofSite(func(s *sched.Setup) {
		for i := range s.Nodes {
			for k := range s.Nodes[i].GRES {
				s.Nodes[i].GRES[k] *= 2
			}
		}
	}), witness.May, "of partition gpu"},
	{"`--gres`", "S1a", ofRequests(func(q *sched.Request) { q.GRES = make([]int32, len(q.GRES)) }), witness.Wait, "of partition gpu"},
	{"`--constraint`", "S4a", ofRequests(func(q *sched.Request) { q.Features = nil }), witness.Where, ""},
	{"`--exclusive`", "S8a", ofRequests(func(q *sched.Request) { q.Exclusive = false }), witness.Where, "had more CPUs than the rules give"},
	{"`OverSubscribe=EXCLUSIVE` of partition whole", "S6a", func(s *sched.Setup, jobs []*record.Job) {
		limitedAges(s, jobs)
		s.WholeNodes = nil
	}, witness.Where, "of partition whole had more CPUs than the rules give"},
	{"`MaxJobsAccruePU=3` of QOS acc6, for which sacctmgr was not asked", "S6a", nil, witness.May, "is it MaxJobsAccruePU=3 of QOS acc6"},
	{"`%N` of arrays (1000 in its place)", "S5a", func(_ *sched.Setup, jobs []*record.Job) {
		for _, x := range jobs {
			if x.Throttle > 0 {
				x.Throttle = 1000
			}
		}
	}, witness.Wait, "that ask for --array=…%N"},
	{"`sched/backfill`", "S2a", ofSite(func(s *sched.Setup) { s.Backfill = nil }), witness.May, "(Priority: jobs of its partition before it that wait)"},
	{"`bf_max_job_test` (2 in its place)", "S2a", ofSite(func(s *sched.Setup) { s.Backfill.MaxTest = 2 }), witness.May, "(Priority: jobs of its partition before it that wait)"},
	{"`bf_max_job_user`", "S3a", ofSite(func(s *sched.Setup) { s.Backfill.MaxPerUser = 0 }), witness.Wait, "of user bob"},
	{"`bf_max_job_part`, `bf_max_job_user_part`", "S5a", ofSite(func(s *sched.Setup) { s.Backfill.MaxPerPartition, s.Backfill.MaxPerUserPartition = 0, 0 }), witness.Wait, "beside free nodes"},
	{"`bf_window` (10 minutes in its place)", "S2a", ofSite(func(s *sched.Setup) { s.Backfill.Window = 600 }), witness.Wait, "beside free nodes"},
	{"`bf_min_age_reserve`", "S5a", ofSite(func(s *sched.Setup) { s.Threshold = sched.Threshold{} }), witness.May, "settings of backfill"},
	{"`PriorityWeightFairshare`", "S2a", ofSite(func(s *sched.Setup) { s.Conf.Weights.Fairshare = 0 }), witness.May, "(Priority: jobs of its partition before it that wait)"},
	{"`PriorityWeightQOS`", "S2a", ofSite(func(s *sched.Setup) { s.Conf.Weights.QOS = 0 }), witness.Wait, "kept free for them what others took"},
	{"`PriorityDecayHalfLife` (14 days in its place)", "S2a", ofSite(func(s *sched.Setup) { s.Conf.HalfLife = 14 * 86400 }), witness.Wait, "and others started"},
}

var update = flag.Bool("update", false, "write the table into the page")

// limitedAges gives S6a the limit that its table lacks, since its sacctmgr was asked without MaxJobsAccruePU.
var limitedAges = ofQOS("acc6", func(l *sched.Limits) { l.UserAging = 3 })

// unspoiled are the recordings, and what part of the starts agrees at least, in may and in where.
var unspoiled = []struct {
	run     string
	lacks   func(*sched.Setup, []*record.Job) // puts right what the recorded site does not tell
	least   float64
	moments float64 // likewise of the moments at which jobs started
	most    int     // groups that are told
}{
	{"S1a", nil, 1, 1, 0}, {"S2a", nil, 1, 1, 0}, {"S3a", nil, .99, .99, 0}, {"S4a", nil, .99, .98, 0}, {"S5a", nil, .99, .98, 0},
	{"S6a", limitedAges, .99, .98, 0},
	{"S8a", nil, .99, .93, 0},
	{"S7a", nil, .96, .9, 0}, // how many CPUs jobs have of each of several nodes is in no record, and one asks for --gpus
}

// Of rules that are taken away those are noticed that bind, and the first group is about them. Where none is taken away
// nothing is said. The table of it stands in docs/evidence/witness.md: where not all is
// tested, every third of its rules is taken away, and all records are judged by the whole rules.
func TestBlind(t *testing.T) {
	whole := map[string]*witnesstest.Judged{}
	for _, x := range unspoiled {
		j := judge(t, x.run, x.lacks)
		whole[x.run] = j
		if len(j.Causes) > x.most {
			for i := range j.Causes {
				t.Errorf("%s: %s", x.run, j.Causes[i].Sentence(j.Facts))
			}
		}
		for _, side := range []witness.Side{witness.May, witness.Where} {
			share := j.Counts.Sides[side].Share()
			t.Logf("%s: %.4f of %d: %s", x.run, share, j.Counts.Sides[side].Judged, side)
			if share < x.least {
				t.Errorf("%s: %.4f of %s", x.run, share, side)
			}
		}
		if share := j.Moments.Share(); !(share >= x.moments) {
			t.Errorf("%s: %.4f of the moments", x.run, share)
		}
	}
	noticed, idle := 0, 0
	table := witnesstest.NewTable("Slurm")
	isAll := workshop.TestsAll() || *update
	asked := 0
	for i, b := range blind {
		if i%12 != 0 && !isAll {
			continue
		}
		asked++
		j := judge(t, b.run, b.spoil)
		first := witnesstest.First(j)
		if isGuessed := len(j.Causes) > 0 && j.Causes[0].Guess != ""; isGuessed != (b.spoil == nil) {
			t.Errorf("%s: is guessed %t", b.rule, isGuessed)
		}
		isRight := b.group == ""
		switch {
		case first == "" && j.Otherwise(whole[b.run]) < witnesstest.Few:
			first = witnesstest.Unseen
			idle++
		case first == "":
			first = "**nothing is noticed**"
		case isRight:
			first = "*about something else*: " + first
		case j.Causes[0].Side == b.side && strings.Contains(first, b.group):
			isRight = true
			noticed++
		}
		if !isRight {
			t.Errorf("%s: %s", b.rule, first)
		}
		table.Add(b.rule, b.run, j, whole[b.run], first)
	}
	t.Logf("%d of %d are noticed", noticed, asked-idle)
	if isAll {
		table.Hold(t, *update)
	}
}
