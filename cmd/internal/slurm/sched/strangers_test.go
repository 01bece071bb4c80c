package sched

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"fairshare/fstree"
)

// An association of strangers changes no fairshare factor of others, by whatever algorithm, as long as no job of it is charged, and what is
// charged to it counts for the root.
func TestStrangersHaveNoShare(t *testing.T) {
	kinds := map[int]int{} // sites by how many factors they have
	for seed := range uint64(300) {
		random := rand.New(rand.NewPCG(seed, 1))
		s := randomSetup(random, true)
		s.Names = make([]AccountName, len(s.Tree))
		for i := range s.Names {
			s.Names[i].Account = "a"
		}
		for range random.IntN(6) {
			above := random.IntN(len(s.Tree))
			for s.Tree[above].User {
				above = int(s.Tree[above].Parent)
			}
			s.addNameless(fstree.Association{Parent: int32(above), User: random.IntN(2) == 0, Shares: float64(random.IntN(3)), Usage: 0}, above)
		}
		for i, x := range s.Tree {
			used := float64(random.IntN(1000))
			for at := int32(i); x.User && at >= 0; at = s.Tree[at].Parent {
				s.Tree[at].Usage += used
			}
		}
		conf := *s.Conf
		conf.NoFairTree, conf.DepthOblivious = seed%3 > 0, seed%3 == 1
		factors := func(s *Setup) *priorities {
			return newPriorities(&conf, s.Tree, s.QOS, s.Cluster, 0)
		}
		was := factors(s).fairshare
		with := *s
		strangers := with.AddStrangers()
		is := factors(&with)
		kinds[len(slices.Compact(slices.Sorted(slices.Values(was[1:]))))]++
		if fmt.Sprint(is.fairshare[:strangers]) != fmt.Sprint(was) {
			t.Fatalf("seed %d: the factors are %v, and with strangers %v", seed, was, is.fairshare)
		}
		root := is.usage[0].Usage
		is.factor = 1
		is.charge(&Job{Association: strangers, Billing: 2}, 10)
		if got := is.usage[0].Usage - root; !with.IsOfStrangers(&Job{Association: strangers}) || got <= 0 && s.QOS[0].UsageFactor > 0 {
			t.Fatalf("seed %d: the root is charged %v", seed, got)
		}
	}
	if len(kinds) < 4 {
		t.Errorf("the sites have as many factors as these: %v", kinds)
	}
}
