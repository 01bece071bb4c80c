package set

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"fairshare/cmd/internal/accounts"
	"fairshare/cmd/internal/compare"
	"fairshare/cmd/internal/report"
	"fairshare/cmd/internal/slurm"
	"fairshare/cmd/internal/slurm/order"
	"fairshare/cmd/internal/slurm/sched"
	"fairshare/cmd/internal/slurm/setup"
)

// largestTree is of how many associations a tree is at most for which changes of usage are tried, each of which concerns
// all of them.
const largestTree = 20_000

// Compare says which of two rows goes first among the rows of a site, why, and what would reverse that.
func Compare(s *order.Site, rows []order.Row, row, other order.Row) order.Versus {
	v := s.Compare(rows, row, other)
	if v.First == "" {
		return v
	}
	first, second := row, other
	if other.Rank < row.Rank {
		first, second = other, row
	}
	v.Turn, v.Notes = TurningPoints(s, rows, first, second, v.By)
	return v
}

// TurningPoints returns changes each of which alone would let the second of two rows go first, and notes on what would
// not. by is what puts the first one ahead, one of sched.OrderRules. A change that --set can make is tried as After has it;
// its Variable is the name of the setting. It is looked for with the jobs of the two rows alone, and where other jobs decide
// as well, as in a circle of preemption, it is tried among all rows of the site.
func TurningPoints(s *order.Site, rows []order.Row, first, second order.Row, by string) ([]compare.TurningPoint, []string) {
	t := &turner{s: clone(s), first: first, second: second, points: []compare.TurningPoint{}, notes: []string{}}
	if s.MayCircle() {
		t.whole, t.rows = s, asFound(rows)
	}
	t.listed = rows
	isOther := func(id string) bool { return id != first.Job.ID && id != second.Job.ID }
	cloneJobs(t.s)
	t.s.Jobs = slices.DeleteFunc(t.s.Jobs, func(j slurm.Job) bool { return isOther(j.ID) })
	t.s.Stored = nil
	if s.Stored != nil {
		t.s.Stored = s.Stored[:0:0]
		for _, p := range s.Stored {
			if !isOther(p.ID) {
				t.s.Stored = append(t.s.Stored, p)
			}
		}
	}
	t.now = t.s.PlainRows()
	for _, r := range rows { // which may be of a changed site
		if isOther(r.Job.ID) {
			continue
		}
		if i := slices.IndexFunc(t.now, func(x order.Row) bool { return x.Place() == r.Place() }); i >= 0 {
			t.now[i].Value = r.Value
			if !r.WasSet() {
				t.now[i].Stored = nil
			}
		}
	}
	switch {
	case first.Rank == 0 || second.Rank == 0:
	case math.IsNaN(first.Priority) || math.IsNaN(second.Priority):
		t.byPrinted(by)
	case by == sched.ByCircle.String():
		t.byNice()
	case by == sched.ByTier.String():
		t.byTier()
	case t.whole != nil && (by == sched.ByReservation.String() || by == sched.ByPreemption.String()):
		t.notes = append(t.notes, "no priority reverses it, but where other jobs make a circle of preemption")
	case by == sched.ByReservation.String() || by == sched.ByPreemption.String():
		t.notes = append(t.notes, "no priority reverses it")
	case second.WasSet():
		t.bySetting()
	case first.Untold.IsAny() || second.Untold.IsAny():
		t.byWaiting()
		t.byNice()
		t.notes = append(t.notes, "what shares, usage, QOS and weights would reverse is not known: sprio -l, sshare -a -l -P and sacctmgr -P show qos tell their terms")
	default:
		t.byWaiting()
		if t.byUsage(); t.s.Tree == nil {
			t.byPrinted(by)
		}
		t.byQOS()
		t.byWeights()
		t.byNice()
	}
	if len(t.failed) > 0 {
		t.notes = append(t.notes, fmt.Sprintf("what would reverse these two alone, and does not reverse them among all jobs, since others make a circle of preemption with them: %s", strings.Join(t.failed, ", ")))
	}
	return t.points, t.notes
}

