package main

import (
	"cmp"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"

	"fairshare/cmd/internal/associations"
	"fairshare/cmd/internal/page"
	"fairshare/cmd/internal/report"
	"fairshare/fstree"
)

type sharesCmd struct {
	Path       string   `arg:"" optional:"" help:"A sched_priv, or a file with the tree; else standard input."`
	From       string   `enum:"auto,sched-priv,sshare,flux,json" default:"auto" placeholder:"FORM" help:"How the tree is written (${enum}): sshare -a -l -P, the JSON of flux account fairshare-emulate, or nodes with name, parent, kind, shares, raw_usage."`
	SchedPriv  string   `placeholder:"DIR" help:"The same as --from sched-priv DIR."`
	Algorithm  []string `placeholder:"NAME,…" default:"all" help:"${algorithms}, or all."`
	DampFactor float64  `placeholder:"D" default:"1" help:"Slurm's FairShareDampeningFactor, for classic and depth-oblivious."`
	Output     string   `short:"o" enum:"table,json,csv" default:"table" placeholder:"FORM" help:"What to print (${enum})."`
	HTML       *string  `name:"html" placeholder:"FILE" help:"Also write a page that draws the tree to FILE."`
	Top        int      `placeholder:"N" help:"Print only the first N."`
}

func (c *sharesCmd) Run(s *session) error {
	if !(c.DampFactor > 0) || math.IsInf(c.DampFactor, 1) {
		return fail(exitUsage, "--damp-factor needs a number above 0")
	}
	if c.Top < 0 {
		return fail(exitUsage, "--top needs a number that is not negative")
	}
	if c.HTML != nil && *c.HTML == "" {
		return errNoPage
	}
	algorithms, err := c.algorithms()
	if err != nil {
		return err
	}
	tree, err := c.read(s, algorithms)
	if err != nil {
		return err
	}
	s.doubtUsage(tree)
	t := newShareTable(tree, algorithms, fstree.Options{DampFactor: c.DampFactor})
	if c.HTML != nil {
		d := page.Data{Title: "A fairshare tree", Trees: []page.Tree{t.pageTree("Width is shares, colour is use of the target")}}
		if err := writePage(*c.HTML, d); err != nil {
			return err
		}
	}
	if c.Top > 0 {
		t.top(c.Top)
	}
	switch c.Output {
	case "json":
		return s.printSharesJSON(t)
	case "csv":
		return s.printSharesCSV(t)
	}
	s.printShares(t)
	return nil
}

// doubtUsage warns of accounts that have used less than one of their members.
func (s *session) doubtUsage(tree *fstree.Associations) {
	most := make([]float64, tree.Len()) // of the members
	doubtful := 0
	for i := tree.Len() - 1; i > 0; i-- {
		x := tree.At(i)
		most[x.Parent] = max(most[x.Parent], x.Usage)
	}
	example := ""
	for i, usage := range most {
		if x := tree.At(i); usage > x.Usage*(1+1e-9) {
			doubtful++
			example = x.Name
		}
	}
	if doubtful > 0 {
		s.diag.Warning("%s used less than a member, such as %q: the usages do not add up", count(doubtful, "account"), example)
	}
	if tree.Users() == 0 {
		s.diag.Warning("the tree has no user")
	}
}

// algorithmNames lists them.
func algorithmNames() string {
	var names []string
	for _, a := range fstree.Algorithms {
		names = append(names, a.Name)
	}
	return strings.Join(names, ", ")
}

// algorithmAliases are names that people may try.
var algorithmAliases = map[string]string{
	"flux": "weighted-walk", "slurm-classic": "classic", "slurm": "fair-tree-slurm", "fairtree": "fair-tree",
}

func (c *sharesCmd) algorithms() ([]fstree.Algorithm, error) {
	var chosen []fstree.Algorithm
	for _, name := range c.Algorithm {
		name = strings.ReplaceAll(strings.ToLower(strings.TrimSpace(name)), "_", "-")
		if name == "all" {
			return fstree.Algorithms, nil
		}
		if alias, ok := algorithmAliases[name]; ok {
			name = alias
		}
		a, ok := fstree.AlgorithmNamed(name)
		if !ok {
			return nil, fail(exitUsage, "there is no algorithm %q: %s, all", name, algorithmNames())
		}
		if !slices.ContainsFunc(chosen, func(b fstree.Algorithm) bool { return a.Name == b.Name }) {
			chosen = append(chosen, a)
		}
	}
	if len(chosen) == 0 {
		return nil, fail(exitUsage, "--algorithm names none")
	}
	return chosen, nil
}

// maxTree is more than a tree of ten million users needs.
const maxTree = 1 << 30

func (c *sharesCmd) read(s *session, algorithms []fstree.Algorithm) (*fstree.Associations, error) {
	if c.SchedPriv != "" {
		if c.Path != "" || c.From != "auto" && c.From != "sched-priv" {
			return nil, fail(exitUsage, "--sched-priv names the tree already")
		}
		c.Path, c.From = c.SchedPriv, "sched-priv"
	}
	if c.From == "auto" && c.Path != "" {
		if info, err := os.Stat(c.Path); err == nil && info.IsDir() {
			c.From = "sched-priv"
		}
	}
	if c.From == "sched-priv" {
		if c.Path == "" {
			return nil, fail(exitUsage, "--from sched-priv needs a directory")
		}
		priv, err := s.loadPriv(c.Path)
		if err != nil {
			return nil, err
		}
		return priv.Tree.Associations(), nil
	}
	name, text, err := "standard input", "", error(nil)
	if c.Path == "" || c.Path == "-" {
		text, err = readAll(s.in, name, maxTree)
	} else {
		name = c.Path
		text, err = readLimited(c.Path, maxTree)
	}
	if err != nil {
		return nil, err
	}
	tree, format, err := associations.Parse(text, associations.Format(c.From))
	if err != nil {
		return nil, fail(exitUnreadable, "%s: %w", name, err)
	}
	if format == associations.Sshare && slices.ContainsFunc(algorithms, func(a fstree.Algorithm) bool { return a.Name == "fair-tree-slurm" }) {
		s.diag.Note("sshare sorts by name: where accounts tie, Slurm itself may walk them in another order")
	}
	return tree, nil
}

