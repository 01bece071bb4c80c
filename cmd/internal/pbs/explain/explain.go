// Package explain says of the order of jobs of a PBS site where a job's value and its place come from, why one of two
// jobs goes first, and what would turn that.
package explain

import (
	"math"
	"strconv"
	"time"

	"fairshare/cmd/internal/accounts"
	"fairshare/cmd/internal/forecast"
	"fairshare/cmd/internal/pbs/accrual"
	"fairshare/cmd/internal/pbs/cycle"
	"fairshare/cmd/internal/pbs/joblist"
	"fairshare/cmd/internal/pbs/order"
	"fairshare/cmd/internal/pbs/qstat"
	"fairshare/cmd/internal/report"
	"fairshare/formula"
	"fairshare/fstree"
)

// Explanation is all that is said of a job.
type Explanation struct {
	order.Line
	Comment    string             `json:"comment,omitempty"`         // what PBS itself says of the job, such as why it does not run
	Written    string             `json:"comment_written,omitempty"` // of a comment that is older than the list: when PBS wrote it at the latest, in words
	Estimated  string             `json:"estimated_start,omitempty"` // when PBS itself expects to start the job, as it prints the time
	Requests   string             `json:"requests,omitempty"`        // what it asks for, as PBS prints it
	Until      string             `json:"execution_time,omitempty"`  // until when its user holds it, likewise
	Course     *Course            `json:"course,omitempty"`          // of a job that does not wait in its queue, where the list tells of it
	Unplaced   string             `json:"unplaced,omitempty"`        // why the place of a job that waits is not known, "" where it is
	Assumed    string             `json:"assumed,omitempty"`         // by which settings that nothing tells its place is, "" for none
	Terms      []Term             `json:"terms,omitempty"`           // of the formula, where it is known and the place is not
	Formula    string             `json:"formula"`
	Place      *Place             `json:"place"`                // null if the job is not considered
	Now        *forecast.Standing `json:"now,omitempty"`        // where the vnodes and the time of the list are known
	Ineligible string             `json:"ineligible,omitempty"` // why its eligible_time does not grow, in words
	Steps      []Step             `json:"steps"`
	Keys       []Key              `json:"keys,omitempty"` // of job_sort_key, in the order in which they decide, where there is no formula or others have the job's value
	Fairshare  []Level            `json:"fairshare"`      // from below the root to the entity, where the order depends on the tree
	Others     []OtherLevel       `json:"other_fairshare,omitempty"`
	Factor     *report.Number     `json:"fairshare_factor"`
	Targets    []accounts.Target  `json:"targets"` // of the levels on the way to the entity, where the order depends on the tree
	Decay      accounts.Decay     `json:"-"`       // of usage
	Rounding   []Rounding         `json:"rounding"`
	OfTies     bool               `json:"-"` // whether fairshare is no term of the formula, and only decides between jobs of one value
	Err        error              `json:"-"` // of the evaluation, nil if there was none

	IsOfSome bool `json:"among_listed,omitempty"` // whether places are those among the jobs of a list that may lack those of others

	Waiting        int     `json:"waiting,omitempty"` // of a job whose place is not known: how many jobs wait, it among them
	WaitingInQueue int     `json:"waiting_in_queue,omitempty"`
	Queued         string  `json:"queued,omitempty"`        // likewise: when it came to its queue, as PBS prints the time
	QueuedBefore   *int    `json:"queued_before,omitempty"` // how many of those that wait in its queue came before it
	QueuedBy       string  `json:"queued_by,omitempty"`     // by what that is told: "" for queue_rank, else qtime, or the numbers of jobs
	QueuePriority  *int    `json:"queue_priority,omitempty"`
	Surely         *Surely `json:"surely,omitempty"` // of the others, where the formula is known
}

// Place is why a job stands where it does.
type Place struct {
	Of    int               `json:"of"`    // how many jobs are considered
	Ahead map[cycle.Key]int `json:"ahead"` // of the jobs before it, how many are ahead by which key
	Ties  int               `json:"ties"`  // other jobs that have its value

	NeverRun int `json:"ahead_never_run,omitempty"` // of those before it, of how many PBS says that they can never run
}

// Step is a part of the formula.
type Step struct {
	Text    string `json:"text"`
	Start   int    `json:"start"` // bytes of the formula
	End     int    `json:"end"`
	Depth   int    `json:"depth"`
	Value   string `json:"value"` // as Python prints it, "" if there is none
	Error   string `json:"error"`
	Reached bool   `json:"reached"`
	Most    bool   `json:"most"` // contributes most
}

// Key is a key of job_sort_key.
type Key struct {
	Text  string `json:"text"`  // as "ncpus HIGH"
	Value string `json:"value"` // that the job has of it
}

// Level is a level of the tree on the way to the entity.
type Level struct {
	Name            string        `json:"name"`
	Shares          int32         `json:"shares"`
	LevelShares     int32         `json:"level_shares"`
	GroupPercentage report.Number `json:"group_percentage"`
	TreePercentage  report.Number `json:"tree_percentage"`
	Usage           report.Number `json:"usage"`
	AllUsage        report.Number `json:"all_usage"`
	Used            report.Number `json:"used"`
	ParentUsage     report.Number `json:"parent_tree_usage"`
	TreeUsage       report.Number `json:"tree_usage"`
}

