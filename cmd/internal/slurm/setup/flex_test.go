package setup

import (
	"strings"
	"testing"

	"fairshare/cmd/internal/slurm/dump"
	"fairshare/cmd/internal/slurm/sched"
)

// What is said of FLEX reservations is said once, whatever their number, with the names of all.
func TestFlexIsSaidOnce(t *testing.T) {
	flex := func(name string, start int64) dump.Reservation {
		return dump.Reservation{Name: name, Start: start, End: start + 3600, CPUs: 8, IsFlex: true}
	}
	for _, x := range []struct {
		list []dump.Reservation
		want string // how the remark begins, "" for none
	}{
		{[]dump.Reservation{{Name: "a", Start: 1, End: 3601}}, ""},
		{[]dump.Reservation{flex("a", 1)}, "reservation a (8 core hours) is FLEX: "},
		{[]dump.Reservation{flex("b", 1), flex("a", 1), flex("late", 1<<30)}, "2 reservations (16 core hours) are FLEX: their jobs run before them and on other nodes as well, and do not prefer their own: a, b"},
		{[]dump.Reservation{flex("a", 1), flex("a", 9000), flex("b", 1)}, "3 reservations (24 core hours) are FLEX: their jobs run before them and on other nodes as well, and do not prefer their own: a, b"},
	} {
		n := &Site{Setup: &sched.Setup{Cluster: &sched.Cluster{}}, Reservations: x.list}
		_, remarks := n.Keep(0, 1<<20)
		said := ""
		for _, r := range remarks {
			said += r.Text
		}
		if len(remarks) > 1 || (said == "") != (x.want == "") || !strings.HasPrefix(said, x.want) {
			t.Errorf("%q, want %q", said, x.want)
		}
	}
}
