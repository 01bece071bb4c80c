package study_test

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"fairshare/cmd/internal/file"
	"fairshare/cmd/internal/pbs/snapshot"
	pbsstudy "fairshare/cmd/internal/pbs/study"
	"fairshare/cmd/internal/pbs/study/studytest"
	"fairshare/cmd/internal/study"
	"fairshare/cmd/internal/trace"
)

var (
	idIn       = regexp.MustCompile(`^[^;]*;[A-Za-z];([^;]*);`)
	timesIn    = regexp.MustCompile(` start=(\d+) .*end=(\d+) `)
	walltimeIn = regexp.MustCompile(`Resource_List\.walltime=\S+`)
)

// tighter returns logs as if jobs had asked for a multiple of what they used.
func tighter(t *testing.T, logs []file.Source, factor float64) []file.Source {
	t.Helper()
	used := map[string]float64{}
	var texts []string
	for _, log := range logs {
		text, err := log.Text(1 << 26)
		if err != nil {
			t.Fatal(err)
		}
		texts = append(texts, text)
		for line := range strings.Lines(text) {
			id, times := idIn.FindStringSubmatch(line), timesIn.FindStringSubmatch(line)
			if id != nil && times != nil && strings.Contains(line, ";E;") {
				start, _ := strconv.ParseFloat(times[1], 64)
				end, _ := strconv.ParseFloat(times[2], 64)
				used[id[1]] = max(1, end-start)
			}
		}
	}
	changed := 0
	var all []file.Source
	for i, text := range texts {
		var other strings.Builder
		for line := range strings.Lines(text) {
			if id := idIn.FindStringSubmatch(line); id != nil && used[id[1]] > 0 {
				changed++
				asks := fmt.Sprintf("Resource_List.walltime=%.0f", math.Ceil(factor*used[id[1]]))
				if !walltimeIn.MatchString(line) {
					line = strings.TrimSuffix(line, "\n") + asks + " \n"
				}
				line = walltimeIn.ReplaceAllString(line, asks)
			}
			other.WriteString(line)
		}
		from := studytest.Source(other.String())
		from.Name = logs[i].Name
		all = append(all, from)
	}
	if changed < 100 {
		t.Fatalf("only %d lines are changed", changed)
	}
	return all
}

// Jobs that ask for less start as they do in a replay of logs in which they have asked for less.
func TestAsking(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"P2", "P3", "P6r"} {
		s := studytest.OfRun(t, name)
		s.Wanted.KeepVnodes = true
		asking, _, err := pbsstudy.NewPolicy(study.Changes{Settings: []string{"walltime=1.5*used"}}, s.Inputs.Site)
		if err != nil {
			t.Fatal(err)
		}
		at, err := file.OpenTree(studytest.Recordings + name + "/snapshot")
		if err != nil {
			t.Fatal(err)
		}
		logs, _, err := snapshot.Logs(at)
		if err != nil {
			t.Fatal(err)
		}
		keep, err := s.Inputs.Keep()
		if err != nil {
			t.Fatal(err)
		}
		read, err := trace.Read(tighter(t, logs, 1.5), time.UTC, keep)
		if err != nil {
			t.Fatal(err)
		}
		in := *s.Inputs
		other := studytest.New(t, &in, read)
		other.Options, other.Wanted = s.Options, s.Wanted
		base, got, want := startsOf(t, s, s.Used()[0]), startsOf(t, s, asking), startsOf(t, other, other.Used()[0])
		if got != want || got == base {
			t.Errorf("%s: other jobs start than where the logs have the walltimes: %v, and as in the record: %v", name, got != want, got == base)
		}
	}
}

// A walltime is made of what was used and asked for, in whole seconds and never less than used.
func TestAskingWalltimes(t *testing.T) {
	t.Parallel()
	// SmallTrace has runs of 100, 100 and 50 seconds, which asked for 100, 100 and 50.
	for setting, want := range map[string][]int64{
		"walltime=1.2*used":                  {120, 120, 60},
		"walltime=max(80,1.01*used)":         {101, 101, 80},
		"walltime=min(asked,1.2*used)":       {100, 100, 50},
		"walltime=used/3":                    {100, 100, 50},
		"walltime=1/(used-100)":              {100, 100, 50}, // an error, and a negative one
		"walltime=asked*1000000000000*asked": {315360000, 315360000, 315360000},
	} {
		s := studytest.OfTrace(t, studytest.SmallTrace, "4", "ncpus")
		studytest.Add(t, s, study.Changes{Settings: []string{setting}})
		changed, failed := s.Work.Asking(s.Used()[1].Site.Walltime)
		wantFailed := 0
		if setting == "walltime=1/(used-100)" {
			wantFailed = 2 // those that run for 100 seconds
		}
		if failed != wantFailed {
			t.Errorf("%s: has no value for %d jobs, not %d", setting, failed, wantFailed)
		}
		for i, j := range changed.Jobs {
			if j.Walltime != want[i] {
				t.Errorf("%s: job %s asks for %d, not %d", setting, j.ID, j.Walltime, want[i])
			}
		}
	}
	for _, setting := range []string{"walltime=", "walltime=1.2*use", "walltime=1.2*", "walltime"} {
		s := studytest.OfTrace(t, studytest.SmallTrace, "4", "ncpus")
		if _, _, err := pbsstudy.NewPolicy(study.Changes{Settings: []string{setting}}, s.Inputs.Site); err == nil {
			t.Errorf("%s is accepted", setting)
		}
	}
}
