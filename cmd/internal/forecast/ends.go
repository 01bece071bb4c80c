package forecast

import (
	"slices"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/moment"
	"fairshare/cmd/internal/report"
)

// Ends returns when the jobs that run are forecast to end, by ID: the median of a forecast's runs, in which they run as long
// as MakeOf lets them. It is nil where nothing is known of how long jobs ran. The remark says from what it is learned.
func Ends(st *State, o Options) (map[string]int64, diag.Remark) {
	if len(st.past) == 0 {
		none := "there are no " + st.Record + " (--logs)"
		if st.Begins > st.At {
			none = "the " + st.Record + " begin at " + moment.Clock(st.Begins, st.Shown) + ", after the time of the list"
		}
		return nil, diag.Warningf("%s: when jobs end is told by their %s alone", none, st.Words.Limits)
	}
	lengths, ends := newLengths(st.past), map[string]int64{}
	for _, j := range st.jobs {
		if j.Phase != Runs {
			continue
		}
		drawn := make([]float64, o.Runs)
		for number := range drawn {
			drawn[number] = float64(lengths.ofRun(o.Seed, number, j))
		}
		slices.Sort(drawn)
		ends[j.ID] = st.At - j.Elapsed + int64(quantile(drawn, .5))
	}
	return ends, diag.Notef("ends are forecast from %s of %s: half of the jobs like one that runs end before its time", report.Count(len(st.past), "job"), spanOf(st.At-st.past[0].arrival))
}