// turner looks for what would let the second of two rows go first.
type turner struct {
	s             *order.Site // with the jobs of the two rows alone
	now           []order.Row
	first, second order.Row
	whole         *order.Site // with all jobs, nil where no other one decides how the two stand
	rows          []order.Row // of the whole site, as it is before anything is changed
	listed        []order.Row // all of them, as they are
	points        []compare.TurningPoint
	notes         []string
	failed        []string // what turns the two alone, and not among all
}

// lacks returns by how many points the first row is ahead.
func (t *turner) lacks() float64 { return t.first.Ranked() - t.second.Ranked() }

// needs returns how many points more would put the second row ahead: one more than it lacks, unless it goes first where
// priorities are equal.
func (t *turner) needs() float64 {
	if t.s.Behind(t.first, t.second) {
		return t.lacks()
	}
	return t.lacks() + 1
}

// add adds a change of a variable of a job's, unless it is known not to turn the order among all jobs.
func (t *turner) add(r order.Row, isSo func() bool, variable string, from, to float64, format string, args ...any) {
	if !isSo() {
		t.failed = append(t.failed, fmt.Sprintf("%s %s", variable, report.Fixed(to, 0)))
		return
	}
	t.points = append(t.points, compare.TurningPoint{Job: r.Job.ID, Variable: variable, From: report.Number(from), To: report.Number(to), Text: fmt.Sprintf(format, args...)})
}

// set tries a setting, and returns the second row as it is then.
func (t *turner) set(name, value string) (compare.Trial, order.Row) {
	changed, _, err := With(t.s, []string{name + "=" + value})
	if err != nil {
		return compare.Trial{Gain: -t.lacks()}, t.second
	}
	return t.at(changed)
}

// at returns what comes of a changed site, and the second row there.
func (t *turner) at(changed *order.Site) (compare.Trial, order.Row) {
	rows := sorted(t.now, changed)
	place := func(r order.Row) int {
		return slices.IndexFunc(rows, func(x order.Row) bool { return x.Place() == r.Place() })
	}
	a, b := place(t.first), place(t.second)
	return compare.Trial{Gain: rows[b].Ranked() - rows[a].Ranked(), Turned: b < a && rows[b].Rank > 0}, rows[b]
}

// least returns the least number of whole steps that turns the order, at most most, where each step brings the second row
// so many points nearer to the first one, but for what is cut off.
func (t *turner) least(points, most float64, try func(steps float64) compare.Trial) (steps float64, ok bool) {
	const rounding = 3 // points
	low, high := max(0, math.Floor((t.lacks()-rounding)/points)), min(most, math.Ceil((t.lacks()+rounding)/points))
	if low >= high || !try(high).Turned || low > 0 && try(low).Turned {
		return 0, false
	}
	return compare.FirstTurned(low, high, try), true
}

// byPrinted says what fairshare lacks where the terms of sprio alone are known, and no rule before priority decides, or that
// an administrator has set the priority.
func (t *turner) byPrinted(by string) {
	if by == sched.ByPreemption.String() || by == sched.ByCircle.String() || by == sched.ByReservation.String() || t.first.Stored == nil || t.second.Stored == nil || t.first.Tier != t.second.Tier && !math.IsNaN(t.first.Tier) {
		return
	}
	if t.second.IsSet() {
		t.bySetting()
		return
	}
	a, b, lacks := t.first.Stored.Terms, t.second.Stored.Terms, fmt.Sprintf("%s lacks %s", t.second.Job.ID, points(t.needs()))
	if now, ok := b["fairshare"]; ok && t.first.Job.User == t.second.Job.User && t.first.Job.Account == t.second.Job.Account && a["fairshare"] == now {
		t.notes = append(t.notes, lacks+", and fairshare gives both the same")
	} else if ok {
		t.notes = append(t.notes, fmt.Sprintf("%s: its fairshare would have to give %s (now %s)%s", lacks, report.Fixed(now+t.needs(), 0), report.Fixed(now, 0), t.mostOf("fairshare", now+t.needs())))
	}
	if isA, ok := a["nice"]; ok && t.first.Job.ID != t.second.Job.ID {
		isB := b["nice"]
		t.notes = append(t.notes, fmt.Sprintf("%s would go first if it had nice %s (now %s), which an administrator can set, or %s had nice %s (now %s), which its owner can set",
			t.second.Job.ID, report.Fixed(isB-t.needs(), 0), report.Fixed(isB, 0), t.first.Job.ID, report.Fixed(isA+t.needs(), 0), report.Fixed(isA, 0)))
	}
	if now, ok := b["age"]; ok && t.first.Job.ID != t.second.Job.ID {
		if most := t.mostOf("age", now+t.needs()); most != "" {
			t.notes = append(t.notes, fmt.Sprintf("no wait puts %s first: its age would have to give %s (now %s)%s", t.second.Job.ID, report.Fixed(now+t.needs(), 0), report.Fixed(now, 0), most))
		} else {
			t.notes = append(t.notes, fmt.Sprintf("%s would go first if it had waited until its age gave %s (now %s), and %s no longer: while both wait, age gives both the same more, up to its most",
				t.second.Job.ID, report.Fixed(now+t.needs(), 0), report.Fixed(now, 0), t.first.Job.ID))
		}
	}
	t.byShown("qos", "under QOS", t.second.QOS, func(r order.Row) string { return r.QOS })
	t.byShown("partition", "in partition", t.second.Partition, func(r order.Row) string { return r.Partition })
}

