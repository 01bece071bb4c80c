package accounts

import (
	"cmp"
	"errors"
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
	depth     []int32            // by place in the tree
	isTied    bool               // whether accounts tie under Fair Tree as Slurm computes it

	fetched int // so that what Fetch reads is not left out
}

// verdict is what a table shows of an association under one of several algorithms. Rows stand in another order than the tree,
// so that numbers which are shown together stand together.
type verdict struct {
	rank int32 // of a user, 0 of an account
	mark mark
}

// Row is an association of a table.
type Row struct {
	At     int32 // its place in the tree
	Indent int32
}

// NewTable computes a tree under algorithms. Under one, the rows are in the
// tree's order; under several, users whose ranks differ most come first and
// accounts last.
func NewTable(tree *fstree.Associations, algorithms []fstree.Algorithm, o fstree.Options) *Table {
	t := &Table{Tree: tree, Algorithms: algorithms, options: o,
		standings: make([]*fstree.Standing, len(algorithms)), verdicts: make([]verdict, tree.Len()*len(algorithms))}
	last := o
	for k, a := range algorithms {
		standing := a.Compute(tree, last)
		last.Memory = standing // of several, who compares ranks alone needs no more than the verdicts, which take a quarter of the memory
		if len(algorithms) == 1 {
			t.standings[k] = standing
		}
		for i, rank := range standing.Ranks(tree) {
			*t.verdict(k, i) = verdict{rank, markOf(ofTarget(tree, a, standing, i))}
		}
		if a.Name == "fair-tree-slurm" {
			t.isTied = accountsTie(tree, standing.LevelFS)
		}
	}
	t.depth = make([]int32, tree.Len())
	for i := range tree.Preorder {
		if i > 0 {
			t.depth[i] = t.depth[tree.At(int(i)).Parent] + 1
		}
	}
	t.Rows = make([]Row, tree.Len())
	if len(algorithms) > 1 {
		t.sortByChange()
		return t
	}
	n := 0
	for i := range tree.Preorder {
		t.Rows[n] = Row{i, t.depth[i]}
		n++
	}
	return t
}

// sortByChange makes the rows with users before accounts, and those first that change most, equal ones as they stand in the tree. A change
// is less than there are users, so that rows are put in order by how many have each.
func (t *Table) sortByChange() {
	users := t.Tree.Users()
	groups := make([]int32, t.Tree.Len())
	next := make([]int32, users+1) // by group, of which accounts are the last, how many are in it; then where the next one of it stands
	for at := range groups {
		groups[at] = int32(users)
		if t.Tree.At(at).User {
			groups[at] = int32(max(0, users-1-t.Change(at)))
		}
		next[groups[at]]++
	}
	place := int32(0)
	for i, n := range next {
		next[i], place = place, place+n
	}
	for i := range t.Tree.Preorder {
		place := &next[groups[i]]
		t.Rows[*place] = Row{i, t.depth[i]}
		*place++
	}
}

// Keep keeps the rows of some users and of the accounts that these are in, and returns an error for a user whom the tree does not have.
func (t *Table) Keep(users []string) error {
	kept, found := map[int]bool{}, map[string]bool{}
	for i := range t.Tree.Len() {
		if x := t.Tree.At(i); x.User && slices.Contains(users, x.Name) {
			found[x.Name] = true
			for at := i; at >= 0 && !kept[at]; at = int(t.Tree.At(at).Parent) {
				kept[at] = true
			}
		}
	}
	for _, user := range users {
		if !found[user] {
			var names []string
			for i := range t.Tree.Len() {
				if x := t.Tree.At(i); x.User {
					names = append(names, x.Name)
				}
			}
			return errors.New(report.NoSuch("user", user, names))
		}
	}
	t.Rows = slices.DeleteFunc(t.Rows, func(row Row) bool { return !kept[int(row.At)] })
	return nil
}

// Top keeps the first n rows: those that change most, or under one algorithm
// those that are ranked first.
func (t *Table) Top(n int) {
	if len(t.Algorithms) == 1 {
		rank := func(row Row) int32 {
			if rank := t.verdict(0, int(row.At)).rank; rank > 0 {
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
		at := int(row.At)
		if isWhole {
			at = i
		}
		if !yield(at) {
			return
		}
	}
}

// Fetch reads what the rows show, which stands all over the memory, so that who makes some rows does not wait for it again and again:
// here no reading waits for another one.
func (t *Table) Fetch(rows []Row) {
	sum := 0
	for _, row := range rows {
		x := t.Tree.At(int(row.At))
		sum += int(t.verdict(0, int(row.At)).rank) + int(x.Parent)
	}
	for _, row := range rows {
		x := t.Tree.At(int(row.At))
		sum += firstOf(x.Name) + len(t.Tree.At(int(max(0, x.Parent))).Name)
	}
	for _, row := range rows {
		sum += firstOf(t.Tree.At(int(max(0, t.Tree.At(int(row.At)).Parent))).Name)
	}
	t.fetched = sum
}

// firstOf returns the first byte of a text, 0 where there is none.
func firstOf(text string) int {
	if text == "" {
		return 0
	}
	return int(text[0])
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
	if t.standings[k] == nil {
		t.standings[k] = t.Algorithms[k].Compute(t.Tree, t.options)
	}
	return t.standings[k]
}

// Rank returns a user's rank under algorithm k, 0 for an account.
func (t *Table) Rank(k, at int) int { return int(t.verdict(k, at).rank) }

func (t *Table) verdict(k, at int) *verdict { return &t.verdicts[at*len(t.Algorithms)+k] }

// ofTarget returns what an association has used of what is due to it under an algorithm: 1 is on target, NaN is where the algorithm
// has no target.
func ofTarget(tree *fstree.Associations, a fstree.Algorithm, s *fstree.Standing, at int) float64 {
	if at == 0 || tree.At(at).FromParent && a.ByRank || !(s.NormShares[at] > 0) {
		return math.NaN()
	}
	return s.EffectiveUsage[at] / s.NormShares[at]
}

// OfTarget returns what an association has used of what is due to it under algorithm k, NaN where that has no target.
func (t *Table) OfTarget(k, at int) float64 { return ofTarget(t.Tree, t.Algorithms[k], t.Of(k), at) }

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
		nil, report.Optional(t.OfTarget(k, at)), t.Reading(k, at),
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
	if format == Sshare && t.isTied {
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