// shareTable is a tree under one or more algorithms.
type shareTable struct {
	tree       *fstree.Associations
	algorithms []fstree.Algorithm
	standings  []*fstree.Standing
	ranks      [][]int32
	depth      []int // by place in the tree
	rows       []shareRow
}

// shareRow is an association.
type shareRow struct {
	at     int
	indent int
	change int // the difference between its best and its worst rank
}

func newShareTable(tree *fstree.Associations, algorithms []fstree.Algorithm, o fstree.Options) *shareTable {
	t := &shareTable{tree: tree, algorithms: algorithms}
	for _, a := range algorithms {
		standing := a.Rank(tree, o)
		t.standings = append(t.standings, standing)
		t.ranks = append(t.ranks, standing.Ranks(tree))
	}
	t.depth = make([]int, tree.Len())
	for _, i := range tree.Preorder() {
		if i > 0 {
			t.depth[i] = t.depth[tree.At(int(i)).Parent] + 1
		}
		row := shareRow{at: int(i), indent: t.depth[i]}
		best, worst := t.ranks[0][i], t.ranks[0][i]
		for _, ranks := range t.ranks {
			best, worst = min(best, ranks[i]), max(worst, ranks[i])
		}
		row.change = int(worst - best)
		t.rows = append(t.rows, row)
	}
	if len(algorithms) > 1 { // what changes most at the top, accounts last
		slices.SortStableFunc(t.rows, func(a, b shareRow) int {
			if ua := tree.At(a.at).User; ua != tree.At(b.at).User {
				if ua {
					return -1
				}
				return 1
			}
			return b.change - a.change
		})
	}
	return t
}

// top keeps the first n: those that change most, or those ranked first.
func (t *shareTable) top(n int) {
	if len(t.algorithms) == 1 {
		rank := func(row shareRow) int32 {
			if rank := t.ranks[0][row.at]; rank > 0 {
				return rank
			}
			return math.MaxInt32
		}
		slices.SortStableFunc(t.rows, func(a, b shareRow) int { return cmp.Compare(rank(a), rank(b)) })
		for i := range t.rows {
			t.rows[i].indent = 0 // no tree any more
		}
	}
	t.rows = t.rows[:min(n, len(t.rows))]
}

// names are an association's account and user, user empty for an account.
func (t *shareTable) names(i int) (account, user string) {
	x := t.tree.At(i)
	if x.User {
		return t.tree.At(int(x.Parent)).Name, x.Name
	}
	return x.Name, ""
}

// ofTarget is what an association has used of what is due to it: 1 is on
// target, NaN where the algorithm has no target for it.
func (t *shareTable) ofTarget(k, i int) float64 {
	x, s := t.tree.At(i), t.standings[k]
	switch {
	case i == 0, x.FromParent && t.algorithms[k].ByRank, !(s.NormShares[i] > 0):
		return math.NaN()
	}
	return s.EffectiveUsage[i] / s.NormShares[i]
}

// reading says in words what an association's numbers mean.
func (t *shareTable) reading(k, i int) string {
	x, s := t.tree.At(i), t.standings[k]
	used := t.ofTarget(k, i)
	switch {
	case i == 0:
		return ""
	case math.IsNaN(used) && x.FromParent:
		if !x.User {
			return "its members compete above"
		}
		return "at the top of its level"
	case math.IsNaN(used):
		return "has no shares"
	case s.EffectiveUsage[i] == 0:
		return "under target, nothing used"
	case onTarget(used):
		return "on target"
	case used < 1:
		return "under target, " + times(used) + " of it used"
	}
	return "over target, " + times(used) + " of it used"
}

// onTarget tells whether use is so near to what is due that two decimals show
// no difference.
func onTarget(used float64) bool { return math.Abs(used-1) < 0.005 }

// times is a ratio to two decimals, at least where those say something.
func times(x float64) string {
	if x > 9999 {
		return ">9999x"
	}
	return strconv.FormatFloat(x, 'f', 2, 64) + "x"
}

// standingLine is an association under one algorithm, in JSON. Numbers that
// the algorithm does not have are null.
type standingLine struct {
	NormShares     *report.Number `json:"norm_shares"`
	EffectiveUsage *report.Number `json:"effective_usage"`
	Fairshare      *report.Number `json:"fairshare"`
	LevelFS        *report.Number `json:"level_fs"`
	Rank           *int           `json:"rank"`
	OfTarget       *report.Number `json:"of_target"`
	Reading        string         `json:"reading"`
}

func (t *shareTable) standing(k, i int) standingLine {
	s := t.standings[k]
	line := standingLine{
		report.Known(s.NormShares[i]), report.Known(s.EffectiveUsage[i]), report.Known(s.Fairshare[i]), report.Known(s.LevelFS[i]),
		nil, report.Known(t.ofTarget(k, i)), t.reading(k, i),
	}
	if t.tree.At(i).User {
		rank := int(t.ranks[k][i])
		line.Rank = &rank
	}
	return line
}
