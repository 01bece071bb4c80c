package cli

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"fairshare/cmd/internal/report"
	slurmrecord "fairshare/cmd/internal/slurm/record"
	"fairshare/cmd/internal/slurmcalibrate"
	"fairshare/cmd/internal/slurmsched"
)

// calibrateSlurm prints what the record of a Slurm site shows of what the site does not say. Nothing of
// it is used.
func (c *replayCmd) calibrateSlurm(s *session, setup *slurmsched.Setup, record *slurmrecord.Record, zone *time.Location) error {
	on, err := c.slurmStudy(s, setup, record, zone)
	if err != nil {
		return err
	}
	shown := newProgress(s)
	on.Progress = shown.steps()
	found, err := slurmcalibrate.Infer(s.ctx, setup, record, on)
	shown.end()
	if err != nil {
		return err
	}
	if s.ctx.Err() != nil {
		s.isCut = true
		s.diag.Warning("interrupted: only some replays were made")
	}
	if c.Output == "json" {
		return s.encode(newSlurmCalibrationLine(found))
	}
	fmt.Fprintln(s.out, "How long starts take, by those that come within a minute")
	for _, d := range []struct {
		after string
		slurmcalibrate.Delay
		here string
	}{{"a job came", found.Submitted, "0 or 1 s"}, {"the end of the last job on one of its nodes", found.Freed, "0 or 2 s"}} {
		if d.Starts == 0 {
			fmt.Fprintf(s.out, "  after %s: no start\n", d.after)
			continue
		}
		fmt.Fprintf(s.out, "  after %s: half of %s within %d s, nine of ten within %d s; in a replay %s\n", d.after, report.Count(d.Starts, "start"), d.Half, d.Most, d.here)
	}
	fmt.Fprintf(s.out, "\nLimits that the record respects, and jobs that waited at them although CPUs were free\n")
	if err := c.printSlurmLimits(s, found.Limits); err != nil {
		return err
	}
	return c.printFits(s, found.Fits)
}

// printFits prints how near replays come to the record, and to each other.
func (c *replayCmd) printFits(s *session, fits []slurmcalibrate.Fit) error {
	if len(fits) == 0 {
		return nil
	}
	fmt.Fprintf(s.out, "\nUnder which settings replays come nearest to the record: %s of each\n", report.Count(fits[0].Runs, "replay"))
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
	return s.print(report.Table{Rows: table, Right: func(column int) bool { return column > 0 && column < 6 }})
}

// printSlurmLimits prints the limits that explain most.
func (c *replayCmd) printSlurmLimits(s *session, limits []slurmcalibrate.Limit) error {
	if len(limits) == 0 {
		fmt.Fprintln(s.out, "  none")
		return nil
	}
	table := [][]string{{"  LIMIT", "NAMES AT IT", "JOBS", "OF THAT TIME", ""}}
	for i, fit := range limits {
		if c.Top > 0 && i == c.Top {
			table = append(table, []string{fmt.Sprintf("  … %d more", len(limits)-i), "", "", "", ""})
			break
		}
		note := ""
		if fit.IsSet {
			note = "as the site says"
		}
		table = append(table, []string{"  --set " + report.Quote(fit.Setting), strconv.Itoa(fit.Names), strconv.Itoa(fit.Jobs), report.Decimals(100*fit.Explains, 0) + "%", note})
	}
	return s.print(report.Table{Rows: table, Right: func(column int) bool { return column > 0 && column < 4 }})
}

// slurmCalibrationLine is what a record shows, in JSON.
type slurmCalibrationLine struct {
	Submitted delayLine      `json:"start_after_submission"`
	Freed     delayLine      `json:"start_after_end"`
	Limits    []slurmLimit   `json:"limits"`
	Settings  []slurmFitLine `json:"settings"` // those that fit best first
}

type delayLine struct {
	Starts int   `json:"starts"`
	Half   int64 `json:"half"` // seconds
	Most   int64 `json:"p90"`
}

type slurmLimit struct {
	Setting  string        `json:"setting"`
	Names    int           `json:"names"`
	Jobs     int           `json:"jobs"`
	Explains report.Number `json:"explains"`
	IsSet    bool          `json:"is_set"`
}

type slurmFitLine struct {
	Settings []string      `json:"settings"`
	Runs     int           `json:"runs"`
	Shift    report.Number `json:"shift_mean"`
	Among    report.Number `json:"shift_among"` // of the replays from each other
	Farther  int           `json:"as_far"`      // replays that are as far from the others as the record
	Inverted report.Number `json:"inverted"`
	Distance report.Number `json:"wait_distance"`
	Missing  report.Number `json:"never_start"`
}

func newSlurmCalibrationLine(c *slurmcalibrate.Calibration) slurmCalibrationLine {
	line := slurmCalibrationLine{Submitted: delayLine(c.Submitted), Freed: delayLine(c.Freed), Limits: []slurmLimit{}}
	for _, fit := range c.Limits {
		line.Limits = append(line.Limits, slurmLimit{fit.Setting, fit.Names, fit.Jobs, report.Number(fit.Explains), fit.IsSet})
	}
	for _, fit := range c.Fits {
		settings := fit.Settings
		if settings == nil {
			settings = []string{}
		}
		line.Settings = append(line.Settings, slurmFitLine{settings, fit.Runs, report.Number(fit.Shift), report.Number(fit.Among), fit.Farther, report.Number(fit.Inverted), report.Number(fit.Distance), report.Number(fit.Missing)})
	}
	return line
}
