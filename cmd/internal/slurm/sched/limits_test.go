package sched

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// anyLimits returns random limits of all kinds.
func anyLimits(r *rand.Rand) Limits {
	maybe := func(of int, limit int64) int64 {
		if r.IntN(of) > 0 {
			return None
		}
		return limit
	}
	l := Limits{
		MaxWall: maybe(3, int64(600+r.IntN(6000))), UserJobs: maybe(3, int64(1+r.IntN(6))), AllJobs: maybe(3, int64(1+r.IntN(9))),
		AccountJobs: maybe(5, int64(1+r.IntN(6))), AllWall: maybe(12, int64(r.IntN(3000))),
		UserSubmit: maybe(6, int64(r.IntN(20))), AccountSubmit: maybe(9, int64(r.IntN(30))), AllSubmit: maybe(6, int64(r.IntN(40))),
		UserAging: maybe(6, int64(r.IntN(4))), AccountAging: maybe(9, int64(r.IntN(6))), AllAging: maybe(6, int64(r.IntN(8))),
		LeastPriority: maybe(6, int64(r.IntN(9000))),
	}
	for _, a := range []*Amounts{&l.JobTRES, &l.UserTRES, &l.AllTRES, &l.AccountTRES} {
		if a == &l.AccountTRES && r.IntN(4) > 0 {
			continue
		}
		*a = Amounts{maybe(3, int64(4+r.IntN(40))), maybe(3, int64(8000+r.IntN(64000))), maybe(3, int64(1+r.IntN(6))), maybe(3, int64(1+r.IntN(6))), maybe(3, int64(1+r.IntN(3)))}
	}
	for _, a := range []*Amounts{&l.NodeTRES, &l.LeastTRES} {
		if r.IntN(12) == 0 {
			*a = Amounts{maybe(3, int64(1+r.IntN(5))), maybe(3, int64(1000+r.IntN(9000))), None, maybe(6, 1), None}
		}
	}
	for _, a := range []*Amounts{&l.JobMinutes, &l.AllMinutes, &l.RunMinutes, &l.UserRunMinutes, &l.AccountRunMinutes} {
		if r.IntN(12) == 0 {
			*a = Amounts{maybe(2, int64(r.IntN(4000))), maybe(4, int64(r.IntN(4_000_000))), maybe(4, int64(r.IntN(500))), maybe(4, int64(r.IntN(200))), None}
		}
	}
	return l
}

// rank is a QOS or an association over a job.
type rank struct {
	name   string
	limits Limits
	isOwn  bool // the user's association
	isRoot bool
	fixed  bool            // what is used of it does not decay
	has    func(*Job) bool // whether a job is under it
}

// ranksOf returns who limits a job: its QOS, those that come first first, and its associations.
func ranksOf(s *Setup, j *Job) (qos, associations []rank) {
	of := func(q int) rank {
		return rank{fmt.Sprint("qos ", q), s.QOS[q].Limits, false, false, s.QOS[q].NoDecay, func(k *Job) bool {
			return k.QOS == q || s.PartitionQOS != nil && s.PartitionQOS[k.Partition] == q
		}}
	}
	qos = []rank{of(j.QOS)}
	if s.PartitionQOS != nil {
		if p := s.PartitionQOS[j.Partition]; p >= 0 && p != j.QOS {
			qos = append(qos, of(p))
			if !s.QOS[j.QOS].IsOver {
				qos[0], qos[1] = qos[1], qos[0]
			}
		}
	}
	for i := j.Association; i >= 0; i = s.Accounts[i].Parent {
		limits := s.Accounts[i].Limits
		for _, q := range slices.Backward(qos) {
			of := s.QOS[slices.IndexFunc(s.QOS, func(x QOS) bool { return "qos "+x.Name[1:] == q.name })]
			if of.LimitFactor == 0 {
				continue
			}
			limits = s.Accounts[i].Limits
			for _, a := range []*Amounts{&limits.AllTRES, &limits.JobTRES} {
				*a = slices.Clone(*a)
				for k, x := range *a {
					if x != None {
						(*a)[k] = int64(float64(x) * of.LimitFactor)
					}
				}
			}
		}
		associations = append(associations, rank{fmt.Sprint("account ", i), limits, i == j.Association, s.Accounts[i].Parent < 0, false, func(k *Job) bool {
			for a := k.Association; a >= 0; a = s.Accounts[a].Parent {
				if a == i {
					return true
				}
			}
			return false
		}})
	}
	return qos, associations
}

