package study

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/figure"
	"fairshare/cmd/internal/pbs"
	"fairshare/formula"
)

// Axis is a name that takes several values in a search: one that is free in the formula,
// such as W1, or one with a dot, which is a setting such as server.backfill_depth.
type Axis struct {
	Name   string
	Values []string
}

// ParseAxis reads an axis: NAME=VALUE,VALUE,… or NAME=FROM:TO:STEP. Its errors are
// *RequestError.
func ParseAxis(text string) (Axis, error) {
	name, values, ok := strings.Cut(text, "=")
	name = strings.TrimSpace(name)
	wrong := func(detail string) (Axis, error) {
		return Axis{}, &RequestError{fmt.Sprintf("--vary %s: %s; expected NAME=VALUE,VALUE or NAME=FROM:TO:STEP", text, detail)}
	}
	a := Axis{Name: name}
	switch {
	case !ok || name == "" || values == "":
		return wrong("a name or its values are missing")
	case !a.isSetting() && !isName(name):
		return wrong(strconv.Quote(name) + " is no name that a formula can have")
	}
	if a.Values, ok = span(values); !ok {
		for value := range strings.SplitSeq(values, ",") {
			a.Values = append(a.Values, strings.TrimSpace(value))
		}
	}
	if len(a.Values) == 0 || len(a.Values) > mostCells {
		return wrong("these are no values")
	}
	seen := map[string]bool{}
	for _, value := range a.Values {
		x, err := strconv.ParseFloat(value, 64)
		isNumber := err == nil && !math.IsInf(x, 0) && x == x
		if value == "" || !isNumber && !a.isSetting() {
			return wrong(strconv.Quote(value) + " is no number")
		}
		key := value
		if isNumber {
			key = strconv.FormatFloat(x, 'g', -1, 64)
		}
		if seen[key] {
			return wrong(value + " is given twice")
		}
		seen[key] = true
	}
	return a, nil
}

