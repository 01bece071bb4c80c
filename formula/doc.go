// Package formula checks and evaluates PBS's job_sort_formula, a Python
// expression by which the scheduler sorts jobs.
//
// Parse makes a tree of a formula's text, Compile a Program of the tree, and
// an Evaluator runs it for many jobs at once. Values and errors are those of
// Python 3.11, down to the words of its exceptions, but nothing is ever
// executed as Python: what goes beyond numbers is named and refused. Check
// returns what qmgr would answer, Warnings what may go wrong in a running
// scheduler.
//
// In a running scheduler an exception gives the value 0, and the value is kept
// as a C float. A result that is no real number crashes the scheduler; here it
// is a NotRealError.
//
//	f, err := formula.Parse("pow(2, -(fairshare_tree_usage/fairshare_perc))")
//	p, err := formula.Compile(f, []string{"fairshare_tree_usage", "fairshare_perc"})
//	r := p.Eval(formula.Float(0.125), formula.Float(0.2))
//	fmt.Println(r.Value, r.Log()) // 0.6484197773255048 0.6484
//
// The package knows names and numbers; it knows neither fairshare trees nor jobs.
package formula
