package door

import (
	"fmt"

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
	fmt.Fprintln(to, "\nUnder which settings the recorded starts are what the rules give")
	return calibrate.PrintFits(to, found.Fits)
}

// calibrationLine is what a record shows, in JSON.
type calibrationLine struct {
	Submitted delayLine           `json:"start_after_submission"`
	Freed     delayLine           `json:"start_after_end"`
	Limits    []limitLine         `json:"limits"`
	Settings  []calibrate.FitLine `json:"settings"` // those under which the rules hold best first
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

func newCalibrationLine(c *slurmcalibrate.Calibration) calibrationLine {
	line := calibrationLine{Submitted: delayLine(c.Submitted), Freed: delayLine(c.Freed), Limits: []limitLine{}}
	for _, fit := range c.Limits {
		line.Limits = append(line.Limits, limitLine{fit.Line(), fit.IsSet})
	}
	for _, fit := range c.Fits {
		line.Settings = append(line.Settings, fit.Line())
	}
	return line
}