// running returns how many listed jobs of an association run.
func (t *turner) running(of sched.AccountName) (n int) {
	for _, r := range t.listed {
		if r.Job.State == "RUNNING" && r.Job.Account == of.Account && (of.User == "" || r.Job.User == of.User) {
			n++
		}
	}
	return n
}

// mostOf says how much a term gives at most, by the weights that sprio -w prints, where that is less than so many points; "" else.
func (t *turner) mostOf(term string, points float64) string {
	if weight, ok := t.s.Weights[term]; ok && points > weight {
		return fmt.Sprintf(", and gives no more than %s (its weight)", report.Fixed(weight, 0))
	}
	return ""
}

// byShown says which other QOS or partition gives enough points by itself, of those that the jobs in sprio have.
func (t *turner) byShown(term, where, name string, of func(order.Row) string) {
	now, ok := t.second.Stored.Terms[term]
	best, gives := "", math.Inf(1)
	for _, r := range t.listed {
		if r.Stored == nil || of(r) == "" || of(r) == name || strings.Contains(of(r), ",") || !r.MayStart() { // as in a partition that is down
			continue
		}
		if points, isTold := r.Stored.Terms[term]; isTold && points >= now+t.needs() && (points < gives || points == gives && of(r) < best) {
			best, gives = of(r), points
		}
	}
	if ok && best != "" {
		t.notes = append(t.notes, fmt.Sprintf("%s would go first %s %s, which gives %s (now %s), if it may use that and nothing else of its priority changed", t.second.Job.ID, where, best, report.Fixed(gives, 0), report.Fixed(now, 0)))
	}
}

// byTier tries another tier of the second row's partition.
func (t *turner) byTier() {
	turns := false
	for _, x := range []struct {
		row   order.Row
		tiers []float64
	}{
		{t.second, []float64{t.first.Tier, t.first.Tier + 1}},
		{t.first, []float64{t.second.Tier, t.second.Tier - 1}},
	} {
		name, now := "partition."+x.row.Partition+".tier", x.row.Tier
		for _, tier := range x.tiers {
			if trial, _ := t.set(name, report.Plain(tier)); trial.Turned {
				t.add(x.row, t.isSet(name, report.Plain(tier)), name, now, tier, "partition %s had tier %s (now %s)", x.row.Partition, report.Plain(tier), report.Plain(now))
				turns = true
				break
			}
		}
	}
	if !turns {
		t.notes = append(t.notes, "no priority reverses it: jobs of a higher tier go first")
	}
}

