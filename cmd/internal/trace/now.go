package trace

import (
	"bytes"
	"fmt"
	"math"
	"strings"
	"time"

	"fairshare/cmd/internal/file"
	"fairshare/cmd/internal/pbs/qstat"
)

// Now is a job of a list as it stood when the list was taken.
type Now struct {
	*Job              // with its start and its vnodes if it runs
	Letter      byte  // job_state
	Eligible    int64 // eligible_time in seconds, Unknown where the list does not say it
	Used        int64 // resources_used.walltime, likewise
	Priority    int32
	MaxSubjobs  int32  // how many subjobs of the array may run at a time, 0 for any number
	Left        string // of an array, the indices that still wait; "" where the list does not say it
	Holds       string // Hold_Types
	HasDepend   bool   // whether it waits for other jobs
	IsScheduled bool   // whether it is held until a time
	Unreadable  string // an amount that the scheduler cannot read, so that it leaves the job out; "" for none
}

// NowDamage is what of a list could not be read.
type NowDamage struct {
	Places int // that are no part of a job
	States int // jobs in a state that PBS does not have: those with vnodes are taken to run, the others are left out
}

// Places of the attributes of Now in a schema, after those of qstatNames.
const (
	nowEligible = iota
	nowPriority
	nowMaxSubjobs
	nowLeft
	nowSubmitted
	nowHolds
	nowDepend
	nowExecution
	nowVnodes
	nowUsed
	nowUsedObject
	nowOwner
)

var nowNames = []string{
	nowEligible: "eligible_time", nowPriority: "Priority", nowMaxSubjobs: "max_run_subjobs", nowLeft: "array_indices_remaining",
	nowSubmitted: "array_indices_submitted", nowHolds: "Hold_Types", nowDepend: "depend", nowExecution: "Execution_Time",
	nowVnodes: "exec_vnode", nowUsed: "resources_used.walltime", nowUsedObject: "resources_used", nowOwner: "Job_Owner",
}

// ReadNow returns the jobs of a list of those that have not ended, as qstat -f prints it in any
// of its forms, with times in a zone. Their names have the numbers of the trace, which otherwise
// stays as it is.
func (t *Trace) ReadNow(from file.Source, zone *time.Location) (all []Now, damage NowDamage, err error) {
	in, err := from.Open()
	if err != nil {
		return nil, damage, err
	}
	defer in.Close()
	list := newTrace(Keep{Requests: true})
	list.Names = t.Names
	read := func(b *qstat.Batch) error {
		for _, n := range b.Problems {
			damage.Places += n
		}
		for i := range b.Records {
			now, ok := list.addNow(&b.Records[i], zone)
			if now.Job != nil && !strings.ContainsRune(nowStates, rune(now.Letter)) {
				damage.States++
				if ok = now.isPlaced(); ok {
					now.Letter, now.State = 'R', Running
				}
			}
			if ok {
				all = append(all, now)
			}
		}
		return nil
	}
	names := append(append([]string{}, qstatNames...), nowNames...)
	options := qstat.Options{Schema: qstat.NewSchema(names...), Workers: 1}
	_, err = qstat.Read(in, options, func(b *qstat.Batch) *qstat.Batch { return b }, read)
	t.Names = list.Names
	if err != nil {
		return nil, damage, fmt.Errorf("%s: %w", from.Name, err)
	}
	return all, damage, nil
}

// Submission is a job as it is submitted.
type Submission struct {
	ID, User, Queue      string
	Group, Project, Name string // "" for none
	At                   int64
	Resources            []qstat.Resource
}

// Submitted returns a job that waits since it was submitted, and is in no list yet. Its names have the
// numbers of the trace, which otherwise stays as it is.
func (t *Trace) Submitted(s Submission) Now {
	list := newTrace(Keep{Requests: true})
	list.Names = t.Names
	j, _ := list.newJob([]byte(s.ID))
	for _, of := range []struct {
		into *int32
		name string
	}{{&j.User, s.User}, {&j.Group, s.Group}, {&j.Project, s.Project}, {&j.Queue, s.Queue}, {&j.Name, s.Name}} {
		if of.name != "" {
			*of.into = list.Names.number([]byte(of.name))
		}
	}
	j.Queued, j.Arrival, j.State = s.At, s.At, Waiting
	list.setRequested(j, s.Resources)
	t.Names = list.Names
	return Now{Job: j, Letter: 'Q', Eligible: Unknown, Used: Unknown}
}

// nowStates are the states that a job may have, as PBS's pbs_job.h has them.
const nowStates = "QHWTRESUBMFX"

// isPlaced reports whether a job has vnodes.
func (n *Now) isPlaced() bool { return n.Vnodes() != "" }

