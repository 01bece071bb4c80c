package record

import (
	"cmp"
	"slices"
	"time"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/moment"
	"fairshare/cmd/internal/report"
	"fairshare/cmd/internal/slurm/sacct"
	"fairshare/cmd/internal/slurm/sched"
	"fairshare/cmd/internal/slurm/setup"
	"fairshare/fstree"
)

// How far the usage that a site prints tells that of an earlier time: what is added up from a record is off by some 0.2 % of it (docs/evidence),
// and that counts there as often as usage has decayed since.
const (
	exactWeight = 10
	mostWeight  = 100
	mostOver    = 0.02 // part of what is printed that the record may have more
	mostBetween = 24 * 3600
)

// wantsUsage says where the usage at the begin of a record may be had from.
const wantsUsage = "--usage FILE: what sshare -a -l -P printed then"

// Beginning is how the usage at the begin of a record was found.
type Beginning struct {
	IsGiven bool
	// Doubt is what may be wrong with it and replays rest on, such as "usage at the begin that is taken as it is in the end", "" for nothing.
	Doubt   string
	Remarks []diag.Remark
}

// Begin makes what the set-up of a site has used, which was printed at some time, 0 where nothing tells when, that of the begin of the record.
// The shares tree is one that is given with its usage then, or nil.
func (r *Record) Begin(s *sched.Setup, printed int64, given []fstree.Association, zone *time.Location) Beginning {
	begin := r.first()
	reset := resetBetween(s.Conf.ResetPeriod, begin, printed, zone)
	clock := func(at int64) string { return moment.Clock(at, zone) }
	var of sched.Rewound
	asItIs := ""
	switch {
	case s.HasNoAccounts():
		return Beginning{}
	case printed == 0:
		asItIs = "and nothing tells when that was"
	case s.Decay(printed-begin)*mostWeight < 1:
		asItIs = "since so much has decayed since " + clock(begin) + " that it tells no more of then"
	case reset > 0:
		asItIs = "since it became 0 after " + clock(begin) + ", at " + clock(reset) + " (PriorityUsageResetPeriod)"
	default:
		of = s.Rewind(r.Uses(s), begin, printed, cmp.Or(r.Swept, printed))
	}
	say := func(kind func(string, ...any) diag.Remark, format string, args ...any) []diag.Remark {
		if s.Conf.Basic || s.Conf.Weights.Fairshare == 0 { // nothing that is in force depends on it
			kind = diag.Generalf
		}
		remark := kind(format, args...)
		remark.IsOfAsked = !remark.IsGeneral
		return []diag.Remark{remark}
	}
	const isRebuilt = "usage at the begin that is rebuilt"
	rebuilt := "the usage at the begin is that of sshare at " + clock(printed) + " less what the record has added since " + clock(begin)
	switch {
	case given != nil:
		s.Tree = given
		return Beginning{IsGiven: true}
	case asItIs != "":
		return Beginning{false, "usage at the begin that is taken as it is in the end", say(diag.Warningf, "the usage at the begin is taken as sshare prints it, %s: whose turn it was may be wrong (%s)", asItIs, wantsUsage)}
	case printed < begin-mostBetween:
		return Beginning{false, "", say(diag.Warningf, "the usage at the begin is that of sshare at %s, and what ran from then to %s is not known (%s)", clock(printed), clock(begin), wantsUsage)}
	case printed <= begin:
		return Beginning{false, "", []diag.Remark{diag.Generalf("the usage at the begin is that of sshare at %s (--usage FILE)", clock(printed))}}
	case of.Over > mostOver:
		const most = 3 // that are named
		var names []string
		for _, i := range of.Whose {
			names = append(names, s.Names[i].String())
		}
		return Beginning{false, isRebuilt, say(diag.Warningf, "%s, which of %s is more than that, by %s %% of all usage (%s): they begin with none, and whose turn it was may be wrong (%s)", rebuilt, report.Count(len(names), "user"), report.Fixed(100*of.Over, 0), report.Some(names, most), wantsUsage)}
	case printed > r.Last+mostBetween:
		return Beginning{false, isRebuilt, say(diag.Warningf, "%s, and what ran after the end of the record at %s counts as used before it: whose turn it was may be wrong (%s)", rebuilt, clock(r.Last), wantsUsage)}
	}
	if of.Weight > exactWeight {
		return Beginning{false, isRebuilt, say(diag.Notef, "%s, and what that is off counts %.3g times in it (%s)", rebuilt, of.Weight, wantsUsage)}
	}
	return Beginning{false, "", say(diag.Notef, "%s (--usage FILE)", rebuilt)}
}

