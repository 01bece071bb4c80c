package order

import (
	"maps"
	"math"
	"slices"
	"strings"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/report"
	"fairshare/cmd/internal/slurm/dump"
)

// sayApart says which jobs are only in one of the two lists.
func (s *Site) sayApart(d *dump.Dump) {
	if s.Stored == nil || len(s.Jobs) == 0 {
		return
	}
	hidden, unlisted := 0, 0
	for _, r := range s.PlainRows() {
		switch {
		case r.Rank > 0 && math.IsNaN(r.Priority) && r.Job.TRES == nil: // else nothing tells the weights
			hidden++
		case r.Rank == 0 && strings.HasPrefix(r.Reason, notListed):
			unlisted++
		}
	}
	if hidden > 0 && len(d.All(dump.KindJobs)) > 0 { // without scontrol show job, this is said of squeue
		s.isOfSprio = s.isRanked() && s.isOfSeveral()
		s.say(diag.Warningf("scontrol show job lacks the jobs of %s of sprio, since it is cut off, or hides them (PrivateData), or was printed before: their terms are those of sprio", report.Count(hidden, "row")).
			Briefly("scontrol show job lacks the jobs of %s of sprio: their terms are those of sprio", report.Count(hidden, "row")))
	}
	if unlisted > 0 {
		s.say(diag.Warningf("sprio lacks %s that should be considered, since it is cut off, or was printed before: the order is without what it lacks", report.Count(unlisted, "job")))
	}
}

// sayUnknown says what jobs name that no file knows, so that their factors count 0, and whose usage
// is not that of its members.
func (s *Site) sayUnknown() {
	unknown := map[string]int{}
	ranked, nowhere := 0, 0 // those that the tree does not have
	for _, r := range s.PlainRows() {
		if r.Rank == 0 || math.IsNaN(r.Priority) {
			continue
		}
		if ranked++; r.NoAssociation && s.Tree != nil {
			nowhere++
		}
		if _, ok := s.QOS[r.QOS]; !ok && s.QOS != nil && s.Conf.Weights.QOS > 0 {
			unknown["QOS "+r.QOS]++
		}
		if s.Conf.Partitions[r.Partition] == nil {
			unknown["partition "+r.Partition]++
		}
		if r.NoAssociation && s.Tree != nil {
			unknown["the association of "+r.Job.Account+"/"+r.Job.User]++
		}
	}
	if ofOther := ranked > 1 && nowhere == ranked; ofOther { // said once
		s.say(diag.Damagef("the tree of sshare has the association of none of the %s that are considered: it is of another cluster, or cut off, and fairshare counts 0 for all", report.Count(ranked, "job")))
		maps.DeleteFunc(unknown, func(what string, _ int) bool { return strings.HasPrefix(what, "the association of ") })
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