// OtherLevel is a level under another scheduler's algorithm.
type OtherLevel struct {
	Variable       string         `json:"variable"`
	Name           string         `json:"name"`
	NormShares     *report.Number `json:"norm_shares"`
	EffectiveUsage *report.Number `json:"effective_usage"`
	LevelFS        *report.Number `json:"level_fs"`
	Fairshare      *report.Number `json:"fairshare"`
}

// Rounding is a number that was rounded before the formula saw it, or before
// the order was made.
type Rounding struct {
	Name string `json:"name"`
	From string `json:"from"`
	To   string `json:"to"`
	Why  string `json:"why"`
}

// Describe says of the job of a row what does not depend on the order, and why that is not known.
func Describe(o *order.Order, row int, why string) Explanation {
	e := Explanation{Line: o.Line(row), Comment: o.List.Comment(row), Estimated: o.List.EstimatedStart(row), Requests: o.List.Asks(row), Until: o.List.HeldUntil(row), Steps: []Step{}, Fairshare: []Level{}, Targets: []accounts.Target{}, Rounding: []Rounding{}}
	if e.Rank == nil { // it does not wait, whatever the order is
		return e
	}
	e.Rank, e.RankUnsure, e.Unplaced, e.Waiting, e.Queued = nil, false, why, len(o.Rows), o.List.Queued(row)
	var inQueue []int
	for _, other := range o.Rows {
		if o.List.Job(int(other)).Queue == o.List.Job(row).Queue {
			inQueue = append(inQueue, int(other))
		}
	}
	e.WaitingInQueue = len(inQueue)
	e.QueuedBefore, e.QueuedBy = queuedBefore(o, row, inQueue)
	e.QueuePriority = priorityOf(o, row)
	return e
}

// queuedBefore returns how many of some jobs came before that of a row, and by what that is told: by queue_rank, for which it is "", or
// where that is not printed by the times at which they came to their queue, and else by their numbers; nil where they have none either.
func queuedBefore(o *order.Order, row int, jobs []int) (before *int, by string) {
	count := func(came func(row int) (float64, bool)) *int {
		n := 0
		own, ok := came(row)
		for _, other := range jobs {
			at, isTold := came(other)
			if ok = ok && isTold; at < own {
				n++
			}
		}
		if !ok {
			return nil
		}
		return &n
	}
	if o.List.Unranked == 0 {
		return count(func(row int) (float64, bool) { return o.List.Job(row).Rank, true }), ""
	}
	if before = count(func(row int) (float64, bool) {
		at, ok := qstat.ParseTime(o.List.Queued(row), time.UTC)
		return float64(at), ok
	}); before != nil {
		return before, "qtime"
	}
	return count(func(row int) (float64, bool) {
		number, ok := joblist.LeadingNumber(o.List.Job(row).ID)
		return float64(number), ok
	}), "numbers"
}

// Explain explains the job of a row.
func Explain(o *order.Order, row int) Explanation {
	e := Explanation{Line: o.Line(row), Comment: o.List.Comment(row), Estimated: o.List.EstimatedStart(row), Requests: o.List.Asks(row), Until: o.List.HeldUntil(row), Place: place(o, row), Steps: []Step{}, Fairshare: []Level{}, Targets: []accounts.Target{}, Rounding: []Rounding{}}
	if e.Place != nil && (o.Values == nil || e.Place.Ties > 0) {
		for _, key := range sortKeys(o, row, row) {
			e.Keys = append(e.Keys, Key{key.Text, key.First})
		}
	}
	e.evaluate(o, row)
	return e
}

// evaluate says what the formula and the tree come to for the job of a row.
func (e *Explanation) evaluate(o *order.Order, row int) {
	ofTree := o.Plan.Site.Policy().FairShare || o.Values != nil && o.Plan.UsesTree()
	if ofTree {
		e.Fairshare = levels(o, row)
	}
	if o.Values == nil || !o.List.IsEvaluated(row) {
		return
	}
	e.Formula = o.Plan.Formula.Source()
	steps, result := o.Plan.Formula.Explain(o.Values.Of(row))
	e.Err = result.Err
	for _, step := range steps {
		e.Steps = append(e.Steps, newStep(step))
	}
	if ofTree {
		e.Factor = report.Optional(o.Tree.Entity(o.Entity(row)).Factor())
		e.Decay = decay(o)
		e.Targets = targets(o, row, e.Decay)
		e.OfTies = !o.Plan.UsesTree()
	}
	for _, term := range o.Plan.OtherTerms() {
		e.Others = append(e.Others, otherLevels(o, row, term)...)
	}
	e.Rounding = rounding(o, row, result)
}