// addNow adds a job of a list of those that have not ended. ok is false for one that has, or that
// the list has twice.
func (t *Trace) addNow(r *qstat.Record, zone *time.Location) (now Now, ok bool) {
	before := len(t.Jobs)
	t.addQstat(r, zone)
	if len(t.Jobs) == before {
		return now, false
	}
	j, v := t.Jobs[before], r.Values[len(qstatNames):]
	now = Now{Job: j, Letter: '?', Eligible: duration(v[nowEligible]), Used: duration(v[nowUsed])}
	if state := r.Values[qstatState]; len(state) == 1 {
		now.Letter = state[0]
	}
	if j.State == Ended || j.State == Deleted || now.Letter == 'X' {
		return now, false
	}
	if j.User == 0 {
		owner, _, _ := bytes.Cut(v[nowOwner], []byte("@"))
		t.keep(&j.User, owner)
	}
	isKnown := strings.IndexByte(nowStates, now.Letter) >= 0
	if isKnown && now.Letter != 'R' && now.Letter != 'S' && now.Letter != 'E' && now.Letter != 'U' {
		j.Start, j.State = Unknown, Waiting
	}
	if now.Used == Unknown {
		now.Used = usedWalltime(v[nowUsedObject])
	}
	if n := integer(v[nowPriority]); n >= math.MinInt32 && n <= math.MaxInt32 {
		now.Priority = int32(n)
	}
	if n := integer(v[nowMaxSubjobs]); n > 0 && n <= math.MaxInt32 {
		now.MaxSubjobs = int32(n)
	}
	if len(v[nowVnodes]) > 0 && (j.State == Running || !isKnown) {
		j.makeRare().vnodes = string(v[nowVnodes])
	}
	if j.IsArray {
		now.Left = string(v[nowLeft])
		if len(v[nowSubmitted]) > 0 {
			j.makeRare().indices = string(v[nowSubmitted])
		}
	}
	if now.Letter == 'H' || bytes.Contains(v[nowDepend], []byte("before")) { // else it waits for nobody any more
		j.makeRare().depend = string(v[nowDepend])
	}
	now.Holds, now.HasDepend, now.IsScheduled = string(v[nowHolds]), len(v[nowDepend]) > 0, len(v[nowExecution]) > 0
	return now, true
}

// duration returns seconds as qstat prints them, Unknown for what is none.
func duration(text []byte) int64 {
	if len(text) == 0 {
		return Unknown
	}
	return seconds(text)
}

// usedWalltime finds walltime in what JSON has as resources_used.
func usedWalltime(object []byte) int64 {
	const name = `"walltime"`
	_, rest, ok := strings.Cut(string(object), name)
	if !ok {
		return Unknown
	}
	rest = strings.TrimLeft(rest, " \t\r\n:")
	if !strings.HasPrefix(rest, `"`) {
		return Unknown
	}
	text, _, _ := strings.Cut(rest[1:], `"`)
	return duration([]byte(text))
}

// Again returns a job that asks for what this one did, and comes anew at a time.
func (j *Job) Again(id string, arrival int64) Job {
	again := j.As(Unknown, Unknown, nil, nil)
	again.ID, again.Arrival, again.Queued, again.State, again.Exit = id, arrival, arrival, Waiting, Unknown
	return again
}

// Unended returns the jobs that had not ended by Keep.Until, up to which the trace was read, as far
// as its records tell: those that could run, those that ran and on which vnodes, and those that were
// suspended. The subjobs of arrays come one by one. Priorities, holds and how many subjobs may run
// at a time are in no record.
func (t *Trace) Unended() []Now {
	var list []Now
	known := map[string]bool{}
	for _, j := range t.Jobs {
		known[j.ID] = true
	}
	for place, j := range t.Jobs {
		isOver := j.State == Ended || j.State == Deleted
		if isOver || j.State == Waiting && j.Arrival == Unknown {
			continue
		}
		if !j.IsArray {
			list = append(list, t.unended(*j, t.placed[int32(place)]))
			continue
		}
		indices, _ := ParseIndices(j.Indices())
		count := 0
		for index := range indices.All() {
			const most = 1 << 20 // subjobs of an array
			if count++; count > most {
				break
			}
			subjob := *j
			subjob.ID, subjob.IsArray = SubjobID(j.ID, index), false
			subjob.Start, subjob.State, subjob.rare = Unknown, Waiting, nil
			if !known[subjob.ID] {
				list = append(list, t.unended(subjob, ""))
			}
		}
	}
	return list
}

func (t *Trace) unended(j Job, vnodes string) Now {
	now := Now{Job: &j, Letter: 'Q', Eligible: Unknown, Used: Unknown}
	if since := j.EligibleSince(); since != Unknown {
		now.Eligible = max(0, t.until-since)
	}
	if j.State == Running {
		now.Letter = 'R'
		pauses := j.Pauses()
		if n := len(pauses); n > 0 && pauses[n-1].End > t.Last {
			now.Letter = 'S'
		}
		kept := rare{suspendedAt: Unknown, eligible: Unknown}
		if j.rare != nil {
			kept = *j.rare
		}
		kept.vnodes = vnodes
		j.rare = &kept
	}
	return now
}
