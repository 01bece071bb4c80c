package slurmsched

import (
	"bufio"
	"cmp"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
)

func recordedCluster() *Cluster {
	c := &Cluster{GRES: []string{"gpu"}}
	for i := 1; i <= 4; i++ {
		c.Nodes = append(c.Nodes, Node{fmt.Sprintf("g%02d", i), 32, 256000, []int32{4}, 100, []string{"amd", "gpu", "a100"}})
	}
	for i := 1; i <= 8; i++ {
		c.Nodes = append(c.Nodes, Node{fmt.Sprintf("n%02d", i), 16, 64000, []int32{0}, 10, []string{"intel", "avx2"}})
	}
	sets := [3]Set{NewSet(12), NewSet(12), NewSet(12)}
	for i := range 12 {
		sets[0].Add(i)
		if i < 4 {
			sets[1].Add(i)
		} else {
			sets[2].Add(i)
		}
	}
	c.Partitions = []Partition{{"main", sets[0], 1, 0, 10}, {"gpu", sets[1], 1, 0, 50}, {"debug", sets[2], 10, 0, 100}}
	return c
}

type recState struct {
	c       *Cluster
	m, bm   *Machine // bm: what is free where jobs are over that still clean up
	jobs    map[int]*Job
	first   map[int]int32
	pending map[int]*Job
	running map[int]*busy
	node    map[string]int
	led     *ledger
}

func (s *recState) queue() []*Job {
	var q []*Job
	for _, j := range s.pending {
		q = append(q, j)
	}
	slices.SortFunc(q, func(a, b *Job) int {
		return cmp.Or(cmp.Compare(s.c.Partitions[b.Partition].Tier, s.c.Partitions[a.Partition].Tier), cmp.Compare(b.Priority, a.Priority), a.ID-b.ID)
	})
	return q
}

func (s *recState) set(names string) Set {
	set := NewSet(len(s.c.Nodes))
	for n := range strings.SplitSeq(names, ",") {
		set.Add(s.node[n])
	}
	return set
}

func (s *recState) start(t *testing.T, j *Job, names string, at int64) {
	set := s.set(names)
	r := *j.Request
	r.MinNodes = int32(set.count())
	var p placer
	shares := p.place(s.m, &r, set)
	if shares == nil || len(shares) != set.count() {
		t.Errorf("%d job %d cannot be on %s: %v cpus %v", at, j.ID, names, shares, s.m.cpus)
		return
	}
	if f := s.first[j.ID]; f > 0 && shares[0].CPUs != f {
		t.Logf("%d job %d (n%d) on %s: first has %d, not %v", at, j.ID, r.CPUs, names, f, shares)
		if len(shares) == 2 {
			shares[1].CPUs += shares[0].CPUs - f
		} else {
			shares[1].CPUs += shares[0].CPUs - f
		}
		shares[0].CPUs = f
	}
	j.Shares = slices.Clone(shares)
	j.nodes = set
	j.Start = at
	s.m.take(j.Request, j.Shares)
	s.bm.take(j.Request, j.Shares)
	s.led.count(j, 1)
	delete(s.pending, j.ID)
	s.running[j.ID] = &busy{job: j, end: j.expectedEnd()}
}

func TestRecordedRuns(t *testing.T) {
	for _, run := range []string{"S1a", "S2a", "S3a"} {
		t.Run(run, func(t *testing.T) { verify(t, run) })
	}
}