// bound is a limit that counts for a job, and whose it is.
type bound struct {
	rank
	most int64
}

// boundsOf returns the limits of one kind that count for a job: the first one that a QOS sets, or else
// those of its associations.
func boundsOf(s *Setup, j *Job, isGroup bool, of func(*Limits) int64) (list []bound) {
	qos, associations := ranksOf(s, j)
	probe := Limits{UserJobs: -1, UserSubmit: -2}
	kind, isSet := of(&probe), false
	for _, x := range qos {
		if most := of(&x.limits); most != None {
			return []bound{{x, most}}
		}
		if kind == -1 && x.limits.AccountJobs != None || kind == -2 && x.limits.AccountSubmit != None { // which stand for MaxJobs and MaxSubmit of an association as well
			isSet = true
		}
	}
	if isSet {
		return nil
	}
	for _, x := range associations {
		if most := of(&x.limits); most != None && (x.isOwn || isGroup) {
			list = append(list, bound{x, most})
		}
	}
	return list
}

// amount returns one amount of some limits.
func amount(i int, of func(*Limits) Amounts) func(*Limits) int64 {
	return func(l *Limits) int64 {
		if a := of(l); a != nil {
			return a[i]
		}
		return None
	}
}

// minutesOf returns the minutes of a time limit, as limits of minutes count them.
func minutesOf(s *Setup, j *Job) int64 {
	minutes := float64(j.Limit / 60)
	if s.QOS[j.QOS].IsSafe {
		minutes *= s.QOS[j.QOS].UsageFactor
	}
	return int64(minutes)
}

// overAlone says which limit a job is over whatever else runs, "" for none.
func overAlone(s *Setup, j *Job, has Amounts) string {
	for _, b := range boundsOf(s, j, false, func(l *Limits) int64 { return l.MaxWall }) {
		asked := j.Limit
		if s.Version[0] == 22 && s.QOS[j.QOS].IsSafe {
			asked = minutesOf(s, j) * 60
		}
		if asked > b.most {
			return "runs longer than a job may run under " + b.name
		}
	}
	for i, x := range has {
		for _, c := range []struct {
			what string
			of   func(*Limits) Amounts
			mine int64
		}{
			{"has more than a job may have", func(l *Limits) Amounts { return l.JobTRES }, x},
			{"has more of a node than a job may have", func(l *Limits) Amounts { return l.NodeTRES }, x / max(1, has[2])},
			{"may use more until its limit than a job may use", func(l *Limits) Amounts { return l.JobMinutes }, x * minutesOf(s, j)},
		} {
			for _, b := range boundsOf(s, j, false, amount(i, c.of)) {
				if x > 0 && c.mine > b.most {
					return fmt.Sprint(c.what, " under ", b.name)
				}
			}
		}
		qos, _ := ranksOf(s, j)
		for _, q := range qos {
			if least := amount(i, func(l *Limits) Amounts { return l.LeastTRES })(&q.limits); least != None {
				if j.Request.asks(len(s.GRES))[i] < least {
					return "has less than a job has to have under " + q.name
				}
				break
			}
		}
	}
	return ""
}

