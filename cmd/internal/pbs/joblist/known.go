package joblist

import (
	"cmp"
	"fmt"
	"math"
	"strconv"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/file"
	"fairshare/cmd/internal/pbs/qstat"
	"fairshare/cmd/internal/work"
	"fairshare/formula"
)

// knownNames are the attributes of work.ListFacts in lists of jobs.
var knownNames = []string{"Priority", "max_run_subjobs", "eligible_time", "topjob_ineligible", "Rerunable"}

// ReadKnown reads what a list of jobs knows into all, by ID: qstat -f or -xf in any
// form, or CSV with the columns Job_Id, Priority, max_run_subjobs, eligible_time,
// topjob_ineligible and Rerunable, of which some may be missing. It returns remarks on what is damaged.
func ReadKnown(from file.Source, all map[string]work.ListFacts) ([]diag.Remark, error) {
	in, err := from.Open()
	if err != nil {
		return nil, err
	}
	defer in.Close()
	damaged, wrong := 0, 0
	var example string
	read := func(b *qstat.Batch) error {
		for _, n := range b.Problems {
			damaged += n
		}
		for i := range b.Records {
			r := &b.Records[i]
			fail := func(at int) int32 {
				wrong++
				example = fmt.Sprintf("%s of %s is %q", knownNames[at], r.ID, r.Values[at])
				return 0
			}
			number := func(at int) int32 {
				if len(r.Values[at]) == 0 {
					return 0
				}
				n, err := strconv.ParseInt(string(r.Values[at]), 10, 32)
				if err != nil {
					return fail(at)
				}
				return int32(n)
			}
			oneMore := func(at int) int32 {
				if len(r.Values[at]) == 0 {
					return 0
				}
				seconds, ok := formula.ParseDuration(string(r.Values[at]))
				if !ok || !(seconds >= 0 && seconds < math.MaxInt32) {
					return fail(at)
				}
				return int32(seconds) + 1
			}
			k := work.ListFacts{Priority: number(0), MaxSubjobs: max(0, number(1)), Eligible: oneMore(2), NotPlanned: qstat.IsTrue(r.Values[3]), IsKept: qstat.IsFalse(r.Values[4]), HasPriority: len(r.Values[0]) > 0}
			if k != (work.ListFacts{}) {
				id := string(r.ID)
				k.Eligible = cmp.Or(k.Eligible, all[id].Eligible) // few lists have it
				if was := all[id]; !k.HasPriority {
					k.Priority, k.HasPriority = was.Priority, was.HasPriority
				}
				all[id] = k
			}
		}
		return nil
	}
	plain, err := file.Plain(in)
	if err != nil {
		return nil, err
	}
	_, err = qstat.Read(plain, qstat.Options{Schema: qstat.NewSchema(knownNames...), Workers: 1}, func(b *qstat.Batch) *qstat.Batch { return b }, read)
	var remarks []diag.Remark
	if damaged > 0 {
		remarks = append(remarks, diag.Damagef("%s: %d places cannot be read", from.Name, damaged))
	}
	if wrong > 0 {
		remarks = append(remarks, diag.Damagef("%s: %d numbers cannot be read, such as: %s", from.Name, wrong, example))
	}
	return remarks, err
}
