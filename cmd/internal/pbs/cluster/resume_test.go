package cluster

import "testing"

// What a suspended job had is watched on the first vnode that has no room for it, until that vnode changes.
func TestWatch(t *testing.T) {
	c, err := ParseSpec("4x8", Checks{})
	if err != nil {
		t.Fatal(err)
	}
	s := c.NewState()
	place := func(wants string) Allocation {
		t.Helper()
		a, ok := s.Place(request(t, c, wants, "free"), nil)
		if !ok {
			t.Fatalf("%s does not fit", wants)
		}
		s.Occupy(a)
		return a
	}
	wide := request(t, c, "3:ncpus=6", "free") // on the first three vnodes
	was, ok := s.Place(wide, nil)
	if !ok {
		t.Fatal("nothing is in use, and it does not fit")
	}
	again := wide.Resumption(was)
	mustWatch := func(when string, want int32) {
		t.Helper()
		vnode, ok := s.Watch(again)
		if fits := s.Fits(again); fits == ok || ok && vnode != want || !ok && want >= 0 {
			t.Errorf("%s: watches vnode %d (%v), want %d; it fits: %v", when, vnode, ok, want, fits)
		}
	}
	mustChange := func(when string, want ...int32) {
		t.Helper()
		got := s.Changed()
		if len(got) != len(want) || len(got) > 0 && got[0] != want[0] {
			t.Errorf("%s: vnodes %v have changed, want %v", when, got, want)
		}
	}
	mustWatch("nobody runs", -1)
	first, second, third := place("1:ncpus=8"), place("1:ncpus=4"), place("1:ncpus=8")
	mustWatch("all are in use", 0)
	s.Release(third)
	mustChange("another vnode")
	s.Release(first)
	mustChange("its first vnode", 0)
	mustWatch("the second is in use", 1)
	s.SetAway(2, true)
	mustChange("a vnode is away that it does not watch")
	s.Release(second)
	mustChange("its second vnode", 1)
	mustChange("nothing since")
	mustWatch("its third vnode is away", 2)
	s.SetAway(2, false)
	mustChange("it is back", 2)
	mustWatch("all are free", -1)
	if _, ok := s.Watch(wide); ok {
		t.Error("a job is watched that may go anywhere")
	}
}
