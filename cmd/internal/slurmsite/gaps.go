package slurmsite

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"strings"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/report"
	"fairshare/cmd/internal/slurmsched"
)

// sayCut says which files end in the middle of a line: what Slurm prints ends with a line break.
func (s *Site) sayCut(f *folder) {
	for _, p := range f.parts {
		if p.kind != isConf && p.kind != isDenied && !strings.HasPrefix(p.text, "{") && !strings.HasSuffix(p.text, "\n") {
			s.say(diag.Damagef("%s ends in the middle of a line: it is cut off, and what is missing is not known", p.Name))
		}
	}
}

// sayApart says which jobs are only in one of the two lists.
func (s *Site) sayApart(f *folder) {
	if s.Stored == nil || len(s.Jobs) == 0 {
		return
	}
	hidden, unlisted := 0, 0
	for _, r := range s.rows() {
		switch {
		case r.Rank > 0 && math.IsNaN(r.Priority):
			hidden++
		case r.Rank == 0 && strings.HasPrefix(r.Reason, notListed):
			unlisted++
		}
	}
	if hidden > 0 && len(f.all(isJobs)) > 0 { // without scontrol show job, this is said of squeue
		s.say(diag.Warningf("%s of sprio are not in scontrol show job, which is cut off, or hides them (PrivateData), or was printed before: their terms are those of sprio", report.Count(hidden, "row")))
	}
	if unlisted > 0 {
		s.say(diag.Warningf("%s that should be considered are not in sprio, which is cut off, or was printed before: they are left out", report.Count(unlisted, "job")))
	}
}

// sayQueue says which jobs squeue has and scontrol show job has not, and which that wait are only there:
// one that runs may have ended in between.
func (s *Site) sayQueue(q *queue, jobs string) {
	inJobs, inQueue := map[string]bool{}, map[string]bool{}
	for _, j := range s.Jobs {
		inJobs[j.ID], inJobs[cmp.Or(j.Task, j.ID)] = true, true
	}
	for _, j := range q.jobs {
		inQueue[j.ID] = true
	}
	var less, more []string
	for _, j := range q.jobs {
		if isNow := j.State == "PENDING" || j.State == "RUNNING"; isNow && !inJobs[j.ID] {
			less = append(less, j.ID)
		}
	}
	for _, j := range s.Jobs {
		if j.State == "PENDING" && !inQueue[j.ID] && !inQueue[j.Task] {
			more = append(more, j.ID)
		}
	}
	for _, x := range []struct {
		ids       []string
		has, lack string
	}{{less, q.name, jobs}, {more, jobs, q.name}} {
		if len(x.ids) > 0 {
			s.say(diag.Warningf("%s of %s are not in %s, which is cut off, or was printed at another time, or hides them: %s", report.Count(len(x.ids), "job"), x.has, x.lack, report.First(x.ids)))
		}
	}
}

// sayTables says what tables of the same site name and others lack, as where one is cut off behind a
// line: associations and QOS.
func (s *Site) sayTables(f *folder) {
	qos, associations := map[string]bool{}, map[slurmsched.AccountName]bool{}
	usesQOS := map[string]bool{}
	for _, j := range s.Jobs {
		usesQOS[j.QOS] = true
	}
	rows, _ := associationRows(f, f.table(isAssociations))
	for _, row := range rows {
		associations[rowName(row)] = true
		for name := range strings.SplitSeq(row["qos"]+","+row["def qos"], ",") {
			usesQOS[name] = true
		}
	}
	for _, p := range records(f.all(isPartitions), "PartitionName") {
		if p["qos"] != "N/A" {
			usesQOS[p["qos"]] = true
		}
	}
	if p := f.table(isQOS); p.text != "" {
		rows, _ := table(p.text)
		for _, row := range rows {
			qos[row["name"]] = true
		}
		var lost []string
		for name := range usesQOS {
			if name != "" && name != "(null)" && !qos[name] {
				lost = append(lost, name)
			}
		}
		s.sayLost("sacctmgr show qos", "QOS that associations, partitions or jobs name", lost)
	}
	s.sayAssociations(associations)
}

