package replay

import (
	"cmp"
	"flag"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"fairshare/cmd/internal/outcome"
	"fairshare/cmd/internal/report"
	"fairshare/cmd/internal/workshop"
)

var update = flag.Bool("update", false, "write the tables into the page")

// recorded are the recorded runs of docs/evidence/replay.md. second is what a second recording of the same work is from
// the first: the mean shift of starts, the inverted pairs in percent and how much longer jobs wait in percent. It is kept
// elsewhere, and zero where there is none.
var recorded = []struct {
	name   string
	second [3]float64
}{
	{name: "P1x", second: [3]float64{2.7, 0, .0}},
	{name: "P2", second: [3]float64{880, 1.07, -.4}},
	{name: "P3", second: [3]float64{1121, 1.32, -4.6}},
	{name: "P4", second: [3]float64{2692, 6.46, 8.4}},
	{name: "P4b"}, {name: "P5"},
	{name: "P6", second: [3]float64{1331, 3.73, -.2}},
	{name: "P6r"}, {name: "L1"}, {name: "Q1"}, {name: "Q3y"}, {name: "Q4y"},
	{name: "V1"}, {name: "V2"}, {name: "V3"}, {name: "V4"}, {name: "V4m"}, {name: "V5"}, {name: "V6"},
	{name: "R1", second: [3]float64{2192, 6.39, 21}},
	{name: "R2", second: [3]float64{1002, 1.94, -3.6}},
	{name: "R3", second: [3]float64{5, 0, 0}},
	{name: "R5", second: [3]float64{1790, 5.76, -2}},
	{name: "R6", second: [3]float64{2562, 7.67, -8.7}},
	{name: "R9", second: [3]float64{430, 1.67, 2.7}},
	{name: "R10", second: [3]float64{587, .57, .2}},
	{name: "R14", second: [3]float64{291, .91, .4}},
}

// The table of docs/evidence/replay.md has what the recorded runs come to.
func TestTableOfFidelity(t *testing.T) {
	var table strings.Builder
	table.WriteString("| Recording | Jobs | In the same second | Mean shift | Inverted pairs | Mean wait, recorded | replayed | that is | Parts after | Second recording: mean shift | inverted pairs | mean wait |\n")
	table.WriteString("|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|\n")
	for _, of := range recorded {
		r := openRun(t, of.name)
		result := r.replay(t)
		r.options.Plain = true
		if plain := r.replay(t); !slices.Equal(result.Start, plain.Start) {
			t.Errorf("%s: jobs start at other times where every cycle looks at every job", of.name)
		}
		trust := result.TrustUntil(outcome.EndOf(result.Work))
		fmt.Fprintf(&table, "| %s | %d | %d | %.0f s | %.2f %% | %s | %s | %s | %s |", of.name, trust.Jobs, trust.Equal, trust.Mean, 100*trust.Inverted,
			report.Duration(trust.MeanWait[0]), report.Duration(trust.MeanWait[1]), by(100*(trust.MeanWait[1]/trust.MeanWait[0]-1)), forkText(fork(r.starts, r.startsOf(result), 60)))
		if s := of.second; s == [3]float64{} {
			table.WriteString(" | | |\n")
		} else {
			fmt.Fprintf(&table, " %.0f s | %.2f %% | %s |\n", s[0], s[1], by(s[2]))
		}
	}
	workshop.HoldTable(t, "evidence/replay.md", "runs", table.String(), *update)
}

// by returns by how many percent something is more.
func by(percent float64) string {
	sign := map[int]string{-1: "−", 1: "+"}[cmp.Compare(percent, 0)]
	if text := fmt.Sprintf("%.1f %%", math.Abs(percent)); text != "0.0 %" {
		return sign + text
	}
	return "0.0 %"
}

// forkText returns after how long runs part.
func forkText(hours float64) string {
	if math.IsInf(hours, 1) {
		return "none"
	}
	return fmt.Sprintf("%.1f h", hours)
}
