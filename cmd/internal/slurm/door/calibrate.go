package door

import (
	"fmt"
	"strings"

	"fairshare/cmd/internal/calibrate"
	"fairshare/cmd/internal/report"
	"fairshare/cmd/internal/site"
	slurmcalibrate "fairshare/cmd/internal/slurm/calibrate"
)

// newCalibration returns what a record shows of what the site does not say. Nothing of it is used.
func newCalibration(found *slurmcalibrate.Calibration, top int) *site.Answer {
	return &site.Answer{JSON: newCalibrationLine(found), Print: func(to *report.Printer) error { return printCalibration(to, found, top) }}
}

// printCalibration prints what a record shows.
func printCalibration(to *report.Printer, found *slurmcalibrate.Calibration, top int) error {
	fmt.Fprintln(to, "How long starts take, by those that come within a minute")
	for _, d := range []struct {
		after string
		slurmcalibrate.Delay
		here string
	}{{"a job came", found.Submitted, "0 or 1 s"}, {"the end of the last job on one of its nodes", found.Freed, "0 or 2 s"}} {
		if d.Starts == 0 {
			fmt.Fprintf(to, "  after %s: no start\n", d.after)
			continue
		}
		fmt.Fprintf(to, "  after %s: half of %s within %d s, nine of ten within %d s; in a replay %s\n", d.after, report.Count(d.Starts, "start"), d.Half, d.Most, d.here)
	}
	fmt.Fprintf(to, "\nLimits that the record respects, and jobs that waited at them although CPUs were free\n")
	if err := calibrate.PrintLimits(to, found.Limits, top); err != nil {
		return err
	}
	return printFits(to, found.Fits)
}

// printFits prints how near replays come to the record, and to each other.
func printFits(to *report.Printer, fits []slurmcalibrate.Fit) error {
	if len(fits) == 0 {
		return nil
	}
	fmt.Fprintf(to, "\nUnder which settings replays come nearest to the record: %s of each\n", report.Count(fits[0].Runs, "replay"))
	table := [][]string{{"  SETTINGS", "SHIFT MEAN", "AMONG THEMSELVES", "OTHER ORDER", "LARGEST KS", "NEVER START", ""}}
	for _, fit := range fits {
		name := "  --set " + report.Quote(strings.Join(fit.Settings, " --set "))
		if len(fit.Settings) == 0 {
			name = "  none: as the site says"
		}
		among, note := "-", ""
		if fit.Runs > 1 {
			among = report.Duration(fit.Among)
			if note = "no replay is as far from the others as the record"; fit.Farther > 0 {
				note = fmt.Sprintf("the record may be one of them: %d of %d are as far from the others", fit.Farther, fit.Runs)
			}
		}
		table = append(table, []string{name, report.Duration(fit.Shift), among, report.Decimals(100*fit.Inverted, 2) + "%", report.Decimals(fit.Distance, 3), report.Decimals(fit.Missing, 1), note})
	}
	return to.Table(report.Table{Rows: table, Right: func(column int) bool { return column > 0 && column < 6 }})
}

// calibrationLine is what a record shows, in JSON.
type calibrationLine struct {
	Submitted delayLine   `json:"start_after_submission"`
	Freed     delayLine   `json:"start_after_end"`
	Limits    []limitLine `json:"limits"`
	Settings  []fitLine   `json:"settings"` // those that fit best first
}

type delayLine struct {
	Starts int   `json:"starts"`
	Half   int64 `json:"half"` // seconds
	Most   int64 `json:"p90"`
}

type limitLine struct {
	calibrate.LimitLine
	IsSet bool `json:"is_set"`
}

type fitLine struct {
	Settings []string      `json:"settings"`
	Runs     int           `json:"runs"`
	Shift    report.Number `json:"shift_mean"`
	Among    report.Number `json:"shift_among"` // of the replays from each other
	Farther  int           `json:"as_far"`      // replays that are as far from the others as the record
	Inverted report.Number `json:"inverted"`
	Distance report.Number `json:"wait_distance"`
	Missing  report.Number `json:"never_start"`
}

func newCalibrationLine(c *slurmcalibrate.Calibration) calibrationLine {
	line := calibrationLine{Submitted: delayLine(c.Submitted), Freed: delayLine(c.Freed), Limits: []limitLine{}}
	for _, fit := range c.Limits {
		line.Limits = append(line.Limits, limitLine{fit.Line(), fit.IsSet})
	}
	for _, fit := range c.Fits {
		settings := fit.Settings
		if settings == nil {
			settings = []string{}
		}
		line.Settings = append(line.Settings, fitLine{settings, fit.Runs, report.Number(fit.Shift), report.Number(fit.Among), fit.Farther, report.Number(fit.Inverted), report.Number(fit.Distance), report.Number(fit.Missing)})
	}
	return line
}
