package fstree

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const pp718 = `group1 10 root 40
group2 20 root 60
bob 11 group1 50
cathy 12 group1 50
suzy 21 group2 60
scott 22 group2 40
`

var pp718Usage = map[string]float64{"bob": 100, "cathy": 100, "scott": 1000}

// load builds a tree with usage and every number derived.
func load(t testing.TB, text string, unknownShares int32, usage map[string]float64) *Tree {
	t.Helper()
	tree, problems := ParseResourceGroup(text, unknownShares)
	for _, p := range problems {
		if p.PBS == "" { // which PBS takes
			continue
		}
		t.Fatal(p)
	}
	if err := tree.LoadUsage(maps.All(usage), false); err != nil {
		t.Fatal(err)
	}
	return tree
}

func entity(t testing.TB, tree *Tree, name string) Entity {
	t.Helper()
	id, ok := tree.Lookup(name)
	if !ok {
		t.Fatalf("no %s", name)
	}
	return tree.Entity(id)
}

// The page's numbers leave out that each node begins with usage 1.
func TestPP718(t *testing.T) {
	tree := load(t, pp718, 0, pp718Usage)
	tests := []struct {
		name                          string
		percentage, treeUsage, factor string // as recorded from pbsfs and its arithmetic
		page                          [3]float64
	}{
		{"bob", "0.200000", "0.125312", "0.647718", [3]float64{.2, .125, .648}},
		{"suzy", "0.360000", "0.500416", "0.381553", [3]float64{.36, .5, .382}},
		{"scott", "0.240000", "0.832973", "0.090201", [3]float64{.24, .833, .090}},
	}
	for _, test := range tests {
		e := entity(t, tree, test.name)
		got := []float64{float64(e.TreePercentage), float64(e.TreeUsage), e.Factor()}
		for i, want := range []string{test.percentage, test.treeUsage, test.factor} {
			if s := fmt.Sprintf("%.6f", got[i]); s != want {
				t.Errorf("%s: number %d is %s, want %s", test.name, i, s, want)
			}
			if math.Abs(got[i]-test.page[i]) > .0006 {
				t.Errorf("%s: number %d is %v, the page has %v", test.name, i, got[i], test.page[i])
			}
		}
	}
}

// A total of shares that comes to -1 looks uncounted to PBS.
func TestTotalOfMinusOne(t *testing.T) {
	tree := load(t, "a 1 root -2\nb 2 root 3\nc 3 root -2\n", 0, nil)
	// c, b, a, unknown: -2+3-2 is -1, counted again from b: 3-2 is 1.
	for name, want := range map[string]float32{"c": 2, "b": 3, "a": -2, "unknown": 0} {
		if got := entity(t, tree, name).TreePercentage; got != want {
			t.Errorf("%s has %v, want %v", name, got, want)
		}
	}
}

func TestCompare(t *testing.T) {
	tree := load(t, pp718, 0, pp718Usage)
	tests := []struct {
		a, b string
		want int
	}{
		{"bob", "scott", -1},
		{"suzy", "bob", 1}, // her group decides
		{"bob", "cathy", 0},
		{"bob", "bob", 0},
		{"group1", "bob", 0},
		{"TREEROOT", "bob", 0},
		{"unknown", "bob", 1}, // no shares
	}
	for _, test := range tests {
		a, _ := tree.Lookup(test.a)
		b, _ := tree.Lookup(test.b)
		if got := tree.Compare(a, b); got != test.want {
			t.Errorf("%s against %s: %d, want %d", test.a, test.b, got, test.want)
		}
		if got := tree.Compare(b, a); got != -test.want {
			t.Errorf("%s against %s: %d, want %d", test.b, test.a, got, -test.want)
		}
	}
}

// Who has used just his part is not over it.
func TestOverShare(t *testing.T) {
	for usage, want := range map[float64]bool{99: false, 100: false, 101: true} {
		// The root's usage is 200: it begins with 1.
		tree := load(t, "a 1 root 50\nb 2 root 50\n", 0, map[string]float64{"a": usage, "b": 199 - usage})
		if a, _ := tree.Lookup("a"); tree.OverShare(a) != want {
			t.Errorf("usage %v of 200: %v", usage, !want)
		}
	}
}

func TestDecay(t *testing.T) {
	tree := load(t, pp718, 0, pp718Usage)
	tree.Decay(0.9)
	for name, want := range map[string]float64{
		"bob":  89.99999761581421, // 0.9 is a C float
		"suzy": 1,                 // decay leaves 1
	} {
		if got := entity(t, tree, name).Usage; got != want {
			t.Errorf("%s has %v, want %v", name, got, want)
		}
	}
}

