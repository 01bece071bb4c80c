package dump

import (
	"fmt"
	"math"
	"slices"
	"sync"

	"fairshare/cmd/internal/accounts"
	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/report"
	"fairshare/fstree"
)

// usagesOf returns the usage of the associations of a tree.
func usagesOf(t *fstree.Associations) map[shareKey]float64 {
	all := map[shareKey]float64{}
	for i := range t.Len() {
		x := t.At(i)
		key := shareKey{account: x.Name}
		if x.User {
			key = shareKey{t.At(int(x.Parent)).Name, x.Name, x.Partition}
		}
		all[key] = x.Usage
	}
	return all
}

// usageDiffers says where scontrol show assoc_mgr has another usage than the tree, which is of a file: by more than what jobs that end, and
// the decay, make of it between two prints that are of one moment.
func (d *Dump) usageDiffers(tree *fstree.Associations, from string) (remarks []diag.Remark) {
	const ofItself, ofAll = 0.05, 0.01 // parts
	counts := sync.OnceValue(func() map[shareKey]float64 { return usagesOf(tree) })
	for _, p := range d.All(KindManager) {
		other, err := accounts.ParseManager(p.Text)
		if p.Name == from || err != nil { // of which is said what is wrong, where it counts
			continue
		}
		all := max(tree.At(0).Usage, other.At(0).Usage)
		of := difference{fact: "the usage of associations", counts: from, other: p.Name}
		for key, usage := range usagesOf(other) {
			is, isThere := counts()[key]
			if by := math.Abs(is - usage); !isThere || by <= ofItself*max(is, usage) || by <= ofAll*all {
				continue
			}
			of.found = append(of.found, fmt.Sprintf("%s %s and %s", report.Printable(key.name()), report.Fixed(is, 0), report.Fixed(usage, 0)))
		}
		slices.Sort(of.found)
		remarks = append(remarks, of.remark()...)
	}
	return remarks
}
