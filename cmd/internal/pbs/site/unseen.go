package site

import (
	"fmt"
	"iter"
	"slices"
	"strings"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/pbs"
	"fairshare/cmd/internal/pbs/cluster"
	"fairshare/cmd/internal/pbs/qstat"
	"fairshare/cmd/internal/report"
	"fairshare/cmd/internal/trace"
)

// Unseen is what vnodes and the server tell of jobs that a list does not have, and what the server says of who may see them: witnesses
// that know nothing of each other.
type Unseen struct {
	Runs, Lacks int    // jobs that vnodes say they run, and those of them that the list lacks
	IsPrivate   bool   // whether query_other_jobs keeps the jobs of others from who asks
	mayBeOwn    bool   // whether nothing tells the attributes of the server, or who asks has no sched_priv
	only        string // whose all jobs of the list are, "" for several

	isCounted       bool // whether the server or its queues count their jobs
	waits, waitHere int  // jobs that wait as they count them, and those of the list
	runs, runHere   int  // likewise, that run
	isWhole         bool // whether all that they count, by state and queue, is what the list has
}

// ListedJob is what of a job of a list counts for that.
type ListedJob struct {
	ID, User, Queue string
	State           byte
}

// Unseen compares the vnodes and the counts of the server with a list of jobs.
func (p *Place) Unseen(at *pbs.Site, jobs iter.Seq[ListedJob]) (u Unseen) {
	u.mayBeOwn = !at.Sched.OfServer || at.SchedPriv == nil
	u.IsPrivate = strings.EqualFold(at.Sched.Server["query_other_jobs"], "false")
	listed, users, has := map[string]bool{}, map[string]bool{}, tally{}
	for j := range jobs {
		listed[numberOf(j.ID)], users[j.User] = true, true
		u.only = j.User
		has.add(j)
	}
	if len(users) != 1 {
		u.only = ""
	}
	u.count(at, has)
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

// tally is how many jobs of a list are in each state as PBS counts them, by queue, and under "" of all.
type tally map[string]map[string]int

func (t tally) add(j ListedJob) {
	state := pbs.CountedAs(j.State)
	if state == "" || strings.HasSuffix(numberOf(j.ID), "[]") && !trace.IsArray(j.ID) { // subjobs, of which PBS counts the array
		return
	}
	for _, queue := range slices.Compact([]string{"", j.Queue}) {
		if t[queue] == nil {
			t[queue] = map[string]int{}
		}
		t[queue][state]++
	}
}

// count compares what the server and its queues count with what a list has.
func (u *Unseen) count(at *pbs.Site, has tally) {
	u.waits, u.isCounted = at.Waiting()
	all := has[""]
	u.waitHere, _ = pbs.WaitingIn(all)
	u.runHere = all["Running"]
	server := at.Sched.Server.States()
	u.isWhole, u.runs = u.isCounted && (server == nil || agree(server, all)), server["Running"]
	told := map[string]bool{"": true}
	for _, q := range at.Queues {
		if states := q.Attributes.States(); states != nil {
			told[q.Name] = true
			u.isWhole = u.isWhole && agree(states, has[q.Name])
			if server == nil {
				u.runs += states["Running"]
			}
		}
	}
	for queue := range has {
		u.isWhole = u.isWhole && (server != nil || told[queue])
	}
}

// agree reports whether as many jobs are counted in each state as a list has.
func agree(counted, listed map[string]int) bool {
	for state, n := range listed {
		if counted[state] != n {
			return false
		}
	}
	for state, n := range counted {
		if listed[state] != n {
			return false
		}
	}
	return true
}

// numberOf returns the number of a job without its server, of an array for a subjob.
func numberOf(id string) string {
	number, _, _ := strings.Cut(id, ".")
	if array, _, isSubjob := strings.Cut(number, "["); isSubjob {
		return array + "[]"
	}
	return number
}

// IsHidden reports whether the vnodes run, or the server counts, more jobs that the list does not have than have come between the
// commands.
func (u Unseen) IsHidden() bool { return u.lacksRunning() || u.lacksWaiting() }

// leastUnseen is how many jobs a list lacks at least that has not all of them.
const leastUnseen = 2

// RunsMore reports whether the list may lack jobs, and vnodes name some that they run.
func (u Unseen) RunsMore() bool { return u.Lacks > 0 && u.Of() != "" }

func (u Unseen) lacksRunning() bool {
	return diag.LacksMuch(float64(u.Lacks), float64(u.Runs), leastUnseen)
}

func (u Unseen) lacksWaiting() bool {
	return u.isCounted && diag.LacksMuch(float64(u.waits-u.waitHere), float64(u.waits), leastUnseen)
}

// printsAll is what prints the jobs of others too.
const printsAll = "qstat -f " + qstat.PrintsAll

// Of returns of which jobs an order is, "" where nothing tells that some are hidden.
func (u Unseen) Of() string {
	why := diag.CutList
	switch {
	case u.IsPrivate:
		why = "is of those that you may see (query_other_jobs of the server is False; root may see all)"
	case u.only != "":
		why = "has jobs of " + u.only + " alone (" + printsAll + ")"
	}
	others := "others have any"
	if u.Runs > 0 { // those that run would be on vnodes
		others += " that wait"
	}
	switch {
	case u.lacksRunning():
		return fmt.Sprintf("vnodes say that they run %s, and the list lacks %d of them: it %s", report.Count(u.Runs, "job"), u.Lacks, why)
	case u.lacksWaiting():
		return fmt.Sprintf("the server counts %s that wait (state_count), and the list has %d of them: it %s", report.Count(u.waits, "job"), u.waitHere, why)
	case u.isWhole && u.Lacks == 0 || u.only == "":
		return ""
	case u.IsPrivate:
		return "query_other_jobs of the server is False, and nothing tells whether the list has the jobs of others, which only operators see"
	case u.mayBeOwn:
		return diag.AllOf("the list", u.only, others, printsAll)
	}
	return ""
}

// Remarks returns what to say of a list of which something tells that it may lack jobs, nothing of another one.
func (u Unseen) Remarks() []diag.Remark {
	if of := u.Of(); of != "" {
		return []diag.Remark{diag.OfTheseJobs(of)}
	}
	return nil
}

// OtherMoment returns a note where the server counts fewer jobs than the list has: it tells of another moment. A server whose sched_priv is
// there is that of a snapshot, which was taken at once.
func (u Unseen) OtherMoment() []diag.Remark {
	isLess := func(counted, listed int) bool {
		return diag.LacksMuch(float64(listed-counted), float64(listed), leastUnseen)
	}
	if !u.isCounted || !u.mayBeOwn || !isLess(u.waits, u.waitHere) && !isLess(u.runs, u.runHere) {
		return nil
	}
	return []diag.Remark{diag.Notef("the counts of the server (qstat -Bf, -Qf) are of another moment than the list: %s that wait and %d that run, where the list has %d and %d",
		report.Count(u.waits, "job"), u.runs, u.waitHere, u.runHere).OfPeople()}
}
