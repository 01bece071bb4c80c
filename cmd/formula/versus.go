package main

import (
	"fmt"
	"strings"

	"fairshare/cmd/internal/cycle"
	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/report"
	"fairshare/fstree"
)

// verdict is why one of two jobs goes first.
type verdict struct {
	First  string     `json:"first"`
	Second string     `json:"second"`
	Ranks  [2]*int    `json:"ranks"`
	Key    string     `json:"key"` // what decides
	Why    string     `json:"why"`
	Parts  []partLine `json:"parts"`           // sub-expressions that differ
	Level  *levelPart `json:"level,omitempty"` // where the paths part
	Turn   []turnLine `json:"turn"`            // what would turn the order
}

// partLine is a sub-expression of both jobs.
type partLine struct {
	Text   string `json:"text"`
	Depth  int    `json:"depth"`
	First  string `json:"first"`
	Second string `json:"second"`
	Differ bool   `json:"differ"`
}

// levelPart is the level of the tree at which two paths part.
type levelPart struct {
	Depth  int      `json:"depth"`
	First  sideLine `json:"first"`
	Second sideLine `json:"second"`
}

type sideLine struct {
	Name       string         `json:"name"`
	Usage      report.Number  `json:"usage"`
	Percentage report.Number  `json:"tree_percentage"`
	PerShare   *report.Number `json:"usage_per_share"`
}

// turnLine is a change of one number that would turn the order.
type turnLine struct {
	Job      string        `json:"job"`
	Variable string        `json:"variable"`
	From     report.Number `json:"from"`
	To       report.Number `json:"to"`
	Text     string        `json:"text"`
}

// Keys of a verdict beside those of the cycle.
const (
	byConsidered cycle.Key = "considered"
	byCycle      cycle.Key = "cycle" // what has happened since it began
)

func (x *explainer) versus(a, b int, asJSON bool) error {
	v := x.verdict(a, b)
	if asJSON {
		return x.s.encode(v)
	}
	x.printVerdict(v)
	return nil
}

// decide tells which of two rows goes first in the order, and by what.
func (x *explainer) decide(a, b int) (first, second int, key cycle.Key) {
	if ra, rb := x.ranks[a], x.ranks[b]; rb != 0 && (ra == 0 || rb < ra) {
		a, b = b, a
	}
	if x.ranks[b] == 0 {
		return a, b, byConsidered
	}
	c, key := cycle.First(x.r.jobs, int32(a), int32(b), x.r.settings)
	inTurn := x.r.plan.policy.RoundRobin && x.r.list.row(a).queue != x.r.list.row(b).queue && key != cycle.ByQueue
	if c > 0 || inTurn {
		key = byCycle
	}
	return a, b, key
}

// verdict says all of two rows, as they are in the order.
func (x *explainer) verdict(a, b int) verdict {
	a, b, key := x.decide(a, b)
	v := verdict{
		First: x.r.list.row(a).id, Second: x.r.list.row(b).id, Key: string(key), Why: x.why(key, a, b),
		Parts: []partLine{}, Turn: []turnLine{},
	}
	for i, row := range []int{a, b} {
		if rank := x.ranks[row]; rank != 0 {
			v.Ranks[i] = &rank
		}
	}
	if x.r.program != nil && x.r.list.hasValue(a) && x.r.list.hasValue(b) {
		v.Parts = x.parts(a, b)
	}
	switch key {
	case cycle.ByValue:
		v.Turn = x.turnValue(a, b)
	case cycle.ByFairshare:
		level := x.level(a, b)
		v.Level = &level
		if level.First.PerShare != nil {
			v.Turn = x.turnUsage(a, b)
		}
	}
	return v
}

