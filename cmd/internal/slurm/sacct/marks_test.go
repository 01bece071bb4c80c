package sacct

import (
	"slices"
	"testing"

	"fairshare/cmd/internal/file"
)

// Marks of a site's tables are those of its zone, in whatever order the tables come; tables of one kind have none.
func TestMarks(t *testing.T) {
	const data = "../../../../testdata/slurm-json/sacct/site-"
	for site, want := range map[string][]int64{"23.11": {2, 2}, "24.11": {0, 0}, "25.05": {-5, -5, -4, -4}} { // hours, the last ones first
		text, whole := file.At(data+site+".txt.gz"), file.At(data+site+".json.gz")
		for _, from := range [][]file.Source{{text, whole}, {whole, text}} {
			var hours []int64
			for _, m := range Marks(from) {
				hours = append(hours, m.Offset/secondsOfHour)
			}
			if !slices.Equal(hours, want) {
				t.Errorf("%s: the zone is ahead by %v hours, and should be by %v", site, hours, want)
			}
		}
		for _, from := range [][]file.Source{{text, text}, {whole, whole}, {text}, {whole}, nil} {
			if marks := Marks(from); marks != nil {
				t.Errorf("%s: %d tables of one kind tell %v", site, len(from), marks)
			}
		}
	}
}

// A mark that no other one beside it has is of two jobs, and those of no zone are none.
func TestMarksOf(t *testing.T) {
	const hour = secondsOfHour
	whole := map[string]int64{"1": 100, "2": 200, "3": 300, "4": 400, "5": 500, "6": 600, "7": 700}
	local := map[string]int64{"1": 100 + hour, "2": 200 + hour, "3": 300 + 7*hour, "4": 400 + hour, "5": 500 + hour + 7, "6": 600 + 30*hour, "7": Unknown, "8": 1}
	got := marksOf(local, whole)
	if len(got) != 2 || got[0].At != 200 || got[1].At != 100 || got[0].Offset != hour || got[1].Offset != hour {
		t.Errorf("marks are %v", got)
	}
}
