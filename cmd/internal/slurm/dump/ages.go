package dump

import (
	"math"
	"slices"
	"strings"
)

// takeAges takes the ages that sprio -n prints, as parts of 1, where the table of the priorities has none.
func (d *Dump) takeAges(stored []StoredPriority) {
	ages := map[string]float64{}
	for _, p := range d.All(KindPriorities) {
		var header []string
		for line := range strings.Lines(p.Text) {
			if header == nil {
				header = ColumnsOf(line)
				continue
			}
			cells := strings.Fields(line)
			if strings.Contains(line, "|") {
				cells = strings.Split(strings.TrimSpace(line), "|")
			}
			id, age := slices.Index(header, "jobid"), slices.Index(header, "age")
			if id >= 0 && age >= 0 && max(id, age) < len(cells) && strings.Contains(cells[age], ".") {
				ages[strings.TrimSpace(cells[id])] = Number(strings.TrimSpace(cells[age]), math.NaN())
			}
		}
	}
	for i := range stored {
		if age, ok := ages[stored[i].ID]; ok && math.IsNaN(stored[i].Age) {
			stored[i].Age = age
		}
	}
}
