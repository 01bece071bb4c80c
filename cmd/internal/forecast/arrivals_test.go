package forecast

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"fairshare/cmd/internal/file"
	"fairshare/cmd/internal/trace"
	"fairshare/cmd/internal/work"
)

// stateOf returns the state at 100000 of a site of 4 cpus, whose past has jobs of 2 cpus that ask for 1000
// seconds, given as USER ARRIVAL START END, with an end of 0 for one that still runs.
func stateOf(t *testing.T, jobs ...string) *State {
	t.Helper()
	const zero, now = 1_772_434_800, 100_000
	var log strings.Builder
	for i, text := range jobs {
		var user string
		var came, start, end int64
		if _, err := fmt.Sscan(text, &user, &came, &start, &end); err != nil {
			t.Fatal(text, err)
		}
		kind, at, ends := "E", end, fmt.Sprintf(" end=%d Exit_status=0", zero+end)
		if end == 0 {
			kind, at, ends = "S", start, ""
		}
		fmt.Fprintf(&log, "%s;%s;%d.s;user=%s group=g queue=workq ctime=%[5]d qtime=%[5]d etime=%[5]d start=%[6]d Resource_List.select=1:ncpus=2 Resource_List.ncpus=2 Resource_List.walltime=1000%s\n",
			time.Unix(zero+at, 0).UTC().Format("01/02/2006 15:04:05"), kind, i+1, user, zero+came, zero+start, ends)
	}
	from := file.Source{Name: "log", Open: func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(log.String())), nil }}
	read, err := trace.Read([]file.Source{from}, time.UTC, trace.Keep{Requests: true})
	if err != nil {
		t.Fatal(err)
	}
	st := NewState(work.New(read, nil), zero+now, time.UTC)
	st.CPUs = 4
	return st
}

// Jobs of a user that come within a quarter of an hour of the one before are a burst; a burst counts for
// less the longer ago it was.
func TestBursts(t *testing.T) {
	a := newArrivals(stateOf(t, "ann 0 0 100", "ann 899 900 1000", "ann 1799 1800 1900", "bob 1000 1000 1100", "cid 90000 90000 90100"))
	got := map[int][]int{} // the sizes of bursts, by how many bursts their user has
	for _, c := range a.users {
		for _, b := range c.bursts {
			got[len(c.bursts)] = append(got[len(c.bursts)], len(b.jobs))
		}
	}
	if len(a.users) != 3 || !slices.Equal(got[2], []int{2, 1}) || !slices.Equal(got[1], []int{1, 1}) {
		t.Errorf("%d users have bursts of %v jobs", len(a.users), got)
	}
	bob, cid := a.users[1].rate, a.users[2].rate
	if bob.seconds != cid.seconds || !(bob.events < cid.events && cid.events < priorBursts+1) {
		t.Errorf("an old burst counts for %+v, a new one for %+v", bob, cid)
	}
}

// Of what a user has had at a time at most, a job that ends when another one starts is no part.
func TestPeaks(t *testing.T) {
	st := stateOf(t, "ann 0 0 500", "ann 0 500 900", "bob 0 0 501", "bob 0 500 900", "cid 99000 99500 0")
	a := newArrivals(st)
	a.findPeaks(st)
	for i, want := range []float64{.5, 1, .5} {
		if got := a.users[i].peak; got != want {
			t.Errorf("user %d had %v of the site, want %v", i, got, want)
		}
	}
}

// A job that still runs is none that has ended after what it has run.
func TestRunsThatGoOn(t *testing.T) {
	st := stateOf(t, "ann 0 0 500", "ann 99800 99800 0")
	l := newLengths(st.past)
	for i, level := range l.levels {
		for key, c := range level {
			if !slices.Equal(c.x, []float64{.5}) || c.n != 1 {
				t.Errorf("level %d, %+v: %+v", i, key, c)
			}
		}
	}
}

// What cannot start, since it asks for more than there is, brings no work, so that no less comes of the rest.
func TestLoadOfImpossible(t *testing.T) {
	st := stateOf(t, "ann 0 0 500", "ann 500 500 900", "bob 99000 99100 99500")
	loadOf := func() float64 { return newArrivals(st).measure(st, newLengths(st.past)) }
	was := loadOf()
	for i := range st.base.Requests {
		st.base.Requests[i].Amounts["ncpus"] = 5
	}
	if is := loadOf(); was <= 0 || is != 0 {
		t.Errorf("a load of %v, %v of jobs that ask for more cpus than there are", was, is)
	}
}
