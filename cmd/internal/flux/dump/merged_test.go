package dump

import (
	"fmt"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"fairshare/cmd/internal/file"
	"fairshare/cmd/internal/trace"
)

// Lists of several moments of a site, in any order, tell of each job what it came to last, and of all in one order.
func TestOrderOfLists(t *testing.T) {
	for _, run := range []string{"R1", "R2"} {
		var lists []file.Source
		for _, moment := range []string{"m1", "m2", "m3", "end"} {
			tree, err := file.OpenTree(filepath.FromSlash("../../../../testdata/flux-site/" + run + "-" + moment + ".tgz"))
			if err != nil {
				t.Fatal(err)
			}
			d, err := Find(tree)
			if err != nil {
				t.Fatal(err)
			}
			lists = append(lists, d.Largest())
		}
		for _, of := range [][]int{{0, 1}, {0, 2}, {1, 2}, {0, 1, 2}, {0, 3}, {0, 1, 2, 3}, {2, 2}} {
			var want string
			for _, order := range [][]int{of, backwards(of), append(slices.Clone(of[1:]), of[0])} {
				var sources []file.Source
				for _, i := range order {
					sources = append(sources, lists[i])
				}
				tr, err := ReadTrace(sources, time.UTC, trace.Keep{})
				if err != nil {
					t.Fatal(err)
				}
				got := ""
				for _, j := range tr.Jobs {
					got += fmt.Sprintln(j.ID, tr.Names.List[j.User], j.Queued, j.Arrival, j.Start, j.End, j.State, j.NCPUs, j.Exit)
				}
				if want == "" {
					want = got
				}
				if got != want || tr.Doubled > 0 {
					t.Errorf("%s, lists %v: not as %v, %d doubled", run, order, of, tr.Doubled)
				}
			}
		}
	}
}

// backwards returns numbers in the other order.
func backwards(of []int) []int {
	of = slices.Clone(of)
	slices.Reverse(of)
	return of
}