// place counts the jobs before a row by the key that puts them there.
func place(o *order.Order, row int) *Place {
	at := o.Place(row)
	if at == 0 {
		return nil
	}
	p := &Place{Of: len(o.Rows), Ahead: map[cycle.Key]int{}}
	for _, other := range o.Rows[:at-1] {
		_, _, key := decide(o, int(other), row)
		p.Ahead[key]++
		if qstat.NeverRuns(o.List.Comment(int(other))) {
			p.NeverRun++
		}
	}
	if o.Values != nil {
		for _, other := range o.Rows {
			if int(other) != row && o.Value(int(other)) == o.Value(row) {
				p.Ties++
			}
		}
	}
	return p
}

func newStep(s formula.Step) Step {
	step := Step{Text: s.Text, Start: s.Span.Start, End: s.Span.End, Depth: s.Depth, Reached: s.Reached, Most: s.Most}
	switch {
	case s.Err != nil:
		step.Error = s.Err.Error()
	case s.Reached:
		step.Value = pythonText(s.Value)
	}
	return step
}

// pythonText returns a value as Python prints it, of a very long one the
// beginning.
func pythonText(v formula.Value) string {
	const most = 40
	text := v.String()
	if len(text) > most {
		return text[:most] + "… (" + strconv.Itoa(len(text)) + " characters)"
	}
	return text
}

func levels(o *order.Order, row int) []Level {
	list := []Level{}
	if !o.Plan.Site.HasTree() {
		return list
	}
	for _, s := range o.Tree.Derive(o.Entity(row)) {
		list = append(list, Level{
			s.Name, s.Shares, s.LevelShares, report.CFloat(s.GroupPercentage), report.CFloat(s.TreePercentage),
			report.Number(s.Usage), report.Number(s.AllUsage), report.CFloat(s.Used), report.CFloat(s.ParentUsage), report.CFloat(s.TreeUsage),
		})
	}
	return list
}

// decay returns how usage decays: in steps, of which the next one is known where the time of the order and the last one are.
func decay(o *order.Order) (d accounts.Decay) {
	priv, now, last := o.Plan.Site.SchedPriv, o.Plan.Now, int64(0)
	if priv.Usage != nil {
		last = priv.Usage.LastDecay
	}
	course := accrual.NewCourse(now, last, priv.Config.DecayTime, float64(priv.Config.DecayFactor))
	if half := course.HalfLife(); !math.IsNaN(half) {
		d.HalfLife, d.Step = half, float64(course.Period)
	}
	if last > 0 && last <= now {
		d.Next = float64(course.Next)
	}
	return d
}

// targets returns what the levels on the way to a row's entity have used beside their shares.
func targets(o *order.Order, row int, decay accounts.Decay) (list []accounts.Target) {
	if !o.Plan.Site.HasTree() {
		return nil
	}
	path := o.Tree.Path(o.Entity(row))
	used := func(id fstree.ID) float64 { return max(0, o.Tree.Entity(id).Usage-fstree.StartUsage) }
	for i, id := range path[1:] {
		x := o.Tree.Entity(id)
		list = append(list, accounts.NewTarget(x.Name, used(id), used(path[i]), float64(x.GroupPercentage), decay))
	}
	return list
}

func otherLevels(o *order.Order, row int, term order.Term) []OtherLevel {
	standing := term.Standing(o.Tree)
	var list []OtherLevel
	for _, id := range o.Tree.Path(o.Entity(row)) {
		if id != fstree.Root {
			list = append(list, OtherLevel{
				term.Name, o.Tree.Entity(id).Name, report.Optional(standing.NormShares[id]), report.Optional(standing.EffectiveUsage[id]),
				report.Optional(standing.LevelFS[id]), report.Optional(standing.Fairshare[id]),
			})
		}
	}
	return list
}

// rounding finds where PBS's rounding changes a number.
func rounding(o *order.Order, row int, result formula.Result) []Rounding {
	list := []Rounding{}
	for i, name := range o.Values.Variables() {
		exact, bits, ok := o.Values.Rounding(i, row)
		if !ok {
			continue
		}
		kept, why := report.Plain(exact), "at most four decimals in the formula"
		if bits == 32 {
			kept, why = report.ShortestFloat(float32(exact)), "six decimals in the formula"
		}
		if shown := o.Values.Text(i, row); !sameNumber(kept, shown) {
			list = append(list, Rounding{name, kept, shown, why})
		}
	}
	if result.Err != nil {
		return append(list, Rounding{"the value", result.Err.Error(), "0", "an error gives 0"})
	}
	exact, kept := report.Shortest(result.Value), report.ShortestFloat(result.Float32())
	if !sameNumber(exact, kept) {
		list = append(list, Rounding{"the value", exact, kept, "kept and compared as a C float"})
	}
	if log := result.Log(); !sameNumber(kept, log) {
		list = append(list, Rounding{"the value", kept, log, "in the log"})
	}
	return list
}

func sameNumber(a, b string) bool {
	x, err1 := strconv.ParseFloat(a, 64)
	y, err2 := strconv.ParseFloat(b, 64)
	return err1 == nil && err2 == nil && (x == y || math.IsNaN(x) && math.IsNaN(y))
}
