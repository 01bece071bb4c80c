package pbs

import (
	"fmt"
	"strings"

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
