package formula

import (
	"go/ast"
	goparser "go/parser"
	gotoken "go/token"
	"slices"
	"strconv"
	"strings"
	"testing"
)

func TestWarnings(t *testing.T) {
	off := Surroundings{HasConfig: true, FairShareOff: true}
	keys := Surroundings{HasConfig: true, SortKeys: true}
	stopped := Surroundings{ClocksOff: true}
	requested := Surroundings{Requested: map[string]bool{"ncpus": true}}
	tests := []struct {
		formula string
		site    Surroundings
		rules   []string
		words   string // that stand in one of the messages
	}{
		{"ncpus", Surroundings{}, nil, ""},
		{"(job_priority)**0.5", Surroundings{}, []string{"complex-result"}, "with job_priority=-1024"},
		{"(ncpus, mem)", Surroundings{}, []string{"not-a-number"}, "a tuple"},
		{"None if ncpus else 1", Surroundings{}, []string{"not-a-number"}, "None"},
		{"10**400*ncpus", Surroundings{}, []string{"not-a-number"}, "an integer too large for a float"},
		{"pow if ncpus else 1", Surroundings{}, []string{"not-a-number"}, "a function"},
		{`"x"`, Surroundings{}, []string{"double-quotes", "constant", "python-code", "not-a-number"}, "silently"},
		{"pow(2, -(fairshare_tree_usage/fairshare_perc))", Surroundings{}, []string{"division-by-zero", "first-evaluation"}, "fairshare_perc=0.0"},
		{"1/ncpus", Surroundings{}, []string{"division-by-zero", "first-evaluation"}, "division by zero"},
		{"log(walltime)", Surroundings{}, []string{"can-fail", "first-evaluation"}, "math domain error"},
		{"'ncpus'", Surroundings{}, []string{"single-quotes", "constant", "python-code", "not-a-number"}, "15011"},
		{`ncpus\`, Surroundings{}, []string{"backslash"}, "15011"},
		{"ncpus = 3", Surroundings{}, []string{"assignment"}, "value is then 0"},
		{"ncpus\n+ mem", Surroundings{}, []string{"assignment", "line-break"}, "what stands before a line break"},
		{"ncpus; mem", Surroundings{}, []string{"assignment"}, ""},
		{"(lambda x: x)(ncpus)", Surroundings{}, []string{"python-code"}, "a call of a value"},
		{"__import__(ncpus)", Surroundings{}, []string{"python-code"}, "__import__"},
		{"fair_share_perc", Surroundings{}, []string{"deprecated-name"}, ""},
		{"1 if ncpus else nosuch", Surroundings{}, []string{"unchecked-name"}, "nosuch"},
		{"math.log2(ncpus)", Surroundings{}, []string{"math-prefix", "python-code"}, ""},
		{"gamma", Surroundings{}, []string{"hidden-resource", "constant", "not-a-number"}, "gamma"},
		{"ncpus**99999999", Surroundings{}, []string{"too-large"}, "2097152 bits: the scheduler can be busy"},
		{"1<<99999999999", Surroundings{}, []string{"constant", "too-large"}, "(always)"},
		{"mem*1000", Surroundings{}, []string{"float-ties"}, "2^24"},
		{"0*ncpus+16777216", Surroundings{}, nil, ""},
		{"0*ncpus+16777217", Surroundings{}, []string{"float-ties"}, "2^24"},
		{"ncpus+é", Surroundings{}, nil, ""}, // qmgr's refusal says it all
		{"mem*1e30", Surroundings{}, []string{"float-ties", "float-overflow"}, "infinite"},
		{"2+2", Surroundings{}, []string{"constant"}, ""},
		{"ncpus+mem*0", requested, []string{"unrequested-resource"}, "mem"},
		{"1000*fairshare_tree_usage", Surroundings{}, []string{"most-used-first"}, "who has used most goes first"},
		{"-1000*fairshare_factor + ncpus", Surroundings{}, []string{"most-used-first"}, "grows as usage does"},
		{"fairshare_tree_usage/(1+fairshare_perc)", Surroundings{}, []string{"most-used-first"}, "whatever the shares are"},
		{"1000*fairshare_factor - fairshare_tree_usage", Surroundings{}, nil, ""},
		{"-fairshare_tree_usage", Surroundings{}, nil, ""},
		{"fairshare_factor", off, []string{"fair-share-off"}, "never grows"},
		{"eligible_time", stopped, []string{"eligible-time-off"}, "0 of all jobs"},
		{"ncpus", keys, []string{"sort-key-beside-formula"}, ""},
	}
	symbols := NewSymbols(map[string]Type{"gamma": Long})
	for _, test := range tests {
		var rules []string
		var messages string
		for _, w := range Warnings(test.formula, symbols, test.site) {
			rules = append(rules, w.Rule)
			messages += w.Message + "\n"
		}
		slices.Sort(rules)
		slices.Sort(test.rules)
		if !slices.Equal(rules, test.rules) || !strings.Contains(messages, test.words) {
			t.Errorf("%s: rules %v, want %v\n%s", test.formula, rules, test.rules, messages)
		}
	}
}

// A divisor is told where a value that PBS can give a variable makes it 0, be it a root of
// the divisor, what jobs have, or nothing that they ask for; and each divisor by itself.
func TestDivisorWarnings(t *testing.T) {
	ncpus := func(values ...int64) map[string][]Value {
		seen := map[string][]Value{}
		for _, x := range values {
			seen["ncpus"] = append(seen["ncpus"], Int(x))
		}
		return seen
	}
	for _, row := range []struct {
		formula string
		around  Surroundings
		want    []string // of the warnings of a division
	}{
		{"1/(ncpus-1)", Surroundings{}, []string{"ncpus-1 can be 0: division by zero, value 0 (with ncpus=1)"}},
		{"1/(ncpus-64)", Surroundings{}, []string{"ncpus-64 can be 0: division by zero, value 0 (with ncpus=64)"}},
		{"1//(ncpus - 2)", Surroundings{}, []string{"ncpus - 2 can be 0: integer division or modulo by zero, value 0 (with ncpus=2)"}},
		{"1%((ncpus-2))", Surroundings{}, []string{"ncpus-2 can be 0: integer modulo by zero, value 0 (with ncpus=2)"}},
		{"1/(3*ncpus-21)", Surroundings{}, []string{"3*ncpus-21 can be 0: division by zero, value 0 (with ncpus=7)"}},
		{"1/(ncpus-1) + 1/(ncpus-64)", Surroundings{}, []string{"ncpus-1 can be 0: division by zero, value 0 (with ncpus=1)", "ncpus-64 can be 0: division by zero, value 0 (with ncpus=64)"}},
		{"1/(job_priority+1000)", Surroundings{}, []string{"job_priority+1000 can be 0: division by zero, value 0 (with job_priority=-1000)"}},
		{"1/((ncpus-64)**2 - 1)", Surroundings{}, []string{"(ncpus-64)**2 - 1 can be 0: division by zero, value 0 (with ncpus=63)"}},
		{"1/mem + ncpus", Surroundings{Defaults: map[string]Value{"ncpus": Int(0)}}, []string{"mem can be 0: division by zero, value 0 (with mem=0 ncpus=4)"}},
		{"1/mem + ncpus", Surroundings{Defaults: map[string]Value{"ncpus": Int(3)}}, []string{"mem can be 0: division by zero, value 0 (with mem=0 ncpus=3)"}},
		// What no job can have.
		{"1/(ncpus+1)", Surroundings{}, nil},
		{"1/(job_priority+1025)", Surroundings{}, nil},
		{"1/(2*ncpus-7)", Surroundings{}, nil},
		{"1/(ncpus-64 if ncpus != 64 else 1)", Surroundings{}, nil},
		// All jobs have some where there is a default.
		{"1/ncpus", Surroundings{}, []string{"ncpus can be 0: division by zero, value 0 (with ncpus=0)"}},
		{"1/ncpus", Surroundings{Defaults: map[string]Value{"ncpus": Int(1)}}, nil},
		{"1/ncpus", Surroundings{Defaults: map[string]Value{"ncpus": Int(0)}}, []string{"ncpus can be 0: division by zero, value 0 (with ncpus=0)"}},
		{"1/ncpus", Surroundings{Defaults: map[string]Value{"mem": Int(1)}}, []string{"ncpus can be 0: division by zero, value 0 (with ncpus=0)"}},
		{"1/ncpus", Surroundings{Defaults: map[string]Value{"ncpus": Int(1)}, Seen: ncpus(0)}, nil},
		{"1/(ncpus-3)", Surroundings{Defaults: map[string]Value{"ncpus": Int(3)}}, []string{"ncpus-3 can be 0: division by zero, value 0 (with ncpus=3)"}},
		{"1/(ncpus*ncpus - 225)", Surroundings{Defaults: map[string]Value{"ncpus": Int(15)}}, []string{"ncpus*ncpus - 225 can be 0: division by zero, value 0 (with ncpus=15)"}},
		// What jobs have is tried where the form of a divisor does not tell.
		{"1/(ncpus*ncpus - 225)", Surroundings{}, nil},
		{"1/(ncpus*ncpus - 225)", Surroundings{Seen: ncpus(3, 15, 7)}, []string{"ncpus*ncpus - 225 can be 0: division by zero, value 0 (with ncpus=15)"}},
		{"1/(ncpus*ncpus - 225)", Surroundings{Seen: ncpus(3, 14, 16)}, nil},
		{"1/(mem*mem - 225)", Surroundings{Seen: ncpus(15)}, nil},
	} {
		var got []string
		for _, w := range Warnings(row.formula, nil, row.around) {
			if w.Rule == "division-by-zero" {
				got = append(got, w.Message)
			}
		}
		if !slices.Equal(got, row.want) {
			t.Errorf("%s with %v and %v: %q, want %q", row.formula, row.around.Defaults, row.around.Seen, got, row.want)
		}
	}
}

// Each rule has a weight, by which warnings are ordered, and no other name has one.
func TestWeights(t *testing.T) {
	source, err := goparser.ParseFile(gotoken.NewFileSet(), "warn.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	named := map[string]string{"RuleExclusiveOr": RuleExclusiveOr} // the rules that have a name of their own
	rules := map[string]bool{}
	ast.Inspect(source, func(n ast.Node) bool {
		call, isCall := n.(*ast.CallExpr)
		if !isCall {
			return true
		}
		at := -1
		if by, isMethod := call.Fun.(*ast.SelectorExpr); isMethod {
			at = slices.Index([]string{"add", "addOf"}, by.Sel.Name) // the rule is the first argument of the one, the second of the other
		}
		if at < 0 {
			return true
		}
		rule := ""
		switch of := call.Args[at].(type) {
		case *ast.BasicLit:
			rule, _ = strconv.Unquote(of.Value)
		case *ast.Ident:
			if rule = named[of.Name]; of.Name == "rule" {
				return true // in add itself, which passes it on
			}
		}
		if rules[rule] = true; rule == "" {
			t.Errorf("what rule a call of %s adds is not known", call.Fun.(*ast.SelectorExpr).Sel.Name)
		}
		return true
	})
	for rule := range rules {
		if !slices.Contains(byWeight, rule) {
			t.Errorf("%s has no weight", rule)
		}
	}
	for i, rule := range byWeight {
		if !rules[rule] || slices.Index(byWeight, rule) != i {
			t.Errorf("%s is no rule, or stands twice", rule)
		}
	}
}

// A formula with ^ says first of what the scheduler dies, and what raises an error, and then that ^ is no power.
func TestExclusiveOrIsNotFirst(t *testing.T) {
	var got []string
	for _, w := range Warnings("(1/ncpus)^2 + fair_share_perc", nil, Surroundings{}) {
		got = append(got, w.Rule)
	}
	if want := []string{"first-evaluation", "can-fail", "division-by-zero", RuleExclusiveOr, "deprecated-name"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}