// sayAssociations says which associations only one of sacctmgr show assoc and the tree has, and whose
// accounts are missing.
func (s *Site) sayAssociations(associations map[slurmsched.AccountName]bool) {
	if len(associations) == 0 {
		return
	}
	var lost, parents []string
	for key := range associations {
		if account := (slurmsched.AccountName{Account: key.Account}); !associations[account] && !slices.Contains(parents, key.Account) {
			parents = append(parents, key.Account)
		}
	}
	s.sayLost("sacctmgr show assoc", "accounts whose users it has", parents)
	inTree := map[slurmsched.AccountName]bool{}
	if s.Tree != nil {
		for _, key := range namesOf(associationsOf(s.Tree)) {
			if inTree[key] = true; !associations[key] {
				lost = append(lost, key.String())
			}
		}
		var more []string
		for key := range associations {
			if !inTree[key] {
				more = append(more, key.String())
			}
		}
		s.sayLost("the tree of sshare", "associations of sacctmgr show assoc", more)
	}
	for _, j := range s.Jobs {
		key := slurmsched.AccountName{Account: j.Account, User: j.User}
		if len(j.Partitions) > 0 {
			if of := (slurmsched.AccountName{Account: j.Account, User: j.User, Partition: j.Partitions[0]}); associations[of] || inTree[of] {
				continue
			}
		}
		if j.Account != "" && !associations[key] && !inTree[key] {
			inTree[key] = true // said once
			lost = append(lost, key.String())
		}
	}
	s.sayLost("sacctmgr show assoc", "associations of the tree or of jobs", lost)
}

// sayLost says what a table lacks that others name.
func (s *Site) sayLost(table, what string, names []string) {
	if len(names) == 0 {
		return
	}
	slices.Sort(names)
	s.say(diag.Warningf("%s lacks %d of the %s: %s; it is cut off, or hides them, and what it says of them is not known", table, len(names), what, report.First(names)))
}

// sayUnknown says what jobs name that no file knows, so that their factors count 0, and whose usage
// is not that of its members.
func (s *Site) sayUnknown() {
	unknown := map[string]int{}
	for _, r := range s.rows() {
		if r.Rank == 0 || math.IsNaN(r.Priority) {
			continue
		}
		if _, ok := s.QOS[r.Job.QOS]; !ok && s.QOS != nil && s.Conf.Weights.QOS > 0 {
			unknown["QOS "+r.Job.QOS]++
		}
		if s.Conf.Partitions[r.Partition] == nil {
			unknown["partition "+r.Partition]++
		}
		if r.NoAssociation && s.Tree != nil {
			unknown["the association of "+r.Job.Account+"/"+r.Job.User]++
		}
	}
	for _, what := range slices.Sorted(maps.Keys(unknown)) {
		s.say(diag.Damagef("%s is not known: a factor of %s counts 0 here", what, report.Count(unknown[what], "job")))
	}
	s.sayUsage()
}

// sayUsage says of which accounts the members have not used what the account has. Slurm sums up whole
// numbers, so that some may differ by one for each member.
func (s *Site) sayUsage() {
	if s.Tree == nil {
		return
	}
	sums, members := make([]float64, s.Tree.Len()), make([]float64, s.Tree.Len())
	for i := 1; i < s.Tree.Len(); i++ {
		x := s.Tree.At(i)
		sums[x.Parent] += x.Usage
		members[x.Parent]++
	}
	var names []string
	for i := range sums {
		if x := s.Tree.At(i); !x.User && math.Abs(x.Usage-sums[i]) > members[i]+1 {
			names = append(names, x.Name)
		}
	}
	if len(names) > 0 {
		s.say(diag.Notef("the usage of %s is not that of its members: sshare is cut off, or some were removed", report.First(names)))
	}
}
