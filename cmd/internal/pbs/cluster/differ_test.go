package cluster

import (
	"strings"
	"testing"
)

// What another print of the same vnodes tells otherwise is named, but for what is in use.
func TestDifferences(t *testing.T) {
	const own = "a\n     state = free\n     resources_available.ncpus = 4\n     resources_available.tags = x,y\n     resources_assigned.ncpus = 0\nb\n     state = job-busy\n     resources_available.ncpus = 8\n     resources_available.tags = x\n     resources_assigned.ncpus = 8\n"
	counts, err := ReadListing(own)
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct{ old, new, want string }{
		{"", "", ""}, {"state = free", "state = job-busy", ""}, {"assigned.ncpus = 0", "assigned.ncpus = 4", ""}, {"= x,y", "= y, x", ""},
		{"state = free", "state = offline", "a (away)"}, {"ncpus = 8", "ncpus = 6", "b (ncpus 6)"}, {"tags = x,y", "tags = z", "a (tags z)"}, {"b\n", "c\n", "b (missing)"},
	} {
		other, err := ReadListing(strings.Replace(own, test.old, test.new, 1))
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(counts.Differences(other), ", "); got != test.want {
			t.Errorf("%s in place of %s: %q, want %q", test.new, test.old, got, test.want)
		}
	}
}
