package forecast

import (
	"context"
	"encoding/csv"
	"path/filepath"
	"slices"
	"strconv"
	"testing"
)

// Where limits keep jobs their eligible_time stands still: at times of the past of which qstat has said it, the jobs that waited have
// it, and not the time since they came.
func TestEligibleInThePast(t *testing.T) {
	for _, run := range []string{"P4", "P4b", "Q4y", "R5"} {
		dir := filepath.Join(replays, run)
		s := open(t, filepath.Join(dir, "snapshot"), false)
		h := &history{site: s}
		polls, times := polled(t, filepath.Join(dir, "eligible.csv.gz"))
		alike, would, jobs := 0, 0, 0
		for i, at := range times {
			if i%12 != 0 {
				continue
			}
			past, _, err := s.upTo(at)
			if err != nil {
				t.Fatal(err)
			}
			then, err := s.then(past, at, nil)
			if err != nil {
				t.Fatal(err)
			}
			came := map[string]int64{}
			for _, n := range then.Now {
				came[n.ID] = n.Eligible
			}
			if err := h.accrue(context.Background(), then); err != nil {
				t.Fatal(err)
			}
			const close = 120 // seconds, some cycles of a recording whose clock went 60 times as fast
			for _, n := range then.Now {
				wants, isPolled := polls[at][n.ID]
				if !isPolled || n.Letter != 'Q' {
					continue
				}
				jobs++
				if max(wants-n.Eligible, n.Eligible-wants) <= close {
					alike++
				}
				if max(wants-came[n.ID], came[n.ID]-wants) <= close {
					would++
				}
			}
		}
		if jobs < 200 || alike < jobs*95/100 || would > jobs/20 {
			t.Errorf("%s: %d of %d jobs have the eligible_time that they had; since they came, %d would", run, alike, jobs, would)
		}
	}
}

// polled returns what qstat said of the eligible_time of jobs that waited, by time and ID, and the times in their order.
func polled(t *testing.T, name string) (polls map[int64]map[string]int64, times []int64) {
	t.Helper()
	f, err := packed(name).Open()
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	polls = map[int64]map[string]int64{}
	for _, row := range rows[1:] {
		at, err1 := strconv.ParseInt(row[0], 10, 64)
		seconds, err2 := strconv.ParseInt(row[2], 10, 64)
		if err1 != nil || err2 != nil {
			t.Fatalf("%s: %v", name, row)
		}
		if polls[at] == nil {
			polls[at], times = map[string]int64{}, append(times, at)
		}
		polls[at][row[1]] = seconds
	}
	slices.Sort(times)
	return polls, times
}