// why is the reason in a sentence.
func (x *explainer) why(key cycle.Key, a, b int) string {
	la, lb := x.r.list.row(a), x.r.list.row(b)
	first, second := la.id, lb.id
	queue := func(row int) cycle.Queue { return x.r.queues[x.r.jobs[row].Queue] }
	switch key {
	case byConsidered:
		if x.ranks[a] == 0 {
			return fmt.Sprintf("neither is considered: %s (%s), %s (%s)", first, x.r.reasons[a], second, x.r.reasons[b])
		}
		return fmt.Sprintf("%s is considered, %s is not: %s", first, second, x.r.reasons[b])
	case byCycle:
		if x.r.plan.policy.RoundRobin && la.queue != lb.queue {
			return fmt.Sprintf("%s goes first: queues of one priority give a job each in turn (round_robin), and the turn of %s came first", first, queue(a).Name)
		}
		return fmt.Sprintf("%s goes first, though %s is ahead when the cycle begins: the jobs that start before them add to their entities' usage", first, second)
	case cycle.ByQueue:
		return fmt.Sprintf("%s goes first: its queue %s (priority %d) comes before %s (%d)", first, queue(a).Name, queue(a).Priority, queue(b).Name, queue(b).Priority)
	case cycle.ByPreemption:
		return fmt.Sprintf("%s goes first: its preemption priority is higher (queue %s, priority %d, against %s, %d; from %d on a queue is express, an entity over its share comes last)",
			first, queue(a).Name, queue(a).Priority, queue(b).Name, queue(b).Priority, x.r.plan.preempt)
	case cycle.ByValue:
		return fmt.Sprintf("%s goes first: its value is %s, that of %s is %s", first, x.r.scores.result(a).Log(), second, x.r.scores.result(b).Log())
	case cycle.ByFairshare:
		return fmt.Sprintf("%s goes first: %s, and its entity %s has used less of its share", first, x.tie(a, b), x.r.list.entities.list[la.entity])
	case cycle.BySortKey:
		return fmt.Sprintf("%s goes first: %s, and job_sort_key decides", first, x.tie(a, b))
	case cycle.ByRank:
		return fmt.Sprintf("%s goes first: %s, and it was queued earlier (queue_rank)", first, x.tie(a, b))
	}
	return fmt.Sprintf("%s goes first: %s, and nothing decides but their order in the list", first, x.tie(a, b))
}

// tie says that the formula does not decide between two rows.
func (x *explainer) tie(a, b int) string {
	switch {
	case x.r.program == nil:
		return "there is no formula"
	case x.r.scores.values[a] != x.r.scores.values[b]:
		return "the values tie as C floats"
	}
	return "the values tie"
}

// parts are the formula's sub-expressions of both jobs.
func (x *explainer) parts(a, b int) []partLine {
	first, _ := x.r.plan.formula.Explain(x.lookup(a))
	second, _ := x.r.plan.formula.Explain(x.lookup(b))
	lines := []partLine{}
	for i := 0; i < len(first) && i < len(second); i++ {
		fa, fb := x.step(first[i]), x.step(second[i])
		if first[i].Span != second[i].Span {
			break
		}
		line := partLine{fa.Text, fa.Depth, fa.outcome(), fb.outcome(), false}
		line.Differ = line.First != line.Second
		lines = append(lines, line)
	}
	return lines
}

func (l stepLine) outcome() string {
	switch {
	case l.Error != "":
		return l.Error
	case !l.Reached:
		return "(not evaluated)"
	}
	return l.Value
}

// level is where the paths of two rows' entities part.
func (x *explainer) level(a, b int) levelPart {
	tree := x.r.tree
	pa, pb := tree.Path(x.entity(a)), tree.Path(x.entity(b))
	for i := 0; i < len(pa) && i < len(pb); i++ {
		if tree.CompareNodes(pa[i], pb[i]) != 0 {
			return levelPart{i, x.side(pa[i]), x.side(pb[i])}
		}
	}
	return levelPart{}
}

func (x *explainer) side(id fstree.ID) sideLine {
	e := x.r.tree.Entity(id)
	side := sideLine{Name: e.Name, Usage: report.Number(e.Usage), Percentage: float(e.TreePercentage)}
	if e.TreePercentage > 0 {
		side.PerShare = report.Known(e.PerShare())
	}
	return side
}

// printVerdict prints a verdict for people.
func (x *explainer) printVerdict(v verdict) {
	out := x.s.out
	fmt.Fprintln(out, diag.Printable(v.Why))
	if len(v.Parts) > 0 {
		table := [][]string{{"  ", v.First, v.Second}}
		for _, part := range v.Parts {
			mark := "  "
			if part.Differ {
				mark = "! "
			}
			table = append(table, []string{mark + x.part(part.Depth, part.Text, 44), brief(part.First), brief(part.Second)})
		}
		fmt.Fprintln(out)
		x.s.printCells(table, func(int) bool { return false })
	}
	if l := v.Level; l != nil {
		fmt.Fprintf(out, "\n  The paths part at level %d: %s against %s\n", l.Depth, diag.Printable(l.First.text()), diag.Printable(l.Second.text()))
	}
	if len(v.Turn) > 0 {
		when := ""
		if x.r.settings.Costs != nil {
			when = ", as it is when the cycle begins (before jobs that start add to usage),"
		}
		fmt.Fprintf(out, "\n  The order%s would turn if\n", when)
		for _, t := range v.Turn {
			fmt.Fprintf(out, "  - %s\n", diag.Printable(t.Text))
		}
	}
}

func (l sideLine) text() string {
	if l.PerShare == nil {
		return l.Name + " has no share"
	}
	return fmt.Sprintf("%s has used %s / %s = %s", l.Name, plain(float64(l.Usage)), digits(l.Percentage), digits(*l.PerShare))
}

func indent(depth int, text string) string { return strings.Repeat("  ", depth) + text }