func verify(t *testing.T, run string) {
	f, err := os.Open("/tmp/h27x/ex/" + run + ".txt")
	if err != nil {
		t.Fatal(err)
	}
	c := recordedCluster()
	s := &recState{c: c, m: NewMachine(c), bm: NewMachine(c), jobs: map[int]*Job{}, first: map[int]int32{}, pending: map[int]*Job{}, running: map[int]*busy{}, node: map[string]int{}}
	accounts := []Account{{-1, -1, Unlimited(1)}}
	assoc, users := map[string]int{}, map[string]int{}
	qos := []QOS{{"normal", Unlimited(1)}, {"high", Unlimited(1)}, {"low", Unlimited(1)}}
	if run == "S3a" {
		set := func(n int64) Amounts { return Amounts{n, None, None, None} }
		qos[0].Limits.UserJobs, qos[0].Limits.UserTRES = 8, set(96)
		qos[1].Limits.UserJobs, qos[1].Limits.UserTRES = 4, set(48)
		qos[2].Limits.AllTRES, qos[2].Limits.MaxWall = set(96), 12*3600
	}
	all := NewSet(12)
	for i, n := range c.Nodes {
		s.node[n.Name] = i
		all.Add(i)
	}
	var lines [][]string
	sc := bufio.NewScanner(f)
	for sc.Scan() {
		w := strings.Fields(sc.Text())
		if w[0] == "j" {
			id, _ := strconv.Atoi(w[1])
			first, _ := strconv.Atoi(w[7])
			limit, _ := strconv.ParseInt(w[6], 10, 64)
			j := &Job{ID: id, Limit: limit}
			j.Partition = slices.IndexFunc(c.Partitions, func(p Partition) bool { return p.Name == w[4] })
			if _, ok := users[w[2]]; !ok {
				users[w[2]] = len(users)
			}
			if _, ok := assoc[w[2]+w[3]]; !ok {
				assoc[w[2]+w[3]] = len(accounts)
				accounts = append(accounts, Account{0, users[w[2]], Unlimited(1)})
			}
			j.Association = assoc[w[2]+w[3]]
			j.QOS = slices.IndexFunc(qos, func(q QOS) bool { return q.Name == w[5] })
			j.Request = ParseRequest(w[9:], c.GRES, []int64{1000, 4000, 1000}[j.Partition])
			s.jobs[id], s.first[id] = j, int32(first)
			continue
		}
		lines = append(lines, w)
	}
	s.led = newLedger(accounts, qos, 1)
	atoi := func(x string) int { n, _ := strconv.Atoi(x); return n }
	var passes, passesRight, starts, sameNodes, oneNode, oneSame int
	var cycles, cyclesRight, plans, planTimes, planNodes int
	shown := 0
	say := func(f string, a ...any) {
		if shown++; shown < 40000 {
			t.Logf(f, a...)
		}
	}
	last := map[int]string{}
	var cyc *cycle
	cycOK := false
	cleaning := map[int]*busy{}
	firsts, firstOK, isFirst, diffs := 0, 0, false, false
	endCycle := func() {
		if cyc != nil {
			cycles++
			if cycOK {
				cyclesRight++
			}
		}
		cyc = nil
	}
	var lastTry *Job
	seen := map[string]bool{}
	tryOK, tryBad, tryNone := map[int]int{}, map[int]int{}, map[int]int{}
	defer func() { t.Log(tryOK); t.Log(tryBad); t.Log(tryNone) }()
	var lastOut outcome
	for i := 0; i < len(lines); i++ {
		w := lines[i]
		fat, _ := strconv.ParseFloat(w[0], 64)
		at := int64(fat)
		var j *Job
		if len(w) > 2 {
			j = s.jobs[atoi(w[2])]
		}
		switch w[1] {
		case "s":
			j.Priority = uint32(atoi(w[3]))
			j.Submit = at
			if j.Start == 0 { // it may have been started before its submission was logged
				s.pending[j.ID] = j
			}
		case "n":
			x, _ := strconv.ParseFloat(w[len(w)-1], 64)
			j.Priority = uint32(x)
		case "e":
			if b := s.running[j.ID]; b != nil {
				cleaning[j.ID] = b
				s.bm.free(j.Request, j.Shares)
				s.led.count(j, -1)
			}
		case "c":
			if b := s.running[j.ID]; b != nil {
				s.m.free(j.Request, j.Shares)
				delete(s.running, j.ID)
				delete(cleaning, j.ID)
			}
		case "f", "d":
			// what was started in it
			want := map[int]string{}
			k := i + 1
			var order []int
		collect:
			for ; k < len(lines); k++ {
				switch lines[k][1] {
				case "a":
					want[atoi(lines[k][2])] = lines[k][3]
					order = append(order, k)
					s.pending[atoi(lines[k][2])] = s.jobs[atoi(lines[k][2])]
				case "r", "l", "n", "u", "w", "s":
				default:
					break collect
				}
			}
			depth := 1 << 30
			if w[1] == "d" {
				depth = 100
				if run == "S3a" {
					depth = 20
				}
			}
			save := &Machine{}
			save.copyFrom(s.m)
			led := s.led
			var undo []*Job
			p := newPass(save, led, all)
			got := map[int]string{}
			for n, j := range s.queue() {
				if n >= depth {
					break
				}
				before := slices.Clone(save.cpus)
				v, shares := p.try(j)
				if v == started {
					save.take(j.Request, shares)
					k := *j
					k.Shares = slices.Clone(shares)
					led.count(&k, 1)
					undo = append(undo, &k)
					names := ""
					for _, x := range shares {
						names += "," + c.Nodes[x.Node].Name
					}
					got[j.ID] = names[1:]
					if os.Getenv("MULTI") != "" && j.Request.MaxNodes != 1 && j.Request.CPUs > 8 && len(p.place.trace) > len(shares) {
						fmt.Printf("MULTI %s job %d N%d n%d tpn %d: %v got %s want %s\n", w[0], j.ID, j.Request.MinNodes, j.Request.CPUs, j.Request.TasksPerNode, p.place.trace, names[1:], want[j.ID])
					}
					if want[j.ID] != "" && want[j.ID] != names[1:] {
						say("%s pass: job %d %+v: got %s want %s, free %v", w[0], j.ID, *j.Request, names[1:], want[j.ID], before)
					}
				}
			}
			for _, k := range undo {
				led.count(k, -1)
			}
			passes++
			right := len(got) == len(want)
			for id := range want {
				if got[id] == "" {
					right = false
				} else {
					starts++
					if got[id] == want[id] {
						sameNodes++
					}
					if !strings.Contains(want[id], ",") {
						oneNode++
						if got[id] == want[id] {
							oneSame++
						}
					}
				}
			}
			if right {
				passesRight++
			} else {
				say("%s pass: got %v want %v", w[0], got, want)
			}
			for _, k := range order {
				s.start(t, s.jobs[atoi(lines[k][2])], lines[k][3], int64(mustFloat(lines[k][4])))
			}
			// the priorities in between stay for later
			for k2 := i + 1; k2 < k; k2++ {
				if lines[k2][1] == "n" {
					x := mustFloat(lines[k2][len(lines[k2])-1])
					s.jobs[atoi(lines[k2][2])].Priority = uint32(x)
				}
				if lines[k2][1] == "s" {
					if j := s.jobs[atoi(lines[k2][2])]; j.Start == 0 {
						j.Priority = uint32(atoi(lines[k2][3]))
						s.pending[j.ID] = j
					}
				}
			}
			i = k - 1
		case "b":
			if os.Getenv("AT") == w[0] {
				shown = 0
			}
			endCycle()
			var list []busy
			isFirst, _ = diffs, false
			_ = diffs
			cl := NewSet(12)
			for _, b := range s.running {
				if cleaning[b.job.ID] != nil {
					for _, x := range b.job.Shares {
						cl.Add(int(x.Node))
					}
					continue
				}
				list = append(list, *b)
			}
			slices.SortFunc(list, func(a, b busy) int { return a.job.ID - b.job.ID })
			bf := Backfilling{Interval: 30, Resolution: 60, Window: 86400}
			if run == "S3a" {
				bf = Backfilling{Interval: 30, Resolution: 300, Window: 2880 * 60, MaxPerUser: 5, Continue: true}
			}
			cyc = newCycle(bf, s.bm, s.led, list, all, at, cl)
			cycOK = true
		case "t":
			lastTry = j
			if os.Getenv("AT") != "" && w[0] == os.Getenv("TEST") {
				for _, b := range cyc.running {
					nn := ""
					b.job.nodes.all(func(i int) bool { nn += "," + c.Nodes[i].Name; return true })
					t.Logf("   running %d on %s %v until %d", b.job.ID, nn, b.job.Shares, b.end)
				}
				for _, sl := range cyc.slots {
					t.Logf("   slot %d %d %012b", sl.begin, sl.end, sl.free[0])
				}
			}
			lastOut = cyc.try(j, at)
			o := lastOut
			// what was recorded for it
			next := []string{"", "none", "0"}
			for _, l := range lines[i+1:] {
				if l[1] == "t" || l[1] == "z" || l[1] == "x" || l[1] == "b" || l[1] == "f" || l[1] == "d" {
					break
				}
				if (l[1] == "p" || l[1] == "B") && atoi(l[2]) == j.ID {
					next = l
				}
			}
			isPlan := next[1] == "p" && atoi(next[2]) == j.ID
			if !isPlan && o.plan != nil && os.Getenv("CHAIN") != "" {
				cyc.reserve(o.plan)
			}
			isStart := next[1] == "B" && atoi(next[2]) == j.ID
			if isPlan {
				text := last[j.ID]
				if len(next) > 3 {
					text = strings.Join(next[3:], " ")
					last[j.ID] = text
				}
				plans++
				if os.Getenv("CHAIN") == "" {
					wf := strings.Fields(text)
					cyc.reserve(&Plan{Job: j, Start: int64(mustFloat(wf[0])), End: int64(mustFloat(wf[1])), Nodes: s.set(wf[2])})
				} else if o.plan != nil {
					cyc.reserve(o.plan)
				}
				got := ""
				if o.plan != nil {
					names := ""
					o.plan.Nodes.all(func(i int) bool { names += "," + c.Nodes[i].Name; return true })
					got = fmt.Sprintf("%d %d %s", o.plan.Start, o.plan.End, names[1:])
					wf := strings.Fields(text)
					if wf[0] == strconv.FormatInt(o.plan.Start, 10) && wf[1] == strconv.FormatInt(o.plan.End, 10) {
						planTimes++
					}
					if wf[2] == names[1:] {
						planNodes++
					}
				}
				if o.shares != nil {
					cycOK = false
				}
				if isFirst {
					firsts++
					if got == text {
						firstOK++
					} else if os.Getenv("FIRST") != "" && !seen[strconv.Itoa(j.ID)+text] {
						seen[strconv.Itoa(j.ID)+text] = true
						fmt.Printf("%s job %d %+v limit %d: got %s want %s free %v mem %v\n", w[0], j.ID, *j.Request, j.Limit, got, text, s.bm.cpus, s.bm.memory)
						for _, b := range cyc.running {
							nn := ""
							b.job.nodes.all(func(i int) bool { nn += "," + c.Nodes[i].Name; return true })
							fmt.Printf("   running %d on %s %v until %d\n", b.job.ID, nn, b.job.Shares, b.end)
						}
					}
				}
				if os.Getenv("NODES") != "" && len(cyc.slots) < 12 && got != text && strings.HasPrefix(text, got[:min(len(got), 11)]) && !diffs && !seen[strconv.Itoa(j.ID)+text] {
					seen[strconv.Itoa(j.ID)+text] = true
					fmt.Printf("NODES %s job %d %+v limit %d: got %s want %s free %v gres %v\n", w[0], j.ID, *j.Request, j.Limit, got, text, cyc.place.trace, s.bm.gres)
				}
				if !diffs && got == text {
					tryOK[len(cyc.tries)]++
				}
				if !diffs && got != text {
					tryBad[len(cyc.tries)]++
					fmt.Printf("BAD %s job %d %v N%d n%d gpu %d: plan %s want %s tries %v\n", w[0], j.ID, c.Partitions[j.Partition].Name, j.Request.MinNodes, j.Request.CPUs, j.Request.GRES, got, text, cyc.tries)

					_ = diffs
					say("%s plan: job %d %+v limit %d: got %q start %v want %q free %v", w[0], j.ID, *j.Request, j.Limit, got, o.shares, text, s.m.cpus)
				}
			} else if isStart {
				names := ""
				for _, x := range o.shares {
					names += "," + c.Nodes[x.Node].Name
				}
				if names == "" {
					cycOK = false
					say("%s backfill: job %d %+v limit %d: plan %+v, but started on %s free %v", w[0], j.ID, *j.Request, j.Limit, o.plan, next[3], s.m.cpus)
				} else {
					starts++
					if names[1:] == next[3] {
						sameNodes++
					} else {
						say("%s backfill: job %d %+v: got %s want %s free %v", w[0], j.ID, *j.Request, names[1:], next[3], s.m.cpus)
					}
					if !strings.Contains(next[3], ",") {
						oneNode++
						if names[1:] == next[3] {
							oneSame++
						}
					}
				}
			} else if o.shares != nil {
				cycOK = false
				say("%s backfill: job %d started %v, recorded %v", w[0], j.ID, o.shares, next)
			} else if o.plan != nil && at > 41400 {
				if !diffs {
					tryNone[len(cyc.tries)]++
					fmt.Printf("NONE %s job %d %v N%d n%d gpu %d: plan %d tries %d %v\n", w[0], j.ID, c.Partitions[j.Partition].Name, j.Request.MinNodes, j.Request.CPUs, j.Request.GRES, o.plan.Start, len(cyc.tries), cyc.tries)
				}
				_ = diffs
				say("%s backfill: job %d planned %+v, recorded %v", w[0], j.ID, o.plan, next)
			}
		case "B":
			s.start(t, j, w[3], int64(mustFloat(w[4])))
			b := *s.running[j.ID]
			cyc.running = append(cyc.running, b)
			sortBusy(cyc.running)
		case "z", "x":
			endCycle()
		}
		if w[1] == "t" {
			isFirst = false
		}
		_ = lastTry
	}
	t.Logf("first plans %d of %d", firstOK, firsts)
	t.Logf("%s: passes %d of %d right, starts on the same nodes %d of %d, one-node %d of %d; cycles %d of %d, plans' times %d, nodes %d of %d", run, passesRight, passes, sameNodes, starts, oneSame, oneNode, cyclesRight, cycles, planTimes, planNodes, plans)
}

func mustFloat(x string) float64 {
	f, _ := strconv.ParseFloat(x, 64)
	return f
}
