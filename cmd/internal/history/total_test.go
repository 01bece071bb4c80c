package history

import (
	"math"
	"testing"
)

// What all names of a period come to is what the period comes to without names, and the sum of periods has the capacity of
// all; a period of which the logs lack something is compared with none.
func TestTotals(t *testing.T) {
	line := func(begin int64, name, lacks string, seconds float64, waits ...uint32) *Line {
		return &Line{Span: Span{begin, begin + 100}, Name: name, Lacks: lacks, supply: []float64{1000}, cell: &cell{occupied: []float64{seconds}, ended: 2, started: len(waits), waits: waits, waiting: 1, exits: map[int64]int{0: 2}}}
	}
	lines := []*Line{line(0, "a", "", 300, 5, 7), line(0, "b", "", 100, 1), line(100, "a", "the logs end", 50, 9)}
	lines[2].Before = lines[0]
	s := &Sheet{Lines: lines, Kind: "user", Step: Day, Columns: columns(nil, false)}
	totals := s.Totals()
	if len(totals) != 2 || totals[1].Before != totals[0] || totals[1].Lacks == "" {
		t.Fatalf("%v", totals)
	}
	first := totals[0]
	if first.Name != AllNames || first.occupied[0] != 400 || first.supply[0] != 1000 || first.ended != 4 || first.exits[0] != 4 || first.waiting != 2 || quantile(.5)(first) != 5 {
		t.Errorf("%+v %+v", first, first.cell)
	}
	if by := s.Columns[2].Change(lines[2]); !math.IsNaN(by) {
		t.Errorf("what is left of a day is %v more than a whole one", by)
	}
	s.Kind = ""
	if all := s.Totals(); len(all) != 1 || all[0].supply[0] != 2000 || all[0].waiting != 1 || all[0].End != 200 {
		t.Errorf("%+v", all[0])
	}
	if s.Lines = lines[:1]; s.Totals() != nil {
		t.Errorf("one row has a total")
	}
}
