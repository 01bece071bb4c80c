package history

import (
	"fmt"
	"testing"
	"time"

	"fairshare/cmd/internal/trace"
	"fairshare/cmd/internal/workshop"
)

// What is spent a day, and when all is, of a time of which the logs have two days and in which a job had a
// cpu all the time. What stands for a whole array occupies nothing.
func TestBalances(t *testing.T) {
	day := func(n int) time.Time { return time.Date(2026, 3, n, 0, 0, 0, 0, time.UTC) }
	ended := func(id string, cpus int) string {
		return fmt.Sprintf("03/05/2026 00:00:00;E;%s;user=ann group=bio ctime=%[2]d qtime=%[2]d etime=%[2]d start=%[2]d end=%[3]d Resource_List.ncpus=%[4]d Exit_status=0\n", id, day(3).Unix(), day(5).Unix(), cpus)
	}
	log := "03/03/2026 00:00:00;L;license;\n" + ended("1.s", 1) + ended("2[].s", 9)
	for i, test := range []struct {
		row   string // hours, from, to
		spent float64
		pace  float64
		on    time.Time // zero for not before the end
	}{
		{"96,2026-03-01,2026-03-10", 48, 24, day(7)},
		{"96,4.3.2026,10.3.2026", 24, 24, day(8)},
		{"191,2026-03-01,2026-03-10", 48, 24, day(11).Add(-time.Hour)},
		{"192,2026-03-01,2026-03-10", 48, 24, time.Time{}}, // when the budget ends as well
		{"24,2026-03-01,2026-03-10", 48, 24, day(4)},
		{"96,2026-03-01,2026-03-04", 48, 24, time.Time{}},
	} {
		resource := []string{"ncpus", "cpu"}[i%2] // which are one thing
		budgets, err := ParseBudgets("name,kind,resource,hours,from,to\nann,user,"+resource+","+test.row+"\n", time.UTC)
		if err != nil {
			t.Fatal(err)
		}
		books := NewBooks(budgets, time.UTC, nil)
		read, err := trace.Read(logOf(log), time.UTC, books.Keep())
		if err != nil {
			t.Fatal(err)
		}
		on := int64(trace.Unknown)
		if !test.on.IsZero() {
			on = test.on.Unix()
		}
		if b := books.Balances(read, trace.Continuity{})[0]; b.Spent != test.spent || b.Pace != test.pace || b.SpentOn != on {
			t.Errorf("%s: %v spent, %v a day, all at %s, want %v, %v and %s", test.row, b.Spent, b.Pace, time.Unix(b.SpentOn, 0).UTC(), test.spent, test.pace, time.Unix(on, 0).UTC())
		}
	}
	// The one of which most is spent, as a part of it, comes first.
	books := &Books{budgets: []Budget{{Name: "a", Resource: "ncpus", Hours: 100}, {Name: "b", Resource: "ncpus", Hours: 2}, {Name: "c", Resource: "ncpus", Hours: 10}}, zone: time.UTC, spent: []float64{9 * 3600, 3600, 2 * 3600}}
	order := ""
	for _, b := range books.Balances(&trace.Trace{}, trace.Continuity{}) {
		order += b.Name
	}
	if order != "bca" {
		t.Errorf("order %s", order)
	}
}

// A budget may begin and end on a day that has no midnight, and lasts for the whole of it.
func TestBudgetOfDayWithoutMidnight(t *testing.T) {
	for _, c := range []struct {
		zone, day string
		hours     int64
	}{{"Africa/Cairo", "2026-04-24", 23}, {"America/Asuncion", "2023-10-01", 23}, {"Africa/Cairo", "2026-10-29", 25}, {"Europe/Berlin", "2026-03-29", 23}} {
		zone := workshop.Zone(t, c.zone)
		list, err := ParseBudgets("name,kind,resource,hours,from,to\nann,user,ncpus,16,"+c.day+","+c.day+"\n", zone)
		if err != nil {
			t.Errorf("%s in %s: %v", c.day, c.zone, err)
			continue
		}
		if got := list[0].End - list[0].Begin; got != c.hours*3600 {
			t.Errorf("%s in %s has %d seconds, want %d hours", c.day, c.zone, got, c.hours)
		}
	}
}
