package sacct

import (
	"io"
	"strings"
	"testing"
	"time"

	"fairshare/cmd/internal/file"
	"fairshare/cmd/internal/trace"
)

func TestSizeInKB(t *testing.T) {
	for text, want := range map[string]float64{"": 0, "0": 0, "7168K": 7168, "1.50G": 1.5 * (1 << 20), "7340032": 7168, "-5K": 0, "NaN": 0, "5X": 0, "1e300P": 0, "K": 0, "5KK": 0} {
		if got := sizeInKB(text); got != want {
			t.Errorf("%s: %v, want %v", text, got, want)
		}
	}
}

// A job used what all tasks of its step with most used together. Where nothing tells that, it is at least what one task used.
func TestUsedMemory(t *testing.T) {
	const job = "7|COMPLETED|2026-03-02T09:00:00|2026-03-02T09:10:00|2026-03-02T09:20:00"
	for _, x := range []struct {
		columns string // of steps
		steps   []string
		want    float64 // kb
		isLeast bool
	}{
		{"TRESUsageInTot|MaxRSS|AveRSS|NTasks", []string{"7.0|cpu=1,mem=9M|2M|1M|8"}, 9 << 10, false},
		{"MaxRSS|AveRSS|NTasks", []string{"7.0|2M|1M|8"}, 8 << 10, false},
		{"MaxRSS|AveRSS|NTasks", []string{"7.0|9M|1M|8"}, 9 << 10, false},
		{"MaxRSS|AveRSS|NTasks", []string{"7.0|2M||8"}, 2 << 10, true},
		{"MaxRSS|AveRSS", []string{"7.0|2M|1M"}, 2 << 10, true},
		{"MaxRSS|NTasks", []string{"7.0|2M|8"}, 2 << 10, true},
		{"MaxRSS|NTasks", []string{"7.0|2M|1"}, 2 << 10, false},
		{"MaxRSS|NTasks", []string{"7.batch|2M|1", "7.extern|1M|1"}, 2 << 10, false},
		{"MaxRSS|NNodes", []string{"7.0|2M|2"}, 2 << 10, true},
		{"MaxRSS|NNodes", []string{"7.0|2M|1"}, 2 << 10, true}, // a node may have many tasks
		{"MaxRSS|AllocCPUS", []string{"7.0|2M|1"}, 2 << 10, false},
		{"MaxRSS|NNodes", []string{"7.batch|2M|2", "7.extern|1M|1"}, 2 << 10, false},
		{"MaxRSS|NNodes", []string{"7.batch|2M|2", "7.extern|1M|2"}, 2 << 10, true},
		{"MaxRSS", []string{"7.batch|2M"}, 2 << 10, false},
		{"MaxRSS", []string{"7.bat+|2M"}, 2 << 10, false},
		{"MaxRSS", []string{"7.batch|2M", "7.0|1M"}, 2 << 10, true}, // whose tasks may have used more together
		{"MaxRSS", []string{"7.0|1M", "7.batch|2M"}, 2 << 10, true},
	} {
		empty := strings.Repeat("|", 1+strings.Count(x.columns, "|"))
		for _, isFirst := range []bool{false, true} { // whether the steps come before their job
			var lines []string
			for _, step := range x.steps {
				id, cells, _ := strings.Cut(step, "|")
				lines = append(lines, id+"|||||"+cells)
			}
			if isFirst {
				lines = append(lines, job+empty)
			} else {
				lines = append([]string{job + empty}, lines...)
			}
			text := "JobID|State|Submit|Start|End|" + x.columns + "\n" + strings.Join(lines, "\n") + "\n"
			tr, err := ReadTrace([]file.Source{{Name: "sacct.txt", Open: func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(text)), nil }}}, time.UTC, trace.Keep{Used: []string{"mem"}})
			if err != nil || len(tr.Jobs) != 1 {
				t.Fatal(err, text)
			}
			if got := tr.UseOf(0)[0]; got != x.want || tr.Jobs[0].UsedMore != x.isLeast {
				t.Errorf("%v kb, at least %v, want %v and %v of\n%s", got, tr.Jobs[0].UsedMore, x.want, x.isLeast, text)
			}
		}
	}
}
