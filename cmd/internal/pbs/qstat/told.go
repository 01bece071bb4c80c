package qstat

import (
	"bytes"
	"iter"
	"slices"
	"strings"
	"time"

	"fairshare/cmd/internal/trace"
)

// ofWaits are what in a list in JSON tells how long jobs have waited.
var ofWaits = []string{"Job_Name", "accrue_type", "eligible_time", "etime"}

// eachOfWaits yields the values of ofWaits by their names, as a list in JSON has them one after the other.
func eachOfWaits(list []byte) iter.Seq2[string, string] {
	const space = " \t\n\f\r"
	return func(yield func(name, value string) bool) {
		for isThere := true; isThere; {
			if _, list, isThere = bytes.Cut(list, []byte(`"`)); !isThere {
				return
			}
			at := slices.IndexFunc(ofWaits, func(name string) bool {
				return len(list) > len(name) && list[len(name)] == '"' && string(list[:len(name)]) == name
			})
			if at < 0 {
				continue
			}
			value, isField := bytes.CutPrefix(bytes.TrimLeft(list[len(ofWaits[at])+1:], space), []byte(":"))
			if !isField {
				continue
			}
			value = bytes.TrimPrefix(bytes.TrimLeft(value, space), []byte(`"`))
			if end := bytes.IndexAny(value, `",}`); end >= 0 {
				value, list = value[:end], value[end:]
			} else {
				list = nil
			}
			if !yield(ofWaits[at], strings.TrimSpace(string(value))) {
				return
			}
		}
	}
}

// ToldOffset returns by how many seconds the local times of a list in JSON are ahead of UTC, by how it begins, and when the list was
// made: a job that has been eligible since it could be has waited, by its eligible_time, from its etime until then. ok is false
// where not most of such jobs, and three at least, tell the same.
func ToldOffset(begin []byte) (offset, at int64, ok bool) {
	const least, quarter, jitter = 3, 15 * 60, 30 // seconds that offsets are multiples of, and that a list takes
	made, ok := MadeAt(begin)
	if !ok {
		return 0, 0, false
	}
	const eligible = "2" // of accrue_type
	votes, all := map[int64]int{}, 0
	var job struct{ accrues, waited, since string }
	vote := func() {
		since, err := time.Parse(time.ANSIC, job.since)
		seconds := duration([]byte(job.waited))
		isClock := strings.Count(job.waited, ":") == 2 // as 04:08:21
		if job.accrues != eligible || err != nil || seconds == trace.Unknown || !isClock {
			return
		}
		all++
		ahead := since.Unix() + seconds - made.Unix()
		near := (ahead+jitter+24*60*60)/quarter*quarter - 24*60*60 // of which it is less than jitter short, or a little more
		if late := ahead - near; late >= -jitter && late <= jitter {
			votes[near]++
		}
	}
	for name, text := range eachOfWaits(begin) {
		switch name {
		case "Job_Name":
			vote()
			job.accrues, job.waited, job.since = "", "", ""
		case "accrue_type":
			job.accrues = text
		case "eligible_time":
			job.waited = text
		case "etime":
			job.since = text
		}
	}
	vote()
	for seconds, n := range votes {
		if n >= least && 2*n > all && seconds >= -14*60*60 && seconds <= 14*60*60 {
			return seconds, made.Unix(), true
		}
	}
	return 0, 0, false
}
