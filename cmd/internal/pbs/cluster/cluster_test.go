package cluster

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"fairshare/formula"
)

// pbsnodes is what pbsnodes -av prints: two hosts of 8 cpus, one of two vnodes, one with
// gpus, one reserved for a queue, one that is down.
const pbsnodes = `a
     state = free
     resources_available.host = a
     resources_available.mem = 16gb
     resources_available.ncpus = 8
     resources_available.rack = r1

b[0]
     state = job-busy
     resources_available.host = b
     resources_available.mem = 8gb
     resources_available.ncpus = 4
     resources_available.rack = r1

b[1]
     state = free
     resources_available.host = b
     resources_available.mem = 8gb
     resources_available.ncpus = 4
     resources_available.rack = r1

g
     state = free
     resources_available.host = g
     resources_available.mem = 16gb
     resources_available.ncpus = 8
     resources_available.ngpus = 2
     resources_available.fast = True
     resources_available.rack = r2
     resources_available.arch = linux,gpu

q
     state = free
     queue = special
     resources_available.ncpus = 8
     resources_available.mem = 16gb

d
     state = down,offline
     resources_available.ncpus = 8
`

var checks = Checks{
	Resources: []string{"ncpus", "mem", "arch", "ngpus", "rack"},
	Types:     map[string]formula.Type{"ngpus": formula.Long, "fast": formula.Boolean, "rack": formula.String},
	Flags:     map[string]string{"ngpus": "hn"}, Defaults: map[string]string{"ncpus": "1"},
}

func parse(tb testing.TB, text string) *Cluster {
	c, err := clusterOf(text, checks, false)
	if err != nil {
		tb.Fatal(err)
	}
	return c
}

func TestPlace(t *testing.T) {
	for _, test := range []struct {
		used         []string // select of jobs that run, with place behind a blank
		wants, place string
		want         string // exec_vnode, "" where it does not fit
	}{
		{nil, "1:ncpus=4", "free", "(a:ncpus=4)"},
		{nil, "3:ncpus=3", "free", "(a:ncpus=3)+(a:ncpus=3)+(b[0]:ncpus=3)"},
		{nil, "2:ncpus=3", "scatter", "(a:ncpus=3)+(b[0]:ncpus=3)"},
		{nil, "3:ncpus=3", "vscatter", "(a:ncpus=3)+(b[0]:ncpus=3)+(b[1]:ncpus=3)"},
		{nil, "4:ncpus=1", "scatter", ""},
		{[]string{"1:ncpus=7"}, "2:ncpus=3", "pack", "(b[0]:ncpus=3)+(b[1]:ncpus=3)"},
		{[]string{"1:ncpus=1"}, "1:ncpus=1", "excl", "(b[0]:ncpus=1)"},
		{[]string{"1:ncpus=1"}, "1:ncpus=0", "excl", "(b[0]:ncpus=0)"}, // a vnode to itself, of which it uses nothing up
		{[]string{"1:ncpus=0 excl"}, "1:ncpus=0", "free", "(b[0]:ncpus=0)"},
		{[]string{"1:ncpus=1 excl"}, "1:ncpus=1", "free", "(b[0]:ncpus=1)"},
		{[]string{"1:ncpus=8", "1:ncpus=1"}, "1:ncpus=1", "exclhost", "(g:ncpus=1)"},
		{[]string{"1:ncpus=8", "1:ncpus=1 exclhost"}, "1:ncpus=1", "free", "(g:ncpus=1)"},
		{nil, "1:ngpus=2", "free", "(g:ngpus=2:ncpus=1)"},
		{nil, "1:ngpus=3", "free", ""},
		{nil, "1:fast=True", "free", "(g:ncpus=1)"},
		{nil, "1:fast=False", "free", "(a:ncpus=1)"},
		{nil, "1:arch=gpu", "free", "(g:ncpus=1)"},
		{nil, "1:arch=GPU", "free", ""},
		{nil, "1:host=G", "free", "(g:ncpus=1)"},
		{nil, "1:host=b:mem=8gb", "free", "(b[0]:mem=8388608kb:ncpus=1)"},
		{nil, "1:vnode=b[1]", "free", "(b[1]:ncpus=1)"},
		{[]string{"1:ncpus=8"}, "1:ncpus=7", "free", "(b[0]:ncpus=4+b[1]:ncpus=3)"}, // host by host, as R3 was recorded
		{[]string{"1:ncpus=8"}, "1:ncpus=7", "vscatter", "(g:ncpus=7)"},
		{nil, "2:ncpus=6", "scatter:group=rack", "(a:ncpus=6)+(b[0]:ncpus=4+b[1]:ncpus=2)"},
		{nil, "2:ncpus=7", "scatter:group=rack", "(a:ncpus=7)+(b[0]:ncpus=4+b[1]:ncpus=3)"},
		{nil, "3:ncpus=6", "scatter:group=rack", ""},
		{nil, "1:ncpus=2:host=b", "exclhost", "(b[0]:ncpus=2)+(b[1])"},
		{[]string{"1:ncpus=4:host=b"}, "1:ncpus=2:host=b", "exclhost", "(b[1]:ncpus=2)+(b[0])"}, // as R3 was recorded: a vnode that is full is not looked at
		{[]string{"1:ncpus=3:host=b"}, "1:ncpus=2:host=b", "exclhost", ""},
		{nil, "1:ncpus=6", "group=rack", "(g:ncpus=6)"},
		{nil, "1:foo=3", "free", "(a:ncpus=1)"}, // not checked
		{nil, "2", "free", "(a:ncpus=1)+(a:ncpus=1)"},
		{nil, `1:ncpus=2:rack="r2"`, "free", "(g:ncpus=2)"},
	} {
		c := parse(t, pbsnodes)
		s := c.NewState()
		for _, used := range test.used {
			wants, place, _ := strings.Cut(used, " ")
			a, ok := s.Place(request(t, c, wants, place), nil)
			if !ok {
				t.Fatalf("%s does not fit", used)
			}
			s.Occupy(a)
		}
		a, ok := s.Place(request(t, c, test.wants, test.place), nil)
		if got := a.String(c); got != test.want || ok != (got != "") {
			t.Errorf("%v, then %s %s: %q, want %q", test.used, test.wants, test.place, got, test.want)
		}
	}
}

