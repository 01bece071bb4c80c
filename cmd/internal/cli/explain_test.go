package cli

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"fairshare/cmd/internal/pbs/explain"
	"fairshare/cmd/internal/workshop"
)

// TestExplainRounds explains jobs of all recorded queues, and compares each
// queue with itself. A plain run asks about two pairs of jobs of each, others of the next.
func TestExplainRounds(t *testing.T) {
	for nth, dir := range rounds(t) {
		name := filepath.Join(dir, "order.txt")
		t.Run(filepath.Base(dir), func(t *testing.T) {
			t.Parallel()
			list, ok := readList(t, filepath.Join(dir, "qstat-f.json"))
			if !ok {
				t.Fatal("no list")
			}
			settings := roundArgs(t, dir, "json")[4:]
			output := func(into any, args ...string) {
				t.Helper()
				var out, errs bytes.Buffer
				code := run(append(args, settings...), bytes.NewReader(list), &out, &errs)
				if code != exitFine && code != exitPartly {
					t.Fatalf("%v: exit %d: %s", args, code, errs.String())
				}
				if err := json.Unmarshal(out.Bytes(), into); err != nil {
					t.Fatalf("%v: %v", args, err)
				}
			}
			var order []string
			for _, line := range lines(t, name) {
				order = append(order, strings.TrimSpace(line))
			}
			last := len(order) - 1
			for i, pair := range [][2]int{{0, 1}, {1, 0}, {0, last}, {last, last / 2}, {last / 3, last / 2}} {
				if !workshop.TestsAll() && (i+nth)%5 > 1 {
					continue
				}
				if pair[0] == pair[1] || order[pair[0]] == order[pair[1]] || last < 1 {
					continue
				}
				var v explain.Verdict
				output(&v, "explain", "-o", "json", "--job", order[pair[0]], "--vs", order[pair[1]])
				if want := order[min(pair[0], pair[1])]; v.First != want || v.Key == "" || !strings.Contains(v.Why, want) {
					t.Errorf("%v: %s goes first by %q: %s", pair, v.First, v.Key, v.Why)
				}
			}
			if len(order) > 0 {
				var e struct {
					Rank  *int
					Steps []explain.Step
					Value any
				}
				output(&e, "explain", "-o", "json", "--job", order[0])
				if e.Rank == nil || *e.Rank != 1 || (e.Value != nil) != (len(e.Steps) > 0) {
					t.Errorf("%s: %+v", order[0], e)
				}
			}
			var d struct {
				Moved, Entered, Left int
				Tau                  *float64 `json:"tau_b"`
			}
			output(&d, "compare", "-o", "json", settings[0], settings[1])
			if d.Moved+d.Entered+d.Left != 0 || d.Tau != nil && *d.Tau != 1 {
				t.Errorf("compared with itself: %+v", d)
			}
		})
	}
}

// At any time, explain and sort give a job the same place, and say the same of what a cycle then makes of it.
func TestExplainAt(t *testing.T) {
	const site = "../../../testdata/moments/snapshot_20260302_14_45_00.tgz"
	type fate struct {
		Starts bool   `json:"starts_now"`
		Waits  string `json:"waits_for"`
	}
	for _, at := range []string{"2026-03-02 14:45:00", "2026-03-02 15:20:00", "2026-03-02 22:00:00"} {
		var sorted []struct {
			Rank int    `json:"rank"`
			ID   string `json:"id"`
			fate
		}
		text := output(t, "sort", site, "--now", "--tz", "UTC", "--at", at, "-o", "json")
		if err := json.Unmarshal([]byte(text), &sorted); err != nil {
			t.Fatal(err)
		}
		for _, want := range sorted[:min(4, len(sorted))] {
			var got struct {
				Rank int  `json:"rank"`
				Now  fate `json:"now"`
			}
			if err := json.Unmarshal([]byte(output(t, "explain", want.ID, site, "--tz", "UTC", "--at", at, "-o", "json")), &got); err != nil {
				t.Fatal(err)
			}
			if got.Rank != want.Rank || got.Now != want.fate {
				t.Errorf("%s at %s: explain says %+v, sort %+v", want.ID, at, got, want)
			}
		}
	}
}
