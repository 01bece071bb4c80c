package set

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"fairshare/cmd/internal/slurm/dump/dumptest"
	"fairshare/cmd/internal/slurm/order"
	"fairshare/cmd/internal/slurm/sched"
	"fairshare/cmd/internal/workshop"
)

// At recorded sites with preemption, what is said to put one job ahead of another is what the order's own rules decide of the
// two, or a circle that goes round by them, and each change that is said to reverse them does so among all jobs where --set makes it.
func TestCircles(t *testing.T) {
	apart := 7 // of the pairs, every so many are asked
	if !workshop.TestsAll() {
		apart = 29
	}
	names, err := filepath.Glob("../../../../testdata/slurm-now/*.tgz")
	if err != nil {
		t.Fatal(err)
	}
	others, err := filepath.Glob(dumptest.Sites + "*.tgz")
	if err != nil {
		t.Fatal(err)
	}
	by, tried, pair := map[string]int{}, map[string]int{}, 0
	for _, name := range append(names, others...) {
		site, err := order.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		if !site.MayCircle() {
			continue
		}
		rows := site.Rows()
		isOver := func(a, b order.Row) bool {
			return slices.ContainsFunc(site.Preemption().QOS, func(q sched.QOS) bool { return q.Name == a.Job.QOS && slices.Contains(q.Preempts, b.Job.QOS) })
		}
		for i := range rows {
			for k := range rows[:i] {
				first, second := rows[k], rows[i]
				if pair++; pair%apart != 0 || second.Rank == 0 || first.Job.ID == second.Job.ID {
					continue
				}
				v := site.Compare(rows, second, first)
				by[v.By]++
				if !first.Job.HasSeveralQOS() && !second.Job.HasSeveralQOS() && (v.By == sched.ByPreemption.String()) != isOver(first, second) {
					t.Errorf("%s: %s is said to go before %s by %s, and may it preempt it: %v", name, first.Job.ID, second.Job.ID, v.By, isOver(first, second))
				}
				if isCircle := v.By == sched.ByCircle.String(); isCircle != (len(v.Round) > 0) {
					t.Errorf("%s: %s goes before %s by %s, through %v", name, first.Job.ID, second.Job.ID, v.By, v.Round)
				} else if isCircle {
					checkRound(t, name, v)
				}
				points, _ := TurningPoints(site, rows, first, second, v.By)
				for _, p := range points {
					if p.Variable == "age" {
						continue // which no setting changes
					}
					tried[p.Variable[strings.LastIndexByte(p.Variable, '.')+1:]]++
					if !reverses(t, site, rows, k, i, p.Variable, float64(p.To), p.Text) {
						t.Errorf("%s: %s does not reverse %s and %s, of which the first is ahead by %s", name, p.Text, first.Job.ID, second.Job.ID, v.By)
					}
				}
			}
		}
	}
	for _, rule := range []string{"preemption", "tier", "priority", sched.ByCircle.String()} {
		if by[rule] == 0 {
			t.Errorf("no pair is decided by %s: %v", rule, by)
		}
	}
	for _, kind := range []string{"PriorityWeightAge", "usage", "qos", "tier", "nice"} {
		if tried[kind] == 0 {
			t.Errorf("no pair is reversed by %s: %v", kind, tried)
		}
	}
}

// checkRound holds a circle to be one: from the first job to the second and back, each step by a rule, one of them preemption.
func checkRound(t *testing.T, name string, v order.Versus) {
	t.Helper()
	isWithPreemption := slices.ContainsFunc(v.Round, func(x order.Step) bool { return x.By == sched.ByPreemption.String() })
	if len(v.Round) < 3 || !isWithPreemption {
		t.Errorf("%s: no circle of preemption: %v", name, v.Round)
	}
	id := func(text string) string { id, _, _ := strings.Cut(text, "@"); return id }
	last := v.Round[len(v.Round)-1]
	if id(v.Round[0].First) != v.First || id(last.Second) != v.First {
		t.Errorf("%s: %s goes first, through %v", name, v.First, v.Round)
	}
	for i, x := range v.Round[1:] {
		if x.First != v.Round[i].Second {
			t.Errorf("%s: %v does not go on after %v", name, x, v.Round[i])
		}
	}
}
