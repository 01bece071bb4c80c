package qstat

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"iter"
	"maps"
	"slices"
	"time"

	"fairshare/cmd/internal/file"
	"fairshare/cmd/internal/trace"
)

// Attributes that qstat prints of a job, by their places in a schema.
const (
	recordState = iota
	recordUser
	recordGroup
	recordAccount
	recordProject
	recordQueue
	recordName
	recordCreated
	recordQueued
	recordEligible
	recordStart
	recordEnd
	recordExit
	recordHistory
	recordOwner
	recordPlaced
	recordTorqueStart // those of TORQUE
	recordTorqueEnd
	recordTorqueExit
	recordHosts
	recordVnodes
	recordUsed // in JSON, where all that it has used is one object
)

var recordNames = []string{
	recordState: "job_state", recordUser: "euser", recordGroup: "egroup", recordAccount: "Account_Name", recordProject: "project", recordQueue: "queue",
	recordName: "Job_Name", recordCreated: "ctime", recordQueued: "qtime", recordEligible: "etime", recordStart: "stime", recordEnd: "obittime",
	recordExit: "Exit_status", recordHistory: "history_timestamp", recordOwner: "Job_Owner", recordPlaced: trace.PlacedSelect,
	recordTorqueStart: "start_time", recordTorqueEnd: "comp_time", recordTorqueExit: "exit_status",
	recordHosts: "exec_host", recordVnodes: "exec_vnode", recordUsed: usedObject,
}

// PrintsAll is what qstat does with the jobs of others, as the end of a sentence.
const PrintsAll = "prints those of all where query_other_jobs is True, and to root"

// PrintsEnded says what a user has in place of accounting logs, as the end of a sentence.
const PrintsEnded = "qstat -xf prints to any user the jobs that have ended as well, where job_history_enable is set"

// PrintsLengths says behind it what a user has in a table.
const PrintsLengths = "; qstat -xa tells at least how long they ran"

// errEnded ends the reading of a list.
var errEnded = errors.New("a job has ended")

// HasEnded reports whether a job of a list has ended, as qstat -xf prints such. It reads up to the first.
func HasEnded(from file.Source) bool {
	err := from.Read(func(plain *bufio.Reader) error {
		_, err := Read(plain, Options{Schema: NewSchema(recordNames...), Workers: 1}, func(b *Batch) *Batch { return b }, func(b *Batch) error {
			for i := range b.Records {
				if job, _ := listedOf(&b.Records[i], time.UTC); job.State == trace.Ended || job.State == trace.Deleted {
					return errEnded
				}
			}
			return nil
		})
		return err
	})
	return errors.Is(err, errEnded)
}

// Records returns what qstat -xf prints as a format of records. Lists are read together: a job that several have counts once.
func Records() trace.Format {
	return trace.Format{
		Name: "a list of qstat", IsLast: true, Is: isList, Read: readRecords,
		IsLike: IsTable, Like: file.JobsTable, Timed: timed,
		Hint: func(begin []byte) string {
			if timed([][]byte{begin}) != nil {
				return file.JobsTable + ", which tells how long jobs ran and not when: formula history FILE alone tells their core hours, and for more " + PrintsEnded
			}
			return file.JobsTable + ", which tells neither when jobs started nor when they ended: " + PrintsEnded + PrintsLengths
		},
	}
}

// isList reports whether a text looks like what qstat -f prints, in one of its forms.
func isList(begin []byte) bool {
	begin = bytes.TrimLeft(begin, " \t\r\n\xef\xbb\xbf")
	return headerOf(begin) != nil || bytes.HasPrefix(begin, []byte("{")) || bytes.HasPrefix(begin, []byte("["))
}

// readRecords reads what qstat -xf prints, in any of its forms, with times in a zone.
// A job that has ended has done so at obittime, which older versions do not have:
// then it is not known when. A job that never runs because its times cannot be read
// is left out as that. Of several lists those tell of a job in which it has ended.
func readRecords(lists []file.Source, zone *time.Location, keep trace.Keep) (*trace.Trace, error) {
	t := trace.NewTrace(keep)
	var lost, partly undated
	var jobs, ended int
	names := slices.Clone(recordNames)
	kept := slices.Clone(keep.Used)
	if !slices.Contains(kept, "cput") {
		kept = append(kept, "cput")
	}
	for _, name := range kept {
		names = append(names, usedPrefix+name)
	}
	add := func(r *Record, wants func(isOver bool) bool) {
		job, unread := listedOf(r, zone)
		isOver := job.State == trace.Ended || job.State == trace.Deleted
		if !wants(isOver) {
			return
		}
		job.Used = used(r, kept)
		if jobs++; isOver {
			ended++
		}
		switch {
		case unread == "":
			t.AddListed(job)
		case job.Queued == trace.Unknown && job.Eligible == trace.Unknown && job.Start == trace.Unknown:
			lost.add(unread)
		default:
			t.AddListed(job)
			partly.add(unread)
		}
	}
	passes := []func(isOver bool) bool{func(isOver bool) bool { return isOver }, func(isOver bool) bool { return !isOver }}
	if len(lists) == 1 { // which may be readable once
		passes = []func(bool) bool{func(bool) bool { return true }}
	}
	isTorque := false
	for i, wants := range passes {
		for _, from := range lists {
			problems, torque, err := eachRecord(from, names, func(r *Record) { add(r, wants) })
			isTorque = isTorque || torque > 0
			if i == 0 {
				for _, kind := range slices.Sorted(maps.Keys(problems)) {
					t.AddProblem(trace.Problem{File: from.Name, Line: 1, Detail: kind})
				}
			}
			if err != nil {
				return t, err
			}
		}
	}
	t.SetTorque(isTorque)
	t.PrintsAll = "qstat -xf " + PrintsAll
	t.IsOfNow = jobs > 0 && ended == 0
	of := lists[0].Name
	if n := len(lists); n > 1 {
		of += fmt.Sprintf(" and %d more", n-1)
	}
	if lost.jobs > 0 {
		t.AddProblem(trace.Problem{File: of, Line: 1, Detail: lost.say("left out: %s of which nothing tells when it came, since its times cannot be read", "left out: %s of which nothing tells when they came, since their times cannot be read")})
	}
	if partly.jobs > 0 {
		t.AddProblem(trace.Problem{File: of, Line: 1, Detail: partly.say("%s with a time that cannot be read", "%s with times that cannot be read")})
	}
	return t, nil
}

