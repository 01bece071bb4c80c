package joblist

import (
	"math"
	"slices"

	"fairshare/cmd/internal/pbs/qstat"
	"fairshare/formula"
)

// resourceList is the attribute that every job of PBS has.
const resourceList = "Resource_List"

// state returns the state of a job, 0 for none, and counts one that PBS does not have.
func (f *facts) state(text []byte) byte {
	switch {
	case len(text) == 0:
		f.Missing["job_state"]++
		return 0
	case len(text) > 1 || !qstat.IsState(text[0]):
		f.Problems["a job in a state that PBS does not have"]++
	}
	return text[0]
}

// atLeastZero are whole numbers that PBS takes from no job below 0. Those of a site's own may be.
var atLeastZero = []string{"ncpus", "nodect", "mpiprocs", "ompthreads", "ngpus", "eligible_time"}

// checkAmount counts an amount that can be read, and that PBS itself would not print.
func (f *facts) checkAmount(name string, t formula.Type, amount float64) {
	switch isCounted := t == formula.Duration || t == formula.Size || slices.Contains(atLeastZero, name); {
	case amount < 0 && isCounted:
		f.Problems["an amount of "+name+" below 0"]++
	case math.Abs(amount) > math.MaxInt64 && t != formula.Float64:
		f.Problems["an amount of "+name+" that is more than PBS can count"]++
	}
}
