package dump

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/pattern"
	"fairshare/cmd/internal/report"
	"fairshare/cmd/internal/slurm"
	"fairshare/fstree"
)

// jobFact is what two prints tell of a job, and nothing but a command of a person changes.
type jobFact struct {
	name string
	of   func(j *slurm.Job) string // "" where a print does not tell it

	changesByItself bool // as priorities do when all are computed anew
}

// jobFacts are all such facts. scontrol show job is the print that counts where it is there, of others that of which the jobs are.
var jobFacts = []jobFact{
	{name: "the user", of: func(j *slurm.Job) string { return j.User }},
	{name: "the account", of: func(j *slurm.Job) string { return j.Account }},
	{name: "the QOS", of: func(j *slurm.Job) string { return j.QOS }},
	{name: "the reservation", of: func(j *slurm.Job) string { return j.Reservation }},
	{name: "the time limit", of: func(j *slurm.Job) string {
		switch {
		case !(j.TimeLimit > 0): // NaN for that of the partition
			return ""
		case j.TimeLimit > math.MaxInt32:
			return "UNLIMITED"
		}
		return report.Duration(j.TimeLimit * 60)
	}},
	{name: "the partition", of: func(j *slurm.Job) string { return strings.Join(slices.Sorted(slices.Values(j.Partitions)), ",") }},
}

// priorityFact is the priority of a job that waits. That of sprio counts where it is there.
var priorityFact = jobFact{name: "the priority", changesByItself: true, of: func(j *slurm.Job) string {
	if j.State != "PENDING" || !(j.Priority > 0) { // a held job has 0
		return ""
	}
	return strconv.FormatFloat(j.Priority, 'f', 0, 64)
}}

// difference is that of a fact in two prints.
type difference struct {
	fact            string
	counts, other   string // the files
	wins            string // the print that counts where it is neither of both, "" for the first
	found           []string
	compared        int
	changesByItself bool
}

// remark says it; nil where the prints agree, or where what changes by itself is another in so many jobs that it has changed between them.
func (d *difference) remark() []diag.Remark {
	const most = 2 // of so many one may differ
	if len(d.found) == 0 || d.changesByItself && len(d.found)*most > d.compared && d.compared > 1 {
		return nil
	}
	return []diag.Remark{diag.Warningf("%s differs in %s and %s: %s; that of %s counts", d.fact, d.counts, d.other, report.First(d.found), cmp.Or(d.wins, d.counts)).OfPeople()}
}

// factsDiffer says in which facts jobs are others in a list than in that which counts. A job that a list has several times, as one of
// several partitions, is not compared. priorities is what has those that count, "" for the same list.
func factsDiffer(facts []jobFact, priorities, counting string, counts []slurm.Job, other string, others []slurm.Job) (remarks []diag.Remark) {
	count, otherCount, places := map[string]int{}, map[string]int{}, map[string]int{}
	for i := range counts {
		count[counts[i].ID]++
		places[counts[i].ID] = i
	}
	for i := range others {
		otherCount[others[i].ID]++
	}
	for _, fact := range facts {
		d := difference{fact: fact.name, counts: counting, other: other, changesByItself: fact.changesByItself}
		if d.changesByItself {
			d.wins = priorities
		}
		for i := range others {
			o := &others[i]
			if count[o.ID] != 1 || otherCount[o.ID] != 1 {
				continue
			}
			j := &counts[places[o.ID]]
			is, isOther := fact.of(j), fact.of(o)
			if is == "" || isOther == "" || j.State != o.State { // it has started or ended between them
				continue
			}
			if d.compared++; is != isOther {
				d.found = append(d.found, fmt.Sprintf("job %s %s and %s", o.ID, report.Printable(is), report.Printable(isOther)))
			}
		}
		remarks = append(remarks, d.remark()...)
	}
	return remarks
}

// facts returns the jobs of a list as far as two prints tell the same of them. A name that the width of its column may have cut off
// is not told.
func (q *queue) facts() (list []slurm.Job) {
	for i := range q.jobs {
		j := q.jobs[i].Job
		for _, name := range []*string{&j.User, &j.Account, &j.QOS} {
			if slices.Contains(q.full, *name) {
				*name = ""
			}
		}
		j.Partitions = slices.DeleteFunc(slices.Clone(j.Partitions), func(name string) bool { return slices.Contains(q.full, name) })
		list = append(list, j)
	}
	return list
}

// storedFacts returns what sprio tells of the jobs that it lists, which all wait.
func storedFacts(stored []StoredPriority) (list []slurm.Job) {
	for i := range stored {
		s := &stored[i]
		j := slurm.Job{ID: s.ID, State: "PENDING", Priority: s.Priority}
		if !s.isNarrow {
			j.User, j.Account, j.QOS = s.User, s.Account, s.QOS
		}
		list = append(list, j)
	}
	return list
}