// eachRecord calls f with each job of a list, and returns how often there was something that is no part of a job, and how
// many jobs are TORQUE's.
func eachRecord(from file.Source, names []string, f func(*Record)) (problems map[string]int, torque int, err error) {
	in, err := from.Open()
	if err != nil {
		return nil, 0, err
	}
	defer in.Close()
	problems = map[string]int{}
	read := func(b *Batch) error {
		torque += b.TorqueJobs
		for i := range b.Records {
			f(&b.Records[i])
		}
		for kind, n := range b.Problems {
			problems[kind] += n
		}
		return nil
	}
	// One worker, whose batches come in the order of the list.
	options := Options{Schema: NewSchema(names...), Workers: 1}
	plain, err := file.Plain(in)
	if err != nil {
		return nil, 0, fmt.Errorf("%s: %w", from.Name, err)
	}
	if _, err := Read(plain, options, func(b *Batch) *Batch { return b }, read); err != nil {
		return nil, 0, fmt.Errorf("%s: %w", from.Name, err)
	}
	return problems, torque, nil
}

// listedOf returns what a record says of a job, and one of its times that cannot be read, "" for none.
func listedOf(r *Record, zone *time.Location) (j trace.ListRow, unread string) {
	v := r.Values
	at := func(i int) int64 {
		when, ok := ParseTime(string(v[i]), zone)
		switch {
		case ok:
			return when
		case len(v[i]) > 0 && string(v[i]) != "0" && unread == "":
			unread = fmt.Sprintf("%s %.60q of %s", recordNames[i], v[i], r.ID)
		}
		return trace.Unknown
	}
	user := v[recordUser]
	if len(user) == 0 { // which PBS shows to managers alone
		user, _, _ = bytes.Cut(v[recordOwner], []byte("@"))
	}
	j = trace.ListRow{
		ID: r.ID, User: user, Group: v[recordGroup], Account: v[recordAccount], Project: v[recordProject], Queue: v[recordQueue], Name: v[recordName],
		Created: at(recordCreated), Queued: at(recordQueued), Eligible: at(recordEligible), Start: at(recordStart), End: trace.Unknown, Exit: trace.Unknown,
		State: trace.Waiting, Requested: Requested(r.Resources), Hosts: v[recordHosts],
	}
	if len(j.Hosts) == 0 {
		j.Hosts = v[recordVnodes]
	}
	if j.Start == trace.Unknown {
		j.Start = at(recordTorqueStart)
	}
	if placed := v[recordPlaced]; len(placed) > 0 {
		j.Requested = Requested(append(slices.Clone(r.Resources), Resource{Name: []byte(trace.PlacedSelect), Value: placed}))
	}
	letter := byte('Q')
	if len(v[recordState]) > 0 {
		letter = v[recordState][0]
	}
	switch letter {
	case 'F', 'X', 'M':
		if j.End, j.Exit = at(recordEnd), trace.Integer(v[recordExit]); j.End == trace.Unknown {
			j.End = trace.Integer(v[recordHistory])
		}
		if j.State = trace.Ended; j.Start == trace.Unknown {
			j.State = trace.Deleted
		}
	case 'C': // of TORQUE: completed
		if j.End, j.Exit, j.State = at(recordTorqueEnd), trace.Integer(v[recordTorqueExit]), trace.Ended; j.Start == trace.Unknown {
			j.State = trace.Deleted
		}
	case 'R', 'S', 'U', 'E', 'B':
		j.State = trace.Running
	}
	return j, unread
}

// Requested yields the names and amounts of resources, as trace.ListRow has them.
func Requested(resources []Resource) iter.Seq2[[]byte, []byte] {
	return func(yield func(name, value []byte) bool) {
		for _, r := range resources {
			if !yield(r.Name, r.Value) {
				return
			}
		}
	}
}
