package formula_test

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"

	"fairshare/formula"
	"fairshare/fstree"
)

// An exporter of waiting jobs: each with its place in the order, what the formula comes to, and
// what part of the machine its owner has a share of and has used.
func Example_exporter() {
	tree, problems := fstree.ParseResourceGroup("bob 10 root 50\nsuzy 11 root 50\n", 0)
	for _, problem := range problems {
		fmt.Println(problem)
	}
	usage := map[string]float64{"bob": 100, "suzy": 1000} // of usagefile.Parse, as a rule
	if err := tree.LoadUsage(maps.All(usage), false); err != nil {
		fmt.Println(err)
		return
	}
	f, err := formula.Parse("1000*fairshare_factor + ncpus")
	if err != nil {
		fmt.Println(err)
		return
	}
	program, err := formula.Compile(f, []string{"fairshare_factor", "ncpus"})
	if err != nil {
		fmt.Println(err)
		return
	}
	type job struct {
		id, owner string
		ncpus     int64
		entity    fstree.Entity
		result    formula.Result
	}
	jobs := []job{
		{id: "1", owner: "suzy", ncpus: 64},
		{id: "2", owner: "bob", ncpus: 1},
		{id: "3", owner: "bob", ncpus: 8},
	}
	factor, _ := formula.NewSymbols(nil).Lookup("fairshare_factor")
	for i := range jobs {
		j := &jobs[i]
		j.entity = tree.Entity(tree.AddUnknown(j.owner))
		rounded, _ := factor.Value(j.entity.Factor()) // to the decimals that PBS prints
		j.result = program.Eval(rounded, formula.Int(j.ncpus))
		if j.result.Err != nil {
			fmt.Println(j.id, j.result.Err) // the job counts as 0
		}
	}
	slices.SortStableFunc(jobs, func(a, b job) int { return cmp.Compare(b.result.Float32(), a.result.Float32()) })
	for i, j := range jobs {
		fmt.Printf("job_place{job=%q,owner=%q} %d\n", j.id, j.owner, i+1)
		fmt.Printf("job_share_ratio{job=%q,owner=%q} %.3f\n", j.id, j.owner, j.entity.TreePercentage)
		fmt.Printf("job_used_ratio{job=%q,owner=%q} %.3f\n", j.id, j.owner, j.entity.TreeUsage)
	}
	// Output:
	// job_place{job="3",owner="bob"} 1
	// job_share_ratio{job="3",owner="bob"} 0.500
	// job_used_ratio{job="3",owner="bob"} 0.091
	// job_place{job="2",owner="bob"} 2
	// job_share_ratio{job="2",owner="bob"} 0.500
	// job_used_ratio{job="2",owner="bob"} 0.091
	// job_place{job="1",owner="suzy"} 3
	// job_share_ratio{job="1",owner="suzy"} 0.500
	// job_used_ratio{job="1",owner="suzy"} 0.908
}

// A check of a formula in the CI of a site that keeps it in a repository: what qmgr would
// refuse and what may go wrong in the scheduler is told, with the place of a mistake.
func Example_check() {
	symbols := formula.NewSymbols(map[string]formula.Type{"ngpus": formula.Long})
	check := func(src string) (isFine bool) {
		verdict := formula.Check(src, symbols)
		var problem formula.Problem
		if errors.As(verdict.Err, &problem) {
			at := problem.Place()
			fmt.Printf("formula:%d: %v: %q", at.Start+1, problem, src[at.Start:at.End])
			if verdict.Hint != "" {
				fmt.Printf(" (%s)", verdict.Hint)
			}
			fmt.Println()
		}
		warnings := formula.Warnings(src, symbols, formula.Surroundings{})
		for _, warning := range warnings {
			fmt.Printf("formula: %s: %s\n", warning.Rule, warning.Message)
		}
		return verdict.Code == 0 && verdict.Err == nil && len(warnings) == 0
	}
	for _, src := range []string{"1000*fairshare_factor + ngpus", "1000*fairshare_factr", "ngpus/ncpus"} {
		fmt.Println("fine:", check(src))
	}
	// Output:
	// fine: true
	// formula:6: NameError: name 'fairshare_factr' is not defined: "fairshare_factr" (did you mean `fairshare_factor`?)
	// fine: false
	// formula: first-evaluation: a scheduler that has just started dies if its first evaluation raises an error, and this one can (with ngpus=4 ncpus=0)
	// formula: division-by-zero: ncpus can be 0: division by zero, value 0 (with ngpus=4 ncpus=0)
	// fine: false
}
