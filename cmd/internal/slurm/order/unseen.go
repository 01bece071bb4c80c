package order

import (
	"slices"
	"strings"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/report"
	"fairshare/cmd/internal/slurm"
	"fairshare/cmd/internal/slurm/dump"
)

// Unseen is what a list of jobs does not have of what nodes say is in use, and what the configuration says of that.
type Unseen struct {
	CPUs, InUse float64 // CPUs that no job of the list holds, of those that are allocated
	Nodes       int     // that have CPUs or memory allocated, and no job of the list
	IsPrivate   bool    // whether PrivateData keeps the jobs of others from who asks
	Users       int     // who have jobs in the list
	hasNodes    bool    // whether nodes tell what is in use
}

// readUnseen compares two witnesses that know nothing of each other: what nodes say that is allocated (CPUAlloc, AllocMem),
// and what the jobs of a list hold. The second is PrivateData, which hides the jobs of others from who is no operator.
func readUnseen(d *dump.Dump, listed []slurm.ListedJob) Unseen {
	var u Unseen
	for word := range strings.SplitSeq(d.Config("privatedata"), ",") {
		u.IsPrivate = u.IsPrivate || word == "jobs" || word == "all"
	}
	users, hasJob := map[string]bool{}, map[string]bool{}
	for i := range listed {
		j := &listed[i]
		users[j.User] = true
		if slurm.StateNamed(j.State).Fate == slurm.Runs {
			u.CPUs -= max(j.TRES["cpu"], float64(j.CPUs))
			for _, node := range j.Nodes {
				hasJob[node] = true
			}
		}
	}
	u.Users = len(users)
	without := 0. // CPUs in use on nodes that have no job of the list
	for _, node := range d.Records(dump.KindNodes) {
		u.hasNodes = u.hasNodes || node["cpualloc"] != ""
		cpus := dump.Number(node["cpualloc"], 0)
		u.InUse += cpus
		if !hasJob[node["nodename"]] && cpus+dump.Number(node["allocmem"], 0) > 0 {
			u.Nodes++
			without += cpus
		}
	}
	u.CPUs = max(0, u.CPUs+u.InUse, without)
	return u
}

// much is how much of what is in use no list lacks that has all jobs: lists and nodes are printed one after the other.
const much = 0.1

// IsHidden reports whether the nodes say that much is in use by jobs that the list does not have.
func (u Unseen) IsHidden() bool {
	return u.CPUs > much*u.InUse && u.CPUs >= 2
}

// Of returns of which jobs an order is, "" where nothing tells that some are hidden.
func (u Unseen) Of(name string) string {
	why := "is cut off, or of one's own jobs alone, or was printed at another time"
	if u.IsPrivate {
		why = "is of those that you may see (PrivateData has jobs)"
	}
	switch {
	case u.IsHidden():
		return name + ": nodes say that " + report.Fixed(u.InUse, 0) + " CPUs are in use, and the jobs of the list have " + report.Fixed(u.InUse-u.CPUs, 0) + " of them: the list " + why
	case u.IsPrivate && !u.hasNodes, u.IsPrivate && u.InUse == 0 && u.Users == 1:
		return name + ": PrivateData has jobs, and nothing tells whether the list has those of others, which only operators see"
	}
	return ""
}

// sayUnseen says of which jobs ranks are.
func (s *Site) sayUnseen(d *dump.Dump, listed []slurm.ListedJob) {
	if len(d.All(dump.KindJobs)) == 0 || slices.ContainsFunc(d.Parts, func(p dump.Part) bool { return p.Kind == dump.KindConf }) && len(d.All(dump.KindNodes)) == 0 {
		return // squeue and sprio tell no nodes
	}
	s.Unseen = readUnseen(d, listed)
	if of := s.Unseen.Of(s.Name); of != "" {
		s.say(diag.Warningf("%s: ranks, limits and what waits are of these jobs alone", of))
	}
}
