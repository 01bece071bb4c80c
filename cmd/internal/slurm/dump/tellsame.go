package dump

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"fairshare/cmd/internal/file"
	"fairshare/cmd/internal/report"
	"fairshare/cmd/internal/slurm"
)

// namedBy are the columns or keys by which a row of one print is found in another one of its kind.
var namedBy = map[Kind][]string{
	KindJobs: {"jobid"}, KindNodes: {"nodename"}, KindPartitions: {"partitionname"}, KindReservations: {"reservationname"}, KindLicences: {"licensename"},
	KindShares: {"account", "user", "partition"}, KindQOS: {"name"}, KindAssociations: {"cluster", "account", "user", "partition"}, KindQueue: {"jobid", "partition"},
}

// moving is what changes from one moment to the next while nothing happens, so that two prints of a minute may differ in it.
var moving = map[Kind][]string{
	KindJobs:   {"runtime", "lastschedeval", "reason", "schednodelist", "presustime"},
	KindConfig: {"next_job_id"},
	KindNodes:  {"cpuload", "freemem", "lastbusytime", "currentwatts", "averagewatts"},
	KindQueue:  {"time", "time_left", "start_time", "reason", "nodelist(reason)", "schednodes"},
}

// expectedOf are keys of a job that waits which tell what Slurm expects, and so move as well.
var expectedOf = []string{"starttime", "endtime"}

// likenessOf returns how a print is to another one of its kind that is read in its place, as both are read: they tell the same whatever
// their form, where what both tell is alike. Else it names a fact that differs, where one can be named.
func likenessOf(p, read Part) (how file.Likeness, fact string) {
	if how = file.LikenessOf(p.Text, read.Text); how != file.Different || slurm.IsJSON(p.Text) || slurm.IsJSON(read.Text) {
		return how, ""
	}
	theirs, counted := byName(read)
	own, count := byName(p)
	if len(own) == 0 || len(theirs) == 0 {
		return file.Different, ""
	}
	for _, name := range slices.Sorted(maps.Keys(own)) {
		row := own[name]
		is, isThere := theirs[name]
		if count[name] != counted[name] && isThere {
			return file.Different, fmt.Sprintf("%s stands in it %s, and in the one that is read %s", name, report.Count(count[name], "time"), report.Count(counted[name], "time"))
		}
		if count[name] > 1 {
			continue
		}
		if !isThere {
			return file.Different, fmt.Sprintf("%s is in it alone", name)
		}
		for _, key := range slices.Sorted(maps.Keys(row)) {
			other, isTold := is[key]
			isMoving := slices.Contains(moving[p.Kind], key) || row["jobstate"] == "PENDING" && slices.Contains(expectedOf, key)
			if isTold && !isMoving && !isAlike(row[key], other) {
				return file.Different, fmt.Sprintf("%s of %s is %s, and %s in the one that is read", key, name, report.DashIfEmpty(row[key]), report.DashIfEmpty(other))
			}
		}
	}
	return file.Copy, ""
}

// byName returns the rows of a print by what they are called, and how often each stands there.
func byName(p Part) (of map[string]Row, count map[string]int) {
	var rows []Row
	switch {
	case p.Kind == KindConfig:
		rows = []Row{maps.Collect(printedSettings(p.Text))}
	case p.Kind == KindJobs:
		rows = recordsOf(p.Kind, "JobId", p.Text)
	case firsts[p.Kind] != "":
		rows = recordsOf(p.Kind, firsts[p.Kind], p.Text)
	case namedBy[p.Kind] != nil:
		rows, _ = ReadTable(p.Text)
	}
	of, count = map[string]Row{}, map[string]int{}
	for _, row := range rows {
		var words []string
		for _, key := range namedBy[p.Kind] {
			if row[key] != "" {
				words = append(words, row[key])
			}
		}
		name := nouns[p.Kind] + strings.Join(words, " ")
		count[name]++
		of[name] = row
	}
	return of, count
}

// nouns are what stands before the name of a row.
var nouns = map[Kind]string{
	KindJobs: "job ", KindNodes: "node ", KindPartitions: "partition ", KindReservations: "reservation ", KindLicences: "licence ",
	KindShares: "association ", KindQOS: "QOS ", KindAssociations: "association ", KindQueue: "job ", KindConfig: "the configuration",
}

// isAlike reports whether two values are the same, of which the width of a column may have cut off one.
func isAlike(a, b string) bool {
	if a == b {
		return true
	}
	short, long := strings.TrimSuffix(a, "+"), strings.TrimSuffix(b, "+")
	if len(short) > len(long) {
		short, long = long, short
	}
	const least = 7 // letters of a narrow column
	_, err := strconv.ParseFloat(short, 64)
	return err != nil && len(short) >= least && strings.HasPrefix(long, short)
}
