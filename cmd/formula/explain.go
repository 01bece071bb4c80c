package main

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"fairshare/cmd/internal/report"
	"fairshare/formula"
	"fairshare/fstree"
)

type explainCmd struct {
	Job string `placeholder:"ID" required:"" help:"The job to explain, as qstat names it; the server may be left out."`
	Vs  string `placeholder:"ID" help:"Explain why one of the two goes first, and what would turn the order."`
	formulaFlags
	privFlag
	siteFlags
	listFlags
	Output string `short:"o" enum:"text,json" default:"text" placeholder:"FORM" help:"What to print (${enum})."`
}

func (c *explainCmd) Run(s *session) error {
	p, err := s.plan(&c.siteFlags, c.SchedPriv, &c.formulaFlags)
	if err != nil {
		return err
	}
	list, err := s.readJobs(s.stdin(c.listFlags), false, p)
	if err != nil {
		return err
	}
	r, err := p.rank(list)
	if err != nil {
		return err
	}
	row, err := list.find(c.Job)
	if err != nil {
		return err
	}
	x := &explainer{s: s, r: r, ranks: r.ranks()}
	if c.Vs == "" {
		err = x.explain(row, c.Output == "json")
	} else {
		var other int
		if other, err = list.find(c.Vs); err != nil {
			return err
		}
		if other == row {
			return fail(exitUsage, "--job and --vs name the same job")
		}
		err = x.versus(row, other, c.Output == "json")
	}
	if err == nil && s.partly {
		err = failure{code: exitPartly}
	}
	return err
}

// find is the row of a job by its name, or by its number and index where only
// one server is in the list.
func (l *jobList) find(id string) (int, error) {
	var found []int
	for i := range l.len() {
		name := l.row(i).id
		if name == id {
			return i, nil
		}
		if short, _, ok := strings.Cut(name, "."); ok && short == id {
			found = append(found, i)
		}
	}
	switch len(found) {
	case 0:
		return 0, fail(exitUsage, "the list has no job %s", id)
	case 1:
		return found[0], nil
	}
	if a, b := l.row(found[0]).id, l.row(found[1]).id; a != b {
		return 0, fail(exitUsage, "%s is %s and %s: name the server too", id, a, b)
	}
	return found[0], nil // the list has it several times; the first is as good as any
}

// ranks are the rows' places in the order from 1, 0 for those not considered.
func (r *ranking) ranks() []int {
	ranks := make([]int, r.list.len())
	for i, row := range r.order {
		ranks[row] = i + 1
	}
	return ranks
}

// explainer explains jobs of a ranking.
type explainer struct {
	s     *session
	r     *ranking
	ranks []int
}

// explanation is all that is said of a job.
type explanation struct {
	sortLine
	Formula   string         `json:"formula"`
	Steps     []stepLine     `json:"steps"`
	Fairshare []levelLine    `json:"fairshare"`
	Others    []otherLine    `json:"other_fairshare,omitempty"`
	Factor    *report.Number `json:"fairshare_factor"`
	Rounding  []roundingLine `json:"rounding"`

	result formula.Result
}

// stepLine is a sub-expression.
type stepLine struct {
	Text    string `json:"text"`
	Start   int    `json:"start"` // bytes of the formula
	End     int    `json:"end"`
	Depth   int    `json:"depth"`
	Value   string `json:"value"` // as Python prints it, "" when there is none
	Error   string `json:"error"`
	Reached bool   `json:"reached"`
	Most    bool   `json:"most"`
}

