package fstree

import (
	"cmp"
	"fmt"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"
)

// plainFairTree is Fair Tree by recursion and math/big, as short as it can be:
// what the walk is compared with.
type plainFairTree struct {
	a               *Associations
	merge           bool
	fairshare       []float64
	remaining, rank int
}

func (p *plainFairTree) level(i int32) *big.Float {
	x := p.a.At(int(i))
	var at, sum = p.a.competes[i], 0.0
	for _, r := range p.a.rivalsAt(at) {
		sum += p.a.At(int(r)).Shares
	}
	switch {
	case x.FromParent:
		return new(big.Float).SetInf(false)
	case x.Shares == 0:
		return new(big.Float)
	case x.Usage == 0 || p.a.At(int(at)).Usage == 0:
		return new(big.Float).SetInf(false)
	}
	u := new(big.Float).SetPrec(64).Quo(big.NewFloat(x.Usage), big.NewFloat(p.a.At(int(at)).Usage))
	return new(big.Float).SetPrec(64).Quo(big.NewFloat(x.Shares/sum), u)
}

// users counts those who compete below an account.
func (p *plainFairTree) users(account int32) int {
	n := 0
	for _, i := range p.a.rivalsAt(account) {
		if p.a.At(int(i)).User {
			n++
		} else {
			n += p.users(i)
		}
	}
	return n
}

func (p *plainFairTree) visit(accounts []int32, tied bool) {
	var members []int32
	for _, account := range accounts {
		for _, i := range p.a.rivalsAt(account) {
			if p.a.At(int(i)).User || !p.merge || p.users(i) > 0 {
				members = append(members, i)
			}
		}
	}
	slices.SortStableFunc(members, func(x, y int32) int {
		if c := p.level(y).Cmp(p.level(x)); c != 0 {
			return c
		}
		kind := func(i int32) int {
			if p.a.At(int(i)).User {
				return 0
			}
			return 1
		}
		return cmp.Compare(kind(x), kind(y))
	})
	same := func(i, j int) bool { return p.level(members[i]).Cmp(p.level(members[j])) == 0 }
	for i := 0; i < len(members); i++ {
		if i > 0 {
			tied = same(i-1, i)
		}
		if p.a.At(int(members[i])).User {
			if !tied {
				p.rank = p.remaining
			}
			p.fairshare[members[i]] = float64(p.rank) / float64(p.a.Users())
			p.remaining--
			continue
		}
		from := i
		for p.merge && i+1 < len(members) && same(i, i+1) {
			i++
		}
		p.visit(members[from:i+1], tied)
	}
}

// TestWalkAsPlain compares random trees, with many ties in them.
func TestWalkAsPlain(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 3000 {
		var rows []row
		accounts := []string{""}
		for i := range random.IntN(14) {
			shares := float64(random.IntN(4) - 1)
			account := accounts[random.IntN(len(accounts))]
			if random.IntN(3) == 0 {
				name := fmt.Sprintf("A%d", i)
				accounts = append(accounts, name)
				rows = append(rows, row{name, account, shares, float64(random.IntN(4)) * 10})
			} else {
				rows = append(rows, row{fmt.Sprintf("u%d", i), account, shares, float64(random.IntN(4)) * 10})
			}
		}
		a := tree(t, rows...)
		for _, merge := range []bool{false, true} {
			p := plainFairTree{a, merge, make([]float64, a.Len()), a.Users(), a.Users()}
			p.visit([]int32{0}, false)
			got := a.fairTree(merge, Options{}).Fairshare
			for i := range a.Len() {
				if a.At(i).User && got[i] != p.fairshare[i] {
					t.Fatalf("merge %v: %s has %v, plainly %v, in %+v", merge, a.At(i).Name, got[i], p.fairshare[i], rows)
				}
			}
		}
	}
}

// TestDeepChain: depth costs no stack.
func TestDeepChain(t *testing.T) {
	t.Parallel()
	const depth = 1_000_000
	list := []Association{{Parent: -1, Name: "root", Usage: 1}}
	for i := range depth {
		list = append(list, Association{Parent: int32(i), Name: "A", Shares: 1, Usage: 1})
	}
	list = append(list, Association{Parent: depth, Name: "u", User: true, Shares: 1, Usage: 1})
	a, err := NewAssociations(list)
	if err != nil {
		t.Fatal(err)
	}
	for _, algorithm := range Algorithms {
		if f := algorithm.Compute(a, Options{}).Fairshare[depth+1]; !(f > 0.49 && f <= 1) {
			t.Errorf("%s: %v", algorithm.Name, f)
		}
	}
}

// Rivals stand in the order of their whole keys, also of those that differ in the last bits alone, and users before accounts where keys are
// the same.
func TestBestFirst(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 9))
	near, same := 0, 0
	for range 300 {
		list := []Association{{Parent: -1}}
		accounts := []int32{0}
		for i := 1; i < 2+r.IntN(200); i++ {
			list = append(list, Association{Parent: accounts[r.IntN(len(accounts))], User: r.IntN(4) > 0, Shares: 1})
			if !list[i].User {
				accounts = append(accounts, int32(i))
			}
		}
		a, err := NewAssociations(list)
		if err != nil {
			t.Fatal(err)
		}
		keys := make([]longDouble, len(list))
		for i := range keys {
			switch r.IntN(8) {
			case 0:
				keys[i] = longDoubleZero
			case 1:
				keys[i] = longDoubleInf
			case 2:
				keys[i] = longDouble{int32(r.IntN(8000) - 4000), 1<<63 | r.Uint64()}
			default:
				keys[i] = longDouble{int32(r.IntN(2)), 1<<63 | r.Uint64()>>(1+r.IntN(63))}
			}
		}
		got := a.bestFirst(keys, &spare{})
		for account := range list {
			var want []rival
			for k, i := range a.rivalsAt(int32(account)) {
				order := uint32(k)
				if !list[i].User {
					order |= afterUsers
				}
				want = append(want, rival{keys[i], i, order})
			}
			slices.SortFunc(want, byKey)
			for k, x := range want {
				if of := got[int(a.first[account])+k]; of != x.at {
					t.Fatalf("%d of %v comes at %d, and not %d", of, want, k, x.at)
				}
				if k > 0 && x.key == want[k-1].key {
					same++
				} else if k > 0 && x.key.descending()>>10 == want[k-1].key.descending()>>10 {
					near++
				}
			}
		}
	}
	if near < 100 || same < 100 {
		t.Errorf("%d keys are near each other, and %d the same", near, same)
	}
}
