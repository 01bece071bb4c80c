package pbs

import (
	"strings"
	"testing"
)

// A print of the server that is cut off, within a line or where qstat has folded one, tells a formula only if it has it whole, and none as not
// set.
func TestFormulaOfCutPrint(t *testing.T) {
	const folded = "    job_sort_formula = 1000*fairshare_factor + queue_priority + eligible_time/3"
	whole := "Server: s\n    server_state = Active\n" + folded + "\n\t600\n    pbs_version = 23.06.06\n\n"
	for _, c := range []struct {
		text, formula string
		tells         bool
	}{
		{whole, "1000*fairshare_factor + queue_priority + eligible_time/3600", true},
		{whole[:strings.Index(whole, "\t600")], "", false},
		{whole[:strings.Index(whole, "_factor")], "", false},
		{whole[:strings.Index(whole, "    job_sort")], "", true},
		{whole[:strings.Index(whole, "_version")], "1000*fairshare_factor + queue_priority + eligible_time/3600", true},
		{"Server: s\n    server_state = Active\n    pbs_vers", "", false},
	} {
		s := defaultSched()
		remarks, err := s.read(text(c.text), "", prints{})
		if err != nil || s.Formula != c.formula || s.TellsFormula() != c.tells || c.tells != (len(remarks) == 0) && c.formula == "" {
			t.Errorf("%q: formula %q, told %v, %v %v", c.text, s.Formula, s.TellsFormula(), remarks, err)
		}
	}
}
