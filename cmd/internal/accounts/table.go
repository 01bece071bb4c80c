package accounts

import (
	"cmp"
	"math"
	"slices"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/report"
	"fairshare/fstree"
)

// Table is a tree under one or more algorithms.
type Table struct {
	Tree       *fstree.Associations
	Algorithms []fstree.Algorithm
	Rows       []Row

	options   fstree.Options
	standings []*fstree.Standing // by algorithm, nil for one that nobody has asked for with Of
	verdicts  []verdict          // by place in the tree, those of all algorithms side by side
	depth     []int              // by place in the tree
}

// verdict is what a table shows of an association under one of several algorithms. Rows stand in another order than the tree,
// so that numbers which are shown together stand together.
type verdict struct {
	ofTarget float64 // what was used of what is due: 1 is on target, NaN is where the algorithm has no target
	rank     int32   // of a user, 0 of an account
}

// Row is an association of a table.
type Row struct {
	At     int // its place in the tree
	Indent int
}

// NewTable computes a tree under algorithms. Under one, the rows are in the
// tree's order; under several, users whose ranks differ most come first and
// accounts last.
func NewTable(tree *fstree.Associations, algorithms []fstree.Algorithm, o fstree.Options) *Table {
	t := &Table{Tree: tree, Algorithms: algorithms, Rows: make([]Row, 0, tree.Len()), options: o,
		standings: make([]*fstree.Standing, len(algorithms)), verdicts: make([]verdict, tree.Len()*len(algorithms))}
	for k, a := range algorithms {
		standing := a.Compute(tree, o)
		if len(algorithms) == 1 {
			t.standings[k] = standing // of several, who compares ranks alone needs no more than the verdicts, which take a third of the memory
		}
		for i, rank := range standing.Ranks(tree) {
			*t.verdict(k, i) = verdict{ofTarget(tree, a, standing, i), rank}
		}
	}
	t.depth = make([]int, tree.Len())
	for _, i := range tree.Preorder() {
		if i > 0 {
			t.depth[i] = t.depth[tree.At(int(i)).Parent] + 1
		}
		t.Rows = append(t.Rows, Row{At: int(i), Indent: t.depth[i]})
	}
	if len(algorithms) > 1 {
		// Users before accounts, then by the change, equal ones as they stand: as one number each, which are quick to sort.
		keys := make([]uint64, len(t.Rows))
		for i, row := range t.Rows {
			keys[i] = uint64(math.MaxInt32-t.Change(row.At))<<32 | uint64(i)
			if !tree.At(row.At).User {
				keys[i] |= 1 << 63
			}
		}
		slices.Sort(keys)
		rows := make([]Row, len(keys))
		for i, key := range keys {
			rows[i] = t.Rows[uint32(key)]
		}
		t.Rows = rows
	}
	return t
}

// Top keeps the first n rows: those that change most, or under one algorithm
// those that are ranked first.
func (t *Table) Top(n int) {
	if len(t.Algorithms) == 1 {
		rank := func(row Row) int32 {
			if rank := t.verdict(0, row.At).rank; rank > 0 {
				return rank
			}
			return math.MaxInt32
		}
		slices.SortStableFunc(t.Rows, func(a, b Row) int { return cmp.Compare(rank(a), rank(b)) })
		for i := range t.Rows {
			t.Rows[i].Indent = 0 // this is no tree any more
		}
	}
	t.Rows = t.Rows[:min(n, len(t.Rows))]
}

// Places yields the places of the rows in the tree: of a whole table as they follow each other there, which is quicker than the
// order of the rows.
func (t *Table) Places(yield func(at int) bool) {
	isWhole := len(t.Rows) == t.Tree.Len()
	for i, row := range t.Rows {
		if isWhole {
			row.At = i
		}
		if !yield(row.At) {
			return
		}
	}
}

// Change returns the difference between an association's best and worst rank.
func (t *Table) Change(at int) int {
	best, worst := int32(math.MaxInt32), int32(0)
	for k := range t.Algorithms {
		rank := t.verdict(k, at).rank
		best, worst = min(best, rank), max(worst, rank)
	}
	return int(worst - best)
}

// Names returns an association's account and user; user is empty for an
// account, and USER/PARTITION where it is of one of Slurm's partitions.
func (t *Table) Names(at int) (account, user string) {
	x := t.Tree.At(at)
	if x.User {
		if x.Partition != "" {
			x.Name += "/" + x.Partition
		}
		return t.Tree.At(int(x.Parent)).Name, x.Name
	}
	return x.Name, ""
}

// AppendShares adds an association's raw shares to a text as Slurm prints them.
func (t *Table) AppendShares(text []byte, at int) []byte {
	switch x := t.Tree.At(at); {
	case at == 0:
		return text
	case x.FromParent:
		return append(text, "parent"...)
	default:
		return report.AppendPlain(text, x.Shares)
	}
}

// Of returns what algorithm k says of all associations.
func (t *Table) Of(k int) *fstree.Standing {
	t.standings[k] = t.compute(k)
	return t.standings[k]
}

// compute is Of, but that what is computed for it is not kept.
func (t *Table) compute(k int) *fstree.Standing {
	if standing := t.standings[k]; standing != nil {
		return standing
	}
	return t.Algorithms[k].Compute(t.Tree, t.options)
}