func TestRecordsOrder(t *testing.T) {
	tree := load(t, pp718+"x 30 group1 1\n", 0, map[string]float64{
		"bob": 1, "cathy": 2, "suzy": 3, "scott": 4, "x": 5, "group1": 9, "unknown": 7,
	})
	var got []string
	for name := range tree.Records() {
		got = append(got, name)
	}
	// Newest first, group1's family after group2's in PBS's recursion, which
	// writes siblings before children; usage 1 and groups are left out.
	if diff := cmp.Diff([]string{"x", "cathy", "scott", "suzy"}, got); diff != "" {
		t.Errorf("order (-want +got):\n%s", diff)
	}
}

// comb is a chain of n resgroups with an entity beside each.
func comb(n int) string {
	var b strings.Builder
	parent := "root"
	for i := range n {
		fmt.Fprintf(&b, "g%d %d %s 1\nu%d %d %s 1\n", i, 2*i+2, parent, i, 2*i+3, parent)
		parent = fmt.Sprint("g", i)
	}
	return b.String()
}

// In a tree whose depth makes PBS's additions quadratic, the sums are the
// same and take one pass.
func TestDeepTreeSums(t *testing.T) {
	t.Parallel()
	const n = 50_000
	tree, problems := ParseResourceGroup(comb(n), 0)
	if len(problems) > 0 {
		t.Fatal(problems[0])
	}
	usage := func(yield func(string, float64) bool) {
		for i := range n {
			if !yield(fmt.Sprint("u", i), 2) {
				return
			}
		}
	}
	if err := tree.LoadUsage(usage, false); err != nil {
		t.Fatal(err)
	}
	for i, want := range map[int]float64{0: 1 + 2*(n-1), n / 2: 1 + 2*(n/2-1), n - 1: 1} {
		if got := entity(t, tree, fmt.Sprint("g", i)).Usage; got != want {
			t.Errorf("g%d has %v, want %v", i, got, want)
		}
	}
	last, _ := tree.Lookup(fmt.Sprint("u", n-1))
	first, _ := tree.Lookup("u0")
	if got := tree.Compare(last, first); got == 0 {
		t.Error("the ends of the chain tie")
	}
}

func TestPreorderStops(t *testing.T) {
	tree := load(t, pp718, 0, nil)
	var names []string
	for id, depth := range tree.Preorder() {
		names = append(names, fmt.Sprint(depth, tree.Entity(id).Name))
		if len(names) == 4 {
			break
		}
	}
	if want := []string{"0TREEROOT", "1group2", "2scott", "2suzy"}; !slices.Equal(names, want) {
		t.Errorf("visited %v, want %v", names, want)
	}
}

// TestDerive: the numbers of each level give the next, as in PP-718.
func TestDerive(t *testing.T) {
	tree := load(t, "group1 10 root 40\ngroup2 20 root 60\nbob 11 group1 50\ncathy 12 group1 50\nsuzy 21 group2 60\nscott 22 group2 40\n", 10,
		map[string]float64{"bob": 100, "cathy": 100, "scott": 1000})
	id, _ := tree.Lookup("suzy")
	steps := tree.Derive(id)
	if len(steps) != 2 || steps[0].Name != "group2" || steps[0].LevelShares != 110 || steps[1].LevelShares != 100 {
		t.Fatalf("%+v", steps)
	}
	percentage := float32(1)
	for i, s := range steps {
		percentage = float32(percentage * s.GroupPercentage)
		if s.TreePercentage != percentage || s.GroupPercentage != float32(s.Shares)/float32(s.LevelShares) {
			t.Errorf("percentage of %+v", s)
		}
		usage := s.Used
		if i > 0 {
			gap := float32(s.ParentUsage - s.Used)
			usage += float32(gap * s.GroupPercentage)
		}
		if s.TreeUsage != usage {
			t.Errorf("tree usage of %+v, %v", s, usage)
		}
	}
	changed := tree.Clone()
	changed.Charge(id, 500)
	changed.Update()
	undo := tree.TryCharge(id, 500)
	if got, want := tree.Recalculate(id), changed.Entity(id); got != want {
		t.Errorf("tried %+v, charged %+v", got, want)
	}
	undo()
	for id := range tree.Preorder() {
		if id != Root && tree.Recalculate(id) != tree.Entity(id) || tree.Entity(Root).Usage != 1+1200 {
			t.Errorf("not undone: %+v", tree.Entity(id))
		}
	}
	tree.TryCharge(Root, 7)()
	if tree.Entity(Root).Usage != 1201 {
		t.Errorf("the root keeps %v", tree.Entity(Root).Usage)
	}
	clone := tree.Clone()
	clone.Charge(id, 5)
	if clone.AddUnknown("dave"); clone.Len() != tree.Len()+1 || tree.Entity(id).Usage != 1 {
		t.Error("a clone's changes are its origin's")
	}
	if _, ok := tree.Lookup("dave"); ok {
		t.Error("a clone's names are its origin's")
	}
}