// isName reports whether a formula can have a name.
var isName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`).MatchString

// isSetting reports whether an axis is a setting and not a name of the formula.
func (a Axis) isSetting() bool { return strings.Contains(a.Name, ".") }

// span returns the values of FROM:TO:STEP, TO among them where a step hits it, with as
// many decimals as the numbers have.
func span(text string) (values []string, ok bool) {
	parts := strings.Split(text, ":")
	if len(parts) != 3 {
		return nil, false
	}
	var numbers [3]float64
	decimals := 0
	for i, part := range parts {
		x, err := strconv.ParseFloat(strings.TrimSpace(part), 64)
		if err != nil || math.IsInf(x, 0) || x != x {
			return nil, false
		}
		numbers[i] = x
		if _, behind, isDecimal := strings.Cut(strconv.FormatFloat(x, 'f', -1, 64), "."); isDecimal {
			decimals = max(decimals, len(behind))
		}
	}
	from, to, step := numbers[0], numbers[1], numbers[2]
	const slack = 1e-9 // of a step
	n := math.Floor((to-from)/step + slack)
	if step == 0 || n < 0 || n >= mostCells {
		return nil, true
	}
	for i := range int(n) + 1 {
		value := from + float64(i)*step
		if math.Abs(value) < slack*math.Abs(step) {
			value = 0 // and not -0
		}
		values = append(values, strconv.FormatFloat(value, 'f', decimals, 64))
	}
	return values, true
}

// mostCells bounds the cells of a search.
const mostCells = 100_000

// Search is a grid of policies.
type Search struct {
	Axes     []Axis
	Formulas []string // with free names; none for that in force
	Settings []string // of all cells
	Goals    []Goal
}

// Size returns the number of cells. Its error is a *RequestError.
func (s *Search) Size() (int, error) {
	n := max(1, len(s.Formulas))
	for i, a := range s.Axes {
		if slices.ContainsFunc(s.Axes[:i], func(b Axis) bool { return a.Name == b.Name }) {
			return 0, &RequestError{"--vary " + a.Name + " is given twice"}
		}
		if n *= len(a.Values); n > mostCells {
			return 0, &RequestError{fmt.Sprintf("the search has more than %d cells", mostCells)}
		}
	}
	return n, nil
}

// Check returns what is wrong with the formulas and names of a search by themselves: a
// *figure.ParseError or a *RequestError.
func (s *Search) Check() error {
	names := map[string]string{}
	for _, a := range s.Axes {
		if !a.isSetting() {
			names[a.Name] = a.Values[0]
		}
	}
	for _, text := range s.Formulas {
		if _, err := substitute(text, names); err != nil {
			return err
		}
	}
	return nil
}

// Sites returns sites with each fairshare_usage_res that the search tries, which depends on
// what the logs say of use. A nil search has none.
func (s *Search) Sites(site *pbs.Site) ([]*pbs.Site, error) {
	if s == nil {
		return nil, nil
	}
	var sites []*pbs.Site
	add := func(settings []string) error {
		changed, err := site.WithReplayed(settings)
		sites = append(sites, changed)
		return err
	}
	if err := add(s.Settings); err != nil {
		return nil, err
	}
	for _, a := range s.Axes {
		for _, value := range a.Values {
			if a.Name != "sched.fairshare_usage_res" {
				break
			}
			if err := add(append(slices.Clip(s.Settings), a.Name+"="+value)); err != nil {
				return nil, err
			}
		}
	}
	return sites, nil
}

// Values returns the values of a cell, by axis. Cells are numbered from 1, the last axis
// varies first.
func (s *Search) Values(cell int) []string {
	values, _ := s.at(cell)
	return values
}

// at returns the values of a cell and the number of its formula.
func (s *Search) at(cell int) (values []string, formula int) {
	rest := cell - 1
	values = make([]string, len(s.Axes))
	for i, a := range slices.Backward(s.Axes) {
		values[i] = a.Values[rest%len(a.Values)]
		rest /= len(a.Values)
	}
	return values, rest
}

// Policy returns the policy of a cell, with remarks about it.
func (s *Search) Policy(cell int, site *pbs.Site) (*Policy, []diag.Remark, error) {
	values, number := s.at(cell)
	c := Changes{Formula: site.Sched.Formula, Settings: slices.Clone(s.Settings)}
	if len(s.Formulas) > 0 {
		c.Formula = s.Formulas[number]
	}
	names := map[string]string{}
	for i, a := range s.Axes {
		if a.isSetting() {
			c.Settings = append(c.Settings, a.Name+"="+values[i])
		} else {
			names[a.Name] = values[i]
		}
	}
	if len(names) > 0 {
		text, err := substitute(c.Formula, names)
		if err != nil {
			return nil, nil, err
		}
		c.Formula = text
	}
	return c.New(site)
}

// substitute returns a formula with values in the place of names, each of which it has
// to have.
func substitute(text string, values map[string]string) (string, error) {
	f, err := formula.Parse(text)
	if err != nil {
		return "", &figure.ParseError{Text: text, End: len(text), Detail: err.Error()}
	}
	names := f.Names()
	for name := range values {
		if !slices.Contains(names, name) {
			return "", &RequestError{fmt.Sprintf("--vary %s: the formula has no name %s: %s", name, name, text)}
		}
	}
	return f.With(values), nil
}

// Cell is what a cell of a search comes to.
type Cell struct {
	Search  string       `json:"search"` // which one: an abbreviation of all that it depends on
	Cell    int          `json:"cell"`   // from 1; 0 is the policy in force
	Cells   int          `json:"cells"`
	Part    int          `json:"part"` // from 1
	Parts   int          `json:"parts"`
	Axes    []string     `json:"axes"`
	Values  []string     `json:"values"` // by axis, none for the policy in force
	Formula string       `json:"formula"`
	Goals   []string     `json:"goals"`
	Failed  int          `json:"failed"` // evaluations of the formula that failed, in the first run
	Figures []string     `json:"figures"`
	Runs    [][]*float64 `json:"runs"` // by figure and run; null for what cannot be told
}

// Identify returns an abbreviation of a search and of all that it is made on, so that
// cells of different searches are not taken for those of one.
func (s *Search) Identify(on *Study, site *pbs.Site) string {
	h := sha256.New()
	fmt.Fprintf(h, "%q %q %q %v\n", s.Axes, s.Formulas, s.Settings, s.Goals)
	fmt.Fprintf(h, "%d %d %d %v %v\n", max(1, on.Runs), on.Seed, on.Shake, on.Figures, on.Cluster.Vnodes)
	o := on.Options
	fmt.Fprintln(h, o.Lag, o.Latency, o.Own)
	if begin := on.inputs.Usage; begin != nil {
		for name, usage := range begin.All() {
			fmt.Fprintf(h, "%q %v\n", name, usage)
		}
	}
	fmt.Fprintln(h, site.Queues, site.Sched, site.NonPrime, site.Resources, site.Flags)
	if priv := site.SchedPriv; priv != nil {
		fmt.Fprintf(h, "%+v\n", priv.Config)
		for id, depth := range priv.Tree.Preorder() {
			e := priv.Tree.Entity(id)
			fmt.Fprintf(h, "%d %q %d %v\n", depth, e.Name, e.Shares, e.Usage)
		}
	}
	for _, j := range on.Work.Jobs {
		fmt.Fprintln(h, j.ID, j.Arrival, j.Start, j.End, j.Priority, j.Subjobs, j.Runs, j.Walltime, on.Work.Requests[j.Request])
	}
	return hex.EncodeToString(h.Sum(nil)[:6])
}

// InPart reports whether a cell belongs to a part, numbered from 1. The policy in force
// belongs to the first one.
func InPart(cell, part, parts int) bool { return partOf(cell, parts) == part }

// partOf returns the part that a cell belongs to.
func partOf(cell, parts int) int { return max(0, cell-1)%parts + 1 }

// Undominated reports for each of some cells whether no other is at least as good in all
// goals and better in one. Where cells have several runs, a difference that is noise is
// none. A cell whose formula failed is never among them.
func Undominated(cells []Cell, goals []Goal) []bool {
	values := make([][]float64, len(cells))
	order := make([]int, 0, len(cells))
	for i, c := range cells {
		for _, g := range goals {
			values[i] = append(values[i], c.Figure(g.Figure.String()).Mean)
		}
		if c.Failed == 0 {
			order = append(order, i)
		}
	}
	const most = 2000 // cells whose runs are compared in pairs
	if len(order) > 0 && len(order) <= most && len(goals) > 0 && cells[order[0]].runs() > 1 {
		return undominatedRuns(cells, order, goals)
	}
	// The better ones in the first goals come first, so that only cells that are not
	// dominated themselves have to be looked at.
	slices.SortStableFunc(order, func(a, b int) int {
		for i, g := range goals {
			switch {
			case g.isBetter(values[a][i], values[b][i]):
				return -1
			case g.isBetter(values[b][i], values[a][i]):
				return 1
			}
		}
		return 0
	})
	dominates := func(a, b []float64) bool {
		isBetter := false
		for i, g := range goals {
			if g.isBetter(b[i], a[i]) {
				return false
			}
			isBetter = isBetter || g.isBetter(a[i], b[i])
		}
		return isBetter
	}
	is := make([]bool, len(cells))
	var best []int
	for _, i := range order {
		if is[i] = !slices.ContainsFunc(best, func(k int) bool { return dominates(values[k], values[i]) }); is[i] {
			best = append(best, i)
		}
	}
	return is
}

// undominatedRuns is Undominated for some cells with several runs.
func undominatedRuns(cells []Cell, some []int, goals []Goal) []bool {
	// isBetter reports whether a cell is better in a goal, and not by chance.
	isBetter := func(a, b int, g Goal) bool {
		name := g.Figure.String()
		x, y := cells[a].values(name), cells[b].values(name)
		return g.isBetter(IntervalOf(x).Mean, IntervalOf(y).Mean) && !DifferenceOf(x, y).IsNoise()
	}
	is := make([]bool, len(cells))
	for _, i := range some {
		is[i] = !slices.ContainsFunc(some, func(k int) bool {
			for _, g := range goals {
				if isBetter(i, k, g) {
					return false
				}
			}
			return slices.ContainsFunc(goals, func(g Goal) bool { return isBetter(k, i, g) })
		})
	}
	return is
}

// runs returns how many runs a cell has.
func (c *Cell) runs() int {
	if len(c.Runs) == 0 {
		return 0
	}
	return len(c.Runs[0])
}

// values returns what a figure has come to in each run, nil if it cannot be told in all.
func (c *Cell) values(name string) []float64 {
	at := slices.Index(c.Figures, name)
	if at < 0 || at >= len(c.Runs) {
		return nil
	}
	var runs []float64
	for _, x := range c.Runs[at] {
		if x == nil {
			return nil
		}
		runs = append(runs, *x)
	}
	return runs
}

// Figure returns what a figure of a cell comes to, NaN for one that it does not have.
func (c *Cell) Figure(name string) Interval {
	return IntervalOf(c.values(name))
}