// first returns when the first job came.
func (r *Record) first() int64 {
	first := r.Last
	for _, x := range r.Jobs {
		first = min(first, x.Submit)
	}
	return first
}

// Uses returns all runs of a record, also of jobs that are left out.
func (r *Record) Uses(s *sched.Setup) func(yield func(sched.RecordedUse) bool) {
	maker := setup.NewJobMaker(s)
	return func(yield func(sched.RecordedUse) bool) {
		for _, last := range r.Jobs {
			for _, x := range append(slices.Clone(last.Earlier), last) {
				if x.Start == 0 {
					continue
				}
				j := sched.Job{Association: x.Association, Billing: x.Billing}
				if at := maker.Place(x.Job, x.Partition, x.QOS); at.QOS >= 0 {
					j.Partition, j.QOS = at.Partition, at.QOS
				} else {
					j.Partition, j.QOS = x.Job.Partition, x.Job.QOS
				}
				if j.Billing == 0 && !x.IsFree {
					j.Billing = float64(x.cpus())
				}
				if !yield(sched.RecordedUse{Job: &j, Given: x.has, Start: x.Start, End: max(0, x.End-x.Suspended)}) {
					return
				}
			}
		}
		for _, x := range r.besides {
			if !yield(x) {
				return
			}
		}
	}
}

// chargeLeftOut keeps what a run of a job that is left out has used, where it is known of whom it is.
func (r *reader) chargeLeftOut(row *sacct.Row) {
	run := recordedRun{string(row.ID), orZero(row.Submit), orZero(row.Start), orZero(row.End)}
	if row.Start <= 0 || r.seen[run] {
		return
	}
	if j, _ := chargedTo(r.setup, r.maker, row); j.Association >= 0 && j.QOS >= 0 {
		r.seen[run] = true
		r.record.besides = append(r.record.besides, sched.RecordedUse{Job: j, Given: r.has(row), Start: row.Start, End: max(0, run.ended-max(0, row.Suspended))})
	}
}

// chargedTo returns the job of a run with what usage counts of it: its billing, and the partition, the association and the QOS that it is of.
// why says why nothing tells these, "" where it is told.
func chargedTo(site *sched.Setup, maker *setup.JobMaker, row *sacct.Row) (j *sched.Job, why string) {
	partition := string(row.Text(sacct.Partition))
	j = &sched.Job{Billing: site.Conf.Partitions[partition].Billing(row.Given), Partition: maker.Partition(partition)}
	name := sched.AccountName{Account: string(row.Text(sacct.Account)), User: string(row.Text(sacct.User)), Partition: partition}
	return j, maker.Under(j, name, string(row.Text(sacct.QOS)))
}

// has returns what limits of use count of a run, nil where none is of use.
func (r *reader) has(row *sacct.Row) sched.Amounts {
	if !r.countsUse || row.Given == nil {
		return nil
	}
	text := string(row.Text(sacct.AllocTRES))
	if r.given[text] == nil {
		r.given[text] = r.setup.Amounts(row.Given)
	}
	return r.given[text]
}

// resetBetween returns when PriorityUsageResetPeriod made all usage 0 for the first time behind a moment and by another, 0 for never.
func resetBetween(period string, from, to int64, zone *time.Location) int64 {
	t := time.Unix(from, 0).In(zone)
	year, month, day := t.Date()
	switch period {
	case "DAILY":
		day++
	case "WEEKLY":
		day += 7 - int(t.Weekday())
	case "MONTHLY":
		month, day = month+1, 1
	case "QUARTERLY":
		month, day = month+3-(month-1)%3, 1
	case "YEARLY":
		year, month, day = year+1, 1, 1
	default:
		return 0
	}
	if at := time.Date(year, month, day, 0, 0, 0, 0, zone).Unix(); at <= to {
		return at
	}
	return 0
}
