package accounts

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"fairshare/fstree"
)

// ParseSwept returns the tree of a table of sshare as Parse does, the same with the usage that its factors were computed
// from, and of how many users that is not the one it prints. RawUsage grows when a job ends, while NormUsage, FairShare
// and the priorities are those of the last sweep. A table without NormUsage tells nothing of it.
func ParseSwept(text string) (tree, swept *fstree.Associations, newer int, err error) {
	list, err := parseSshare(text)
	if err != nil {
		return nil, nil, 0, err
	}
	if err = findCut(list); err != nil {
		return nil, nil, 0, err
	}
	if tree, err = treeOf(list, Sshare); err != nil {
		return nil, nil, 0, err
	}
	total := totalAtSweep(list)
	if total <= 0 {
		return tree, tree, 0, nil
	}
	nodes := make([]fstree.Association, len(list))
	for i, l := range list {
		nodes[i] = l.Association
	}
	for i, l := range list {
		if !l.User || isOf(l, total) {
			continue
		}
		newer++
		more := l.Usage - l.norm*total
		for at := int32(i); at >= 0; at = nodes[at].Parent {
			nodes[at].Usage = max(0, nodes[at].Usage-more)
		}
	}
	if newer == 0 {
		return tree, tree, 0, nil
	}
	swept, err = fstree.NewAssociations(nodes)
	return tree, swept, newer, err
}

// isOf reports whether the usage of an association is its printed part of a total, which has six decimals.
func isOf(l line, total float64) bool {
	const decimals, whole = 0.51e-6, 1
	return math.IsNaN(l.norm) || math.Abs(l.Usage-l.norm*total) <= decimals*2*total+whole
}

// totalAtSweep returns the usage of all that the column NormUsage is relative to, 0 where nothing tells it: that from
// which the usage of the most users follows.
func totalAtSweep(list []line) (best float64) {
	const mostTried, least = 100, 1e-4 // of users; a smaller part has too few decimals
	var users []line
	for _, l := range list {
		if l.User && l.norm >= least && l.Usage > 0 {
			users = append(users, l)
		}
	}
	slices.SortStableFunc(users, func(a, b line) int {
		switch {
		case a.norm > b.norm:
			return -1
		case a.norm < b.norm:
			return 1
		}
		return 0
	})
	most := len(users) / 2 // so that more than half of them agree
	for _, of := range users[:min(len(users), mostTried)] {
		total, agree := of.Usage/of.norm, 0
		for _, l := range users {
			if isOf(l, total) {
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
	x, err := strconv.ParseFloat(strings.TrimSpace(cells[column]), 64)
	if err != nil || !(x >= 0 && x <= 1) {
		return math.NaN()
	}
	return x
}
