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
	Shares    []UnseenShare // of what is in use, of each resource
	IsPrivate bool          // whether PrivateData keeps the jobs of others from who asks
	Users     int           // who have jobs in the list
	hasNodes  bool          // whether nodes tell what is in use
}

// UnseenShare is how much of a resource is in use, and how much of that no job of the list holds.
type UnseenShare struct {
	Of            string // in words
	InUse, Unseen float64
	least         float64
}

// witness is a resource of which nodes say how much is in use, of which less than the least is no sign of anything.
type witness struct {
	of    string // in words
	nodes func(node dump.Row) float64
	least float64
}

// witnesses are what of nodes is compared with the jobs of a list, CPUs first.
var witnesses = []witness{
	{"CPUs", func(node dump.Row) float64 { return dump.Number(node["cpualloc"], 0) }, 2},
	{"MB", func(node dump.Row) float64 { return dump.Number(node["allocmem"], 0) }, 1024},
	{"GPUs", func(node dump.Row) float64 { return gpus(node["alloctres"]) }, 1},
}

// gpus returns how many GPUs are among allocated resources, 0 where that cannot be read.
func gpus(tres string) float64 {
	amounts, _ := slurm.ParseAmounts(tres)
	return slurm.AmountsByName(amounts)["gres/gpu"]
}

// readUnseen compares two witnesses that know nothing of each other: what nodes say that is allocated (CPUAlloc, AllocMem
// and the GPUs of AllocTRES), and what the jobs of a list hold. The second is PrivateData, which hides the jobs of others
// from who is no operator.
func readUnseen(d *dump.Dump, listed []slurm.ListedJob) Unseen {
	var u Unseen
	for word := range strings.SplitSeq(d.Config("privatedata"), ",") {
		u.IsPrivate = u.IsPrivate || word == "jobs" || word == "all"
	}
	users, hasJob, held := map[string]bool{}, map[string]bool{}, 0.
	for i := range listed {
		j := &listed[i]
		users[j.User] = true
		fate := slurm.StateNamed(j.State).Fate
		if fate == slurm.Runs {
			held += max(j.TRES["cpu"], float64(j.CPUs))
		}
		for _, node := range j.Nodes { // those of a suspended job too, which has its memory there
			hasJob[node] = hasJob[node] || fate != slurm.IsOver
		}
	}
	u.Users = len(users)
	rows := d.Records(dump.KindNodes)
	for _, node := range rows {
		u.hasNodes = u.hasNodes || node["cpualloc"] != ""
	}
	for i, w := range witnesses {
		share := UnseenShare{Of: w.of, least: w.least}
		without := 0. // in use on nodes that have no job of the list
		for _, node := range rows {
			amount := w.nodes(node)
			share.InUse += amount
			if !hasJob[node["nodename"]] {
				without += amount
			}
		}
		if share.Unseen = without; i == 0 { // of memory and GPUs, a job may hold more than it asked for
			share.Unseen = max(without, share.InUse-held)
		}
		u.Shares = append(u.Shares, share)
	}
	return u
}

// isHidden reports whether so much of what is in use is held by no job of the list that it cannot have all of them.
func (s UnseenShare) isHidden() bool { return diag.LacksMuch(s.Unseen, s.InUse, s.least) }

// IsHidden reports whether the nodes say that much is in use by jobs that the list does not have.
func (u Unseen) IsHidden() bool { return slices.ContainsFunc(u.Shares, UnseenShare.isHidden) }

// Of returns of which jobs an order is, "" where nothing tells that some are hidden.
func (u Unseen) Of(name string) string {
	why := diag.CutList
	if u.IsPrivate {
		why = "is of those that you may see (PrivateData has jobs)"
	}
	switch {
	case u.IsHidden():
		share := u.Shares[slices.IndexFunc(u.Shares, UnseenShare.isHidden)]
		return name + ": nodes say that " + report.Fixed(share.InUse, 0) + " " + share.Of + " are in use, and the jobs of the list have " + report.Fixed(share.InUse-share.Unseen, 0) + " of them: the list " + why
	case u.IsPrivate && !u.hasNodes, u.IsPrivate && u.inUse() == 0 && u.Users == 1:
		return name + ": PrivateData has jobs, and nothing tells whether the list has those of others, which only operators see"
	}
	return ""
}

// inUse returns how many CPUs are in use.
func (u Unseen) inUse() float64 { return u.Shares[0].InUse }

// sayUnseen says of which jobs ranks are.
func (s *Site) sayUnseen(d *dump.Dump, listed []slurm.ListedJob) {
	of := ""
	isBare := slices.ContainsFunc(d.Parts, func(p dump.Part) bool { return p.Kind == dump.KindConf }) && len(d.All(dump.KindNodes)) == 0
	if len(d.All(dump.KindJobs)) > 0 && !isBare { // squeue and sprio tell no nodes
		s.Unseen = readUnseen(d, listed)
		of = s.Unseen.Of(s.Name)
	}
	if who := s.only(); of == "" && who != "" && !s.Unseen.hasNodes {
		of = s.Name + ": " + diag.AllOf("the list", who, "others have any", "squeue --me and sprio -u print one's own alone")
	}
	switch {
	case of == "":
		s.isOfSome = s.isOfSome || d.HasCutList() && !s.isRanked() // which is said where files are
	case s.isRanked() && s.isOfSeveral():
		s.isOfSprio = true
		s.say(diag.Warningf("%s: ranks are those among all jobs that sprio prints; limits and what waits are of the jobs of the list alone", of))
	default:
		s.isOfSome = true
		s.say(diag.OfTheseJobs(of))
	}
}

// isOfSeveral reports whether sprio has jobs of several users, and so more than one's own.
func (s *Site) isOfSeveral() bool {
	return slices.ContainsFunc(s.Stored, func(p dump.StoredPriority) bool { return p.User != s.Stored[0].User })
}

// only returns the user or else the account that all jobs are of, "" where there is none.
func (s *Site) only() string {
	users, accounts := map[string]bool{}, map[string]bool{}
	rows := s.PlainRows()
	for _, r := range rows {
		users[r.Job.User], accounts[r.Job.Account] = true, true
	}
	switch {
	case len(rows) == 0:
	case len(users) == 1 && rows[0].Job.User != "":
		return "user " + rows[0].Job.User
	case len(accounts) == 1 && rows[0].Job.Account != "":
		return "account " + rows[0].Job.Account
	}
	return ""
}
