package pbs

import (
	"fmt"
	"strconv"
	"strings"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/report"
	"fairshare/fstree"
)

// timed are the settings of sched_config that are times of hours, with what comes of one that is too short.
var timed = map[string]string{
	"fairshare_decay_time": "usage is as good as forgotten within some hours",
	oldDecayTime:           "usage is as good as forgotten within some hours",
	"max_starve":           "a job is starving once it has waited for so long",
}

// shortTime says of a time of sched_config which PBS takes for minutes or seconds that hours were meant perhaps: "" for no such one. One
// that is written in full, such as 00:10:00, is meant so.
func shortTime(name, value string) string {
	const hour, inFull = 3600, 2 // colons
	does, colons := timed[name], strings.Count(value, ":")
	seconds, isTime := fstree.Seconds(value)
	if does == "" || !isTime || colons >= inFull || seconds == 0 || seconds >= hour {
		return ""
	}
	is, hours := "seconds", value+":00:00"
	if colons == 1 {
		is, hours = "minutes and seconds", value+":00"
	}
	return fmt.Sprintf("%s: %s is of %s, %s in all: %s; as hours it is %s", name, value, is, report.Duration(float64(seconds)), does, hours)
}

// ShortTimes says of which times that With has set hours were meant perhaps.
func (s *Site) ShortTimes() (list []string) {
	for _, c := range s.Changes {
		if name, isConfig := strings.CutPrefix(c.Name, "sched."); isConfig {
			if text := shortTime(name, c.Value); text != "" {
				list = append(list, "as set: "+text)
			}
		}
	}
	return list
}

// checkTimesAsked warns of times that jobs may ask for, or get, of which hours were meant perhaps: of less than a minute, or of a bare
// number below 100. A least time of a minute, or one that is written in full, is meant so.
func (s *Site) checkTimesAsked() (remarks []diag.Remark) {
	const few, bare = 60, 100
	check := func(a Attributes, where string) {
		for _, attribute := range []string{"resources_max", "resources_min", "resources_default"} {
			for _, resource := range []string{"walltime", "cput"} {
				name := attribute + "." + resource
				seconds, isTime := fstree.Seconds(a[name])
				_, err := strconv.Atoi(a[name])
				isBare, isLeast := err == nil, attribute == "resources_min"
				isShort := seconds < few && (isBare || !isLeast) || seconds < bare && isBare && !isLeast
				if !isTime || seconds < 1 || !isShort {
					continue
				}
				remarks = append(remarks, diag.Warningf("%s of %s, %s, is %s; if hours are meant, write %d:00:00", name, where, a[name], report.Count(int(seconds), "second"), int(seconds)).At(where, 0))
			}
		}
	}
	check(s.Sched.Server, "the server")
	for _, q := range s.Queues {
		check(q.Attributes, "queue "+q.Name)
	}
	return remarks
}
