package door

import (
	"fmt"
	"math"
	"strconv"
	"time"

	"fairshare/cmd/internal/calibrate"
	pbscalibrate "fairshare/cmd/internal/pbs/calibrate"
	"fairshare/cmd/internal/report"
	"fairshare/cmd/internal/site"
)

// newCalibration returns what the logs show of what the site does not say. Nothing of it is used.
func newCalibration(found *pbscalibrate.Calibration, q site.Replaying) *site.Answer {
	return &site.Answer{JSON: newCalibrationLine(found, q.Zone), Print: func(to *report.Printer) error { return printCalibration(to, found, q) }}
}

// printCalibration prints what the logs show.
func printCalibration(to *report.Printer, found *pbscalibrate.Calibration, q site.Replaying) error {
	l := found.Latency
	fmt.Fprintf(to, "Start latency, by %s at least %d s apart from others: half of them within %s\n", report.Count(found.LatencyFit.Samples, "event"), found.LatencyFit.Apart, orDash(found.LatencyFit.Off))
	fmt.Fprintf(to, "  %.1f s, and %.2f s more for each job that waits, at most %.1f s on top; %.1f s more from the second start of a cycle on\n", l.First, l.Job, l.Most, l.More)

	fmt.Fprintf(to, "\nAge of reports of use, by the usage at the end\n")
	if len(found.Lags) == 0 {
		fmt.Fprintln(to, "  cannot be told: it needs fairshare and the usage at the begin (--usage FILE) and at the end (a snapshot's)")
	}
	for i, fit := range found.Lags {
		const most = 3
		note := ""
		if fit.IsUsed {
			note = " (as it is used)"
		}
		if i < most || fit.IsUsed {
			fmt.Fprintf(to, "  --report-lag %d: usage is %.2f%% off%s\n", fit.Lag, 100*fit.Off, note)
		}
	}

	fmt.Fprintf(to, "\nLimits that the record respects, and jobs that waited at them although cpus were free\n")
	if err := calibrate.PrintLimits(to, found.Limits, q.Top); err != nil {
		return err
	}
	fmt.Fprintf(to, "\nVnodes that ran nothing, although jobs waited that would have got them and others started elsewhere\n")
	if err := printUnused(to, found, q); err != nil {
		return err
	}
	fmt.Fprintln(to, "\nWhat is done with a job that does not fit: under which settings the recorded starts are what the rules give")
	return calibrate.PrintFits(to, found.Orderings)
}

// printUnused prints the times for which vnodes were not used, with the settings that take them
// out of a replay.
func printUnused(to *report.Printer, found *pbscalibrate.Calibration, q site.Replaying) error {
	switch {
	case !found.HasPlaces:
		fmt.Fprintln(to, "  cannot be told: the record does not say on which vnodes jobs ran (exec_vnode)")
		return nil
	case len(found.Unused) == 0:
		fmt.Fprintln(to, "  none for half an hour or longer")
		return nil
	}
	table := [][]string{{"  FROM THE LAST JOB TO THE NEXT", "HOURS", "CPU HOURS", "WAITED", "STARTED ELSEWHERE"}}
	for _, u := range found.Unused {
		table = append(table, []string{"  --set " + report.Quote(settingOf(u, q.Zone)), report.Decimals(u.Hours(), 1), report.Decimals(u.CPUHours(), 0), strconv.Itoa(u.Waited), strconv.Itoa(u.Passed)})
	}
	return to.Table(report.Table{Rows: report.FirstRows(table, q.Top, "  "), Right: func(column int) bool { return column > 0 }})
}

// settingOf returns the setting that takes a vnode out of a replay for the time that it ran
// nothing.
func settingOf(u pbscalibrate.UnusedTime, zone *time.Location) string {
	at := func(at int64) string { return time.Unix(at, 0).In(zone).Format(time.DateTime) }
	return "node." + u.Vnode + ".offline=" + at(u.From) + "/" + at(u.To)
}

// calibrationLine is what the logs show, in JSON.
type calibrationLine struct {
	Latency struct {
		First   report.Number  `json:"first"` // seconds
		Job     report.Number  `json:"job"`
		Most    report.Number  `json:"most"`
		More    report.Number  `json:"more"`
		Samples int            `json:"samples"`
		Off     *report.Number `json:"off"`
	} `json:"start_latency"`
	Lags []struct {
		Lag int64         `json:"report_lag"`
		Off report.Number `json:"off"`
	} `json:"report_lags"`
	Limits    []calibrate.LimitLine `json:"limits"`
	Unused    []unusedLine          `json:"unused"` // null if the record does not say where jobs ran
	Orderings []calibrate.FitLine   `json:"orderings"`
}

// unusedLine is a time for which a vnode ran nothing although jobs waited.
type unusedLine struct {
	Setting  string        `json:"setting"`
	Vnode    string        `json:"vnode"`
	From     int64         `json:"from"`
	To       int64         `json:"to"`
	CPUHours report.Number `json:"cpu_hours"`
	Waited   int           `json:"waited"`
	Passed   int           `json:"started_elsewhere"`
}

func newCalibrationLine(c *pbscalibrate.Calibration, zone *time.Location) calibrationLine {
	var line calibrationLine
	if c.HasPlaces {
		line.Unused = []unusedLine{}
	}
	for _, u := range c.Unused {
		line.Unused = append(line.Unused, unusedLine{settingOf(u, zone), u.Vnode, u.From, u.To, report.Number(u.CPUHours()), u.Waited, u.Passed})
	}
	l := &line.Latency
	l.First, l.Job, l.Most, l.More = report.Number(c.Latency.First), report.Number(c.Latency.Job), report.Number(c.Latency.Most), report.Number(c.Latency.More)
	l.Samples, l.Off = c.LatencyFit.Samples, report.Optional(c.LatencyFit.Off)
	for _, fit := range c.Lags {
		line.Lags = append(line.Lags, struct {
			Lag int64         `json:"report_lag"`
			Off report.Number `json:"off"`
		}{fit.Lag, report.Number(fit.Off)})
	}
	for _, fit := range c.Limits {
		line.Limits = append(line.Limits, fit.Line())
	}
	for _, fit := range c.Orderings {
		line.Orderings = append(line.Orderings, fit.Line())
	}
	return line
}

// orDash returns seconds in tenths, "-" for NaN.
func orDash(seconds float64) string {
	if math.IsNaN(seconds) {
		return "-"
	}
	return report.Fixed(seconds, 1) + " s"
}
