package cli

import (
	"strings"
	"testing"

	"fairshare/cmd/internal/forecast"
)

// The first and the last of many parts of an array stand in a table with how many stand between them; few, parts that others part, and
// other jobs stay as they are.
func TestJoinArrays(t *testing.T) {
	for _, test := range []struct{ ids, want string }{
		{"1[1].s 1[2].s 1[3].s 1[4].s 2.s", "1[1].s|… 2 more of 1[].s|1[4].s|2.s"},
		{"7_1 7_2 7_3", "7_1|7_2|7_3"},
		{"7_1 7_2 8 7_3 7_4", "7_1|7_2|8|7_3|7_4"},
		{"7_1 7_2 7_3 7_10 8_1 8_2 8_3 8_4 9", "7_1|… 2 more of 7|7_10|8_1|… 2 more of 8|8_4|9"},
		{"1 2 3 4 5", "1|2|3|4|5"},
		{"a_b a_b a_b a_b", "a_b|a_b|a_b|a_b"},
	} {
		rows, jobs := [][]string{{"RANK", "JOB"}}, []*forecast.Job{}
		for _, id := range strings.Fields(test.ids) {
			rows, jobs = append(rows, []string{"1", id}), append(jobs, &forecast.Job{ID: id})
		}
		var got []string
		for _, row := range joinArrays(rows, jobs)[1:] {
			got = append(got, row[1])
		}
		if strings.Join(got, "|") != test.want {
			t.Errorf("%s: %s, want %s", test.ids, strings.Join(got, "|"), test.want)
		}
	}
}
