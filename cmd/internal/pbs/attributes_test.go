package pbs

import "testing"

func TestCommandToSet(t *testing.T) {
	for formula, want := range map[string]string{
		"ncpus*2":             `qmgr -c 'set server job_sort_formula = "ncpus*2"'`,
		`ncpus if "a" else 1`: `qmgr -c 'set server job_sort_formula = '\''ncpus if "a" else 1'\'''`,
	} {
		if got := CommandToSet(formula); got != want {
			t.Errorf("%s: %s, want %s", formula, got, want)
		}
	}
}
