package cli

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"fairshare/cmd/internal/forecast"
	"fairshare/cmd/internal/report"
)

// endOfDay returns the midnight that follows a time.
func endOfDay(at int64, zone *time.Location) float64 {
	y, m, d := time.Unix(at, 0).In(zone).Date()
	return float64(time.Date(y, m, d+1, 0, 0, 0, 0, zone).Unix())
}

// unixOrEmpty returns a time in seconds since 1970, "" for one after the horizon.
func unixOrEmpty(at float64) string {
	if math.IsInf(at, 1) {
		return ""
	}
	return strconv.FormatInt(int64(math.Round(at)), 10)
}

// unixOrNull returns a time in seconds since 1970, nil for one after the horizon.
func unixOrNull(at float64) *report.Number {
	if math.IsInf(at, 1) {
		return nil
	}
	return report.Optional(math.Round(at))
}

// clock returns what prints times of a forecast.
func (c *whenCmd) clock(zone *time.Location) func(at float64) string {
	return func(at float64) string {
		if math.IsInf(at, 1) {
			return "after " + c.Horizon
		}
		return time.Unix(int64(at), 0).In(zone).Format("Mon 02 Jan 15:04")
	}
}

// clockOrNone prints a time, "-" for none.
func clockOrNone(clock func(float64) string, at float64) string {
	if math.IsInf(at, 1) {
		return "-"
	}
	return clock(at)
}

func placeOrEmpty(place int) string {
	if place == 0 {
		return ""
	}
	return strconv.Itoa(place)
}

// hasTold reports whether the scheduler itself says when some of the jobs start, as Slurm does.
func hasTold(jobs []*forecast.Job) bool {
	return slices.ContainsFunc(jobs, func(j *forecast.Job) bool { return !math.IsInf(j.Told, 1) })
}

// hasShift reports whether the starts of some of the jobs are compared with those without --set.
func hasShift(jobs []*forecast.Job) bool {
	return slices.ContainsFunc(jobs, func(j *forecast.Job) bool { return j.Shift != nil })
}

func (c *whenCmd) printCSV(s *session, jobs []*forecast.Job, today, deadline float64) error {
	out := report.NewCSV(s.out)
	header := []string{"job", "queue", "user", "place", "p10", "p50", "p90", "requested", "reason"}
	if c.Classic {
		header = append(header, "usual", "today")
	}
	if deadline > 0 {
		header = append(header, "by")
	}
	isTold := hasTold(jobs)
	if isTold {
		header = append(header, "slurm")
	}
	if c.Where {
		header = append(header, "nodes")
	}
	isCompared := hasShift(jobs)
	if isCompared {
		header = append(header, "sooner", "chance", "noise")
	}
	out.Write(header...)
	for _, j := range jobs {
		cells := []string{j.ID, j.Queue, j.User, placeOrEmpty(j.Place), unixOrEmpty(j.Low), unixOrEmpty(j.Median), unixOrEmpty(j.High), unixOrEmpty(j.Requested), j.Reason}
		if c.Classic {
			cells = append(cells, unixOrEmpty(j.Usual), report.Plain(j.Within(today)))
		}
		if deadline > 0 {
			cells = append(cells, report.Plain(j.Within(deadline)))
		}
		if isTold {
			cells = append(cells, unixOrEmpty(j.Told))
		}
		if c.Where {
			cells = append(cells, nodesOf(j))
		}
		switch {
		case isCompared && j.Shift != nil:
			cells = append(cells, report.OrEmpty(report.Optional(math.Round(j.Shift.Sooner))), report.OrEmpty(unixOrNull(j.Shift.Chance)), strconv.FormatBool(j.Shift.IsNoise()))
		case isCompared:
			cells = append(cells, "", "", "")
		}
		out.Write(cells...)
	}
	return out.Flush()
}

// whereLine is a node on which a job may start, in JSON.
type whereLine struct {
	Node string  `json:"node"`
	Part float64 `json:"part"` // of the runs in which the job starts
}

// whereLines returns the nodes on which a job may start.
func whereLines(j *forecast.Job) (lines []whereLine) {
	for _, n := range j.Nodes {
		lines = append(lines, whereLine{n.Name, math.Round(n.Part*1000) / 1000})
	}
	return lines
}

// nodesOf prints the nodes on which a job may start, with the part of the runs: n01=0.5 n02=0.25.
func nodesOf(j *forecast.Job) string {
	var list []string
	for _, l := range whereLines(j) {
		list = append(list, l.Node+"="+report.Plain(l.Part))
	}
	return strings.Join(list, " ")
}

// likelyNodes prints the most frequent of the nodes on which a job may start.
func likelyNodes(j *forecast.Job) string {
	const most = 3
	var list []string
	for _, n := range j.Nodes[:min(len(j.Nodes), most)] {
		list = append(list, n.Name+" "+likely(n.Part))
	}
	if more := len(j.Nodes) - most; more > 0 {
		list = append(list, fmt.Sprintf("%d more", more))
	}
	return report.Printable(strings.Join(list, ", "))
}