// byWaiting tries a longer wait of the second job, and whether it is enough that both wait on.
func (t *turner) byWaiting() {
	weight, most := t.s.Conf.Weights.Age, t.s.Conf.MaxAge
	if weight == 0 || most == 0 || t.second.Job.Accrued.IsZero() {
		return
	}
	at := func(seconds float64, ids ...string) func(*order.Site) *order.Site {
		return func(s *order.Site) *order.Site {
			return changeJobs(s, func(j *slurm.Job) {
				if slices.Contains(ids, j.ID) {
					j.Accrued = j.Accrued.Add(-time.Duration(seconds) * time.Second)
				}
			})
		}
	}
	waited := func(seconds float64, ids ...string) compare.Trial {
		trial, _ := t.at(at(seconds, ids...)(t.s))
		return trial
	}
	first, second := t.first.Job.ID, t.second.Job.ID
	if more, ok := t.least(weight/most, most, func(x float64) compare.Trial { return waited(x, second) }); ok {
		age := t.second.Norm.Age * most
		t.add(t.second, t.is(at(more, second)), "age", age, age+more, "%s had waited %s longer than it has, and %s no longer", second, report.Span(more), first)
	} else {
		t.notes = append(t.notes, fmt.Sprintf("%s lacks %s, more than its age can still give: at most %s", second, points(t.needs()), report.Fixed(weight*(1-t.second.Norm.Age), 0)))
	}
	if first == second {
		return
	}
	// The first job gains nothing any more once its age is the largest.
	still := most * (1 - t.first.Norm.Age)
	if wait, ok := t.least(weight/most, most, func(x float64) compare.Trial { return waited(still+x, first, second) }); ok && t.is(at(still+wait, first, second))() {
		t.notes = append(t.notes, fmt.Sprintf("if both wait %s longer and nothing else changes, their order reverses by itself", report.Span(still+wait)))
	} else {
		t.notes = append(t.notes, "waiting alone does not reverse the order, since both wait")
	}
}

// byUsage tries less usage of the second job's association, and more of the first one's.
func (t *turner) byUsage() {
	tree := t.s.Tree
	if tree == nil || t.s.Conf.Weights.Fairshare == 0 || tree.Len() > largestTree {
		return
	}
	names := setup.Names(setup.Associations(tree))
	a, b := t.s.AssociationOf(t.first.Job), t.s.AssociationOf(t.second.Job)
	if a < 0 || b < 0 || a == b {
		return
	}
	tried := func(at int, by float64) (compare.Trial, order.Row) {
		return t.set(names[at].String()+".usage", report.Fixed(max(0, tree.At(at).Usage+by), 0))
	}
	trial := func(at int, sign float64) func(float64) compare.Trial {
		return func(by float64) compare.Trial {
			if by == 0 {
				return compare.Trial{Gain: -t.lacks()}
			}
			x, _ := tried(at, sign*by)
			x.Gain = -t.lacks() // by a fair tree, what is gained falls again where the account of both passes another one
			return x
		}
	}
	used, name := tree.At(b).Usage, names[b].String()
	if less, ok := compare.LeastWhole(used, trial(b, -1)); ok {
		_, row := tried(b, -less)
		text := fmt.Sprintf("%s had used %s less (%s, now %s), so that its fairshare factor was %s (now %s)", name, report.Fixed(less, 0), report.Fixed(used-less, 0), report.Fixed(used, 0),
			report.Fixed(row.Norm.Fairshare, 6), report.Fixed(t.second.Norm.Fairshare, 6))
		t.add(t.second, t.isSet(name+".usage", report.Fixed(used-less, 0)), name+".usage", used, used-less, "%s", text+accounts.Decay{HalfLife: t.s.Conf.HalfLife}.Less(used, less, t.running(names[b])))
	} else if x, row := tried(b, -used); used > 0 && !x.Turned {
		t.notes = append(t.notes, fmt.Sprintf("with no usage at all, %s would have the fairshare factor %s (now %s), and %s would lack %s still",
			name, report.Fixed(row.Norm.Fairshare, 6), report.Fixed(t.second.Norm.Fairshare, 6), t.second.Job.ID, points(t.needs()-t.lacks()-x.Gain)))
	}
	used, name = tree.At(a).Usage, names[a].String()
	if more, ok := compare.LeastWhole(1000*tree.At(0).Usage, trial(a, 1)); ok {
		t.add(t.first, t.isSet(name+".usage", report.Fixed(used+more, 0)), name+".usage", used, used+more, "%s had used %s more (%s, now %s)", name, report.Fixed(more, 0), report.Fixed(used+more, 0), report.Fixed(used, 0))
	}
}

