package history

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"fairshare/cmd/internal/file"
	"fairshare/cmd/internal/trace"
)

// What jobs of a reservation occupy counts as there.
func TestReservedCapacity(t *testing.T) {
	capacity := NewCapacity(map[string]float64{"ncpus": 16}, Words{})
	capacity.Reserve("R1")
	capacity.Add(Span{0, 500}, map[string]float64{"ncpus": -16})
	l := NewLedger(Question{From: 0, To: 1000, Choice: Choice{Users: []string{"nobody"}}})
	for queue, cpus := range map[string]float64{"R1": 4 * 250, "R2": 99, "workq": 99} {
		l.reserved[place{0, queue}] = []float64{cpus}
	}
	if got := l.supply(&Sheet{Capacity: capacity}, 0, Span{0, 1000}); len(got) != 1 || got[0] != 16*500+4*250 {
		t.Errorf("%v cpu seconds, not %v", got, 16*500+4*250)
	}
}

// What is spent of budgets is what jobs of their names occupied in their time.
func TestBooks(t *testing.T) {
	begin := time.Date(2026, 3, 1, 22, 0, 0, 0, time.UTC)
	came := begin.Unix()
	log := filepath.Join(t.TempDir(), "20260301")
	// Four cpus, a GPU and 2 GB for four hours.
	text := fmt.Sprintf("%s;E;1.s;user=ann group=physics queue=workq ctime=%d qtime=%d etime=%d start=%d end=%d Resource_List.ncpus=4 Resource_List.ngpus=1 Resource_List.mem=2gb\n",
		begin.Add(4*time.Hour).Format("01/02/2006 15:04:05"), came, came, came, came, came+4*3600)
	if err := os.WriteFile(log, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	budgets, err := ParseBudgets("name,kind,resource,hours,from,to\nann,user,ncpus,16,2026-03-01,2026-03-01\nann,user,ngpus,10,2026-03-02,2026-03-03\n"+
		"physics,group,mem,50,2026-03-01,2026-03-31\nphysic,group,ncpus,50,2026-03-01,2026-03-31\n", time.UTC)
	if err != nil {
		t.Fatal(err)
	}
	books := NewBooks(budgets, time.UTC, nil)
	recorded, err := trace.Read([]file.Source{file.At(log)}, time.UTC, books.Keep())
	if err != nil {
		t.Fatal(err)
	}
	spent := map[string]float64{}
	for _, b := range books.Balances(recorded, trace.Continuity{}) {
		spent[b.Name+" "+b.Resource] = b.Spent
		if math.Abs(b.Spent+b.Left-b.Hours) > 1e-9 {
			t.Errorf("%+v", b)
		}
		// The job ran for two hours of that day before the only line of the logs, and a pace is of the time in which its hours were.
		if b.Name+" "+b.Resource == "ann ncpus" && !(math.Abs(b.Pace-4*24) < 1e-9) {
			t.Errorf("%v hours a day", b.Pace)
		}
	}
	if diff := cmp.Diff(map[string]float64{"ann ncpus": 8, "ann ngpus": 2, "physics mem": 8, "physic ncpus": 0}, spent); diff != "" {
		t.Error(diff)
	}
	missing := books.Missing(recorded)
	if len(missing) != 1 || !strings.Contains(missing[0].Text, "there is no group physic; did you mean physics?") {
		t.Errorf("%v", missing)
	}
}
