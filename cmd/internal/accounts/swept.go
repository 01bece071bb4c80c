package accounts

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"fairshare/fstree"
)

// Swept is what a table of sshare says of a moment and of the last sweep before it. RawUsage grows when a job ends, while NormUsage,
// FairShare and the priorities are those of the last sweep.
type Swept struct {
	Tree  *fstree.Associations // as Parse returns it
	Swept *fstree.Associations // the same with the usage that the factors were computed from
	Newer int                  // of how many users that is not the one the table prints; 0 for a table without NormUsage, which tells nothing of it

	TellsSwept bool // whether the table tells the usage of the last sweep, which those without NormUsage do not

	list *listed
}

// ParseSwept reads a table of sshare. Its errors are those of Parse.
func ParseSwept(text string) (*Swept, error) {
	list, err := parseSshare(text)
	if err != nil {
		return nil, err
	}
	if err = findCut(list); err != nil {
		return nil, err
	}
	tree, err := treeOf(list, Sshare)
	if err != nil {
		return nil, err
	}
	s := &Swept{Tree: tree, Swept: tree, list: list}
	total := totalAtSweep(list)
	if s.TellsSwept = total > 0; !s.TellsSwept {
		return s, nil
	}
	var nodes []fstree.Association // nil where all usage is that of the sweep
	for i := range list.nodes {
		x, norm := &list.nodes[i], list.notes[i].norm
		if !x.User || isOf(x.Usage, norm, total) {
			continue
		}
		if nodes == nil {
			nodes = slices.Clone(list.nodes)
		}
		s.Newer++
		more := x.Usage - norm*total
		for at := int32(i); at >= 0; at = nodes[at].Parent {
			nodes[at].Usage = max(0, nodes[at].Usage-more)
		}
	}
	if nodes != nil {
		s.Swept, err = fstree.NewAssociations(nodes)
	}
	return s, err
}

// Printed adds the factors that the table prints to some. It returns false, and adds none, where rows are not as sshare prints them
// with -P, so that who wants to know what is wrong with them has to look at each.
func (s *Swept) Printed(to *Factors) bool {
	if s.list.isOdd {
		return false
	}
	to.Add(s.list.factors, func(yield func(Factor) bool) {
		for i := range s.list.nodes {
			x, of := &s.list.nodes[i], &s.list.notes[i]
			if x.User && of.factor == of.factor && !yield(Factor{s.list.nodes[x.Parent].Name, x.Name, of.factor, of.used}) {
				return
			}
		}
	})
	return true
}

// isOf reports whether the usage of an association is its printed part of a total, which has six decimals.
func isOf(usage, norm, total float64) bool {
	const decimals, whole = 0.51e-6, 1
	return math.IsNaN(norm) || math.Abs(usage-norm*total) <= decimals*2*total+whole
}

// totalAtSweep returns the usage of all that the column NormUsage is relative to, 0 where nothing tells it: that from
// which the usage of the most users follows.
func totalAtSweep(list *listed) (best float64) {
	const mostTried, least = 100, 1e-4 // of users; a smaller part has too few decimals
	type part struct{ usage, norm float64 }
	var users []part
	for i, of := range list.notes {
		if x := &list.nodes[i]; of.norm >= least && x.User && x.Usage > 0 {
			users = append(users, part{x.Usage, of.norm})
		}
	}
	slices.SortStableFunc(users, func(a, b part) int { return cmp.Compare(b.norm, a.norm) })
	most := len(users) / 2 // so that more than half of them agree
	for _, of := range users[:min(len(users), mostTried)] {
		total, agree := of.usage/of.norm, 0
		for _, u := range users {
			if isOf(u.usage, u.norm, total) {
				agree++
			}
		}
		if agree > most {
			best, most = total, agree
		}
	}
	return best
}

// partOf returns a part of 1 that a row has in a column, NaN where nothing tells it.
func partOf(cells []string, column int) float64 {
	if column <= 0 || column >= len(cells) {
		return math.NaN()
	}
	x, err := number(strings.TrimSpace(cells[column]))
	if err != nil || !(x >= 0 && x <= 1) {
		return math.NaN()
	}
	return x
}
