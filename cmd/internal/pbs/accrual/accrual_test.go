package accrual

import (
	"errors"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"fairshare/cmd/internal/workshop"

	"fairshare/cmd/internal/file"
	"fairshare/cmd/internal/pbs"
	"fairshare/cmd/internal/trace"
	"fairshare/fstree"
	"fairshare/usagefile"
)

const recordings = "../../../../testdata/replay/"

// recorded reads what is known of a recorded run.
func recorded(t *testing.T, run string) (tr *trace.Trace, priv *pbs.SchedPriv, begin *usagefile.Database, taken int64) {
	t.Helper()
	priv, err := pbs.LoadSchedPriv(file.DirAt(recordings+run+"/snapshot/sched_priv"), false)
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(recordings + run + "/usage.begin")
	if err != nil {
		t.Fatal(err)
	}
	resources, err := Resources(priv.Config)
	if err != nil {
		t.Fatal(err)
	}
	names, err := filepath.Glob(recordings + run + "/snapshot/server_priv/accounting/*")
	if err != nil {
		t.Fatal(err)
	}
	var logs []file.Source
	for _, name := range names {
		logs = append(logs, file.At(name))
	}
	if tr, err = trace.Read(logs, time.UTC, trace.Keep{Used: resources, Hosts: true}); err != nil {
		t.Fatal(err)
	}
	ctime, err := os.ReadFile(recordings + run + "/snapshot/ctime")
	if err != nil {
		t.Fatal(err)
	}
	taken, err = strconv.ParseInt(strings.TrimSpace(string(ctime)), 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return tr, priv, usagefile.Parse(string(text)), taken
}

// The usage of the recorded runs comes out within what the guessed times of cycles
// and the age of reports make of it, and decay at the recorded times.
func TestRecorded(t *testing.T) {
	for run, most := range map[string]struct{ all, one float64 }{"P1x": {.0005, .002}, "P2": {.0005, .026}, "P3": {.0005, .003}, "P5": {.001, .006}, "P6": {.0005, .003}, "R1": {.0005, .005}, "R5": {.0005, .002}} {
		tr, priv, begin, taken := recorded(t, run)
		db, err := Compute(tr, Options{Config: priv.Config, Begin: begin, LastDecay: priv.Usage.LastDecay, Lag: DefaultLag, Interval: DefaultInterval, Until: taken, IsSampled: IsSampled(tr)})
		if err != nil {
			t.Fatal(err)
		}
		if db.LastDecay != priv.Usage.LastDecay {
			t.Errorf("%s: last decay %d, recorded %d", run, db.LastDecay, priv.Usage.LastDecay)
		}
		rebuilt := map[string]Entity{}
		for _, e := range db.Entities {
			rebuilt[e.Name] = e
		}
		sum, all, compared := 0., 0., 0
		for name, usage := range priv.Usage.All() {
			e := rebuilt[name]
			sum, all = sum+e.Usage, all+usage
			compared++
			if math.Abs(e.Usage/usage-1) > most.one {
				t.Errorf("%s: %s: %.0f, recorded %.0f", run, name, e.Usage, usage)
			}
			if e.Low > e.Usage || e.Usage > e.High {
				t.Errorf("%s: %s: %.0f is not between %.0f and %.0f", run, name, e.Usage, e.Low, e.High)
			}
		}
		if math.Abs(sum/all-1) > most.all || compared < 12 {
			t.Errorf("%s: %.0f of %d entities, recorded %.0f", run, sum, compared, all)
		}
	}
}

// Given the recorded times of cycles and the use as it was reported, the tree's usage
// is the scheduler's own after each of 266 cycles, groups included.
func TestExactAccrual(t *testing.T) {
	_, priv, begin, _ := recorded(t, "A")
	tree := priv.Tree
	tree.ResetUsage()
	if err := tree.LoadUsage(begin.All(), false); err != nil {
		t.Fatal(err)
	}
	rows := workshop.Table(t, recordings+"A/cycles.csv.gz")
	number := func(text string) float64 {
		x, err := strconv.ParseFloat(text, 64)
		if err != nil {
			return 0 // "pre": mom has not reported
		}
		return x
	}
	find := func(name string) fstree.ID {
		switch name {
		case "root":
			return fstree.Root
		case "unknown":
			return fstree.Unknown
		}
		id, ok := tree.Lookup(name)
		if !ok {
			id = tree.AddUnknown(name)
		}
		return id
	}
	compared := 0
	for _, row := range rows[1:] {
		for _, job := range strings.Fields(row[5]) {
			parts := strings.Split(job, ":")
			before, now, _ := strings.Cut(parts[2], ">")
			tree.Charge(find(parts[1]), max(0, number(now)-number(before)))
		}
		for range int(number(row[3])) {
			tree.Decay(priv.Config.DecayFactor)
		}
		for i, column := range rows[0] {
			name, isUsage := strings.CutPrefix(column, "usage_")
			if !isUsage {
				continue
			}
			compared++
			if got := tree.Entity(find(name)).Usage; got != number(row[i]) {
				t.Fatalf("cycle %s: %s has %v, recorded %s", row[0], name, got, row[i])
			}
		}
	}
	if compared < 2900 {
		t.Errorf("only %d compared", compared)
	}
}

// What an entity is charged: nothing without a cycle or a report, and with the decay
// in between.
func TestCompute(t *testing.T) {
	const log = `01/01/2026 00:00:00;Q;1.s;user=a ctime=1767225600 qtime=1767225600 etime=1767225600
01/01/2026 00:00:00;S;1.s;user=a start=1767225600 Resource_List.ncpus=2
01/01/2026 00:00:10;E;2.s;user=short etime=1767225590 start=1767225591 end=1767225610 Resource_List.ncpus=9 resources_used.ncpus=9
01/01/2026 01:00:00;E;1.s;user=a etime=1767225600 start=1767225600 end=1767229200 resources_used.ncpus=2 resources_used.walltime=01:00:00
01/01/2026 01:00:00;E;3[].s;user=array etime=1767225600 start=1767225600 end=1767229200 resources_used.ncpus=2
`
	tr, err := trace.Read([]file.Source{{Name: "log", Open: file.At("").Open}}, time.UTC, trace.Keep{})
	if err == nil {
		t.Fatalf("%+v", tr)
	}
	name := filepath.Join(t.TempDir(), "log")
	if err := os.WriteFile(name, []byte(log), 0o600); err != nil {
		t.Fatal(err)
	}
	config := fstree.DefaultConfig()
	config.UsageRes, config.DecayTime = "ncpus*walltime", 1800
	if tr, err = trace.Read([]file.Source{file.At(name)}, time.UTC, trace.Keep{Used: []string{"ncpus", "walltime"}}); err != nil {
		t.Fatal(err)
	}
	db, err := Compute(tr, Options{Config: config, Lag: 30, Interval: 600, Until: trace.Unknown})
	if err != nil {
		t.Fatal(err)
	}
	// Cycles at 0, 10, 610, 1210, 1810 (the decay), 2410, 3010 and 3600 s: by the decay
	// (1810 - 30) x 2, which is halved, then (3010 - 1780 - 30) x 2.
	want := (1+1780*2)/2. + (2980-1780)*2
	if len(db.Entities) != 2 || db.Entities[0].Usage != want || db.Entities[1].Name != "short" || db.Entities[1].Usage != 1 || db.Charged != 1 || db.Lost != 1 {
		t.Errorf("%+v, want %v", db, want)
	}
	const long = int64(1) << 40
	if _, err := Compute(tr, Options{Config: config, Interval: 600, Until: long}); !errors.Is(err, ErrSpan) {
		t.Errorf("usage of %d is computed: %v", long, err)
	}
	config.Entity = "Submit_Host"
	if _, err := Compute(tr, Options{Config: config}); err == nil {
		t.Error("an entity that no log tells is accepted")
	}
	config.Entity, config.UsageRes = "euser", "ncpus +"
	if _, err := Compute(tr, Options{Config: config}); err == nil {
		t.Error("a usage that is no expression is accepted")
	}
}
