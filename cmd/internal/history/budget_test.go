package history

import (
	"fmt"
	"slices"
	"strings"
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

// What jobs of an account spend is spent of the budgets of those above it, which say so; of users and groups of the same names nothing is.
func TestNestedBudgets(t *testing.T) {
	ended := func(id, account string, cpus int) string {
		return fmt.Sprintf("03/03/2026 10:00:00;E;%s;user=sci group=sci account=%q ctime=%[3]d qtime=%[3]d etime=%[3]d start=%[3]d end=%[4]d Resource_List.ncpus=%[5]d Exit_status=0\n", id, account, 1772445600, 1772445600+3600, cpus)
	}
	log := "03/02/2026 00:00:00;L;license;\n" + ended("1.s", "astro", 1) + ended("2.s", "phys", 2) + ended("3.s", "chem", 4) + ended("4.s", "gone", 8)
	parents := map[string]string{"astro": "phys", "phys": "sci", "chem": "sci", "sci": "root", "loop": "loop"}
	for _, test := range []struct {
		parents   map[string]string
		nests     string
		spent     string
		says, not string
	}{
		{nil, "", "astro 1 [], phys 2 [], root 0 [], sci 0 [], sci 15 []", "no account root", "tree"},
		{nil, "sshare", "astro 1 [], phys 2 [], root 0 [], sci 0 [], sci 15 []", "of the budget of an account counts what its own jobs occupied, and nothing of those below it (sshare tells the tree)", "lacks"},
		{parents, "sshare", "astro 1 [], phys 3 [astro], root 7 [astro chem phys], sci 15 [], sci 7 [astro chem phys]", "the tree of accounts lacks gone, which jobs have", "not known"},
	} {
		var budgets []Budget
		for _, of := range [][2]string{{"astro", "account"}, {"phys", "account"}, {"root", "account"}, {"sci", "account"}, {"sci", "user"}} {
			budgets = append(budgets, Budget{Name: of[0], Kind: of[1], Resource: "ncpus", Hours: 100, Span: Span{1772445600 - 3600, 1772445600 + 86400}})
		}
		books := NewBooks(budgets, time.UTC, nil)
		books.Nest(test.parents)
		read, err := trace.Read(logOf(log), time.UTC, books.Keep())
		if err != nil {
			t.Fatal(err)
		}
		read.Nests = test.nests
		var spent []string
		for _, b := range books.Balances(read, trace.Continuity{}) {
			spent = append(spent, fmt.Sprint(b.Name, " ", b.Spent, " ", b.Below))
		}
		slices.Sort(spent)
		if got := strings.Join(spent, ", "); got != test.spent {
			t.Errorf("%s, want %s", got, test.spent)
		}
		said := ""
		for _, r := range books.Missing(read) {
			said += r.Text + "\n"
		}
		if !strings.Contains(said, test.says) || strings.Contains(said, test.not) {
			t.Errorf("%q is said, want %q and not %q", said, test.says, test.not)
		}
	}
}
