package cli

import (
	"bytes"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"fairshare/cmd/internal/slurm"
)

// TestSprio compares every factor with what sprio printed.
func TestSprio(t *testing.T) {
	configs, _ := filepath.Glob("../../../testdata/slurm-priority/*")
	if len(configs) != 5 {
		t.Fatalf("%d recorded configurations", len(configs))
	}
	local := time.Local
	time.Local = time.UTC // the files' times
	defer func() { time.Local = local }()
	for _, dir := range configs {
		t.Run(filepath.Base(dir), func(t *testing.T) {
			text := func(name string) string {
				b, err := os.ReadFile(filepath.Join(dir, name))
				if err != nil {
					t.Fatal(err)
				}
				return string(b)
			}
			at, _, _ := strings.Cut(text("calc_time.txt"), " ")
			var out, errs bytes.Buffer
			code := run([]string{"priority", "--notes", "-o", "json", "--slurm-conf", dir + "/slurm.conf", "--jobs", dir + "/scontrol_show_job.txt",
				"--shares", dir + "/sshare_l.txt", "--qos", dir + "/qos.txt", "--at", at}, nil, &out, &errs)
			if code != exitFine {
				t.Fatalf("exit %d: %s", code, errs.String())
			}
			var lines []slurm.Line
			if err := json.Unmarshal(out.Bytes(), &lines); err != nil {
				t.Fatal(err)
			}
			rows := map[string]slurm.Line{}
			for i, l := range lines {
				rows[l.Job+"|"+l.Partition] = l
				if i > 0 && l.Priority > lines[i-1].Priority {
					t.Errorf("%s with %v comes after %v", l.Job, l.Priority, lines[i-1].Priority)
				}
			}
			weighted, norm := sprioRows(t, text("sprio_wide.txt")), sprioRows(t, text("sprio_norm_wide.txt"))
			if len(weighted) != len(rows) || len(norm) != len(rows) {
				t.Errorf("%d rows, sprio has %d", len(rows), len(weighted))
			}
			for place, l := range rows {
				// Job 17's priority was set by hand, so that sprio has no factors.
				if w, n := weighted[place], norm[place]; w == nil || n == nil {
					t.Errorf("sprio has no %s", place)
				} else if l.Job != "17" {
					compareSprio(t, l, w, n)
				}
			}
			// A raw association priority might explain any number.
			said := strings.Contains(errs.String(), "job 17 has priority 12345 in Slurm, ")
			if said == (filepath.Base(dir) == "no_normal_all") {
				t.Errorf("of job 17: %s", errs.String())
			}
		})
	}
}

func sprioRows(t *testing.T, text string) map[string][]string {
	rows := map[string][]string{}
	for line := range strings.Lines(text) {
		cells := strings.Split(strings.TrimSpace(line), "|")
		rows[cells[0]+"|"+cells[1]] = cells
	}
	return rows
}

func compareSprio(t *testing.T, l slurm.Line, weighted, norm []string) {
	t.Helper()
	near := func(what string, got float64, want string, tolerance float64) {
		t.Helper()
		w, err := strconv.ParseFloat(want, 64)
		if err != nil || math.Abs(got-w) > tolerance {
			t.Errorf("%s/%s: %s = %v, sprio has %s", l.Job, l.Partition, what, got, want)
		}
	}
	near("age", l.Age, weighted[4], 1)
	near("fairshare", l.Fairshare, weighted[6], 1)
	near("jobsize", l.JobSize, weighted[7], 1)
	near("partition", l.PartitionFactor, weighted[8], 1)
	near("qos", l.QOS, weighted[9], 1)
	near("nice", l.Nice, weighted[10], 0)
	near("norm age", l.NormAge, norm[5], 2e-6)
	near("norm fairshare", l.NormFairshare, norm[7], 2e-6)
	near("norm jobsize", l.NormJobSize, norm[8], 2e-6)
	near("norm partition", l.NormPartition, norm[9], 2e-6)
	near("norm qos", l.NormQOS, norm[10], 2e-6)
	nearTRES(t, l, l.TRES, weighted[12], 1)
	nearTRES(t, l, l.NormTRES, norm[11], 0.0051)
	// sprio's sum has the association and the site in it.
	if l.Priority > minimum {
		assoc, _ := strconv.ParseFloat(weighted[5], 64)
		site, _ := strconv.ParseFloat(weighted[11], 64)
		near("priority", float64(l.Priority)+assoc+site, weighted[3], 1)
	}
}

const minimum = 1 // of a priority

func nearTRES(t *testing.T, l slurm.Line, got map[string]float64, want string, tolerance float64) {
	t.Helper()
	parts := strings.Split(want, ",")
	if len(parts) != len(got) {
		t.Errorf("%s: %v, sprio has %s", l.Job, got, want)
	}
	for _, part := range parts {
		name, number, _ := strings.Cut(part, "=")
		if w, err := strconv.ParseFloat(number, 64); err != nil || math.Abs(got[name]-w) > tolerance {
			t.Errorf("%s: %s = %v, sprio has %s", l.Job, name, got[name], number)
		}
	}
}
