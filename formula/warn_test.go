package formula

import (
	"slices"
	"strings"
	"testing"
)

func TestWarnings(t *testing.T) {
	off := Site{HasConfig: true, FairShareOff: true}
	keys := Site{HasConfig: true, SortKeys: true}
	requested := Site{Requested: map[string]bool{"ncpus": true}}
	tests := []struct {
		formula string
		site    Site
		rules   []string
		words   string // that stand in one of the messages
	}{
		{"ncpus", Site{}, nil, ""},
		{"(job_priority)**0.5", Site{}, []string{"complex-result"}, "with job_priority=-1024"},
		{"(ncpus, mem)", Site{}, []string{"not-a-number"}, "a tuple"},
		{"None if ncpus else 1", Site{}, []string{"not-a-number"}, "None"},
		{"10**400*ncpus", Site{}, []string{"not-a-number"}, "an integer too large for a float"},
		{"pow if ncpus else 1", Site{}, []string{"not-a-number"}, "a function"},
		{`"x"`, Site{}, []string{"double-quotes", "constant", "python-code", "not-a-number"}, "silently"},
		{"pow(2, -(fairshare_tree_usage/fairshare_perc))", Site{}, []string{"division-by-zero", "first-evaluation"}, "fairshare_perc=0.0"},
		{"1/ncpus", Site{}, []string{"division-by-zero", "first-evaluation"}, "division by zero"},
		{"log(walltime)", Site{}, []string{"can-fail", "first-evaluation"}, "math domain error"},
		{"'ncpus'", Site{}, []string{"single-quotes", "constant", "python-code", "not-a-number"}, "15011"},
		{`ncpus\`, Site{}, []string{"backslash"}, "15011"},
		{"ncpus = 3", Site{}, []string{"assignment"}, "value is then 0"},
		{"ncpus; mem", Site{}, []string{"assignment"}, ""},
		{"(lambda x: x)(ncpus)", Site{}, []string{"python-code"}, "a call of a value"},
		{"__import__(ncpus)", Site{}, []string{"python-code"}, "__import__"},
		{"fair_share_perc", Site{}, []string{"deprecated-name"}, ""},
		{"1 if ncpus else nosuch", Site{}, []string{"unchecked-name"}, "nosuch"},
		{"math.log2(ncpus)", Site{}, []string{"math-prefix", "python-code"}, ""},
		{"gamma", Site{}, []string{"hidden-resource", "constant", "not-a-number"}, "gamma"},
		{"mem*1000", Site{}, []string{"float-ties"}, "2^24"},
		{"mem*1e30", Site{}, []string{"float-ties", "float-overflow"}, "infinite"},
		{"2+2", Site{}, []string{"constant"}, ""},
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
