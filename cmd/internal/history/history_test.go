package history_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/history"
	"fairshare/cmd/internal/moment"
	pbssite "fairshare/cmd/internal/pbs/site"
	"fairshare/cmd/internal/site"
	"fairshare/cmd/internal/slurm/sacct"
)

// read returns a history of the logs of a recording, of which jobs are kept or handed over.
func read(t *testing.T, c history.Choice, p history.Period, keepsJobs bool, logs ...string) (*history.History, []diag.Remark) {
	t.Helper()
	from, _, err := pbssite.FindLogs(logs, "UTC", site.NewInput(strings.NewReader(""), sacct.Format()))
	if err != nil {
		t.Fatal(err)
	}
	h := history.New(c, p, nil)
	recorded, _, err := from.Read(h.Keep(keepsJobs))
	if err != nil {
		t.Fatal(err)
	}
	remarks, err := h.Close(recorded)
	if err != nil {
		t.Fatal(err)
	}
	return h, remarks
}

const recording = "../../../testdata/replay/P6/snapshot"

// period returns the time between two moments.
func period(t *testing.T, from, to *moment.Moment) history.Period {
	t.Helper()
	p, err := history.NewPeriod(from, to, time.UTC)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// at returns a moment of the recording.
func at(t *testing.T, text string) *moment.Moment {
	t.Helper()
	m, err := moment.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return &m
}

// The jobs of two halves of the time add up to all: each starts in one of them and ends in one.
func TestHalves(t *testing.T) {
	middle := at(t, "2026-03-02T19:00:00")
	count := func(from, to *moment.Moment) (jobs int, hours float64) {
		h, _ := read(t, history.Choice{}, period(t, from, to), false, recording)
		for _, row := range h.Rows(h.Kinds()[0]) {
			jobs, hours = jobs+row.Jobs, hours+row.CoreHours
		}
		return jobs, hours
	}
	all, hours := count(nil, nil)
	first, firstHours := count(nil, middle)
	second, secondHours := count(middle, nil)
	if first+second != all || all == 0 || firstHours+secondHours-hours > 1e-6 || hours-firstHours-secondHours > 1e-6 {
		t.Errorf("%d and %d of %d jobs, %v and %v of %v core hours", first, second, all, firstHours, secondHours, hours)
	}
}

// What some occupy is a part of what all do, of the cpus that there are.
func TestMachine(t *testing.T) {
	h, remarks := read(t, history.Choice{Users: []string{"bob", "bobb"}}, period(t, nil, nil), false, recording)
	if len(remarks) == 0 || !strings.Contains(remarks[len(remarks)-1].Text, "there is no user bobb; did you mean bob?") {
		t.Errorf("it says %v", remarks)
	}
	m, ok := h.Machine(0, 10)
	if !ok || !m.IsAtMost || m.CPUs <= 0 || len(m.Means) != 10 || !(m.Chosen > 0 && m.Chosen < m.All && m.All <= 100) {
		t.Errorf("%+v", m)
	}
}

// A period ends after it begins.
func TestCheckMoments(t *testing.T) {
	var asked *diag.RequestError
	early, late := at(t, "2026-03-02"), at(t, "2026-03-03")
	if err := history.CheckMoments(late, early, time.UTC); !errors.As(err, &asked) {
		t.Error(err)
	}
	if err := history.CheckMoments(early, late, time.UTC); err != nil {
		t.Error(err)
	}
}
