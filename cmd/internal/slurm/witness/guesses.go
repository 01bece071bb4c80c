package witness

import (
	"cmp"
	"fmt"
	"slices"
	"sync"

	"fairshare/cmd/internal/slurm/record"
	"fairshare/cmd/internal/witness"
)

// fewAge are the numbers of jobs of a user that are tried as those of which the age counts.
var fewAge = []int64{1, 2, 3, 5, 10, 20}

// guesses returns what the site does not tell of how many jobs age: a limit of the users of each QOS whose jobs it would hold.
func (r *Record) guesses() (list []witness.Guess) {
	waiting := r.mostWaiting()
	first := sync.OnceValue(r.first)
	for i := range r.setup.QOS {
		for _, most := range fewAge {
			if waiting[i] <= most {
				break
			}
			of := fmt.Sprintf("MaxJobsAccruePU=%d", most)
			list = append(list, witness.Guess{
				Says: of + " of QOS " + r.setup.QOS[i].Name + ", for which sacctmgr was not asked",
				Set:  "--set qos." + r.setup.QOS[i].Name + "." + of,
				Record: func() witness.Record {
					with := *r.setup
					with.QOS = slices.Clone(with.QOS)
					with.QOS[i].Limits.UserAging = most
					x := New(&with, first(), r.zone)
					x.Taken = r.Taken
					return x
				},
			})
		}
	}
	return list
}

// first returns the begin of the record, as far as guesses are tried.
func (r *Record) first() *record.Record {
	var starts []int64
	for _, x := range r.jobs {
		if x.Start > 0 {
			starts = append(starts, x.Start)
		}
	}
	if len(starts) <= witness.MostTried {
		return r.from
	}
	slices.Sort(starts)
	return r.from.UpTo(starts[witness.MostTried])
}

// mostWaiting returns how many jobs of one user waited at once at most, by QOS.
func (r *Record) mostWaiting() map[int]int64 {
	type turn struct {
		at   int64
		qos  int
		user string
		by   int64
	}
	var turns []turn
	for _, x := range r.jobs {
		turns = append(turns, turn{x.Submit, x.Job.QOS, x.User, 1}, turn{cmp.Or(x.Start, x.CancelAt, r.last), x.Job.QOS, x.User, -1})
	}
	slices.SortFunc(turns, func(a, b turn) int { return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.by, b.by)) })
	type party struct {
		qos  int
		user string
	}
	waiting, most := map[party]int64{}, map[int]int64{}
	for _, t := range turns {
		of := party{t.qos, t.user}
		waiting[of] += t.by
		most[t.qos] = max(most[t.qos], waiting[of])
	}
	return most
}
