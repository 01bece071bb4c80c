package explain

import (
	"fmt"
	"slices"
	"strings"

	"fairshare/cmd/internal/compare"
	"fairshare/cmd/internal/pbs/cycle"
	"fairshare/cmd/internal/pbs/order"
	"fairshare/cmd/internal/report"
	"fairshare/fstree"
)

// Verdict is why one of two jobs goes first.
type Verdict struct {
	First  string                 `json:"first"`
	Second string                 `json:"second"`
	Ranks  [2]*int                `json:"ranks"`
	Key    cycle.Key              `json:"key"` // what decides
	Why    string                 `json:"why"`
	Parts  []Part                 `json:"parts"`           // of the formula, for both jobs
	Keys   []Part                 `json:"keys,omitempty"`  // of job_sort_key, where it decides or its keys are equal, for both jobs
	Level  *LevelOfTwo            `json:"level,omitempty"` // where the paths in the tree part
	Turn   []compare.TurningPoint `json:"turn"`            // what would turn the order
	Notes  []string               `json:"notes"`           // on what would not

	Turned   []string `json:"could_turn,omitempty"` // settings of which nothing is known that could turn the order, and by what the jobs differ
	Unplaced string   `json:"unplaced,omitempty"`   // why it is not known which of them goes first, "" where it is

	Places []compare.Places `json:"places,omitempty"` // of the jobs of both users, where they are asked about
}

// Part is a part of the formula for both jobs.
type Part struct {
	Text   string `json:"text"`
	Depth  int    `json:"depth"`
	First  string `json:"first"`
	Second string `json:"second"`
	Differ bool   `json:"differ"`
}

// LevelOfTwo is the level of the tree at which two paths part.
type LevelOfTwo struct {
	Depth  int  `json:"depth"`
	First  Side `json:"first"`
	Second Side `json:"second"`
}

// Side is a node on one of two paths.
type Side struct {
	Name       string         `json:"name"`
	Usage      report.Number  `json:"usage"`
	Percentage report.Number  `json:"tree_percentage"`
	PerShare   *report.Number `json:"usage_per_share"` // null where there are no shares
}

// String says what a side has used for its share.
func (s Side) String() string {
	if s.PerShare == nil {
		return s.Name + " has no share"
	}
	return fmt.Sprintf("%s has used %s / %s = %s", s.Name, report.Plain(float64(s.Usage)),
		report.Significant(float64(s.Percentage), 6), report.Significant(float64(*s.PerShare), 6))
}

// Keys of a verdict beside those of package cycle.
const (
	ByConsidered cycle.Key = "considered"  // only one of them is
	ByCycle      cycle.Key = "cycle"       // what the jobs that start before them add to usage
	ByTurn       cycle.Key = "round_robin" // the turns of queues of one priority
)

// words are what keys are called where jobs are counted by them, as in "3 ahead: 2 by value".
var words = []struct {
	key  cycle.Key
	text string
}{
	{cycle.ByReserve, "a reservation that has begun"}, {cycle.ByQueue, "queue"}, {cycle.ByPreemption, "preemption priority"}, {cycle.ByMark, "preemption before"}, {cycle.ByValue, "value"},
	{cycle.ByFairshare, "fairshare"}, {cycle.BySortKey, "job_sort_key"}, {cycle.ByRank, "queue_rank"}, {cycle.ByPlace, "place in the list"}, {ByTurn, "turn of its queue (round_robin)"}, {ByCycle, "usage added earlier in the cycle"},
}

// Word returns what a key is called, as in "3 ahead: 2 by value".
func Word(key cycle.Key) string {
	for _, w := range words {
		if w.key == key {
			return w.text
		}
	}
	return string(key)
}

// Keys returns the keys by which a job can be ahead of another, in the order in which they decide.
func Keys() []cycle.Key {
	var keys []cycle.Key
	for _, w := range words {
		keys = append(keys, w.key)
	}
	return keys
}

// decide reports which of two rows goes first in the order, and by what.
func decide(o *order.Order, a, b int) (first, second int, key cycle.Key) {
	if pa, pb := o.Place(a), o.Place(b); pb != 0 && (pa == 0 || pb < pa) {
		a, b = b, a
	}
	if o.Place(b) == 0 {
		return a, b, ByConsidered
	}
	result, key := o.Compare(a, b)
	switch {
	case takeTurns(o, a, b, key):
		key = ByTurn
	case result > 0:
		key = ByCycle
	}
	return a, b, key
}