// byQOS tries the second job under other QOS and names the one of the lowest priority that would do, first of those that it may use,
// as far as that is known.
func (t *turner) byQOS() {
	if t.s.Conf.Weights.QOS == 0 {
		return
	}
	names := slices.SortedFunc(maps.Keys(t.s.QOS), func(a, b string) int { return cmp.Or(cmp.Compare(t.s.QOS[a], t.s.QOS[b]), cmp.Compare(a, b)) })
	mayNot := func(qos string) int {
		if theirs := t.s.QOSOf(t.second.Job); theirs != nil && !slices.Contains(theirs, qos) {
			return 1
		}
		return 0
	}
	slices.SortStableFunc(names, func(a, b string) int { return cmp.Compare(mayNot(a), mayNot(b)) })
	for _, qos := range names {
		if qos == t.second.QOS || t.s.QOS[qos] <= t.s.QOS[t.second.QOS] {
			continue
		}
		name := "job." + t.second.Job.ID + ".qos"
		to := func(s *order.Site) *order.Site {
			return changeJobs(s, func(j *slurm.Job) {
				if j.ID == t.second.Job.ID {
					j.QOS = qos
				}
			})
		}
		if t.turns(sorted(t.now, to(t.s))) && t.is(to)() {
			t.add(t.second, isSo, name, t.s.QOS[t.second.QOS], t.s.QOS[qos], "%s were of QOS %s, priority %s (now %s, %s), %s",
				t.second.Job.ID, qos, report.Plain(t.s.QOS[qos]), t.second.QOS, report.Plain(t.s.QOS[t.second.QOS]), t.mayUse(qos))
			return
		}
	}
}

// mayUse says whether the second job may be of a QOS.
func (t *turner) mayUse(qos string) string {
	switch theirs := t.s.QOSOf(t.second.Job); {
	case theirs == nil:
		return "where it may use that"
	case slices.Contains(theirs, qos):
		return "which it may use"
	default:
		return "which it may not use: it may be of " + report.Listed(theirs)
	}
}

// byWeights tries other weights of the terms that differ.
func (t *turner) byWeights() {
	w, a, b := t.s.Conf.Weights, t.first.Norm, t.second.Norm
	for _, x := range []struct {
		name               string
		now, first, second float64
	}{
		{"PriorityWeightAge", w.Age, a.Age, b.Age}, {"PriorityWeightAssoc", w.Assoc, a.Assoc, b.Assoc}, {"PriorityWeightFairshare", w.Fairshare, a.Fairshare, b.Fairshare},
		{"PriorityWeightJobSize", w.JobSize, a.JobSize, b.JobSize}, {"PriorityWeightPartition", w.Partition, a.Partition, b.Partition}, {"PriorityWeightQOS", w.QOS, a.QOS, b.QOS},
	} {
		apart, sign, most := x.second-x.first, 1., math.MaxUint32-x.now
		if apart < 0 {
			apart, sign, most = -apart, -1, x.now
		}
		if apart == 0 {
			continue
		}
		by, ok := t.least(apart, most, func(steps float64) compare.Trial {
			trial, _ := t.set(x.name, report.Fixed(x.now+sign*steps, 0))
			return trial
		})
		if ok {
			t.add(t.second, t.isSet(x.name, report.Fixed(x.now+sign*by, 0)), x.name, x.now, x.now+sign*by, "%s were %s (now %s), for all jobs", x.name, report.Fixed(x.now+sign*by, 0), report.Fixed(x.now, 0))
		}
	}
}

// byNice tries another nice of each job.
func (t *turner) byNice() {
	const most = 2147483645
	for _, x := range []struct {
		row  order.Row
		sign float64
		who  string
	}{{t.second, -1, "an administrator can set that"}, {t.first, 1, "its owner can set that"}} {
		name, now := "job."+x.row.Job.ID+".nice", x.row.Job.Nice
		to := func(steps float64) string { return report.Fixed(now+x.sign*steps, 0) }
		by, ok := t.least(1, most, func(steps float64) compare.Trial {
			trial, _ := t.set(name, to(steps))
			return trial
		})
		if t.whole != nil && !(ok && t.isSet(name, to(by))()) {
			by, ok = t.leastAmongAll(by, func(steps float64) bool { return t.isSet(name, to(steps))() })
		}
		if ok {
			t.add(x.row, isSo, name, now, now+x.sign*by, "%s had nice %s (now %s): %s", x.row.Job.ID, to(by), report.Fixed(now, 0), x.who)
		}
	}
}
