package calibrate

import (
	"cmp"
	"context"
	"slices"
	"strconv"

	"fairshare/cmd/internal/report"
	"fairshare/cmd/internal/witness"
)

// Fit is how far the rules hold in a record under some settings.
type Fit struct {
	Settings []string // none for the site as it is
	IsSet    bool     // whether the site has these settings
	Judged   *witness.Summary
}

// isSites reports whether a fit is of what the site says.
func (f Fit) isSites() bool { return f.IsSet || len(f.Settings) == 0 }

// FindFits lets a record judge the rules under settings that are tried, and returns those first under which most starts are what
// the rules give. judge returns the record as the rules judge it under settings of a place in the list. Where the context is done in the midst
// of it, it has those that were judged by then. progress may be nil.
func FindFits(ctx context.Context, tried []Fit, judge func(i int) (witness.Record, error), progress func(part, all float64)) ([]Fit, error) {
	var fits []Fit
	for i, fit := range tried {
		record, err := judge(i)
		if err != nil {
			return nil, err
		}
		fit.Judged, err = witness.Summarize(ctx, record)
		if ctx.Err() != nil {
			break
		}
		if err != nil {
			return nil, err
		}
		fits = append(fits, fit)
		if progress != nil {
			progress(float64(i+1), float64(len(tried)))
		}
	}
	own := func(f Fit) int { // what the site says comes first where nothing tells it from others
		if f.isSites() {
			return 0
		}
		return 1
	}
	slices.SortStableFunc(fits, func(a, b Fit) int {
		return cmp.Or(cmp.Compare(b.Judged.Share(), a.Judged.Share()), cmp.Compare(own(a), own(b)))
	})
	return fits, nil
}

// PrintFits prints how far the rules hold under settings.
func PrintFits(to *report.Printer, fits []Fit) error {
	table := [][]string{{"  SETTINGS", "STARTS", "AS THE RULES SAY", ""}}
	for _, fit := range fits {
		name, note := " ", ""
		for _, setting := range fit.Settings {
			name += " --set " + report.Quote(setting)
		}
		switch {
		case len(fit.Settings) == 0:
			name = "  none: as the site says"
		case fit.IsSet:
			note = "as the site says"
		}
		share := "-"
		if fit.Judged.Starts > 0 {
			share = report.Decimals(100*fit.Judged.Share(), 1) + "%"
		}
		table = append(table, []string{name, strconv.Itoa(fit.Judged.Starts), share, note})
	}
	return to.Table(report.Table{Rows: table, Right: func(column int) bool { return column == 1 || column == 2 }})
}

// FitLine is a fit in JSON.
type FitLine struct {
	Settings []string       `json:"settings"`
	IsSet    bool           `json:"is_set"`
	Starts   int            `json:"starts"`
	Share    *report.Number `json:"share"` // of them that are what the rules give, null for none
}

// Line returns a fit in JSON.
func (f Fit) Line() FitLine {
	line := FitLine{f.Settings, f.isSites(), f.Judged.Starts, report.Optional(f.Judged.Share())}
	if line.Settings == nil {
		line.Settings = []string{}
	}
	return line
}
