package formula_test

import (
	"fmt"

	"fairshare/formula"
)

// One formula for one job.
func Example() {
	f, err := formula.Parse("pow(2, -(fairshare_tree_usage/fairshare_perc))")
	if err != nil {
		fmt.Println(err)
		return
	}
	r := f.Eval(map[string]formula.Value{
		"fairshare_tree_usage": formula.Float(0.125),
		"fairshare_perc":       formula.Float(0.2),
	})
	fmt.Println(r.Value, r.Float32(), r.Log())
	// Output: 0.6484197773255048 0.6484198 0.6484
}

// One formula for many jobs.
func ExampleProgram() {
	f, err := formula.Parse("1000/ncpus")
	if err != nil {
		fmt.Println(err)
		return
	}
	p, err := formula.Compile(f, []string{"ncpus"})
	if err != nil {
		fmt.Println(err)
		return
	}
	jobs := []int64{1, 0, 16}
	e := p.NewEvaluator(len(jobs))
	for row, ncpus := range jobs {
		if err := e.Set(row, 0, formula.Int(ncpus)); err != nil {
			fmt.Println(err)
			return
		}
	}
	if err := e.Run(len(jobs)); err != nil {
		fmt.Println(err)
		return
	}
	for row := range jobs {
		r := e.Result(row)
		fmt.Println(r.Value, r.Err)
	}
	// Output:
	// 1000 <nil>
	// 0 ZeroDivisionError: division by zero
	// 62.5 <nil>
}

// Many jobs whose values stand in columns already.
func ExampleEvaluator_SetFloats() {
	f, err := formula.Parse("100*fairshare_factor + ncpus")
	if err != nil {
		fmt.Println(err)
		return
	}
	p, err := formula.Compile(f, []string{"fairshare_factor", "ncpus"})
	if err != nil {
		fmt.Println(err)
		return
	}
	e := p.NewEvaluator(3)
	if err := e.SetFloats(0, []float64{0.5, 0.25, 1}); err != nil {
		fmt.Println(err)
		return
	}
	if err := e.SetInts(1, []int64{4, 8, 16}); err != nil {
		fmt.Println(err)
		return
	}
	if err := e.Run(3); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(e.Values())
	// Output: [54 33 116]
}

// What qmgr would answer, and where the mistake stands.
func ExampleCheck() {
	const src = "100*fairshare_facter"
	v := formula.Check(src, formula.NewSymbols(nil))
	fmt.Println(v.Code, v.Message)
	if p, ok := v.Err.(formula.Problem); ok {
		at := p.Place()
		fmt.Println(p, "at", src[at.Start:at.End])
	}
	fmt.Println(v.Hint)
	// Output:
	// 15124 Formula contains invalid keyword
	// NameError: name 'fairshare_facter' is not defined at fairshare_facter
	// did you mean `fairshare_factor`?
}

func ExampleWarnings() {
	for _, w := range formula.Warnings("job_priority**0.5", formula.NewSymbols(nil), formula.Surroundings{}) {
		fmt.Printf("%s: %s\n", w.Rule, w.Instead)
	}
	// Output: complex-result: use pow(x, y), which raises an error instead
}

func ExampleFormula_Explain() {
	f, err := formula.Parse("10*a + b")
	if err != nil {
		fmt.Println(err)
		return
	}
	steps, _ := f.Explain(map[string]formula.Value{"a": formula.Int(2), "b": formula.Float(0.5)})
	for _, s := range steps {
		fmt.Println(s.Depth, s.Text, "=", s.Value, s.Most)
	}
	// Output:
	// 0 10*a + b = 20.5 false
	// 1 10*a = 20 true
	// 2 a = 2 false
	// 1 b = 0.5 false
}
