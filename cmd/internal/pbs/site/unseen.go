package site

import (
	"fmt"
	"iter"
	"strings"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/pbs"
	"fairshare/cmd/internal/pbs/cluster"
	"fairshare/cmd/internal/report"
)

// Unseen is what vnodes tell of jobs that a list does not have, and what the server says of who may see them: two witnesses
// that know nothing of each other.
type Unseen struct {
	Runs, Lacks int  // jobs that vnodes say they run, and those of them that the list lacks
	IsPrivate   bool // whether query_other_jobs keeps the jobs of others from who asks
	isUntold    bool // whether nothing tells the attributes of the server
	users       int  // who have jobs in the list
}

// Unseen compares the vnodes with a list of jobs, of which it gets IDs and owners.
func (p *Place) Unseen(at *pbs.Site, jobs iter.Seq2[string, string]) (u Unseen) {
	u.isUntold = !at.Sched.OfServer
	u.IsPrivate = strings.EqualFold(at.Sched.Server["query_other_jobs"], "false")
	listed, users := map[string]bool{}, map[string]bool{}
	for id, user := range jobs {
		listed[numberOf(id)], users[user] = true, true
	}
	u.users = len(users)
	if !p.Nodes.IsGiven() {
		return u
	}
	vnodes, err := p.Vnodes()
	if err != nil {
		return u // which is said where vnodes are needed
	}
	isCounted := map[string]bool{}
	for v := range vnodes.Vnodes() {
		for _, id := range cluster.JobsOn(v["jobs"]) {
			number := numberOf(id)
			if isCounted[number] {
				continue
			}
			isCounted[number] = true
			if u.Runs++; !listed[number] {
				u.Lacks++
			}
		}
	}
	return u
}

// numberOf returns the number of a job without its server, of an array for a subjob.
func numberOf(id string) string {
	number, _, _ := strings.Cut(id, ".")
	if array, _, isSubjob := strings.Cut(number, "["); isSubjob {
		return array + "[]"
	}
	return number
}

// IsHidden reports whether the vnodes run more jobs that the list does not have than have begun between the two commands.
func (u Unseen) IsHidden() bool {
	const least = 2
	return diag.LacksMuch(float64(u.Lacks), float64(u.Runs), least)
}

// Of returns of which jobs an order is, "" where nothing tells that some are hidden.
func (u Unseen) Of() string {
	why := diag.CutList
	if u.IsPrivate {
		why = "is of those that you may see (query_other_jobs of the server is False)"
	}
	others := "others have some"
	if u.Runs > 0 { // those that run would be on vnodes
		others += " that wait"
	}
	switch {
	case u.IsHidden():
		return fmt.Sprintf("vnodes say that they run %s, and the list lacks %d of them: it %s", report.Count(u.Runs, "job"), u.Lacks, why)
	case u.IsPrivate && u.users == 1:
		return "query_other_jobs of the server is False, and nothing tells whether the list has the jobs of others, which only operators see"
	case u.isUntold && u.users == 1:
		return "the list has jobs of one user alone, and does not say whether " + others + " (qstat -f prints all that you may see)"
	}
	return ""
}
