package joblist

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/pbs/qstat"
	"fairshare/cmd/internal/report"
)

// Remarks returns what was wrong with the list, by kind. name is where it was
// read from.
func (l *List) Remarks(name string) []diag.Remark {
	var remarks []diag.Remark
	if l.IsCut() {
		cut := diag.OfTheseJobs(name + " is cut off, and jobs may stand behind the cut").OfAsked()
		cut.IsDamage = true
		remarks = append(remarks, cut)
	}
	for _, kind := range slices.Sorted(maps.Keys(l.Problems)) {
		if qstat.IsCutOff(kind) {
			continue
		}
		remarks = append(remarks, diag.Damagef("%s: %s (%s)", name, kind, report.Count(l.Problems[kind], "time")))
	}
	for _, attribute := range slices.Sorted(maps.Keys(l.Missing)) {
		say := diag.Warningf
		if attribute == "euser" && l.Missing[attribute] == l.Len() { // which PBS shows to managers and operators alone
			say = diag.Generalf
		}
		remarks = append(remarks, say("%s without %s", report.Count(l.Missing[attribute], "job"), attribute))
	}
	if l.Ranked > 0 && l.Unranked > 0 {
		remarks = append(remarks, diag.Warningf("%s without a queue_rank that can be read, which others have: where sort keys tie, they come before all of those", report.Count(l.Unranked, "job")))
	}
	if len(l.Unused) > 0 {
		remarks = append(remarks, diag.Notef("%s: columns that are not used: %s", name, strings.Join(l.Unused, ", ")))
	}
	remarks = append(remarks, l.Unknown.Say(name+": jobs have")...)
	if n := l.Repeats; n > 0 {
		remarks = append(remarks, diag.Warningf("%s: %s with an ID that occurs earlier: only the first one counts", name, report.Count(n, "job")))
	}
	if n := l.TorqueJobs; n > 0 {
		remarks = append(remarks, diag.Warningf("%s: %s of TORQUE, whose scheduler is Maui, Moab or pbs_sched: the order is the one that PBS's scheduler would make of them; their cpus are those of nodes=N:ppn=P and procs", name, report.Count(n, "job")))
	}
	if l.Len() == 0 {
		remarks = append(remarks, diag.Warningf("%s has no job", name))
	}
	return remarks
}

// IsCut reports whether the list ends too early, so that it may lack jobs.
func (l *List) IsCut() bool {
	for kind := range l.Problems {
		if qstat.IsCutOff(kind) {
			return true
		}
	}
	return false
}

// SayUnreadable says how many jobs the scheduler leaves out, none if it reads all amounts.
func (l *List) SayUnreadable() []diag.Remark {
	if len(l.Unreadable) == 0 {
		return nil
	}
	return []diag.Remark{diag.Notef("the scheduler leaves out %s, because it cannot read an amount", report.Count(len(l.Unreadable), "job"))}
}

// LackError says that a list lacks what an order needs.
type LackError struct{ Columns []string }

func (e *LackError) Error() string {
	return fmt.Sprintf("this is the output of a sort, which lacks %s: give the list that it was made of, or what -o jobs makes of it", strings.Join(e.Columns, ", "))
}

// lacking returns the columns of which no job has an amount.
func (l *List) lacking() []string {
	var names []string
	for i, name := range l.Columns {
		if i >= len(l.HasColumn) || !l.HasColumn[i] {
			names = append(names, name)
		}
	}
	return names
}
