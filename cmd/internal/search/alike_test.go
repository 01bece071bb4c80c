package search

import (
	"slices"
	"testing"
)

func TestIdleAxes(t *testing.T) {
	cell := func(figure float64, values ...string) Cell {
		return Cell{Axes: []string{"a", "b"}, Values: values, Figures: []string{"mean(wait)"}, Runs: [][]*float64{{&figure}}}
	}
	inForce := cell(1)
	for _, test := range []struct {
		name  string
		cells []Cell
		want  []string
	}{
		{"none", nil, nil},
		{"one value of each", []Cell{inForce, cell(1, "1", "1")}, nil},
		{"one changes nothing", []Cell{inForce, cell(1, "1", "1"), cell(2, "1", "2"), cell(1, "2", "1"), cell(2, "2", "2")}, []string{"a"}},
		{"both", []Cell{inForce, cell(3, "1", "1"), cell(3, "1", "2"), cell(3, "2", "1"), cell(3, "2", "2")}, []string{"a", "b"}},
		{"one changes something once", []Cell{inForce, cell(3, "1", "1"), cell(3, "1", "2"), cell(3, "2", "1"), cell(4, "2", "2")}, nil},
	} {
		if got := IdleAxes(test.cells); !slices.Equal(got, test.want) {
			t.Errorf("%s: %v, want %v", test.name, got, test.want)
		}
	}
	cells := []Cell{inForce, cell(2, "1", "1"), cell(1, "1", "2")}
	if AlikeTo(cells, 0) != nil || AlikeTo(cells, 1) != nil || AlikeTo(cells, 2) != &cells[0] {
		t.Error("a row that is alike to an earlier one is not told")
	}
}