// whenLine is a job of a forecast in JSON; times are in seconds since 1970, null if after the
// horizon.
type whenLine struct {
	Job       string         `json:"job"`
	Queue     string         `json:"queue"`
	User      string         `json:"user"`
	Place     int            `json:"place"` // 0 for one that the scheduler does not look at
	P10       *report.Number `json:"p10"`
	P50       *report.Number `json:"p50"`
	P90       *report.Number `json:"p90"`
	Requested *report.Number `json:"requested"`
	Usual     *report.Number `json:"usual"`            // as long as jobs of its queue have waited
	Today     float64        `json:"today"`            // the part of the runs in which it starts before midnight
	Slurm     *report.Number `json:"slurm,omitempty"`  // when Slurm itself expects to start it
	By        *report.Number `json:"by,omitempty"`     // the part of the runs in which it starts by the time that was given
	Sooner    *report.Number `json:"sooner,omitempty"` // with --set: by how many seconds than without, on average over the runs
	Chance    *report.Number `json:"chance,omitempty"` // what of it chance may be
	Noise     *bool          `json:"noise,omitempty"`  // whether it may all be chance
	Nodes     []whereLine    `json:"nodes,omitempty"`  // with --where: the most frequent first
	Reason    string         `json:"reason"`
}

func (c *whenCmd) printJSON(s *session, f *forecast.Forecast, today, deadline float64) error {
	lines := []whenLine{}
	at := unixOrNull
	for _, j := range f.Jobs {
		var by *report.Number
		if deadline > 0 {
			by = report.Optional(j.Within(deadline))
		}
		line := whenLine{Job: j.ID, Queue: j.Queue, User: j.User, Place: j.Place, P10: at(j.Low), P50: at(j.Median), P90: at(j.High), Requested: at(j.Requested), Usual: at(j.Usual), Today: j.Within(today), Slurm: at(j.Told), By: by, Nodes: whereLines(j), Reason: j.Reason}
		if shift := j.Shift; shift != nil {
			isNoise := shift.IsNoise()
			line.Sooner, line.Chance, line.Noise = report.Optional(math.Round(shift.Sooner)), at(shift.Chance), &isNoise
		}
		lines = append(lines, line)
	}
	return s.encode(map[string]any{"at": f.At, "runs": f.Runs, "seed": c.Seed, "learned": f.Past > 0, "learned_from": f.Past, "calibrated": c.Calibrated, "notes": s.notes(), "jobs": lines})
}

func (c *whenCmd) printTable(s *session, f *forecast.Forecast, zone *time.Location, today, deadline float64) error {
	jobs := f.Jobs
	if len(jobs) == 0 {
		_, err := s.out.WriteString("no job waits\n")
		return err
	}
	clock := c.clock(zone)
	header := []string{"PLACE", "JOB", "USER", strings.ToUpper(f.Words.Queue), "STARTS ABOUT", "8 OF 10 FROM", "TO", "TODAY"}
	isTold := hasTold(jobs)
	if isTold {
		header = append(header, "SLURM SAYS")
	}
	if c.Classic {
		header = append(header, "AS REQUESTED", "AS USUAL")
	}
	if deadline > 0 {
		header = append(header, "BY "+strings.ToUpper(clock(deadline)))
	}
	if c.Where {
		header = append(header, strings.ToUpper(f.Words.Node)+"S")
	}
	isCompared := hasShift(jobs)
	if isCompared {
		header = append(header, "THAN WITHOUT --set")
	}
	table := [][]string{append(header, "WAITS FOR")}
	for _, j := range jobs {
		cells := []string{placeOrEmpty(j.Place), j.ID, j.User, j.Queue}
		switch {
		case j.Held != "":
			cells = append(cells, make([]string, len(header)-len(cells))...)
		case j.IsNever():
			cells = append(append(cells, "never"), make([]string, len(header)-len(cells)-1)...)
		default:
			cells = append(cells, clock(j.Median), clock(j.Low), clock(j.High), likely(j.Within(today)))
			if isTold {
				cells = append(cells, clockOrNone(clock, j.Told))
			}
			if c.Classic {
				cells = append(cells, clock(j.Requested), clockOrNone(clock, j.Usual))
			}
			if deadline > 0 {
				cells = append(cells, likely(j.Within(deadline)))
			}
			if c.Where {
				cells = append(cells, likelyNodes(j))
			}
		}
		if isCompared && j.Shift != nil {
			cells = append(cells[:min(len(cells), len(header)-1)], verdictOf(*j.Shift))
		} else if isCompared && j.Held == "" && !j.IsNever() {
			cells = append(cells, "")
		}
		table = append(table, append(cells, j.Reason))
	}
	return s.print(report.Table{Rows: table, Right: func(column int) bool { return column == 0 || column == 7 }})
}
