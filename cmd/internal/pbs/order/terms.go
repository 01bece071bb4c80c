package order

import (
	"math"
	"slices"

	"fairshare/formula"
	"fairshare/fstree"
)

// Term is a variable whose value comes from an entity's place in the fairshare
// tree: one of PBS's, or the result of another scheduler's algorithm, for trying
// what that would do.
type Term struct {
	formula.Variable

	// Of is the number of one of PBS's terms before it is rounded; nil for the
	// others.
	Of func(fstree.Entity) float64

	// Algorithm and Number say where another scheduler's number comes from.
	Algorithm func(*fstree.Associations, fstree.Options) *fstree.Standing
	Number    func(*fstree.Standing) []float64
}

func percentage(e fstree.Entity) float64       { return float64(e.TreePercentage) }
func fairshareOf(s *fstree.Standing) []float64 { return s.Fairshare }
func levelFSOf(s *fstree.Standing) []float64   { return s.LevelFS }
func additional(name, unit, meaning string) formula.Variable {
	return formula.Variable{Name: name, Type: formula.Float64, Unit: unit, Meaning: meaning, Origin: formula.Additional}
}

// pbsTerm returns one of PBS's terms, which package formula describes.
func pbsTerm(name string, of func(fstree.Entity) float64) Term {
	at := slices.IndexFunc(formula.Keywords, func(v formula.Variable) bool { return v.Name == name })
	return Term{Variable: formula.Keywords[at], Of: of}
}

// Terms are all variables that come from the fairshare tree.
var Terms = []Term{
	pbsTerm("fairshare_perc", percentage),
	pbsTerm("fair_share_perc", percentage),
	pbsTerm("fairshare_tree_usage", func(e fstree.Entity) float64 { return float64(e.TreeUsage) }),
	pbsTerm("fairshare_factor", fstree.Entity.Factor),

	{Variable: additional("fair_tree", "0 to 1", "Slurm's Fair Tree as documented: the entity's rank / number of entities"),
		Algorithm: fstree.FairTree, Number: fairshareOf},
	{Variable: additional("level_fs", "0 to inf", "Slurm's level FS: due / used within the resgroup, above 1 is under-served"),
		Algorithm: fstree.FairTree, Number: levelFSOf},
	{Variable: additional("depth_oblivious_factor", "0 to 1", "Slurm's depth-oblivious factor, 0.5 on target"),
		Algorithm: fstree.DepthOblivious, Number: fairshareOf},
	{Variable: additional("classic_factor", "0 to 1", "Slurm's classic fairshare factor, 0.5 on target"),
		Algorithm: fstree.Classic, Number: fairshareOf},
	{Variable: additional("weighted_walk", "0 to 1", "flux-accounting's fairshare: the entity's rank / number of entities"),
		Algorithm: fstree.WeightedWalk, Number: fairshareOf},
}

// TermNamed returns the term of a name. ok is false if there is none.
func TermNamed(name string) (t Term, ok bool) {
	at := slices.IndexFunc(Terms, func(t Term) bool { return t.Name == name })
	if at < 0 {
		return Term{}, false
	}
	return Terms[at], true
}

// Standing returns what another scheduler's algorithm says of a tree.
func (t Term) Standing(tree *fstree.Tree) *fstree.Standing {
	return t.Algorithm(tree.Associations(), fstree.Options{})
}

// Values returns the term's value for each of some entities of a tree, as a
// formula sees it. Where an algorithm has no number it is 0.
func (t Term) Values(tree *fstree.Tree, entities []fstree.ID) []formula.Value {
	values := make([]formula.Value, len(entities))
	if t.Of == nil {
		numbers := t.Number(t.Standing(tree))
		for i, id := range entities {
			values[i] = t.ValueOf(numbers[id])
		}
		return values
	}
	for i, id := range entities {
		values[i] = t.ValueOf(t.Of(tree.Entity(id)))
	}
	return values
}

// ValueOf returns the value of a term whose number is known.
func (t *Term) ValueOf(x float64) formula.Value {
	value, _ := t.Value(known(x)) // a term has a value for every number
	return value
}

// NumberOf returns the double that is the value of one of PBS's terms, whose number is known.
func (t *Term) NumberOf(x float64) float64 {
	return t.Rounded(known(x))
}

// known returns the number of a term, 0 where an algorithm has none.
func known(x float64) float64 {
	if math.IsNaN(x) {
		return 0
	}
	return x
}

// Symbols returns the variables of formulas at a site with these resources of
// its own.
func Symbols(resources map[string]formula.Type) *formula.Symbols {
	var others []formula.Variable
	for _, t := range Terms {
		if t.Of == nil {
			others = append(others, t.Variable)
		}
	}
	return formula.NewSymbols(resources, others...)
}
