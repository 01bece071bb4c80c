package conformance

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"testing"

	"fairshare/cmd/internal/outcome"
	"fairshare/cmd/internal/slurm/sched"
)

// What sort holds a job with is what when says that it waits for, and the jobs that sort --now says
// start are those of the first cycle of when.
func TestWaits(t *testing.T) {
	holdForecasts(t, sites(t), func(t testing.TB, p place, d *differences) (hasForecast bool) {
		forecast := forecastOf(t, p)
		switch {
		case forecast == nil: // nothing tells of its nodes
		case p.isSlurm:
			waitsOfSlurm(t, p, d, forecast)
		default:
			waitsOfPBS(t, p, d, forecast)
		}
		return forecast != nil
	})
}

// forecastOf returns the rows of a forecast by job, of an array the first one, and nil where the site
// lacks what that needs.
func forecastOf(t testing.TB, p place) map[string]line {
	a := ask("when", p.dir, "--runs", "1", "--tz", "UTC", "-o", "csv")
	if !a.isForecast() {
		t.Log(a.said)
		return nil
	}
	all := map[string]line{}
	for _, row := range ofCSV(t, a.out).rows {
		id := row["job"]
		if array, rest, isTask := strings.Cut(id, "["); isTask {
			_, server, _ := strings.Cut(rest, "]")
			id = array + "[]" + server
		} else if array, _, isTask := strings.Cut(id, "_"); isTask {
			id = array
		}
		if all[id] == nil {
			all[id] = row
		}
		all[row["job"]] = row
	}
	return all
}

// ranks holds the places of a forecast to the ranks of sort: all jobs that wait have theirs, but for those that are held or
// never start, and the tasks of an array have that of the array. Of several rows that is the first in which the job may start.
func ranks(d *differences, sorted table, forecast map[string]line) {
	rank, first := map[string]string{}, map[string]string{}
	for _, row := range sorted.rows {
		first[row["id"]] = cmp.Or(first[row["id"]], row["rank"])
		if why := row["waits_for"]; !strings.HasPrefix(why, outcome.Held) && !strings.HasPrefix(why, outcome.Never) {
			rank[row["id"]] = cmp.Or(rank[row["id"]], row["rank"])
		}
	}
	for id, at := range first {
		rank[id] = cmp.Or(rank[id], at)
	}
	for id, of := range forecast {
		array, _, _ := strings.Cut(id, "_")
		if from, rest, isTask := strings.Cut(id, "["); isTask {
			_, server, _ := strings.Cut(rest, "]")
			array = from + "[]" + server
		}
		if of["place"] != "" {
			d.equal("rank of job "+id+" in sort and when", cmp.Or(rank[id], rank[array]), of["place"])
		}
	}
}

// waitsOfPBS holds what stops each job now, for sort --now, to the first cycle of a forecast. A job
// whose order says that it is held is not of that cycle.
func waitsOfPBS(t testing.TB, p place, d *differences, forecast map[string]line) {
	sorted := asked(t, "sort", p.dir, "--now", "--all", "--tz", "UTC")
	ranks(d, sorted, forecast)
	for _, row := range sorted.rows {
		of, isWaiting := forecast[row["id"]]
		if !isWaiting {
			// A suspended job goes on where it is. That all subjobs of an array run, the recorded lists do not
			// say of it, as qstat does in array_indices_remaining.
			if row["considered"] == "true" && row["state"] != "S" && row["state"] != "B" {
				d.add("job %s is considered and not forecast", row["id"])
			}
			continue
		}
		d.equal("what job "+row["id"]+" waits for, in sort --now and when", row["waits_for"], of["reason"])
		if row["starts_now"] != "" { // else the vnodes run jobs that the list lacks
			d.equal("whether job "+row["id"]+" starts now, in sort --now and when", row["starts_now"], strings.HasPrefix(of["reason"], "the next cycle"))
		}
		if row["reason"] == "it is held (job_state H)" && !strings.HasPrefix(of["reason"], "held: ") {
			d.add("job %s is held for sort, and waits for %s for when", row["id"], of["reason"])
		}
	}
}

