package joblist

import (
	"bytes"
	"slices"
	"strings"
	"time"

	"fairshare/cmd/internal/pbs/cluster"
	"fairshare/cmd/internal/pbs/qstat"
	"fairshare/cmd/internal/trace"
)

// Course is what a list says of a job that runs, is held or has left.
type Course struct {
	Holds  string // Hold_Types, such as u, "" or n for none
	Depend string // for which jobs it waits, as PBS writes it
	Vnodes string // exec_vnode
	Exit   string // Exit_status

	IsForOthers bool // whether it is held until other jobs are as far as it depends on

	Start, End int64 // in seconds since 1970, trace.Unknown where nothing tells them
	Walltime   int64 // that it asks for, likewise
}

// places of what courseOf keeps.
var coursePlaces = []int{holdsAt, dependAt, vnodesAt, exitAt, startAt, endAt, historyAt, substateAt}

// courseOf returns what a record says of the course of a job, as one text: of the attributes at coursePlaces one after another.
func courseOf(v [][]byte) []byte {
	var list [][]byte
	for _, at := range coursePlaces {
		list = append(list, v[at])
	}
	return bytes.Join(list, []byte{0})
}

// Course returns what a list whose local times are of a zone says of the job of a row that does not wait in its queue; nothing of others,
// and where comments are not kept.
func (l *List) Course(row int, zone *time.Location) (c Course) {
	c.Start, c.End, c.Walltime = trace.Unknown, trace.Unknown, trace.Unknown
	of := strings.Split(l.Comments.Of(l.Job(row).Course), "\x00")
	if len(of) != len(coursePlaces) {
		return c
	}
	c.Holds, c.Depend, c.Vnodes, c.Exit = of[0], of[1], of[2], of[3]
	c.IsForOthers = of[7] == qstat.OnOthers
	if at, ok := qstat.ParseTime(of[4], zone); ok {
		c.Start = at
	}
	if at, ok := qstat.ParseTime(of[5], zone); ok {
		c.End = at
	} else if l.Job(row).HasLeft() {
		c.End = trace.Integer([]byte(of[6]))
	}
	for part := range strings.SplitSeq(l.Asks(row), ", ") {
		if text, is := strings.CutPrefix(part, "walltime="); is {
			c.Walltime = trace.Seconds([]byte(text))
		}
	}
	return c
}

// On returns the names of the vnodes of a job, each once.
func (c Course) On() (names []string) {
	for name := range cluster.Vnodes(c.Vnodes) {
		if name != "" && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}