// levelLine is a level of the tree on the way to the entity.
type levelLine struct {
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

// otherLine is a level under another scheduler's algorithm.
type otherLine struct {
	Variable       string         `json:"variable"`
	Name           string         `json:"name"`
	NormShares     *report.Number `json:"norm_shares"`
	EffectiveUsage *report.Number `json:"effective_usage"`
	LevelFS        *report.Number `json:"level_fs"`
	Fairshare      *report.Number `json:"fairshare"`
}

// roundingLine is a number that is not what it was when the formula saw it,
// or when the order was made.
type roundingLine struct {
	Name string `json:"name"`
	From string `json:"from"`
	To   string `json:"to"`
	Why  string `json:"why"`
}

func (x *explainer) explanation(row int) explanation {
	line := x.r.line(entry{row: row, rank: x.ranks[row]})
	e := explanation{sortLine: line, Steps: []stepLine{}, Fairshare: []levelLine{}, Rounding: []roundingLine{}}
	if x.r.program == nil || !x.r.list.hasValue(row) {
		e.Fairshare = x.levels(row)
		return e
	}
	e.Formula = x.r.plan.formula.Source
	steps, result := x.r.plan.formula.Explain(x.lookup(row))
	e.result = result
	x.s.partly = x.s.partly || result.Err != nil
	for _, step := range steps {
		e.Steps = append(e.Steps, x.step(step))
	}
	if x.r.plan.policy.FairShare || x.r.plan.usesFairshare() {
		e.Fairshare = x.levels(row)
		e.Factor = report.Known(x.r.tree.Entity(x.entity(row)).Factor())
	}
	for _, name := range x.r.plan.formula.Names() {
		if x.r.plan.otherFairshare(name) {
			e.Others = append(e.Others, x.others(row, name)...)
		}
	}
	e.Rounding = x.rounding(row, result)
	return e
}

func (x *explainer) entity(row int) fstree.ID { return x.r.entities[x.r.list.row(row).entity] }

// lookup gives the formula's variables for a row.
func (x *explainer) lookup(row int) func(string) (formula.Value, bool) {
	return func(name string) (formula.Value, bool) {
		i := slices.Index(x.r.program.vars, name)
		if i < 0 {
			return formula.Value{}, false
		}
		return x.r.program.value(i, row), true
	}
}

func (x *explainer) step(step formula.Step) stepLine {
	line := stepLine{Text: step.Text, Start: step.Span.Start, End: step.Span.End, Depth: step.Depth, Reached: step.Reached, Most: step.Most}
	switch {
	case step.Err != nil:
		line.Error = errorText(step.Err)
	case step.Reached:
		line.Value = shortened(step.Value)
	}
	return line
}

func (x *explainer) levels(row int) []levelLine {
	lines := []levelLine{}
	if x.r.plan.priv == nil {
		return lines
	}
	for _, l := range x.r.tree.Derive(x.entity(row)) {
		lines = append(lines, levelLine{
			l.Name, l.Shares, l.LevelShares, float(l.GroupPercentage), float(l.TreePercentage),
			report.Number(l.Usage), report.Number(l.AllUsage), float(l.Used), float(l.ParentUsage), float(l.TreeUsage),
		})
	}
	return lines
}

// others is a path under the algorithm of another scheduler's variable.
func (x *explainer) others(row int, name string) []otherLine {
	standing := otherAlgorithms[name](x.r.tree.Associations(), fstree.Options{})
	var lines []otherLine
	for _, id := range x.r.tree.Path(x.entity(row)) {
		if id == fstree.Root {
			continue
		}
		lines = append(lines, otherLine{
			name, x.r.tree.Entity(id).Name, report.Known(standing.NormShares[id]), report.Known(standing.EffectiveUsage[id]),
			report.Known(standing.LevelFS[id]), report.Known(standing.Fairshare[id]),
		})
	}
	return lines
}

// rounding finds where PBS's rounding bites.
func (x *explainer) rounding(row int, result formula.Result) []roundingLine {
	lines := []roundingLine{}
	for i, name := range x.r.program.vars {
		switch source := x.r.program.source[i]; {
		case source.sixDecimals:
			kept := strconv.FormatFloat(fairshareTerm(x.r.tree.Entity(x.entity(row)), name), 'g', -1, 32)
			if shown := x.r.program.shown(i, row); !sameNumber(kept, shown) {
				lines = append(lines, roundingLine{name, kept, shown, "six decimals in the formula"})
			}
		case source.slot >= 0:
			amount := x.r.list.amount(row, source.slot)
			kept := plain(amount)
			if shown := x.r.program.shown(i, row); !sameNumber(kept, shown) {
				lines = append(lines, roundingLine{name, kept, shown, "at most four decimals in the formula"})
			}
		}
	}
	if result.Err != nil {
		return append(lines, roundingLine{"the value", errorText(result.Err), "0", "an error gives 0"})
	}
	exact := strconv.FormatFloat(result.Value, 'g', -1, 64)
	kept := strconv.FormatFloat(float64(result.Float32()), 'g', -1, 32)
	if !sameNumber(exact, kept) {
		lines = append(lines, roundingLine{"the value", exact, kept, "kept and compared as a C float"})
	}
	if log := result.Log(); !sameNumber(kept, log) {
		lines = append(lines, roundingLine{"the value", kept, log, "in the log"})
	}
	return lines
}

func sameNumber(a, b string) bool {
	x, err1 := strconv.ParseFloat(a, 64)
	y, err2 := strconv.ParseFloat(b, 64)
	return err1 == nil && err2 == nil && (x == y || math.IsNaN(x) && math.IsNaN(y))
}
