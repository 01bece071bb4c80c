package formula

import (
	"slices"
	"strings"
	"testing"
)

func TestWarnings(t *testing.T) {
	off := Surroundings{HasConfig: true, FairShareOff: true}
	keys := Surroundings{HasConfig: true, SortKeys: true}
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
		{"fairshare_factor", off, []string{"fair-share-off"}, "never grows"},
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
