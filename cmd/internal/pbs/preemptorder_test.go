package pbs

import (
	"fmt"
	"strings"
	"testing"
)

func TestParsePreemptOrder(t *testing.T) {
	for _, test := range []struct{ text, want, problem string }{
		{"", "[{+Inf SCR}]", ""},
		{"R", "[{+Inf R}]", ""},
		{`"SCR 80 SC 50 S"`, "[{+Inf SCR} {80 SC} {50 S}]", ""},
		{"D 0 S", "[{+Inf D} {0 S}]", ""},
		{"SX", "", `"SX" is no order of the letters`},
		{"SCS", "", `"SCS" is no order of the letters`},
		{"80", "", `"80" is no order of the letters`},
		{"SCR SC", "", `"SC" is no percentage`},
		{"SCR 101 S", "", `"101" is no percentage`},
		{"SCR -1 S", "", `"-1" is no percentage`},
		{"SCR 50% S", "", `"50%" is no percentage`},
		{"SCR 50 SC 80 S", "", `"80" is no percentage of the walltime that is left, below the one before`},
		{"SCR 50 SC 50 S", "", `"50" is no percentage`},
		{"SCR 80", "", "has to follow 80"},
	} {
		got, err := parsePreemptOrder(test.text)
		if test.problem != "" {
			if err == nil || !strings.Contains(err.Error(), test.problem) {
				t.Errorf("%q: %v, want %s", test.text, err, test.problem)
			}
			continue
		}
		if text := fmt.Sprint(got); err != nil || text != test.want {
			t.Errorf("%q: %s %v, want %s", test.text, text, err, test.want)
		}
	}
}
