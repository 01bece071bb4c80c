package forecast

import (
	"math/rand/v2"
	"path/filepath"
	"testing"
	"time"

	"fairshare/cmd/internal/file"
	"fairshare/cmd/internal/trace"
	"fairshare/cmd/internal/work"
)

// TestLengthsOfWalltimes: how long a job of an unknown user runs is drawn from jobs that asked for as
// long, also where most others asked for less and used more of it.
func TestLengthsOfWalltimes(t *testing.T) {
	job := func(user int32, walltime int64) *work.Job {
		return &work.Job{Job: &trace.Job{User: user, Name: user, Walltime: walltime}}
	}
	var list []past
	for i := range int64(200) {
		walltime, part := 1800+i, int64(10)
		if i%4 == 0 {
			walltime, part = 8*hour+i, 1
		}
		list = append(list, past{Job: job(int32(i), walltime), start: 0, end: walltime * part / 10, ran: walltime * part / 10, walltime: walltime})
	}
	l := newLengths(list)
	for _, of := range []struct {
		walltime, least, most int64
	}{{8 * hour, 2800, 3000}, {9 * hour, 3200, 3300}, {1800, 1790, 1800}} {
		random := rand.New(rand.NewPCG(1, 2))
		within := 0
		for range 100 {
			if x := l.draw(random, job(1000, of.walltime), 0); x >= of.least && x <= of.most {
				within++
			}
		}
		if within < 80 {
			t.Errorf("of 100 jobs of %d s, %d run for %d to %d s", of.walltime, within, of.least, of.most)
		}
	}
}

func TestBands(t *testing.T) {
	for _, of := range []struct {
		walltime int64
		band     int32
	}{{trace.Unknown, noWalltime}, {0, noWalltime}, {1, 0}, {224, 0}, {225, 1}, {1799, 3}, {1800, 4}, {3599, 4}, {3600, 5}, {7199, 5}, {7200, 6}} {
		if is := bandOf(of.walltime); is != of.band {
			t.Errorf("%d s: band %d, not %d", of.walltime, is, of.band)
		}
	}
}

// TestBusySpell: at a time that is busier than can last, more comes in the next hours than in the same
// hours two days later, but no more than came.
func TestBusySpell(t *testing.T) {
	const at, cpus = 1772462700, 256
	names, err := filepath.Glob("../../../testdata/replay/P1x/snapshot/server_priv/accounting/*")
	if err != nil || len(names) == 0 {
		t.Fatal(names, err)
	}
	var logs []file.Source
	for _, name := range names {
		logs = append(logs, file.At(name))
	}
	recorded, err := trace.Read(logs, time.UTC, trace.Keep{Requests: true, Until: at})
	if err != nil {
		t.Fatal(err)
	}
	st := NewState(work.New(recorded, nil), at, time.UTC)
	st.CPUs = cpus
	for _, n := range recorded.Unended() {
		if n.Letter == 'Q' {
			st.Add(&UnfinishedJob{Job: st.base.NewJob(n.Job, at, n.Eligible, 0)})
		}
	}
	f := forecasterOf(st, nil, Options{Runs: 200, Seed: 1, Horizon: DefaultHorizon})
	if f.arrivals.part >= .8 {
		t.Fatalf("%v of what came may come for long", f.arrivals.part)
	}
	var soon, later float64
	for run, level := range f.levels {
		random := rand.New(rand.NewPCG(1, uint64(run)))
		for _, j := range f.arrivals.draw(random, level, f.State, f.lengths, f.At+3*day, 1<<20) {
			switch after := int64(j.Came) - f.At; {
			case after < 2*hour:
				soon++
			case after >= 2*day && after < 2*day+2*hour:
				later++
			}
		}
	}
	if ratio := soon / later; ratio < 1.2 || ratio > 1/f.arrivals.part {
		t.Errorf("%v jobs come soon, and %v two days later", soon, later)
	}
}