// takeTurns reports whether the turns of their queues decide between two rows, if both are considered, in place of a key by which they
// compare.
func takeTurns(o *order.Order, a, b int, key cycle.Key) bool {
	return o.Plan.Site.Policy().RoundRobin && o.List.Job(a).Queue != o.List.Job(b).Queue && key != cycle.ByQueue
}

// Decide reports which of two rows goes first in the order, by which key, and
// why in a sentence.
func Decide(o *order.Order, a, b int) (first, second int, key cycle.Key, reason string) {
	first, second, key = decide(o, a, b)
	return first, second, key, sentence(o, key, first, second)
}

// Behind returns the key that puts a row behind the one before it in the order, ""
// for the first one and for those that are not considered. isTie reports whether
// the values of the two tie.
func Behind(o *order.Order, row int) (key cycle.Key, isTie bool) {
	place := o.Place(row)
	if place < 2 {
		return "", false
	}
	before := int(o.Rows[place-2])
	_, _, key = decide(o, before, row)
	return key, o.Values != nil && o.Value(before) == o.Value(row)
}

// Overruling returns what decides, in words, where one of some rows stands before the next one though its value is lower.
func Overruling(o *order.Order, rows []int) (list []string) {
	for i := 1; i < len(rows) && o.Values != nil; i++ {
		before, row := rows[i-1], rows[i]
		if o.Place(before) == 0 || o.Place(row) == 0 || !(o.Value(before) < o.Value(row)) {
			continue
		}
		if _, _, key := decide(o, before, row); !slices.Contains(list, Word(key)) {
			list = append(list, Word(key))
		}
	}
	return list
}

// Compare explains why one of two rows goes before the other. stopped are the jobs whose eligible_time stands still beside those of which
// the list tells that, such as by a cycle right now.
func Compare(o *order.Order, a, b int, stopped ...string) Verdict {
	a, b, key, reason := Decide(o, a, b)
	v := Verdict{
		First: o.List.Job(a).ID, Second: o.List.Job(b).ID, Key: key, Why: reason,
		Parts: []Part{}, Turn: []compare.TurningPoint{}, Notes: []string{},
	}
	for i, row := range []int{a, b} {
		if place := o.Place(row); place != 0 {
			v.Ranks[i] = &place
		}
	}
	if o.Values != nil && o.List.IsEvaluated(a) && o.List.IsEvaluated(b) {
		v.Parts = parts(o, a, b)
	}
	if slices.Contains([]cycle.Key{cycle.BySortKey, cycle.ByRank, cycle.ByPlace}, key) {
		v.Keys = sortKeys(o, a, b)
	}
	if key == cycle.ByFairshare {
		level := level(o, a, b)
		v.Level = &level
	}
	t := turner{o: o, first: a, second: b, stopped: stopped}
	t.find(key)
	v.Turn, v.Notes = append(v.Turn, t.points...), append(v.Notes, t.notes...)
	return v
}

// sentence says why a goes before b.
func sentence(o *order.Order, key cycle.Key, a, b int) string {
	ja, jb := o.List.Job(a), o.List.Job(b)
	first, second := ja.ID, jb.ID
	qa, qb := o.QueueOf(a), o.QueueOf(b)
	switch key {
	case ByConsidered:
		if o.Place(a) == 0 {
			return fmt.Sprintf("neither is considered: %s (%s), %s (%s)", first, o.Reason(a), second, o.Reason(b))
		}
		return fmt.Sprintf("%s is considered, %s is not: %s", first, second, o.Reason(b))
	case ByTurn:
		return fmt.Sprintf("%s goes first: queues of one priority give a job each in turn (round_robin), and the turn of %s came first", first, qa.Name)
	case ByCycle:
		return fmt.Sprintf("%s goes first, though %s is ahead when the cycle begins: the jobs that start before them add to their entities' usage", first, second)
	case cycle.ByQueue:
		return fmt.Sprintf("%s goes first: its queue %s (priority %d) comes before %s (%d)", first, qa.Name, qa.Priority, qb.Name, qb.Priority)
	case cycle.ByPreemption:
		return fmt.Sprintf("%s goes first: its preemption priority is higher (queue %s, priority %d, against %s, %d; from %d on a queue is express; preempt_prio is %s)",
			first, qa.Name, qa.Priority, qb.Name, qb.Priority, o.Plan.Site.Sched.PreemptQueuePrio, strings.Join(o.Plan.Site.Sched.PreemptPrio, ", "))
	case cycle.ByMark:
		return fmt.Sprintf("%s goes first: it was preempted, and of jobs of one preemption priority those go first, the earliest before the others", first)
	case cycle.ByValue:
		va, vb := ValuesApart(o, a, b)
		return fmt.Sprintf("%s goes first: its value is %s, that of %s is %s", first, va, second, vb)
	case cycle.ByFairshare:
		return fmt.Sprintf("%s goes first: %s, and its entity %s has used less of its share", first, tie(o, a, b), o.List.Entities.List[ja.Entity])
	case cycle.BySortKey:
		return fmt.Sprintf("%s goes first: %s, and job_sort_key decides%s", first, tie(o, a, b), deciding(sortKeys(o, a, b), second))
	case cycle.ByRank:
		return fmt.Sprintf("%s goes first: %s, and it was queued earlier (queue_rank %s, that of %s is %s)", first, tie(o, a, b), report.Plain(ja.Rank), second, report.Plain(jb.Rank))
	}
	return fmt.Sprintf("%s goes first: %s, and nothing decides but their order in the list", first, tie(o, a, b))
}