func request(tb testing.TB, c *Cluster, wants, place string) *Request {
	r, err := c.Request(wants, place, "workq")
	if err != nil {
		tb.Fatal(err)
	}
	return r
}

// A chunk that is larger than any vnode is broken over the vnodes of a host.
func TestBrokenChunk(t *testing.T) {
	c := parse(t, "x[0]\n resources_available.host = x\n resources_available.ncpus = 4\n\nx[1]\n resources_available.host = x\n resources_available.ncpus = 4\n")
	s := c.NewState()
	a, ok := s.Place(request(t, c, "1:ncpus=6", "free"), nil)
	if !ok || len(a.Parts) != 2 || a.Parts[0].Chunk.Need[0] != 4 || a.Parts[1].Chunk.Need[0] != 2 {
		t.Errorf("%+v", a)
	}
	if s.Occupy(a); s.FreeTotal()[0] != 2 {
		t.Errorf("%v left", s.FreeTotal())
	}
	if _, ok := s.Place(request(t, c, "1:ncpus=6", "free"), nil); ok {
		t.Error("it fits twice")
	}
}

// A vnode has room for a chunk, or for a part of it, where a job of one such chunk has its place, and only there; what keeps
// the others from it names what is asked.
func TestRoom(t *testing.T) {
	c := parse(t, pbsnodes)
	s := c.NewState()
	first, _ := s.Place(request(t, c, "1:ncpus=2:mem=1gb", "free"), nil) // on a
	s.Occupy(first)
	broken := 0
	for _, asked := range []string{"1:ncpus=1", "1:ncpus=4:mem=8gb", "1:ncpus=6", "1:ncpus=8", "1:ncpus=9", "1:ncpus=6:mem=16gb", "1:ncpus=6:mem=17gb", "1:ncpus=5:rack=r1", "1:ncpus=8:ngpus=2", "1:ngpus=3", "1:ncpus=0"} {
		for _, place := range []string{"free", "pack", "scatter", "vscatter", "excl", "exclhost"} {
			r := request(t, c, asked, place)
			var on []int32
			for v := range int32(len(c.Vnodes)) {
				room := s.Room(r, &r.Chunks[0], v)
				if (room.Times > 0) != (len(room.Bars) == 0) {
					t.Errorf("%s, %s: %s has %+v", asked, place, c.Vnodes[v].Name, room)
				}
				if room.Times > 0 {
					on = append(on, v)
				}
				broken += len(room.With)
			}
			a, ok := s.Place(r, nil)
			if ok != (on != nil) || slices.ContainsFunc(a.Parts, func(p Part) bool { return !slices.Contains(on, p.Vnode) }) {
				t.Errorf("%s, %s: placed %v %+v, room on %v", asked, place, ok, a.Parts, on)
			}
		}
	}
	if broken == 0 {
		t.Error("no chunk is broken")
	}
	of := request(t, c, "2:ncpus=0", "excl")
	if room := s.Room(of, &of.Chunks[0], 1); room.Times != 2 {
		t.Errorf("of what uses nothing up there is room for %d", room.Times)
	}
	r := request(t, c, "1:ngpus=3", "free")
	v, _ := c.Number("g")
	if bars := s.Room(r, &r.Chunks[0], v).Bars; len(bars) != 1 || bars[0].Has != "3 asked, 2 of 2 free" {
		t.Errorf("%+v", bars)
	}
}

