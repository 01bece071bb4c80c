package fstree

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"
)

// tree builds associations from rows of name, account, shares (-1 for
// Fairshare=parent) and usage. Names in capitals are accounts.
func tree(t testing.TB, rows ...row) *Associations {
	t.Helper()
	at := map[string]int32{"": 0}
	var total float64
	list := []Association{{Parent: -1, Name: "root"}}
	for _, r := range rows {
		x := Association{Parent: at[r.account], Name: r.name, User: r.name[0] >= 'a', Shares: r.shares, Usage: r.usage}
		if r.shares < 0 {
			x.FromParent, x.Shares = true, 0
		}
		if !x.User {
			at[r.name] = int32(len(list))
		}
		if r.account == "" {
			total += r.usage
		}
		list = append(list, x)
	}
	list[0].Usage = total
	a, err := NewAssociations(list)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

type row struct {
	name, account string
	shares, usage float64
}

// ranksOf is what an algorithm gives to users, fairshare * users.
func ranksOf(a *Associations, s *Standing) string {
	text := ""
	for i := range a.Len() {
		if x := a.At(i); x.User {
			text += fmt.Sprintf("%s=%.4g ", x.Name, s.Fairshare[i]*float64(a.Users()))
		}
	}
	return text
}

// TestTies shows where the three walks differ.
func TestTies(t *testing.T) {
	tests := []struct {
		name                  string
		rows                  []row
		documented, slurm, fl string
	}{
		{
			"tied accounts",
			[]row{{"A", "", 1, 100}, {"a1", "A", 1, 90}, {"a2", "A", 1, 10}, {"B", "", 1, 100}, {"b1", "B", 1, 20}, {"b2", "B", 1, 80}},
			"a1=1 a2=4 b1=3 b2=2 ", "a1=3 a2=4 b1=3 b2=1 ", "a1=1 a2=4 b1=3 b2=2 ",
		},
		{
			"a user tied with an account",
			[]row{{"A", "", 1, 100}, {"a1", "A", 1, 90}, {"a2", "A", 1, 10}, {"u", "", 1, 100}},
			"a1=1 a2=3 u=3 ", "a1=1 a2=3 u=3 ", "a1=1 a2=2 u=3 ",
		},
		{
			"everyone idle",
			[]row{{"A", "", 5, 0}, {"a1", "A", 10, 0}, {"a2", "A", 1, 0}, {"B", "", 10, 0}, {"b1", "B", 3, 0}},
			"a1=3 a2=3 b1=3 ", "a1=3 a2=3 b1=3 ", "a1=3 a2=3 b1=3 ",
		},
		{
			"zero shares, even unused, come last",
			[]row{{"a", "", 0, 0}, {"b", "", 1, 100}, {"c", "", 0, 50}},
			"a=2 b=3 c=2 ", "a=2 b=3 c=2 ", "a=2 b=3 c=2 ",
		},
		{
			"members of an account without shares of its own compete above it",
			[]row{{"A", "", -1, 30}, {"a1", "A", 2, 20}, {"p", "A", -1, 10}, {"b", "", 1, 20}, {"c", "", 1, 1}},
			"a1=2 p=4 b=1 c=3 ", "a1=2 p=4 b=1 c=3 ", "a1=2 p=2 b=3 c=4 ",
		},
		{
			"an account's own usage counts for its members' level",
			[]row{{"A", "", 1, 90}, {"a1", "A", 1, 10}, {"B", "", 1, 80}, {"b1", "B", 1, 80}},
			"a1=1 b1=2 ", "a1=1 b1=2 ", "a1=1 b1=2 ",
		},
		{
			"Slurm: an account whose members compete above uses up the tie",
			[]row{{"u", "", 0, 0}, {"A", "", 0, 1}, {"B", "A", 1, 1}, {"C", "B", -1, 0}, {"b", "B", 1, 1}},
			"u=2 b=2 ", "u=2 b=1 ", "u=2 b=1 ",
		},
		{
			"long doubles: .3 and .7 are not 1",
			[]row{{"a", "", 3, .3}, {"b", "", 7, .7}},
			"a=2 b=1 ", "a=2 b=1 ", "a=2 b=2 ",
		},
		{"an empty account", []row{{"A", "", 1, 0}, {"a", "", 1, 10}}, "a=1 ", "a=1 ", "a=1 "},
		{"one user", []row{{"a", "", 1, 10}}, "a=1 ", "a=1 ", "a=1 "},
		{"nobody", nil, "", "", ""},
	}
	for _, test := range tests {
		a := tree(t, test.rows...)
		for algorithm, want := range map[string]string{"fair-tree": test.documented, "fair-tree-slurm": test.slurm, "weighted-walk": test.fl} {
			found, _ := AlgorithmNamed(algorithm)
			if got := ranksOf(a, found.Compute(a, Options{})); got != want {
				t.Errorf("%s: %s: %s, want %s", test.name, algorithm, got, want)
			}
		}
	}
}

// TestFactors are the factors that depend on use alone.
func TestFactors(t *testing.T) {
	on := tree(t, row{"A", "", 1, 50}, row{"a", "A", 1, 50}, row{"b", "", 1, 50})
	for _, name := range []string{"classic", "depth-oblivious"} {
		algorithm, _ := AlgorithmNamed(name)
		s := algorithm.Compute(on, Options{})
		for i := 1; i < on.Len(); i++ {
			if s.Fairshare[i] != 0.5 {
				t.Errorf("%s: %s is on target and has %v", name, on.At(i).Name, s.Fairshare[i])
			}
		}
	}
	if s := Classic(on, Options{DampFactor: 2}); s.Fairshare[2] != math.Exp2(-0.5) {
		t.Errorf("damped by 2: %v", s.Fairshare[2])
	}
	for _, a := range []*Associations{tree(t), tree(t, row{"a", "", 0, 0}), tree(t, row{"a", "", -1, 0}), tree(t, row{"A", "", -1, 5}, row{"a", "A", -1, 5}), tree(t, row{"A", "", 0, 5}, row{"a", "A", 1, 5})} {
		for _, algorithm := range Algorithms {
			s := algorithm.Compute(a, Options{})
			for i := 1; i < a.Len(); i++ {
				if f := s.Fairshare[i]; a.At(i).User && !(f >= 0 && f <= 1) {
					t.Errorf("%s: %+v has fairshare %v", algorithm.Name, a.At(i), f)
				}
			}
		}
	}
}

// TestDocumentation has the package documentation's worked examples.
func TestDocumentation(t *testing.T) {
	a := tree(t, row{"A", "", 40, 60}, row{"u", "A", 1, 15}, row{"v", "A", 1, 45}, row{"B", "", 60, 40}, row{"w", "B", 1, 40})
	const u = 2
	for _, want := range []struct {
		what string
		got  float64
		text string
	}{
		{"classic effective usage", Classic(a, Options{}).EffectiveUsage[u], "0.375"},
		{"classic factor", Classic(a, Options{}).Fairshare[u], "0.273"},
		{"depth-oblivious effective usage", DepthOblivious(a, Options{}).EffectiveUsage[u], "0.262"},
		{"depth-oblivious factor", DepthOblivious(a, Options{}).Fairshare[u], "0.403"},
		{"A's level FS", FairTree(a, Options{}).LevelFS[1], "0.667"},
		{"u's level FS", FairTree(a, Options{}).LevelFS[u], "2.000"},
	} {
		if got := fmt.Sprintf("%.3f", want.got); got != want.text {
			t.Errorf("%s: %s, documented %s", want.what, got, want.text)
		}
	}
	flux := tree(t, row{"A", "", 1000, 121}, row{"leaf.1.1", "A", 10000, 100}, row{"leaf.1.2", "A", 1000, 11}, row{"leaf.1.3", "A", 100000, 10},
		row{"B", "", 100, 11}, row{"leaf.2.1", "B", 100000, 8}, row{"leaf.2.2", "B", 10000, 3},
		row{"C", "", 10, 1}, row{"leaf.3.1", "C", 100, 0}, row{"leaf.3.2", "C", 10, 1})
	s := WeightedWalk(flux, Options{})
	for place, want := range map[int]string{1: "0.990246", 5: "1.08927", 8: "1.1982"} {
		if got := fmt.Sprintf("%.6g", s.LevelFS[place]); got != want {
			t.Errorf("%s weighs %s, documented %s", flux.At(place).Name, got, want)
		}
	}
	if got, want := ranksOf(flux, s), "leaf.1.1=2 leaf.1.2=1 leaf.1.3=3 leaf.2.1=5 leaf.2.2=4 leaf.3.1=7 leaf.3.2=6 "; got != want {
		t.Errorf("ranks %s, documented %s", got, want)
	}
}

// TestShareSumsWrap: Slurm keeps the shares of a level in 32 bits.
func TestShareSumsWrap(t *testing.T) {
	a := tree(t, row{"a", "", 1 << 31, 1}, row{"b", "", 1 << 31, 1}, row{"c", "", 4, 1})
	if s := FairTree(a, Options{}); s.NormShares[3] != 1 {
		t.Errorf("norm shares %v", s.NormShares[3])
	}
	// 2^32 itself wraps to 0.
	if s := FairTree(tree(t, row{"a", "", 1 << 31, 1}, row{"b", "", 1 << 31, 1}), Options{}); s.NormShares[1] != 0 {
		t.Errorf("norm shares %v of 2^32", s.NormShares[1])
	}
}

// TestPBSOnOtherTrees compares a tree of PBS with the same read elsewhere.
func TestPBSOnOtherTrees(t *testing.T) {
	pbs := New(0, 0)
	a := tree(t, row{"G", "", 40, 200}, row{"b", "G", 50, 100}, row{"c", "G", 50, 100}, row{"H", "", 60, 1000}, row{"d", "H", 60, 0}, row{"e", "H", 40, 1000})
	ids := []ID{Root}
	for i := 1; i < a.Len(); i++ {
		x := a.At(i)
		ids = append(ids, pbs.addNew(x.Name, ids[x.Parent], int32(i), int32(x.Shares)))
	}
	usage := map[string]float64{"b": 100, "c": 100, "e": 1000}
	if err := pbs.LoadUsage(func(yield func(string, float64) bool) {
		for _, name := range []string{"b", "c", "e"} {
			if !yield(name, usage[name]) {
				return
			}
		}
	}, false); err != nil {
		t.Fatal(err)
	}
	other := PBS(a, Options{})
	for i := 1; i < a.Len(); i++ {
		e := pbs.Entity(ids[i])
		if other.Fairshare[i] != e.Factor() || other.NormShares[i] != float64(e.TreePercentage) {
			t.Errorf("%s elsewhere: %v %v, the tree has %v %v", e.Name, other.Fairshare[i], other.NormShares[i], e.Factor(), e.TreePercentage)
		}
	}
	converted := pbs.Associations()
	if g := converted.At(int(ids[1])); g.Usage != 200 || g.User {
		t.Errorf("group: %+v", g)
	}
	if d := converted.At(int(ids[5])); d.Usage != 0 || !d.User {
		t.Errorf("idle entity: %+v", d)
	}
}

func TestNewAssociationsRefuses(t *testing.T) {
	root := Association{Parent: -1}
	for _, list := range [][]Association{
		{{Parent: 0}},
		{root, {Parent: 1}},
		{root, {Parent: -1}},
		{root, {Parent: 0, User: true}, {Parent: 1}},
		{root, {Parent: 0, Shares: -1}},
		{root, {Parent: 0, Shares: math.NaN()}},
		{root, {Parent: 0, Usage: math.Inf(1)}},
	} {
		if _, err := NewAssociations(list); err == nil {
			t.Errorf("%+v is accepted", list)
		}
	}
}

// FuzzExtended compares quotients with math/big.
func FuzzExtended(f *testing.F) {
	f.Add(1.0, 3.0)
	f.Add(1e300, 5e-324)
	f.Add(0x1.fffffffffffffp0, 0x1p0)
	f.Fuzz(func(t *testing.T, x, y float64) {
		if !(x > 0 && y > 0) || math.IsInf(x, 1) || math.IsInf(y, 1) {
			return
		}
		want := new(big.Float).SetPrec(64).Quo(big.NewFloat(x), big.NewFloat(y))
		got := toLongDouble(x).quo(toLongDouble(y))
		mantissa := new(big.Float).SetPrec(64).SetUint64(got.mantissa)
		if mantissa.SetMantExp(mantissa, int(got.exponent)).Cmp(want) != 0 || got.mantissa>>63 != 1 {
			t.Errorf("%v/%v = %v, want %v", x, y, mantissa, want)
		}
	})
}

// BenchmarkAlgorithms is a tree of users in 316 accounts, in the order in
// which sshare prints them.
func BenchmarkAlgorithms(b *testing.B) {
	for _, users := range []int{100_000, 1_000_000} {
		random := rand.New(rand.NewPCG(1, 2))
		const accounts = 316
		list := []Association{{Parent: -1, Name: "root"}}
		account := int32(0)
		for i := range users {
			if i%(users/accounts) == 0 {
				account = int32(len(list))
				list = append(list, Association{Parent: 0, Name: "A", Shares: float64(1 + random.IntN(100))})
			}
			x := Association{Parent: account, Name: "u", User: true, Shares: float64(1 + random.IntN(100)), Usage: float64(random.IntN(1e6))}
			list[account].Usage += x.Usage
			list[0].Usage += x.Usage
			list = append(list, x)
		}
		a, err := NewAssociations(list)
		if err != nil {
			b.Fatal(err)
		}
		for _, algorithm := range Algorithms {
			b.Run(fmt.Sprintf("%s/%d", algorithm.Name, users), func(b *testing.B) {
				for b.Loop() {
					algorithm.Compute(a, Options{})
				}
			})
		}
	}
}

// A user's rank is one more than the number of users who have a higher fairshare, whatever numbers these are.
func TestRanks(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	some := []float64{0, math.Copysign(0, -1), 1, -1, .5, math.Inf(1), math.Inf(-1), math.SmallestNonzeroFloat64, -math.SmallestNonzeroFloat64, math.MaxFloat64}
	counted := 0
	memory := newStanding(40, Options{})
	for round := range 900 {
		list := []Association{{Parent: -1, Name: "root"}}
		s := &Standing{Fairshare: []float64{math.NaN()}}
		for range r.IntN(60) {
			list = append(list, Association{Name: "x", User: r.IntN(5) > 0})
			x := math.Float64frombits(r.Uint64())
			if x != x || r.IntN(2) == 0 {
				x = some[r.IntN(len(some))]
			}
			if round%3 == 1 { // numbers of which only the last digits differ
				x = 1 + float64(r.IntN(50))*0x1p-52
			}
			s.Fairshare = append(s.Fairshare, x)
		}
		a, err := NewAssociations(list)
		if err != nil {
			t.Fatal(err)
		}
		for i := 1; i < len(list) && round%3 == 2; i++ { // parts of the number of users
			s.Fairshare[i] = float64(r.IntN(a.users+1)) / float64(a.users)
		}
		for _, algorithm := range Algorithms { // the memory of a standing makes no difference
			if got, want := algorithm.Compute(a, Options{Memory: memory}), algorithm.Compute(a, Options{}); !slices.EqualFunc(got.numbers, want.numbers, func(x, y float64) bool { return x == y || x != x && y != y }) {
				t.Fatalf("%s: %v, want %v", algorithm.Name, got.numbers, want.numbers)
			}
		}
		if ranks := s.countedRanks(a); ranks != nil {
			counted++
			if sorted := s.sortedRanks(a); !slices.Equal(ranks, sorted) {
				t.Fatalf("%v: ranks %v, want %v", s.Fairshare, ranks, sorted)
			}
		}
		for i, rank := range s.Ranks(a) {
			want := int32(0)
			for k := range list {
				if list[i].User && (k == i || list[k].User && s.Fairshare[k] > s.Fairshare[i]) {
					want++
				}
			}
			if rank != want {
				t.Fatalf("%v: rank %d of %v, want %d", s.Fairshare, rank, s.Fairshare[i], want)
			}
		}
	}
	if counted < 200 {
		t.Errorf("ranks of %d trees are counted", counted)
	}
}