// sortKeys returns the keys of job_sort_key in the order in which they decide, with what two rows have of each.
func sortKeys(o *order.Order, a, b int) (keys []Part) {
	for _, key := range o.Plan.Site.Policy().SortKeys {
		direction := "LOW"
		if key.High {
			direction = "HIGH"
		}
		amount := o.KeyAmount(key)
		keys = append(keys, Part{Text: key.Resource + " " + direction, First: report.Plain(amount(a)), Second: report.Plain(amount(b)), Differ: amount(a) != amount(b)})
	}
	return keys
}

// deciding says which key decides between two jobs, by what they have of it.
func deciding(keys []Part, second string) string {
	at := slices.IndexFunc(keys, func(k Part) bool { return k.Differ })
	if at < 0 {
		return ""
	}
	k := keys[at]
	return fmt.Sprintf(": by %s, of which it has %s and %s has %s", k.Text, k.First, second, k.Second)
}

// ValuesApart returns the values of two rows as PBS logs them, or with more
// digits where the log does not tell different values apart.
func ValuesApart(o *order.Order, a, b int) (string, string) {
	ra, rb := o.Values.Result(a), o.Values.Result(b)
	if o.Values.LookAlike(a, b) {
		return report.ShortestFloat(ra.Float32()), report.ShortestFloat(rb.Float32())
	}
	return ra.Log(), rb.Log()
}

// tie says why the formula does not decide between two rows.
func tie(o *order.Order, a, b int) string {
	switch {
	case o.Values == nil:
		return "there is no formula"
	case o.Values.Result(a).Value != o.Values.Result(b).Value:
		return "the values tie as C floats"
	}
	return "the values tie"
}

// parts returns the parts of the formula for two rows.
func parts(o *order.Order, a, b int) []Part {
	first, _ := o.Plan.Formula.Explain(o.Values.Of(a))
	second, _ := o.Plan.Formula.Explain(o.Values.Of(b))
	list := []Part{}
	for i := 0; i < len(first) && i < len(second); i++ {
		fa, fb := newStep(first[i]), newStep(second[i])
		if first[i].Span != second[i].Span {
			break
		}
		part := Part{fa.Text, fa.Depth, fa.outcome(), fb.outcome(), false}
		part.Differ = part.First != part.Second
		list = append(list, part)
	}
	return list
}

// outcome returns in words what a step came to.
func (s Step) outcome() string {
	switch {
	case s.Error != "":
		return s.Error
	case !s.Reached:
		return "(not evaluated)"
	}
	return s.Value
}

// level returns where the paths of two rows' entities part.
func level(o *order.Order, a, b int) LevelOfTwo {
	pa, pb := o.Tree.Path(o.Entity(a)), o.Tree.Path(o.Entity(b))
	for i := 0; i < len(pa) && i < len(pb); i++ {
		if o.Tree.CompareNodes(pa[i], pb[i]) != 0 {
			return LevelOfTwo{i, side(o.Tree, pa[i]), side(o.Tree, pb[i])}
		}
	}
	return LevelOfTwo{}
}

func side(tree *fstree.Tree, id fstree.ID) Side {
	e := tree.Entity(id)
	s := Side{Name: e.Name, Usage: report.Number(e.Usage), Percentage: report.CFloat(e.TreePercentage)}
	if e.TreePercentage > 0 {
		s.PerShare = report.Optional(e.PerShare())
	}
	return s
}