// overTogether says which limit is broken by the jobs that run when one starts, or by what they have
// used and may still use, "" for none.
func overTogether(s *Setup, jobs []*Job, now *Job) string {
	var counts func(j *Job) bool // of those that start in the same second, a limit need not have seen those that it is none of
	sum := func(of func(*Job) float64) (total float64) {
		for _, j := range jobs {
			if j.Start > 0 && j.Start <= now.Start && counts(j) {
				total += of(j)
			}
		}
		return total
	}
	runs := func(j *Job) bool { return j.End > now.Start }
	own := func(q rank, j *Job, isUser bool) bool { // whether a job is of the same user or account in a QOS
		a, b := &s.Accounts[j.Association], &s.Accounts[now.Association]
		return q.has(j) && (isUser && a.User == b.User || !isUser && a.Parent == b.Parent)
	}
	one := func(*Job) float64 { return 1 }
	of := func(i int) func(*Job) float64 { return func(j *Job) float64 { return float64(had(s, j)[i]) } }
	factor := DecayFactor(s.Conf)
	period := int64(s.Conf.CalcPeriod)
	begin := jobs[0].Submit
	lastSweep := begin + (now.Start-begin)/period*period
	used := func(j *Job, fixed bool) (seconds float64) { // that are charged by now
		for at := j.Start; at < min(j.End, now.Start); {
			swept := begin + (at-begin)/period*period
			to := min(swept+period, j.End)
			isEnd := to == j.End
			if to > now.Start || !isEnd && to > lastSweep {
				break
			}
			chunk := float64(to-at) * s.QOS[j.QOS].UsageFactor
			if !fixed {
				since := lastSweep - to
				if isEnd {
					since = max(0, lastSweep-swept)
				}
				chunk *= math.Pow(factor, float64(to-at)) * math.Pow(factor, float64(since))
			}
			seconds += chunk
			at = to
		}
		return seconds
	}
	left := func(j *Job) float64 { // that it may still use, as of the last sweep
		return float64(j.Limit-max(0, lastSweep-j.Start)) * s.QOS[j.QOS].UsageFactor
	}
	check := func(what string, isGroup bool, limit func(*Limits) int64, total func(q rank) float64) string {
		for _, b := range boundsOf(s, now, isGroup, limit) {
			counts = func(j *Job) bool {
				return j.Start < now.Start || slices.ContainsFunc(boundsOf(s, j, isGroup, limit), func(x bound) bool { return x.name == b.name && x.most <= b.most })
			}
			if x := total(b.rank); x > float64(b.most)+1e-6 {
				return fmt.Sprintf("%s of %s are %g, of %d", what, b.name, x, b.most)
			}
		}
		return ""
	}
	when := func(is bool, x float64) float64 {
		if is {
			return x
		}
		return 0
	}
	total := func(has func(q rank, j *Job) bool, of func(j *Job) float64) func(rank) float64 {
		return func(q rank) float64 { return sum(func(j *Job) float64 { return when(has(q, j), of(j)) }) }
	}
	amounts := func(i int, has func(q rank, j *Job) bool) func(rank) float64 {
		if i != 2 {
			return total(has, of(i))
		}
		return func(q rank) float64 { // nodes that several jobs have count once
			isOf := func(j *Job) bool { return j.Start > 0 && j.Start <= now.Start && has(q, j) }
			addsNone := func(j *Job) bool { // beside all others, which may have been first; then what they have does not count for it
				others := map[int32]bool{}
				for _, k := range jobs {
					for _, x := range k.Shares {
						others[x.Node] = others[x.Node] || isOf(k) && k.ID != j.ID
					}
				}
				return !slices.ContainsFunc(j.Shares, func(x Share) bool { return !others[x.Node] })
			}
			if addsNone(now) {
				return 0
			}
			all := map[int32]bool{}
			for _, j := range jobs {
				if isOf(j) && counts(j) && (j.Start < now.Start || j.ID == now.ID || !addsNone(j)) {
					for _, x := range j.Shares {
						all[x.Node] = true
					}
				}
			}
			return float64(len(all))
		}
	}
	free := func(x float64) float64 { // what others have used and may use does not count for jobs that are charged nothing
		return when(s.QOS[now.QOS].UsageFactor > 0, x)
	}
	running := func(q rank, j *Job) bool { return q.has(j) && runs(j) }
	ofUser := func(q rank, j *Job) bool { return runs(j) && (q.isOwn && q.has(j) || !q.isOwn && own(q, j, true)) }
	ofAccount := func(q rank, j *Job) bool { return runs(j) && own(q, j, false) }
	list := []string{
		check("jobs", true, func(l *Limits) int64 { return l.AllJobs }, total(running, one)),
		check("minutes", true, func(l *Limits) int64 { return l.AllWall }, func(q rank) float64 {
			minutes := math.Floor(max(0, sum(func(j *Job) float64 { return when(q.has(j), used(j, q.fixed)) })/60-1e-6))
			return minutes + max(1, when(s.IsSafe, float64(minutesOf(s, now))))
		}),
	}
	list = append(list, check("jobs of the user", false, func(l *Limits) int64 { return l.UserJobs }, total(ofUser, one)))
	known := func(of func(l *Limits) Amounts) func(l *Limits) Amounts { // which Slurm before 24.05 does not know
		return func(l *Limits) Amounts {
			if s.IsOlderThan(24, 5) {
				return nil
			}
			return of(l)
		}
	}
	for i := range had(s, now) {
		if had(s, now)[i] == 0 {
			continue
		}
		mine := float64(had(s, now)[i] * minutesOf(s, now))
		leftOf := func(has func(q rank, j *Job) bool, q rank) float64 {
			return free(sum(func(j *Job) float64 {
				return when(has(q, j) && j.ID != now.ID && j.Start < now.Start, left(j)*of(i)(j))
			}))
		}
		list = append(list,
			check("amounts", true, amount(i, func(l *Limits) Amounts { return l.AllTRES }), amounts(i, running)),
			check("amounts of the user", false, amount(i, func(l *Limits) Amounts { return l.UserTRES }), func(q rank) float64 {
				return when(!q.isOwn, amounts(i, ofUser)(q))
			}),
			check("amounts of the account", false, amount(i, func(l *Limits) Amounts { return l.AccountTRES }), func(q rank) float64 {
				return when(!q.isOwn, amounts(i, ofAccount)(q))
			}),
			check("minutes that are left", true, amount(i, func(l *Limits) Amounts { return l.RunMinutes }), func(q rank) float64 {
				return when(!q.isRoot, math.Floor(leftOf(running, q)/60+1e-6)+mine)
			}),
			check("minutes that are left to the user", false, amount(i, known(func(l *Limits) Amounts { return l.UserRunMinutes })), func(q rank) float64 {
				return when(!q.isOwn, math.Floor(leftOf(ofUser, q)/60+1e-6)+mine)
			}),
			check("minutes that are left to the account", false, amount(i, known(func(l *Limits) Amounts { return l.AccountRunMinutes })), func(q rank) float64 {
				return when(!q.isOwn, math.Floor(leftOf(ofAccount, q)/60+1e-6)+mine)
			}),
			check("minutes that are used", true, amount(i, func(l *Limits) Amounts { return l.AllMinutes }), func(q rank) float64 {
				minutes := math.Floor(max(0, free(sum(func(j *Job) float64 { return when(q.has(j), used(j, q.fixed)*of(i)(j)) }))/60-1e-6))
				if s.IsSafe {
					minutes = max(minutes+1, minutes+math.Floor(max(0, leftOf(running, q)/60-1e-6))+mine)
				} else {
					minutes++
				}
				return when(!q.isRoot, minutes)
			}))
	}
	list = append(list, check("jobs of the account", false, func(l *Limits) int64 { return l.AccountJobs }, func(q rank) float64 {
		return when(!q.isOwn, total(ofAccount, one)(q))
	}))
	for _, why := range list {
		if why != "" {
			return why
		}
	}
	return ""
}