func TestQueuesOfVnodes(t *testing.T) {
	c := parse(t, pbsnodes)
	special, err := c.Request("1:ncpus=1", "free", "special")
	if err != nil {
		t.Fatal(err)
	}
	a, _ := c.NewState().Place(special, nil)
	if got := a.String(c); got != "(q:ncpus=1)" || !c.HasQueues() || !slices.Equal(c.LeftOut, []string{"d"}) {
		t.Errorf("%s, %v", got, c.LeftOut)
	}
}

// The placement sets of a queue's jobs are of vnodes that may run them, as PBS's create_placement_sets; in a reservation
// they are of its vnodes, and node_group_key does not count there.
func TestPlacementSetsOfVnodes(t *testing.T) {
	c := parse(t, "a\n queue = special\n resources_available.rack = r1\n resources_available.ncpus = 8\n\nb\n resources_available.rack = r1\n resources_available.ncpus = 2\n\nc\n resources_available.rack = r2\n resources_available.ncpus = 4\n")
	whole := c.NewState()
	part, _ := c.Within(whole.ParseReserved("(b:ncpus=2)+(c:ncpus=4)", "free"))
	for _, test := range []struct {
		s     *State
		wants string
		group string // by the job
		key   string // node_group_key
		want  string
	}{
		{whole, "1:ncpus=1", "rack", "", "(b:ncpus=1)"}, // 2 cpus of r1 are free to all, and 4 of r2
		{whole, "3:ncpus=2", "", "rack", ""},
		{part.NewState(), "3:ncpus=2", "", "rack", "(b:ncpus=2)+(c:ncpus=2)+(c:ncpus=2)"},
		{part.NewState(), "3:ncpus=2", "rack", "", ""},
		{part.NewState(), "2:ncpus=2", "rack", "", "(c:ncpus=2)+(c:ncpus=2)"},
	} {
		r := request(t, c, test.wants, "group="+test.group)
		r.Group(test.key)
		a, _ := test.s.Place(r, nil)
		if got := a.String(test.s.Cluster); got != test.want {
			t.Errorf("%s of sets by %q or %q: %q, want %q", test.wants, test.group, test.key, got, test.want)
		}
	}
}

// A job in a reservation has what that names of its vnodes, and of the rest what they have.
func TestWithin(t *testing.T) {
	c := parse(t, "a\n resources_available.ncpus = 8\n resources_available.mem = 16gb\n\nb\n resources_available.ncpus = 8\n resources_available.mem = 16gb\n")
	for _, test := range []struct {
		reserved, wants string
		fits            bool
	}{
		{"(a:ncpus=4)", "1:ncpus=4:mem=16gb", true},
		{"(a:ncpus=4)", "1:ncpus=4:mem=17gb", false},
		{"(a:ncpus=4)", "1:ncpus=5:mem=1gb", false},
		{"(a:ncpus=4:mem=2gb)", "1:ncpus=4:mem=3gb", false},
		{"(a:ncpus=4)+(a:ncpus=2:mem=2gb)", "1:ncpus=6:mem=3gb", false},
		{"(a:ncpus=4)+(b:ncpus=4:mem=2gb)", "2:ncpus=2:mem=8gb", true},
	} {
		part, _ := c.Within(c.NewState().ParseReserved(test.reserved, "free"))
		if fits := part.NewState().Fits(request(t, c, test.wants, "free")); fits != test.fits {
			t.Errorf("%s within %s: %v", test.wants, test.reserved, fits)
		}
	}
}

