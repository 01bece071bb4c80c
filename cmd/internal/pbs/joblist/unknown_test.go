package joblist

import (
	"fmt"
	"strings"
	"testing"

	"fairshare/cmd/internal/pbs"
	"fairshare/formula"
)

// TestUnknown holds that an attribute of jobs that the table of settings has is not said to be unknown, and that others are.
func TestUnknown(t *testing.T) {
	var known strings.Builder
	for s := range pbs.Settings() {
		if s.Of&pbs.OfJob == 0 {
			continue
		}
		name := s.Name
		if s.PerResource {
			name += ".ncpus"
		}
		fmt.Fprintf(&known, "    %s = 1\n", name)
	}
	for _, test := range []struct {
		name, jobs string
		want       int
	}{
		{"those of the table", "Job Id: 1.srv\n    queue = workq\n" + known.String(), 0},
		{"another one", "Job Id: 1.srv\n    queue = workq\n    fits_first = True\n" + known.String(), 1},
	} {
		l, err := Read(strings.NewReader(test.jobs), Options{Symbols: formula.NewSymbols(nil), Entity: "euser"})
		if err != nil {
			t.Fatal(err)
		}
		if got := l.Unknown.Say("jobs have"); len(got) != test.want {
			t.Errorf("%s: %v", test.name, got)
		}
	}
}
