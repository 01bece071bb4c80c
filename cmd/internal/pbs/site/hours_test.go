package site_test

import (
	"maps"
	"slices"
	"testing"
	"testing/fstest"
	"time"

	"github.com/google/go-cmp/cmp"

	"fairshare/cmd/internal/file"
	"fairshare/cmd/internal/pbs"
	pbssite "fairshare/cmd/internal/pbs/site"
)

// Each of several schedulers goes by its own hours, which hold for the queues whose jobs it places.
func TestSetTimeOfSchedulers(t *testing.T) {
	priv := func(prefix, from, to string) *pbs.SchedPriv {
		return privOf(t, prefix, "YEAR 2026\nweekday "+from+" "+to+"\nsaturday none all\nsunday none all\n")
	}
	queues := []pbs.Queue{{Name: "p_own"}, {Name: "x_own"}, {Name: "p_gpu", Partition: "gpu"}, {Name: "x_gpu", Partition: "gpu"}}
	evening := time.Date(2026, 3, 2, 20, 0, 0, 0, time.UTC) // a Monday
	for _, test := range []struct {
		to               string // the end of prime time of the other scheduler
		isNonPrime       bool
		own, other       []string
		otherIsPrimeless bool
	}{
		{"1700", false, []string{"p_own"}, []string{"x_gpu"}, true},
		{"2200", false, []string{"p_own"}, nil, false},
		{"2200", true, []string{"p_own"}, []string{"x_gpu"}, true},
	} {
		other := &pbs.Site{SchedPriv: priv("x_", "0900", test.to), Queues: queues, Scheduler: pbs.Scheduler{Name: "gpu", Partitions: []string{"gpu"}}}
		at := &pbs.Site{SchedPriv: priv("p_", "0900", "1700"), Queues: queues, Others: []*pbs.Site{other}}
		p := &pbssite.Place{Taken: evening}
		p.SetTime(at, test.isNonPrime)
		for _, of := range []struct {
			site   *pbs.Site
			closed []string
		}{{at, test.own}, {other, test.other}} {
			if diff := cmp.Diff(of.closed, slices.Sorted(maps.Keys(of.site.Closed))); diff != "" {
				t.Errorf("%+v: %s: (-want +got):\n%s", test, of.site.Scheduler.Name, diff)
			}
		}
		if !at.NonPrime || other.NonPrime != test.otherIsPrimeless {
			t.Errorf("%+v: %t, %t", test, at.NonPrime, other.NonPrime)
		}
		always := at.AtAnyTime(test.isNonPrime)
		if always.Closed != nil || always.Others[0].Closed != nil || always.NonPrime != test.isNonPrime || always.Others[0].NonPrime != test.isNonPrime || other.Closed == nil {
			t.Errorf("%+v: %+v", test, always)
		}
	}
}

// Of each scheduler is checked what tells its own hours, and what holds of the site stays as it is.
func TestCheckHours(t *testing.T) {
	other := &pbs.Site{SchedPriv: privOf(t, "x_", "YEAR twenty\n"), Scheduler: pbs.Scheduler{Name: "gpu", Partitions: []string{"gpu"}}, NonPrime: true}
	at := &pbs.Site{SchedPriv: privOf(t, "p_", "YEAR 2026\nweekday 0900 1700\nsaturday none all\nsunday none all\n"), Others: []*pbs.Site{other}}
	p := &pbssite.Place{Taken: time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC)}
	if wrong := p.CheckHours(at); len(wrong) != 0 {
		t.Errorf("of the first one: %v", wrong)
	}
	if wrong := p.CheckHours(other); len(wrong) == 0 {
		t.Error("nothing is wrong with the other one")
	}
	if !other.NonPrime || other.Closed != nil {
		t.Errorf("the other one has changed: %t, %v", other.NonPrime, other.Closed)
	}
}

// privOf returns a sched_priv of a name, which is the prefix of queues that are open in prime time, with its holidays.
func privOf(t *testing.T, prefix, holidays string) *pbs.SchedPriv {
	text := func(s string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(s)} }
	loaded, err := pbs.LoadSchedPriv(file.Dir{Name: prefix, FS: fstest.MapFS{
		"sched_config":   text("primetime_prefix: " + prefix + "\nby_queue: True prime\nby_queue: False non_prime\n"),
		"resource_group": text("a 10 root 10\n"),
		"holidays":       text(holidays),
	}}, false)
	if err != nil {
		t.Fatal(err)
	}
	return loaded
}