// Rank returns a user's rank under algorithm k, 0 for an account.
func (t *Table) Rank(k, at int) int { return int(t.verdict(k, at).rank) }

func (t *Table) verdict(k, at int) *verdict { return &t.verdicts[at*len(t.Algorithms)+k] }

// ofTarget returns what an association has used of what is due to it under an algorithm.
func ofTarget(tree *fstree.Associations, a fstree.Algorithm, s *fstree.Standing, at int) float64 {
	if at == 0 || tree.At(at).FromParent && a.ByRank || !(s.NormShares[at] > 0) {
		return math.NaN()
	}
	return s.EffectiveUsage[at] / s.NormShares[at]
}

// Reading says in words what an association's numbers mean.
func (t *Table) Reading(k, at int) string { return string(t.AppendReading(nil, k, at)) }

// AppendReading adds what Reading returns to a text.
func (t *Table) AppendReading(text []byte, k, at int) []byte {
	x, s := t.Tree.At(at), t.Of(k)
	used := t.verdict(k, at).ofTarget
	switch {
	case at == 0:
		return text
	case math.IsNaN(used) && x.FromParent:
		if !x.User {
			return append(text, "its members compete above"...)
		}
		return append(text, "at the top of its level"...)
	case math.IsNaN(used):
		return append(text, "has no shares"...)
	case s.EffectiveUsage[at] == 0:
		return append(text, "under target, nothing used"...)
	case isOnTarget(used):
		return append(text, "on target"...)
	case used < 1:
		text = append(text, "under target, "...)
	default:
		text = append(text, "over target, "...)
	}
	text = append(appendTimes(text, used), " of it used"...)
	if x.User && x.Usage == 0 {
		text = append(text, " by its group, nothing by itself"...)
	}
	return text
}

// AppendMark adds to a text what Reading says, in a few letters.
func (t *Table) AppendMark(text []byte, k, at int) []byte {
	used := t.verdict(k, at).ofTarget
	switch {
	case math.IsNaN(used) && t.Tree.At(at).FromParent:
		return append(text, "top"...)
	case math.IsNaN(used):
		return append(text, '-')
	case isOnTarget(used):
		return append(text, '=')
	}
	return appendTimes(text, used)
}

// isOnTarget reports whether use is so near to what is due that two decimals
// show no difference.
func isOnTarget(used float64) bool { return math.Abs(used-1) < 0.005 }

// appendTimes adds a ratio with two decimals, as far as those say something.
func appendTimes(text []byte, x float64) []byte {
	if x > 9999 {
		return append(text, ">9999x"...)
	}
	return append(report.AppendFixed(text, x, 2), 'x')
}

// Standing is an association under one algorithm, as JSON has it. Numbers that
// the algorithm does not have are null.
type Standing struct {
	NormShares     *report.Number `json:"norm_shares"`
	EffectiveUsage *report.Number `json:"effective_usage"`
	Fairshare      *report.Number `json:"fairshare"`
	LevelFS        *report.Number `json:"level_fs"`
	Rank           *int           `json:"rank"`
	OfTarget       *report.Number `json:"of_target"`
	Reading        string         `json:"reading"`
}

// Standing returns what algorithm k says of an association.
func (t *Table) Standing(k, at int) Standing {
	s := t.Of(k)
	standing := Standing{
		report.Optional(s.NormShares[at]), report.Optional(s.EffectiveUsage[at]), report.Optional(s.Fairshare[at]), report.Optional(s.LevelFS[at]),
		nil, report.Optional(t.verdict(k, at).ofTarget), t.Reading(k, at),
	}
	if t.Tree.At(at).User {
		rank := t.Rank(k, at)
		standing.Rank = &rank
	}
	return standing
}

// accountsTie reports whether an account has the level of one that stands beside it, or of a user.
func accountsTie(tree *fstree.Associations, levels []float64) bool {
	type place struct {
		parent int32
		level  float64
	}
	accounts := map[place]bool{}
	for i := 1; i < tree.Len(); i++ {
		if x := tree.At(i); !x.User {
			at := place{x.Parent, levels[i]}
			if accounts[at] {
				return true
			}
			accounts[at] = true
		}
	}
	for i := 1; i < tree.Len(); i++ {
		if x := tree.At(i); x.User && accounts[place{x.Parent, levels[i]}] {
			return true
		}
	}
	return false
}

// Remarks returns what is doubtful about the usage of a tree that was read in a format, and about its order under the algorithms.
func (t *Table) Remarks(format Format) []diag.Remark {
	var remarks []diag.Remark
	tree := t.Tree
	k := slices.IndexFunc(t.Algorithms, func(a fstree.Algorithm) bool { return a.Name == "fair-tree-slurm" })
	if format == Sshare && k >= 0 && accountsTie(tree, t.compute(k).LevelFS) {
		remarks = append(remarks, diag.Notef("sshare sorts by name: where accounts tie, Slurm itself may walk them in another order"))
	}
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
		remarks = append(remarks, diag.Warningf("%s used less than a member, such as %q: the usages do not add up", report.Count(doubtful, "account"), example))
	}
	if tree.Users() == 0 {
		remarks = append(remarks, diag.Warningf("the tree has no user"))
	}
	return remarks
}