// neverStarts returns how many jobs are held for ever, and tells those that nothing holds: where all
// jobs fit on their nodes, a job that never starts is over a limit though nothing else runs.
func neverStarts(t *testing.T, seed uint64, s *Setup, result *Result) (held int) {
	t.Helper()
	if s.PartitionDepth > 0 { // those that limits hold for ever keep passes from looking at others
		return 0
	}
	for _, j := range result.Jobs {
		if !s.Fits(j) {
			return 0
		}
		for _, in := range s.Entries(j) { // one that asks for more nodes than are up there holds others up for ever
			up := 0
			for i := range s.Partitions[in.Partition].Nodes.all {
				if s.Nodes[i].CPUs > 0 {
					up++
				}
			}
			if up < int(j.Request.MinNodes) {
				return 0
			}
		}
	}
	for _, j := range result.Jobs {
		if j.Start > 0 || j.CancelAt > 0 {
			continue
		}
		held++
		for _, in := range s.Entries(j) {
			later, p := *in, in.Partition
			later.Start, later.End = result.Last, result.Last+j.Run
			later.Shares = NewMachine(s.Cluster).place(later.Request, s.Partitions[p].Nodes)
			if later.Shares != nil && !isTooLong(s, j, p) && s.IsLicensed(j) && overAlone(s, &later, had(s, &later)) == "" && overTogether(s, append(result.Jobs, &later), &later) == "" {
				t.Fatalf("seed %d: job %d never starts, and nothing keeps it from partition %d: %+v %+v", seed, j.ID, p, *j, *j.Request)
			}
		}
	}
	return held
}

// place returns where a job runs on some nodes.
func (m *Machine) place(r *Request, among Set) []Share {
	return (&placer{}).place(m, r, among)
}
