package qstat

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"fairshare/cmd/internal/file"
	"fairshare/cmd/internal/trace"
)

// ListDamage is what of a list could not be read.
type ListDamage struct {
	Places int    // that are no part of a job
	Times  string // jobs with times that cannot be read, in words; "" for none
	Torque int    // jobs that are TORQUE's, whose scheduler is another
	States int    // jobs in a state that PBS does not have: those with vnodes are taken to run, the others are left out
}

// Places of the attributes of Now in a schema, after those of recordNames.
const (
	nowEligible = iota
	nowPriority
	nowMaxSubjobs
	nowLeft
	nowSubmitted
	nowHolds
	nowDepend
	nowExecution
	nowUsed
	nowNotPlanned
	nowRerunable
	nowSubstate
	nowComment
	nowEstimated
	nowEstimatedObject
)

var nowNames = []string{
	nowEligible: "eligible_time", nowPriority: "Priority", nowMaxSubjobs: "max_run_subjobs", nowLeft: "array_indices_remaining",
	nowSubmitted: "array_indices_submitted", nowHolds: "Hold_Types", nowDepend: "depend", nowExecution: "Execution_Time",
	nowUsed:       "resources_used.walltime",
	nowNotPlanned: "topjob_ineligible", nowRerunable: "Rerunable",
	nowSubstate: "substate", nowComment: "comment",
	nowEstimated: EstimatedStart, nowEstimatedObject: Estimated,
}

// ReadNow returns the jobs of a list of those that have not ended, as qstat -f prints it in any
// of its forms, with times in a zone. Their names have the numbers of a trace, which otherwise
// stays as it is.
func ReadNow(t *trace.Trace, from file.Source, zone *time.Location) (all []trace.ListedJob, damage ListDamage, err error) {
	list := t.NewList()
	var unread undated
	problems, torque, err := eachRecord(from, append(append([]string{}, recordNames...), nowNames...), func(r *Record) {
		now, time := nowOf(list, r, zone)
		if now.Job == nil {
			return
		}
		isKnown := IsState(now.Letter)
		if !isKnown {
			damage.States++
			if now.Vnodes() == "" {
				return
			}
			now.Letter, now.State = 'R', trace.Running
		}
		if now.State != trace.Ended && now.State != trace.Deleted && now.Letter != 'X' {
			all = append(all, now)
			if time != "" {
				unread.add(time)
			}
		}
	})
	t.Takes(list)
	if err != nil {
		return nil, damage, err
	}
	damage.Torque = torque
	for _, n := range problems {
		damage.Places += n
	}
	if unread.jobs > 0 {
		damage.Times = unread.say("%s with a time that cannot be read", "%s with times that cannot be read")
	}
	return all, damage, nil
}

// BySched is the substate, JOB_SUBSTATE_SCHSUSP, of jobs that the scheduler has suspended, which alone lets these go on.
const BySched = "45"

// OnOthers is the substate, JOB_SUBSTATE_DEPNHOLD, of jobs that are held until others are as far as they depend on.
const OnOthers = "22"

// IsState reports whether a job may have a state, as PBS's pbs_job.h has them, or C, TORQUE's for what is over.
func IsState(letter byte) bool { return strings.IndexByte("QHWTRESUBMFXC", letter) >= 0 }

// nowOf adds a job to a list of those that have not ended, and returns one of its times that cannot be read. It has no
// Job if the list has it twice.
func nowOf(list *trace.Trace, r *Record, zone *time.Location) (now trace.ListedJob, unread string) {
	j, unread := listedOf(r, zone)
	v := r.Values[len(recordNames):]
	now = trace.ListedJob{Letter: '?', Eligible: max(0, duration(v[nowEligible])), Used: duration(v[nowUsed]), Execution: trace.Unknown}
	if state := r.Values[recordState]; len(state) == 1 {
		now.Letter = state[0]
	}
	isOver := j.State == trace.Ended || j.State == trace.Deleted || now.Letter == 'X'
	if !isOver {
		describeNow(&now, &j, r)
		if text := v[nowExecution]; len(text) > 0 {
			at, ok := ParseTime(string(text), zone)
			if ok {
				now.Execution = at
			} else if unread == "" {
				unread = fmt.Sprintf("%s %.60q of %s", nowNames[nowExecution], text, r.ID)
			}
		}
		if at, ok := ParseTime(string(StartOf(v[nowEstimated], v[nowEstimatedObject])), zone); ok && j.State == trace.Waiting {
			now.Estimated = at
		}
	}
	now.Job = list.AddListed(j)
	return now, unread
}

// describeNow fills in what a list says of a job that has not ended.
func describeNow(now *trace.ListedJob, j *trace.ListRow, r *Record) {
	v := r.Values[len(recordNames):]
	isKnown := IsState(now.Letter)
	if isKnown && !strings.ContainsRune("RSEU", rune(now.Letter)) {
		j.Start, j.State = trace.Unknown, trace.Waiting
	}
	if now.Used == trace.Unknown {
		now.Used = duration(memberOf(r.Values[recordUsed], "walltime"))
	}
	if n := trace.Integer(v[nowPriority]); n >= math.MinInt32 && n <= math.MaxInt32 {
		now.Priority = int32(n)
	}
	now.NotPlanned, now.IsKept = IsTrue(v[nowNotPlanned]), IsFalse(v[nowRerunable])
	if comment := string(v[nowComment]); (NeverRuns(comment) || IsOfLimit(comment)) && j.State == trace.Waiting {
		now.Comment = comment
	}
	if j.State == trace.Waiting {
		now.Says = string(v[nowComment])
		now.Lacks, _ = Lacking(now.Says)
	}
	substate := string(v[nowSubstate])
	now.IsStopped = now.Letter == 'S' && substate != "" && substate != BySched
	if n := trace.Integer(v[nowMaxSubjobs]); n > 0 && n <= math.MaxInt32 {
		now.MaxSubjobs = int32(n)
	}
	if len(r.Values[recordVnodes]) > 0 && (j.State == trace.Running || !isKnown) {
		j.Vnodes = string(r.Values[recordVnodes])
	}
	if trace.IsArray(string(j.ID)) {
		now.Left, j.Indices = string(v[nowLeft]), string(v[nowSubmitted])
	}
	if now.Letter == 'H' || bytes.Contains(v[nowDepend], []byte("before")) { // else it waits for nobody any more
		j.Depend = string(v[nowDepend])
	}
	now.Holds, now.HasDepend = string(v[nowHolds]), len(v[nowDepend]) > 0 || now.Letter == 'H' && substate == OnOthers
}

// IsTrue reports whether a switch of a job is on.
func IsTrue(text []byte) bool { return strings.EqualFold(string(text), "true") || string(text) == "1" }

// IsFalse reports whether a switch of a job is off, and not left out.
func IsFalse(text []byte) bool {
	return slices.Contains([]string{"false", "f", "n", "0"}, strings.ToLower(string(text)))
}

// duration returns seconds as qstat prints them, Unknown for what is none.
func duration(text []byte) int64 {
	if len(text) == 0 {
		return trace.Unknown
	}
	return trace.Seconds(text)
}
