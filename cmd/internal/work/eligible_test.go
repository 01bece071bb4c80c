package work

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"fairshare/cmd/internal/file"
	"fairshare/cmd/internal/trace"
)

// A job whose clock stood still until it started has what its record tells; one whose clock went on
// later has the mean of its neighbours, and one that has not ended what a list tells, or nothing.
func TestFirstEligible(t *testing.T) {
	const begin = 1772438400 // 2026-03-02 08:00
	var log strings.Builder
	line := func(at int64, kind, id string, rest string) {
		fmt.Fprintf(&log, "%s;%s;%s.s;user=u queue=q %s\n", time.Unix(at, 0).UTC().Format("01/02/2026 15:04:05"), kind, id, rest)
	}
	eligible := []string{"00:00:05", "0:02", "00:00:09", "01:00:00", "4", "", "00:00:03", "00:00:30", "7", "6", "8", "nonsense", "00:00:01", "00:00:01", "2"}
	suspended, waits := 12, 13
	for i := range eligible {
		at := int64(begin + 60*i)
		line(at, "Q", fmt.Sprint(i), fmt.Sprintf("ctime=%d qtime=%d etime=%d Resource_List.ncpus=1", at, at, at))
	}
	for i, text := range eligible {
		at := int64(begin + 60*i)
		run := fmt.Sprintf("ctime=%d qtime=%d etime=%d start=%d Resource_List.ncpus=1", at, at, at, begin+8000+i)
		if i == waits {
			continue
		}
		line(begin+8000+int64(i), "S", fmt.Sprint(i), run)
		if i == suspended {
			line(begin+8100, "z", fmt.Sprint(i), "")
			line(begin+8200, "r", fmt.Sprint(i), "")
		}
		if text != "" {
			run += " eligible_time=" + text
		}
		line(begin+9000+int64(i), "E", fmt.Sprint(i), fmt.Sprintf("%s end=%d", run, begin+9000+i))
	}
	name := filepath.Join(t.TempDir(), "log")
	if err := os.WriteFile(name, []byte(log.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	read, err := trace.Read([]file.Source{file.At(name)}, time.UTC, trace.Keep{Requests: true})
	if err != nil || len(read.Problems) > 0 {
		t.Fatal(err, read.Problems)
	}
	nothing := math.NaN()
	for _, test := range []struct {
		name    string
		known   map[string]ListFacts
		latency Latency
		want    []float64
	}{
		{"few tell", nil, Latency{First: 1}, nil}, // seven, of at most seven seconds
		{
			"the longest is of seven cycles", nil, Latency{First: 1, Most: 4},
			[]float64{5, 2, 9, 6, 4, 3, 3, 30, 7, 6, 8, 5, 5, nothing, 2},
		},
		{
			"a list tells of one that waits", map[string]ListFacts{"13.s": {Eligible: 1 + 1}}, Latency{First: 1.3},
			[]float64{5, 2, 9, 6, 4, 3, 3, 5, 7, 6, 8, 4, 4, 1, 2},
		},
	} {
		first, most := FirstEligible(New(read, test.known), test.latency)
		if want := 7 * (test.latency.First + test.latency.Most); most != want {
			t.Errorf("%s: at most %v, want %v", test.name, most, want)
		}
		if fmt.Sprint(first) != fmt.Sprint(test.want) {
			t.Errorf("%s: %v, want %v", test.name, first, test.want)
		}
	}
}
