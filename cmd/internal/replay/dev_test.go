package replay

import (
	"compress/gzip"
	"context"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"sort"
	"strconv"
	"strings"
	"testing"
	"time"

	"fairshare/cmd/internal/cluster"
	"fairshare/cmd/internal/file"
	"fairshare/cmd/internal/order"
	"fairshare/cmd/internal/snapshot"
	"fairshare/cmd/internal/trace"
	"fairshare/usagefile"
)

const ref = "/work/shared/reference/replay/"

func gz(t *testing.T, name string) [][]string {
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(z).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	return rows
}

func known(run string) map[string]Known {
	k := map[string]Known{}
	text, err := os.ReadFile(ref + run + "/priority.csv")
	if err != nil {
		return k
	}
	for _, line := range strings.Split(string(text), "\n")[1:] {
		f := strings.Split(line, ",")
		if len(f) < 3 {
			continue
		}
		p, _ := strconv.Atoi(f[1])
		m, _ := strconv.Atoi(f[2])
		k[f[0]] = Known{int32(p), int32(m)}
	}
	return k
}

type loaded struct {
	w    *Work
	plan *order.Plan
	c    *cluster.Cluster
	o    Options
}

func loadRun(t *testing.T, run string) loaded {
	dir := ref + run + "/snapshot"
	snap, err := snapshot.Open(dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	site, _, err := snap.Files().Read()
	if err != nil {
		t.Fatal(err)
	}
	site.SetFormula("")
	plan, _, err := order.NewPlan(site, order.Options{})
	if err != nil {
		t.Fatal(err)
	}
	logs, err := snapshot.Logs(dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	tr, err := trace.Read(logs, time.UTC, trace.Keep{Requests: true})
	if err != nil {
		t.Fatal(err)
	}
	w := NewWork(tr, site.Entity(), known(run))
	text, err := os.ReadFile(dir + "/node/pbsnodes_va.out")
	if err != nil {
		t.Fatal(err)
	}
	config := site.SchedPriv.Config
	c, err := cluster.Parse(string(text), cluster.Checks{Resources: config.Resources, Types: site.Resources, Flags: site.Flags, SortKeys: site.Policy().NodeSortKeys, Defaults: site.Sched.Server.Of("default_chunk")}, false)
	if err != nil {
		t.Fatal(err)
	}
	usage, err := file.DirAt(filepath.Dir(ref+run+"/usage.begin")).Read("usage.begin", 1<<30)
	if err != nil {
		t.Fatal(err)
	}
	begin := usagefile.Parse(usage)
	last := begin.LastDecay
	if last == 0 {
		last = site.SchedPriv.Usage.LastDecay
	}
	return loaded{w, plan, c, Options{Begin: begin, LastDecay: last, Lag: 30, Window: 10, KeepVnodes: true, Watch: -1, Latency: EstimateLatency(w)}}
}

func TestDev(t *testing.T) {
	for _, run := range strings.Split(os.Getenv("RUN"), ",") {
		if run == "" {
			t.Skip()
		}
		var err error
		l := loadRun(t, run)
		if x := os.Getenv("LAT"); x != "" {
			fmt.Sscan(x, &l.o.Latency.First, &l.o.Latency.Job, &l.o.Latency.Most, &l.o.Latency.More)
		}
		if x := os.Getenv("LAG"); x != "" {
			fmt.Sscan(x, &l.o.Lag)
		}
		if os.Getenv("OWN") != "0" {
			l.o.Own = OwnLatencies(l.w, l.o.Latency)
		}
		if os.Getenv("REC") != "" {
			f, _ := os.Open(ref + run + "/cycles.csv.gz")
			z, _ := gzip.NewReader(f)
			if l.o.Recorded, err = ReadCycles(z); err != nil {
				t.Fatal(err)
			}
		}
		r, err := Run(context.Background(), l.w, l.plan, l.c, l.o)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Println(run, "latency", l.o.Latency, "cycles", r.Cycles, "jobs", len(l.w.Jobs), "preempt", r.Preempt)
		compareRun(t, run, l.w, r.Start, r.Vnodes)
	}
}

func compareRun(t *testing.T, run string, w *Work, start []float64, vnodes []string) {
	rows := gz(t, ref+run+"/starts.csv.gz")
	col := map[string]int{}
	for i, name := range rows[0] {
		col[name] = i
	}
	type obs struct {
		start  float64
		vnodes string
		etime  float64
	}
	observed := map[string]obs{}
	idc := col["job"]
	for _, row := range rows[1:] {
		s, err := strconv.ParseFloat(row[col["start"]], 64)
		if err != nil {
			continue
		}
		v := ""
		if c, ok := col["exec_vnode"]; ok {
			v = row[c]
		}
		id := row[idc]
		observed[id] = obs{s, v, 0}
	}
	var shifts []float64
	within, same, n := 0, 0, 0
	type pair struct {
		id        string
		real, sim float64
		v1, v2    string
	}
	var pairs []pair
	waitReal, waitSim := 0., 0.
	for i, j := range w.Jobs {
		o, ok := observed[j.ID]
		if !ok || start[i] == 0 {
			if ok {
				fmt.Println("   not started:", j.ID)
			}
			continue
		}
		s := math.Floor(start[i])
		n++
		d := math.Abs(s - o.start)
		shifts = append(shifts, d)
		if d <= 10 {
			within++
		}
		if o.vnodes == vnodes[i] {
			same++
		}
		waitReal += o.start - float64(j.Arrival)
		waitSim += s - float64(j.Arrival)
		pairs = append(pairs, pair{j.ID, o.start, s, o.vnodes, vnodes[i]})
	}
	sort.Float64s(shifts)
	mean := 0.
	for _, d := range shifts {
		mean += d
	}
	inverted, all := 0, 0
	for i := range pairs {
		for k := range pairs[:i] {
			a, b := pairs[i], pairs[k]
			if a.real != b.real {
				all++
				if (a.real < b.real) != (a.sim < b.sim) && a.sim != b.sim {
					inverted++
				}
			}
		}
	}
	sort.Slice(pairs, func(a, b int) bool { return pairs[a].real < pairs[b].real })
	equal := 0
	for _, p := range pairs {
		if p.real == p.sim {
			equal++
		}
	}
	fmt.Printf("%s: %d jobs (observed %d), equal %d, within 10 s %d, mean %.1f median %.1f, inverted %.2f %%, same vnodes %d, waits %.0f / %.0f\n", run, n, len(observed), equal, within, mean/float64(n), shifts[n/2], 100*float64(inverted)/float64(all), same, waitReal/float64(n), waitSim/float64(n))
	shown := 0
	for _, p := range pairs {
		if p.real != p.sim && os.Getenv("EXACT") != "" || math.Abs(p.real-p.sim) > 10 || p.v1 != p.v2 && p.v1 != "" {
			fmt.Printf("   %s real %s sim %+.0f  %s | %s\n", p.id, time.Unix(int64(p.real), 0).UTC().Format("02 15:04:05"), p.sim-p.real, p.v1, p.v2)
			if shown++; shown > 400 {
				break
			}
		}
	}
}

func TestDevUsage(t *testing.T) {
	run := os.Getenv("RUN")
	if run == "" {
		t.Skip()
	}
	f, _ := os.Open(ref + run + "/usage.jsonl.gz")
	z, _ := gzip.NewReader(f)
	type rec struct {
		Time  float64
		Usage map[string]float64
	}
	var recs []rec
	d := json.NewDecoder(z)
	for {
		var r rec
		if d.Decode(&r) != nil {
			break
		}
		recs = append(recs, r)
	}
	for _, h := range []float64{2, 4, 6, 7, 8, 10, 15, 20} {
		l := loadRun(t, run)
		if x := os.Getenv("LAG"); x != "" {
			fmt.Sscan(x, &l.o.Lag)
		}
		l.o.Until = float64(l.w.First) + 3600*h
		r, err := Run(context.Background(), l.w, l.plan, l.c, l.o)
		if err != nil {
			t.Fatal(err)
		}
		k := sort.Search(len(recs), func(i int) bool { return recs[i].Time > r.Until })
		if k > 0 {
			k--
		}
		fmt.Printf("%2.0f h (cycle %.0f, recorded %.0f):", h, r.Until, recs[k].Time)
		for _, name := range []string{"alice", "bob", "carl", "dora", "erin", "fred", "gina", "ivan", "judy", "kate", "liam", "mona"} {
			id, ok := r.Usage.Lookup(name)
			if ok && recs[k].Usage[name] > 0 {
				fmt.Printf(" %s %+.2f%%", name, 100*(r.Usage.Entity(id).Usage/recs[k].Usage[name]-1))
			}
		}
		fmt.Println()
	}
}
