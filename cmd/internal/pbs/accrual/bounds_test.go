package accrual

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"fairshare/cmd/internal/file"
	"fairshare/cmd/internal/trace"
	"fairshare/fstree"
)

// Usage lies between its bounds at each time, also where a mom that looks every two minutes has just begun to look oftener for
// another job, so that its last report is older than that.
func TestBounds(t *testing.T) {
	const began = 1767225600
	log := fmt.Sprintf("01/01/2026 00:00:00;Q;1.s;user=a ctime=%[1]d qtime=%[1]d etime=%[1]d\n01/01/2026 00:00:00;S;1.s;user=a start=%[1]d Resource_List.ncpus=2\n", began)
	for i := range 20 { // jobs that come, and of which every other starts
		at := began + 2000 + 7*int64(i)
		log += fmt.Sprintf("%s;Q;%d.s;user=b ctime=%[3]d qtime=%[3]d etime=%[3]d\n", time.Unix(at, 0).UTC().Format("01/02/2006 15:04:05"), i+2, at)
		if i%2 == 0 {
			log += fmt.Sprintf("%s;S;%d.s;user=b start=%[3]d Resource_List.ncpus=2\n", time.Unix(at, 0).UTC().Format("01/02/2006 15:04:05"), i+2, at)
		}
	}
	name := filepath.Join(t.TempDir(), "log")
	if err := os.WriteFile(name, []byte(log), 0o600); err != nil {
		t.Fatal(err)
	}
	tr, err := trace.Read([]file.Source{file.At(name)}, time.UTC, trace.Keep{Used: []string{"ncpus", "walltime"}})
	if err != nil {
		t.Fatal(err)
	}
	config := fstree.DefaultConfig()
	config.UsageRes, config.DecayTime = "ncpus*walltime", 700
	for at := int64(began); at < began+3000; at++ {
		db, err := Compute(tr, Options{Config: config, Lag: DefaultLag, Interval: DefaultInterval, Until: at, IsSampled: true})
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range db.Entities {
			if e.Low > e.Usage || e.Usage > e.High {
				t.Fatalf("%d s after the begin: %s: %f is not between %f and %f", at-began, e.Name, e.Usage, e.Low, e.High)
			}
		}
	}
}
