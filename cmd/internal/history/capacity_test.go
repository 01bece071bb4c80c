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
	"fairshare/cmd/internal/world"
)

// Three vnodes of 16 cpus from 0 to 1000: what each has is taken away while it is not there or
// is reserved, and never twice.
func TestNewCapacity(t *testing.T) {
	vnode := func(name, state string) map[string]string {
		return map[string]string{"": name, "state": state, "resources_available.ncpus": "16", "resources_available.mem": "1gb", "resources_available.arch": "linux"}
	}
	vnodes := []map[string]string{vnode("a", "free"), vnode("b", "offline"), vnode("c", "job-busy")}
	held := func(queue, nodes string, from, until, start, end int64) *world.Reservation {
		return &world.Reservation{Queue: queue, Holds: []world.Hold{{From: from, Until: until, Start: start, End: end, Nodes: nodes}}}
	}
	off := world.VnodeEvent{At: 600, Vnode: "b", Kind: world.Offline}
	for name, c := range map[string]struct {
		w    *world.World
		want float64 // cpu seconds
	}{
		"nothing is told":          {nil, 48 * 1000},
		"away all the time":        {&world.World{HasVnodes: true}, 32 * 1000},
		"away from 600 on":         {&world.World{HasVnodes: true, Vnodes: []world.VnodeEvent{off}}, 32*1000 + 16*600},
		"down and offline at once": {&world.World{HasVnodes: true, Vnodes: []world.VnodeEvent{{At: 100, Vnode: "b", Kind: world.Down}, {At: 200, Vnode: "b", Kind: world.Offline}, {At: 300, Vnode: "b", Kind: world.Up}, {At: 400, Vnode: "b", Kind: world.Online}}}, 48*1000 - 16*300},
		"with 8 cpus from 500 on":  {&world.World{HasVnodes: true, Vnodes: []world.VnodeEvent{{At: 500, Vnode: "a", Kind: world.Resized, Resource: "ncpus", Amount: 8}}}, 16*500 + 8*500 + 16*1000},
		"reserved":                 {&world.World{Reservations: []*world.Reservation{held("R1", "(a:ncpus=8:mem=1gb)+(c:ncpus=16)", 0, 0, 200, 300)}}, 48*1000 - 24*100},
		"reserved until it is altered": {&world.World{Reservations: []*world.Reservation{held("R1", "(a:ncpus=8)", 0, 250, 200, 300),
			held("R1", "(a:ncpus=4)", 250, 0, 200, 300)}}, 48*1000 - 8*50 - 4*50},
		"reserved in vain": {&world.World{Reservations: []*world.Reservation{held("R1", "(a:ncpus=8)", 0, 100, 200, 300), held("R2", "(nowhere:ncpus=8)", 0, 0, 200, 300)}}, 48 * 1000},
		"reserved while it is offline": {&world.World{HasVnodes: true, Vnodes: []world.VnodeEvent{off},
			Reservations: []*world.Reservation{held("R1", "(b:ncpus=4)", 0, 0, 500, 900)}}, 32*1000 + 16*600 - 4*100},
		"more reserved than there is": {&world.World{Reservations: []*world.Reservation{held("R1", "(a:ncpus=99)", 0, 0, 0, 1000)}}, 32 * 1000},
	} {
		capacity := NewCapacity(vnodes, c.w)
		if got, ok := capacity.In("ncpus", Span{0, 1000}); !ok || got != c.want {
			t.Errorf("%s: %v cpu seconds, not %v", name, got, c.want)
		}
		first, _ := capacity.In("ncpus", Span{0, 450})
		second, _ := capacity.In("ncpus", Span{450, 1000})
		if math.Abs(first+second-c.want) > 1e-9 {
			t.Errorf("%s: %v and %v are not %v", name, first, second, c.want)
		}
	}
	capacity := NewCapacity(vnodes, nil)
	if got, ok := capacity.In("mem", Span{0, 10}); !ok || got != 3*1024*1024*10 {
		t.Errorf("%v kb seconds", got)
	}
	if _, ok := capacity.In("ngpus", Span{0, 10}); ok {
		t.Error("it has GPUs")
	}
	if _, ok := (*Capacity)(nil).In("ncpus", Span{0, 10}); ok {
		t.Error("nothing is known, and yet there is something")
	}
}

// What jobs of a reservation occupy counts as there.
func TestReservedCapacity(t *testing.T) {
	reserved := &world.World{Reservations: []*world.Reservation{{Queue: "R1", Holds: []world.Hold{{Start: 0, End: 500, Nodes: "(a:ncpus=16)"}}}}}
	capacity := NewCapacity([]map[string]string{{"": "a", "resources_available.ncpus": "16"}}, reserved)
	l := NewLedger(Question{From: 0, To: 1000, Choice: Choice{Users: []string{"nobody"}}})
	for queue, cpus := range map[string]float64{"R1": 4 * 250, "R2": 99, "workq": 99} {
		l.reserved[place{0, queue}] = []float64{cpus}
	}
	if got := l.supply(&Sheet{Capacity: capacity}, 0, Span{0, 1000}); len(got) != 1 || got[0] != 16*500+4*250 {
		t.Errorf("%v cpu seconds, not %v", got, 16*500+4*250)
	}
	for queue, is := range map[string]bool{"R1": true, "S20": true, "M3": true, "R": false, "R1x": false, "workq": false, "": false} {
		if isOfReservation(queue) != is {
			t.Errorf("%q: %v", queue, !is)
		}
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
	books := NewBooks(budgets, time.UTC)
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
	}
	if diff := cmp.Diff(map[string]float64{"ann ncpus": 8, "ann ngpus": 2, "physics mem": 8, "physic ncpus": 0}, spent); diff != "" {
		t.Error(diff)
	}
	missing := books.Missing(recorded)
	if len(missing) != 1 || !strings.Contains(missing[0].Text, "there is no group physic; did you mean physics?") {
		t.Errorf("%v", missing)
	}
}