func TestSharingOfVnodes(t *testing.T) {
	for sharing, want := range map[string]string{
		"default_shared": "(a:ncpus=1)", "default_excl": "(b:ncpus=1)", "force_excl": "(b:ncpus=1)", "ignore_excl": "(a:ncpus=1)", "default_exclhost": "(b:ncpus=1)",
	} {
		c := parse(t, "a\n sharing = "+sharing+"\n resources_available.ncpus = 4\n\nb\n resources_available.ncpus = 4\n")
		s := c.NewState()
		first, _ := s.Place(request(t, c, "1:ncpus=1", "free"), nil)
		s.Occupy(first)
		second, _ := s.Place(request(t, c, "1:ncpus=1", "free"), nil)
		if got := second.String(c); got != want {
			t.Errorf("%s: %s, want %s", sharing, got, want)
		}
	}
}

func TestSpec(t *testing.T) {
	for spec, want := range map[string]string{"4": "1 vnode, 4 ncpus", "3x16:mem=4gb": "3 vnodes, 48 ncpus", "2x8+1x16:ngpus=4": "3 vnodes, 32 ncpus, 4 ngpus"} {
		c, err := ParseSpec(spec, checks)
		if err != nil || c.String() != want {
			t.Errorf("%s: %v %v, want %s", spec, c, err, want)
		}
	}
	for _, wrong := range []string{"", "0", "x", "4x", "-1x4", "4x4:mem", "4x4:mem=big", "99999999x4", "4+"} {
		if c, err := ParseSpec(wrong, checks); err == nil {
			t.Errorf("%q: %v", wrong, c)
		}
	}
}

func TestSortedVnodes(t *testing.T) {
	by := checks
	by.SortKeys = []string{"ncpus LOW", "mem HIGH unused"}
	c, err := clusterOf(pbsnodes, by, false)
	if err != nil {
		t.Fatal(err)
	}
	if order := c.NewState().placer.inOrder(); c.Vnodes[order[0]].Name != "b[0]" || c.Vnodes[order[2]].Name != "a" {
		t.Error(order)
	}
}

// The index finds what looking at each vnode finds, whatever starts and ends.
func TestIndex(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	c, err := ParseSpec("37x8:mem=16gb", Checks{})
	if err != nil {
		t.Fatal(err)
	}
	s := c.NewState()
	var running []Allocation
	for range 3000 {
		if len(running) > 0 && r.IntN(2) == 0 {
			k := r.IntN(len(running))
			s.Release(running[k])
			running = slices.Delete(running, k, k+1)
			continue
		}
		place := []string{"free", "scatter", "pack", "excl"}[r.IntN(4)]
		request, err := c.Request([]string{"1:ncpus=3", "5:ncpus=1:mem=3gb", "2:ncpus=8", "20:ncpus=4"}[r.IntN(4)], place, "")
		if err != nil {
			t.Fatal(err)
		}
		need := request.Chunks[0].Need
		first := int32(-1)
		for v := range c.Vnodes {
			if times(s.free[v], need, 1) == 1 && !s.isClosed(int32(v)) {
				first = int32(v)
				break
			}
		}
		if got := s.index.next(0, need, false); got != first {
			t.Fatalf("the index finds %d, the first is %d", got, first)
		}
		if a, ok := s.Place(request, nil); ok {
			s.Occupy(a)
			running = append(running, a)
		}
	}
	for _, a := range running {
		s.Release(a)
	}
	if s.FreeTotal()[slices.Index(c.Consumables, "ncpus")] != 37*8 {
		t.Errorf("%v free in the end", s.FreeTotal())
	}
}

func FuzzRequest(f *testing.F) {
	f.Add("2:ncpus=4:mem=1gb+1:ngpus=1", "scatter:excl:group=rack")
	f.Fuzz(func(t *testing.T, wants, place string) {
		c := parse(t, pbsnodes)
		r, err := c.Request(wants, place, "workq")
		if err != nil {
			return
		}
		s := c.NewState()
		before := slices.Clone(s.FreeTotal())
		if a, ok := s.Place(r, nil); ok {
			s.Occupy(a)
			if slices.Min(s.FreeTotal()) < 0 {
				t.Errorf("%q %q takes more than there is", wants, place)
			}
			s.Release(a)
			if !slices.Equal(before, s.FreeTotal()) {
				t.Errorf("%q %q leaves %v of %v", wants, place, s.FreeTotal(), before)
			}
		}
	})
}

// clusterOf returns the cluster that a text of pbsnodes describes.
func clusterOf(text string, checks Checks, all bool) (*Cluster, error) {
	l, err := ReadListing(text)
	if err != nil {
		return nil, err
	}
	return l.Cluster(checks, all)
}
