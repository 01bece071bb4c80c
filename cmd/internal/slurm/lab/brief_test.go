package lab

import (
	"fmt"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"fairshare/cmd/internal/compare"
	"fairshare/cmd/internal/lab"
	slurmcompare "fairshare/cmd/internal/slurm/compare"
	"fairshare/cmd/internal/slurm/order"
	"fairshare/cmd/internal/workshop"
)

// settings are some of each kind that move jobs of a site, and some that list others or let others be considered.
func settings(site *order.Site) [][]string {
	j := site.Jobs[len(site.Jobs)/2]
	account, job := j.Account, "job."+j.ID
	return [][]string{
		nil, {"PriorityWeightAge=90000"}, {"PriorityWeightFairshare=0", "PriorityWeightQOS=1"}, {"PriorityWeightTRES=cpu=5000"}, {"PriorityFlags=CALCULATE_RUNNING,ACCRUE_ALWAYS"}, {"PriorityFlags=NO_FAIR_TREE"},
		{account + ".shares=1000"}, {account + "/" + j.User + ".shares=0", "PriorityFavorSmall=YES"}, {"partition." + j.Partitions[0] + ".tier=9"}, {job + ".nice=5000"}, {job + ".qos=" + j.QOS + ",high"},
	}
}

// TestBrief: the figures of an order, and the places that its rows have had, are those of the whole difference, and these are
// what its moves come to one by one.
func TestBrief(t *testing.T) {
	var names []string
	for _, pattern := range []string{"slurm-*/*.tgz", "slurm-priority/*/slurm.conf"} {
		list, err := filepath.Glob(workshop.Testdata(pattern))
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range list {
			names = append(names, strings.TrimSuffix(name, "/slurm.conf"))
		}
	}
	moved, entered, left := 0, 0, 0
	for _, name := range names {
		l := open(t, name)
		for _, s := range settings(l.site) {
			of, err := l.try(lab.State{Settings: s})
			if err != nil {
				continue // the site has no such thing
			}
			d := slurmcompare.Between(l.now, of.rows, of.changes)
			if whole := (compare.Brief{Jobs: d.Jobs, Moved: d.Moved, Entered: d.Entered, Left: d.Left, Tau: d.Tau, Entities: d.Entities, Queues: d.Queues, Groups: d.Groups, Projects: d.Projects}); !reflect.DeepEqual(of.brief, whole) {
				t.Errorf("%s, %v: %+v, not %+v", name, s, of.brief, whole)
			}
			plain, by := compare.Brief{}, map[string][2]int{}
			moves := map[order.Place]compare.Move{}
			for i, m := range d.Moves {
				moves[l.now[i].Place()] = m
				switch {
				case m.OldRank != nil && m.NewRank != nil:
					plain.Jobs++
					if *m.OldRank != *m.NewRank {
						plain.Moved++
					}
					of := by[m.Entity]
					by[m.Entity] = [2]int{of[0] + 1, of[1] + *m.OldRank - *m.NewRank}
				case m.OldRank != nil:
					plain.Left++
				case m.NewRank != nil:
					plain.Entered++
				}
			}
			if d.Jobs != plain.Jobs || d.Moved != plain.Moved || d.Left != plain.Left || d.Entered != plain.Entered || len(d.Entities) != len(by) {
				t.Errorf("%s, %v: %d jobs in both orders, %d moved, %d entered, %d left, not %+v", name, s, d.Jobs, d.Moved, d.Entered, d.Left, plain)
			}
			for _, x := range d.Entities {
				if of := by[x.Name]; x.Jobs != of[0] || float64(x.Mean) != float64(of[1])/float64(of[0]) {
					t.Errorf("%s, %v: %+v, not %v", name, s, x, of)
				}
			}
			moved, entered, left = moved+plain.Moved, entered+plain.Entered, left+plain.Left
			for i := range of.rows {
				x, text := rowOf(&of.rows[i]), func(n *int) string {
					if n == nil {
						return "none"
					}
					return fmt.Sprint(*n)
				}
				m := moves[of.rows[i].Place()]
				if got, want := []string{text(x.OldRank), text(x.Change)}, []string{text(m.OldRank), text(m.Change)}; !slices.Equal(got, want) {
					t.Errorf("%s, %v, job %s: %v, not %v", name, s, x.Key, got, want)
				}
			}
		}
	}
	if len(names) < 12 || moved < 500 || entered < 4 || left < 2 {
		t.Errorf("%d sites, %d jobs that have moved, %d that have entered and %d that have left are no test", len(names), moved, entered, left)
	}
}
