package accrual

import (
	"maps"
	"math"
	"math/rand/v2"
	"testing"

	"fairshare/fstree"
)

// Times until a target are those at which a tree gets there that is charged and decays step by
// step, as PBS's does.
func TestStandings(t *testing.T) {
	const step = 60 // seconds
	r := rand.New(rand.NewPCG(1, 2))
	const text = "physics 10 root 60\nbio 20 root 40\nann 11 physics 70\nbob 12 physics 30\ncat 13 bio 1\ndan 14 bio 2\n"
	reached := map[string]int{}
	for range 25 {
		records, rates := map[string]float64{}, map[string]float64{}
		for _, name := range []string{"ann", "bob", "cat", "dan"} {
			records[name] = math.Exp(8 + 6*r.Float64())
			rates[name] = math.Exp(3*r.Float64()) / 2
		}
		tree, _ := fstree.ParseResourceGroup(text, 0)
		course := Course{Next: step * (1 + r.Int64N(30)), Period: step * (30 + r.Int64N(200)), Factor: []float64{.5, .9, .3}[r.IntN(3)]}
		const ahead = 7 * 3600
		standings, err := Standings(tree, maps.All(records), rates, course, ahead)
		if err != nil {
			t.Fatal(err)
		}
		if len(standings) != 6 || !standings[1].IsGroup || standings[2].IsGroup {
			t.Fatalf("%+v", standings)
		}
		for _, s := range standings[2:] {
			still := maps.Clone(rates)
			delete(still, s.Name)
			above := s.Usage - s.Target*total(records)
			run := func(rates map[string]float64, level float64) float64 {
				return simulate(tree, records, rates, course, step, s.Name, s.Target, level)
			}
			checks := map[string][2]float64{"goes on": {s.GoingOn, run(rates, 0)}}
			if above > 0 {
				checks["stops"] = [2]float64{s.Stopped, run(still, 0)}
				checks["half"] = [2]float64{s.Half, run(still, above/2)}
			}
			for name, c := range checks {
				got, want := c[0], c[1]
				if math.IsNaN(got) != math.IsNaN(want) || math.Abs(got-want) > step+1 {
					t.Errorf("%s of %+v with %+v, rates %v: %v seconds, in a simulation %v", name, s, course, rates, got, want)
				}
				if !math.IsNaN(want) && want > 0 {
					reached[name]++
				}
			}
			left := records[s.Name]
			for at := course.Next; at <= ahead; at += course.Period {
				left *= course.Factor
			}
			if math.Abs(s.Ahead-left) > 1e-9*left {
				t.Errorf("%s has %v left, not %v", s.Name, s.Ahead, left)
			}
		}
	}
	for _, name := range []string{"goes on", "stops", "half"} {
		if reached[name] < 20 {
			t.Errorf("only %d times %s comes to anything", reached[name], name)
		}
	}
}

func total(usage map[string]float64) (sum float64) {
	for _, x := range usage {
		sum += x
	}
	return sum
}

// simulate returns after how many seconds what a name has above its target, or below it, has
// come down to a level, NaN where it never does.
func simulate(tree *fstree.Tree, records, rates map[string]float64, course Course, step int64, name string, target, level float64) float64 {
	tree = tree.Clone()
	if err := tree.LoadUsage(maps.All(records), false); err != nil {
		panic(err)
	}
	usage := func(name string) float64 {
		id, _ := tree.Lookup(name)
		return tree.Entity(id).Usage
	}
	distance := func() float64 {
		sum := 0.
		for name := range records {
			sum += usage(name)
		}
		return usage(name) - target*sum
	}
	sign := 1.
	if distance() < 0 {
		sign = -1
	}
	for at := int64(0); at < 600*course.Period; at += step {
		if sign*distance() <= level {
			return float64(at)
		}
		for name, rate := range rates {
			id, _ := tree.Lookup(name)
			tree.Charge(id, rate*float64(step))
		}
		if next := at + step; next >= course.Next && (next-course.Next)%course.Period == 0 {
			if sign*distance() <= level {
				return float64(next)
			}
			tree.Decay(float32(course.Factor))
		}
	}
	return math.NaN()
}

// With fitting shares the targets are what was used.
func TestFitting(t *testing.T) {
	const text = "physics 10 root 60\nbio 20 root 40\nann 11 physics 70\nbob 12 physics 30\ncat 13 bio 1\ndan 14 bio 2\n"
	records := maps.All(map[string]float64{"ann": 1000, "bob": 3000, "cat": 5000, "dan": 1000})
	tree, _ := fstree.ParseResourceGroup(text, 0)
	standings, err := Standings(tree, records, nil, Course{}, 0)
	if err != nil {
		t.Fatal(err)
	}
	const fine = 10_000 // PBS's shares are whole numbers
	for _, s := range standings {
		id, _ := tree.Lookup(s.Name)
		tree.SetShares(id, int32(math.Round(s.Fitting*fine)))
	}
	tree.SetShares(fstree.Unknown, 0)
	for _, s := range standings {
		id, _ := tree.Lookup(s.Name)
		if got := float64(tree.Entity(id).TreePercentage); math.Abs(got-s.Part) > 1e-4 || s.Part == s.Target {
			t.Errorf("%s has the target %v and has used %v", s.Name, got, s.Part)
		}
	}
}

// Half of any usage has decayed after the half-life, and what decays at no time keeps for ever.
func TestCourse(t *testing.T) {
	const day = 86400
	c := NewCourse(1000+day/2, 1000, day, .5)
	if c.Next != day/2 || c.HalfLife() != day || c.After(8, day/2-1) != 8 || c.After(8, day/2) != 4 || c.After(8, 3*day) != 1 {
		t.Errorf("%+v: %v, %v %v %v", c, c.HalfLife(), c.After(8, day/2-1), c.After(8, day/2), c.After(8, 3*day))
	}
	for _, factor := range []float64{0, 1, math.NaN()} {
		c := NewCourse(0, 0, day, factor)
		if !math.IsNaN(c.HalfLife()) || c.After(8, 10*day) != 8 || !math.IsNaN(c.Down(8, 1, 4)) || c.Down(8, -1, 4) != 4 {
			t.Errorf("%v: %v %v", factor, c.HalfLife(), c.Down(8, -1, 4))
		}
	}
}
