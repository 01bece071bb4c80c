package cli

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"fairshare/cmd/internal/forecast"
	"fairshare/cmd/internal/moment"
	"fairshare/cmd/internal/report"
)

// endOfDay returns the midnight that follows a time.
func endOfDay(at int64, zone *time.Location) float64 {
	return float64(moment.DayAfter(time.Unix(at, 0).In(zone), 1).Unix())
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

// atOrNull returns of when a forecast is in seconds since 1970, nil where nothing tells it.
func atOrNull(f *forecast.Forecast) *int64 {
	if f.At == 0 {
		return nil
	}
	return &f.At
}

// withAsked adds to what is printed of a forecast as JSON how many runs were asked for, where it is made of fewer.
func withAsked(f *forecast.Forecast, line map[string]any) map[string]any {
	if f.IsCut() {
		line["runs_asked"] = f.Asked
	}
	return line
}

// printForecast prints a forecast in a form.
func (c *whenCmd) printForecast(s *session, f *forecast.Forecast, v *view) error {
	lines := []whenLine{}
	for _, j := range f.Jobs {
		lines = append(lines, v.line(j))
	}
	switch {
	case c.Output == "csv":
		return report.WriteFields(s.out, v.names(f.Jobs), slices.Values(lines))
	case c.Output == "json":
		return s.encode(withAsked(f, map[string]any{"at": atOrNull(f), "runs": f.Runs, "seed": c.Seed, "learned": f.Past > 0, "learned_from": f.Past, "calibrated": c.Calibrated, "notes": s.notes(), "jobs": lines}))
	case len(f.Jobs) == 0:
		_, err := fmt.Fprintln(s.out, c.noneWaits())
		return err
	}
	shown := f.Jobs[:report.Shown(len(f.Jobs), c.Top)]
	l := &report.Listing[*forecast.Job]{Columns: v.columns(shown), Rows: slices.Values(shown)}
	table := inCapitals(l.Table())
	if len(c.Job) == 0 {
		table.Rows = joinArrays(table.Rows, shown)
	}
	if left := len(f.Jobs) - len(shown); left > 0 {
		table.Rows = append(table.Rows, report.MoreRow("", left, len(table.Rows[0])))
	}
	return v.print(s, table)
}

// print prints a table, and what its marks mean.
func (v *view) print(s *session, t report.Table) error {
	err := s.print(t)
	for _, line := range v.legends() {
		if err == nil {
			_, err = fmt.Fprintln(s.out, line)
		}
	}
	return err
}

// noneWaits says that no job waits of whom was asked about.
func (c *whenCmd) noneWaits() string {
	switch {
	case c.leftOut != "":
		return c.leftOut
	case len(c.User) == 0:
		return "no job waits"
	}
	return "no job of " + strings.Join(c.User, " or ") + " waits"
}

// inCapitals returns a table whose header is in capitals, but for flags.
func inCapitals(t report.Table) report.Table {
	for i, title := range t.Rows[0] {
		words := strings.Fields(title)
		for k, word := range words {
			if !strings.HasPrefix(word, "--") {
				words[k] = strings.ToUpper(word)
			}
		}
		t.Rows[0][i] = strings.Join(words, " ")
	}
	return t
}