// waitsOfSlurm holds what stops each job now, for sort --now, to the first pass and cycle of a forecast, and the limit that
// sort says of it, and whose that is, unless the job is not looked at in any case, or those that start before it reach the limit.
func waitsOfSlurm(t testing.TB, p place, d *differences, forecast map[string]line) {
	isStart := func(of line) bool { return of["reason"] == "the next cycle" }
	start := slices.ContainsFunc(slices.Collect(maps.Values(forecast)), isStart)
	sorted := asked(t, "sort", p.dir, "--now", "--all", "--tz", "UTC")
	ranks(d, sorted, forecast)
	starts, isFree, isOpen := map[string]bool{}, map[string]bool{}, map[string]bool{} // in one of their partitions, or under one of their QOS
	isHeld := func(row line) bool {
		return strings.HasPrefix(row["waits_for"], outcome.Held) || strings.HasPrefix(row["waits_for"], outcome.Never)
	}
	for _, row := range sorted.rows {
		starts[row["id"]] = starts[row["id"]] || row["starts_now"] == "true"
		isFree[row["id"]] = isFree[row["id"]] || row["limit"] == ""
		isOpen[row["id"]] = isOpen[row["id"]] || !isHeld(row)
	}
	for _, row := range sorted.rows {
		of, isForecast := forecast[row["id"]]
		if isHeld(row) && isOpen[row["id"]] { // by the state of this partition, or a rule of it, and the job may start in another one
			if isForecast && (of["queue"] == row["partition"] || !isStuck(row)) {
				d.add("job %s: %s for sort, and %s in %s for when", row.entry(), row["waits_for"], of["reason"], of["queue"])
			}
			continue
		}
		if _, isArray := forecast[row["id"]+"_1"]; isForecast && !isArray {
			d.equal("what job "+row.entry()+" waits for, in sort --now and when", row["waits_for"], of["reason"])
			d.equal("whether job "+row["id"]+" starts now, in sort --now and when", starts[row["id"]], isStart(of))
		}
		if reason := strings.TrimPrefix(of["reason"], outcome.Held); strings.HasSuffix(reason, "(State)") { // of the partition, as it is now
			if strings.HasSuffix(row["reason"], ": Dependency") { // which holds it as well
				continue
			}
			d.equal("what holds job "+row.entry()+" as long as its partition is not up, in sort and when", strings.TrimPrefix(row["limit"], row["reason"]+": "), reason)
			continue
		}
		reason, isNever := strings.CutPrefix(of["reason"], outcome.Never) // of a job that is over a limit of its own
		word, rest, _ := strings.Cut(strings.TrimSuffix(reason, ", whatever else runs"), " (")
		if row["considered"] != "true" {
			if isForecast && word != "JobArrayTaskLimit" && word != "Dependency" && !strings.HasPrefix(word, "held") && !isNever {
				d.add("job %s is left out by sort (%s), and waits for %s for when", row["id"], row["reason"], of["reason"])
			}
			continue
		}
		limit, detail, isLimited := strings.Cut(row["limit"], ": ")
		isOfLimit := sched.IsLimit(word)
		if isForecast && (row["never"] != "" || !strings.HasPrefix(word, "held")) && !strings.HasPrefix(reason, "Slurm says") {
			d.equal("whether job "+row.entry()+" never starts, in sort and when", row["never"] != "", isNever)
		}
		switch {
		case !isForecast:
			d.add("job %s is considered and not forecast", row["id"])
		case !isLimited && start, isLimited && isFree[row["id"]]: // what one entry of several is over is not what its job waits for
		case isNever && limit != word: // it is over one that holds now as well, or what its nodes would have is over one
		case isLimited && !strings.HasPrefix(word, "held") && (!isNever || isOfLimit), isOfLimit:
			d.equal("limit of job "+row.entry()+", in sort and when", limit, word)
			if !strings.HasSuffix(detail, " of "+rest) && rest != "" {
				d.add("job %s: %s for sort, and %s for when", row.entry(), row["limit"], of["reason"])
			}
		}
	}
}
