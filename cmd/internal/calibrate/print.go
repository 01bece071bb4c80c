package calibrate

import (
	"fmt"
	"strconv"

	"fairshare/cmd/internal/report"
)

// PrintLimits prints the limits that explain most, for 0 all of them.
func PrintLimits(to *report.Printer, limits []LimitFit, top int) error {
	if len(limits) == 0 {
		fmt.Fprintln(to, "  none")
		return nil
	}
	table := [][]string{{"  LIMIT", "NAMES AT IT", "JOBS", "OF THAT TIME", ""}}
	for _, fit := range limits {
		note := ""
		if fit.IsSet {
			note = "as the site says"
		}
		table = append(table, []string{"  --set " + report.Quote(fit.Setting), strconv.Itoa(fit.Names), strconv.Itoa(fit.Jobs), report.Decimals(100*fit.Explains, 0) + "%", note})
	}
	return to.Table(report.Table{Rows: report.FirstRows(table, top, "  "), Right: func(column int) bool { return column > 0 && column < 4 }})
}

// LimitLine is a limit in JSON.
type LimitLine struct {
	Setting  string        `json:"setting"`
	Names    int           `json:"names"`
	Jobs     int           `json:"jobs"`
	Explains report.Number `json:"explains"`
}

// Line returns a limit in JSON.
func (f LimitFit) Line() LimitLine {
	return LimitLine{f.Setting, f.Names, f.Jobs, report.Number(f.Explains)}
}
