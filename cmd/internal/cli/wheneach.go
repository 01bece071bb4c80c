package cli

import (
	"math"
	"slices"
	"strings"
	"time"

	"fairshare/cmd/internal/forecast"
	"fairshare/cmd/internal/moment"
	"fairshare/cmd/internal/report"
)

// eachLine is one forecast of the past with what came, as CSV and JSON have it. Times are seconds since 1970.
type eachLine struct {
	At     int64          `json:"made"`
	Job    string         `json:"id"`
	User   string         `json:"user"`
	Queue  string         `json:"queue"`
	Median *report.Number `json:"starts_about"` // none for a time that is farther than --horizon
	Low    *report.Number `json:"from"`
	High   *report.Number `json:"to"`
	Start  *report.Number `json:"started"`  // none where it had not when the logs end, or it was deleted before
	Off    *report.Number `json:"off_by"`   // hours from the time in the middle to the start
	In     *bool          `json:"interval"` // whether it started within the interval, none where nothing tells
}

func newEachLine(c forecast.Checked) eachLine {
	line := eachLine{At: c.At, Job: c.Job.ID, User: c.Job.User, Queue: c.Job.Queue, Median: unixOrNull(c.Median), Low: unixOrNull(c.Low), High: unixOrNull(c.High), Start: unixOrNull(c.Start)}
	if line.Start != nil && line.Median != nil {
		const hour, digits = 3600, 1000
		line.Off = report.Optional(math.Round(digits*(c.Start-c.Median)/hour)/digits + 0) // and no -0
	}
	if isIn := !c.IsMissed; c.IsMissed || line.Start != nil {
		line.In = &isIn
	}
	return line
}

// printEach prints each forecast of the past.
func (c *whenCmd) printEach(s *session, b *forecast.Backtest, zone *time.Location) error {
	lines := make([]eachLine, 0, len(b.Each))
	for _, of := range b.Each {
		lines = append(lines, newEachLine(of))
	}
	switch c.Output {
	case "json":
		return s.encode(map[string]any{"forecasts": lines, "sentence": b.Sentence(zone), "notes": s.notes()})
	case "csv":
		return report.WriteRows(s.out, slices.Values(lines))
	}
	clock := func(at *report.Number) string {
		if at == nil {
			return "-"
		}
		return moment.Clock(int64(*at), zone)
	}
	table := [][]string{{"MADE", "JOB", "USER", strings.ToUpper(b.Words.Queue), "STARTS ABOUT", "8 OF 10 FROM", "TO", "STARTED", "OFF BY", "IN INTERVAL"}}
	for _, line := range lines {
		off, in := "-", "-"
		if line.Off != nil {
			off = report.Decimals(float64(*line.Off), 1) + " h"
		}
		if line.In != nil {
			in = map[bool]string{true: "yes", false: "no"}[*line.In]
		}
		made := report.Number(line.At)
		table = append(table, []string{clock(&made), line.Job, line.User, line.Queue, clock(line.Median), clock(line.Low), clock(line.High), clock(line.Start), off, in})
	}
	return s.print(report.Table{Rows: table, Right: func(column int) bool { return column == 8 }})
}