// shareKey is an association of which shares are told.
type shareKey struct{ account, user, partition string }

// name returns what an association is called.
func (k shareKey) name() string {
	if k.user == "" {
		return k.account
	}
	return k.user + " in " + k.account
}

// fromParent is how shares are told that an association does not have by itself.
const fromParent = "parent"

// sharesOf returns the shares of a tree.
func sharesOf(t *fstree.Associations) map[shareKey]string {
	all := map[shareKey]string{}
	for i := 1; i < t.Len(); i++ {
		x := t.At(i)
		key, text := shareKey{account: x.Name}, strconv.FormatFloat(x.Shares, 'f', -1, 64)
		if x.User {
			key = shareKey{t.At(int(x.Parent)).Name, x.Name, x.Partition}
		}
		if x.FromParent {
			text = fromParent
		}
		all[key] = text
	}
	return all
}

// sharesDiffer says where other prints tell other shares than those of the tree, which are of a file.
func (d *Dump) sharesDiffer(tree *fstree.Associations, from string) (remarks []diag.Remark) {
	counts := sync.OnceValue(func() map[shareKey]string { return sharesOf(tree) }) // mostly no other print tells any
	compare := func(other string, told map[shareKey]string) {
		of := difference{fact: "the share of associations", counts: from, other: other}
		for key, share := range told {
			is, isThere := counts()[key]
			if share == strconv.Itoa(math.MaxInt32) { // as Slurm keeps it
				share = fromParent
			}
			if isThere && share != "" && is != share {
				of.found = append(of.found, fmt.Sprintf("%s %s and %s", report.Printable(key.name()), is, report.Printable(share)))
			}
		}
		slices.Sort(of.found)
		remarks = append(remarks, of.remark()...)
	}
	if p := d.Table(KindAssociations); p.Text != "" {
		told := map[shareKey]string{}
		rows, _ := d.RowsOf(p)
		for _, row := range rows {
			told[shareKey{strings.TrimSpace(row["account"]), row["user"], row["partition"]}] = row["share"]
		}
		compare(p.Name, told)
	}
	for _, p := range d.All(KindManager) {
		if p.Name == from {
			continue
		}
		told := map[shareKey]string{}
		for _, m := range managerShares().FindAllStringSubmatch(p.Text, -1) {
			told[shareKey{m[1], m[2], m[3]}] = m[4]
		}
		compare(p.Name, told)
	}
	return remarks
}

// managerShares finds the shares of an association in what scontrol show assoc_mgr prints.
var managerShares = pattern.Of(`(?m)^ClusterName=\S* Account=(\S*) UserName=([^\s(]*)\S* Partition=(\S*) .*\n\s*SharesRaw/Norm/Level/Factor=(\d+)/`)

// jobsFrom returns what the list of jobs is called, "" where there is none.
func (d *Dump) jobsFrom() string {
	for _, kind := range []Kind{KindJobs, KindQueue} {
		if all := d.All(kind); len(all) == 1 {
			return all[0].Name
		} else if len(all) > 1 {
			return parts[kind]
		}
	}
	return ""
}

// jobsOf returns the jobs of a list by themselves.
func jobsOf(listed []slurm.ListedJob) (jobs []slurm.Job) {
	for i := range listed {
		jobs = append(jobs, listed[i].Job)
	}
	return jobs
}

// sizesDiffer says of which partitions scontrol show partition prints other nodes or CPUs in all than scontrol show node has of them, which
// counts.
func sizesDiffer(nodes, partitions []Row, from, other string) (remarks []diag.Remark) {
	type size struct{ nodes, cpus float64 }
	sizes := map[string]size{}
	for _, n := range nodes {
		for name := range strings.SplitSeq(n["partitions"], ",") {
			of := sizes[name]
			sizes[name] = size{of.nodes + 1, of.cpus + Number(n["cputot"], math.NaN())}
		}
	}
	cpus := difference{fact: "the number of CPUs", counts: from, other: other}
	count := difference{fact: "the number of nodes", counts: from, other: other}
	for _, p := range partitions {
		of, isThere := sizes[p["partitionname"]]
		if !isThere {
			continue
		}
		say := func(d *difference, is, other float64) {
			if is != other && !math.IsNaN(is) && !math.IsNaN(other) {
				d.found = append(d.found, fmt.Sprintf("partition %s %s and %s", report.Printable(p["partitionname"]), report.Plain(is), report.Plain(other)))
			}
		}
		say(&cpus, of.cpus, Number(p["totalcpus"], math.NaN()))
		say(&count, of.nodes, Number(p["totalnodes"], math.NaN()))
	}
	return append(cpus.remark(), count.remark()...)
}
