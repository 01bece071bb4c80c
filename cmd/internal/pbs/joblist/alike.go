package joblist

import (
	"maps"
	"slices"
	"strings"

	"fairshare/cmd/internal/file"
	"fairshare/cmd/internal/pbs/qstat"
)

// decisive are the attributes of jobs, besides what they ask for, in which two of one queue may differ so that a setting of sched_config or
// of the scheduler puts one before the other.
var decisive = []string{"Priority", "euser", "Job_Owner", "egroup", "Account_Name", "project", "eligible_time", "etime", "sched_preempted", "substate", "job_state"}

// Decisive returns of two jobs of a list all that they ask for, and what else of them may put one before the other, by the names that
// qstat -f prints; false where the list has not both.
func Decisive(from file.Source, ids [2]string) (of [2]map[string]string, ok bool) {
	in, err := from.Open()
	if err != nil {
		return of, false
	}
	defer in.Close()
	read := func(b *qstat.Batch) error {
		for i := range b.Records {
			r := &b.Records[i]
			at := slices.Index(ids[:], string(r.ID))
			if at < 0 || of[at] != nil {
				continue
			}
			of[at] = map[string]string{}
			for k, name := range decisive {
				of[at][name] = string(r.Values[k])
			}
			of[at]["Job_Owner"], _, _ = strings.Cut(of[at]["Job_Owner"], "@")
			for _, resource := range r.Resources {
				of[at]["Resource_List."+string(resource.Name)] = string(resource.Value)
			}
		}
		return nil
	}
	plain, err := file.Plain(in)
	if err != nil {
		return of, false
	}
	_, err = qstat.Read(plain, qstat.Options{Schema: qstat.NewSchema(decisive...), Workers: 1}, func(b *qstat.Batch) *qstat.Batch { return b }, read)
	return of, err == nil && of[0] != nil && of[1] != nil
}

// Apart returns the names of what two jobs do not have alike.
func Apart(of [2]map[string]string) (names []string) {
	for _, name := range slices.Sorted(maps.Keys(of[0])) {
		if of[0][name] != of[1][name] {
			names = append(names, name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(of[1])) {
		if _, isThere := of[0][name]; !isThere && of[1][name] != "" {
			names = append(names, name)
		}
	}
	return names
}
