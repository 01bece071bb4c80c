package replay

import (
	"bytes"
	"strconv"

	"fairshare/cmd/internal/file"
	"fairshare/cmd/internal/jobs"
)

// Known is what a list of jobs says that accounting logs do not.
type Known struct {
	Priority   int32
	MaxSubjobs int32 // %N of an array, 0 for none
}

// knownNames are the attributes of Known in lists of jobs.
var knownNames = []string{"Priority", "max_run_subjobs"}

// ReadKnown reads what a list of jobs knows into all, by ID: qstat -f or -xf in any
// form, or CSV with the columns Job_Id, Priority and max_run_subjobs.
func ReadKnown(from file.Source, all map[string]Known) error {
	in, err := from.Open()
	if err != nil {
		return err
	}
	defer in.Close()
	read := func(b *jobs.Batch) error {
		for i := range b.Records {
			r := &b.Records[i]
			number := func(at int) int32 {
				n, err := strconv.ParseInt(string(r.Values[at]), 10, 32)
				if err != nil {
					return 0
				}
				return int32(n)
			}
			if k := (Known{number(0), max(0, number(1))}); k != (Known{}) {
				all[string(bytes.Clone(r.ID))] = k
			}
		}
		return nil
	}
	_, err = jobs.Read(in, jobs.Options{Schema: jobs.NewSchema(knownNames...), Workers: 1}, func(b *jobs.Batch) *jobs.Batch { return b }, read)
	return err
}
