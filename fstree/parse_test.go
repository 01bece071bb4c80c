package fstree

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestParseResourceGroupProblems(t *testing.T) {
	tests := []struct {
		line string
		want string // PBS's lines and our detail
	}{
		{"a 1 root 5", ""},
		{"a +1 root -5 and more", `|the shares of "a" are -5: PBS reckons with them, so that percentages of the tree come below 0 or above 100; write 0 or more`},
		{"  \ta 1\troot 5\t", ""},
		{"# comment", ""},
		{" * comment", ""},
		{"", ""},
		{"a 1 root", "resgroup: error on line 1.|expected NAME CRESGROUP PARENT SHARES"},
		{"a 1x root 5", `resgroup: error on line 1.|cresgroup "1x" is not an integer`},
		{"a 1 root 5.5", `resgroup: error on line 1.|shares "5.5" is not an integer`},
		{"a 1 root 5\r", `resgroup: error on line 1.|shares "5\r" is not an integer`},
		{"a 1 root -5", `|the shares of "a" are -5: PBS reckons with them, so that percentages of the tree come below 0 or above 100; write 0 or more`},
		{"a 1 root 99999999999", `|PBS takes the shares 99999999999 of "a" for 1215752191`},
		{"a 1 root 2147483647", ""},
		{"a 1 root 0", ""},
		{"unknown 1 root 5", "entity unknown is not unique\nresgroup: error on line 1.|\"unknown\" is already defined above"},
		{"a 1x b 5x", "Parent ginfo of a doesnt exist.\nresgroup: error on line 1.|no line above defines the parent \"b\""},
	}
	for _, test := range tests {
		_, problems := ParseResourceGroup(test.line+"\n", 0)
		var got []string
		for _, p := range problems {
			got = append(got, p.PBS+"|"+p.Message)
		}
		if s := strings.Join(got, "; "); s != test.want {
			t.Errorf("%q: got %s, want %s", test.line, s, test.want)
		}
	}
}

func TestParseConfig(t *testing.T) {
	base := DefaultConfig()
	with := func(change func(c *Config)) Config {
		c := base
		change(&c)
		return c
	}
	tests := []struct {
		name, text string
		want       Config
		problems   []string
	}{
		{"nothing", "# fair_share: true\n\n", base, nil},
		{"both times", "fair_share: true\n", with(func(c *Config) { c.Prime.FairShare, c.NonPrime.FairShare = true, true }), nil},
		{"one time", "by_queue: True\tprime\nround_robin: true NON_PRIME\n",
			with(func(c *Config) { c.Prime.ByQueue, c.NonPrime.RoundRobin = true, true }), nil},
		{"neither time", "by_queue: True none\n", base, []string{"line 1: it holds at no time, since none stands behind the value"}},
		{"quotes", `fairshare_usage_res: "ncpus * pow(walltime, 2)" all`,
			with(func(c *Config) { c.UsageRes = "ncpus * pow(walltime, 2)" }), nil},
		{"open quote", "fairshare_entity: 'egroup:euser\n", with(func(c *Config) { c.Entity = "egroup:euser" }), nil},
		{"continued", "unknown_shares: \\\n12\nunknown_\\\nshares:\\\n\\\n 13", with(func(c *Config) { c.UnknownShares = 13 }), nil},
		{"no colon", "unknown_shares 8", with(func(c *Config) { c.UnknownShares = 8 }), nil},
		{"carriage returns", "fairshare_usage_res: mem\r\n", with(func(c *Config) { c.UsageRes = "mem" }), nil},
		{"decay", "fairshare_decay_time: 1:00:30\nfairshare_decay_factor: .25\n",
			with(func(c *Config) { c.DecayTime, c.DecayFactor = 3630, .25 }), nil},
		{"no decay", "fairshare_decay_factor: 1\nfairshare_decay_factor: 0\n", base,
			[]string{`line 1: fairshare_decay_factor: "1" is not between 0 and 1, PBS uses 0.5`, `line 2: fairshare_decay_factor: "0" is not between 0 and 1, PBS uses 0.5`}},
		{"half_life", "half_life: 90:00", with(func(c *Config) { c.DecayTime = 5400 }),
			[]string{"line 1: half_life is deprecated, use fairshare_decay_time and fairshare_decay_factor"}},
		{"sort keys", "job_sort_key: \"ncpus HIGH\" prime\njob_sort_key: 'walltime LOW'\njob_sort_key: mem HIGH\n",
			with(func(c *Config) {
				c.Prime.SortKeys = []SortKey{{"ncpus", true}, {"walltime", false}}
				c.NonPrime.SortKeys = []SortKey{{"walltime", false}}
			}),
			[]string{`line 3: job_sort_key: expected "RESOURCE HIGH" or "RESOURCE LOW" in quotes, found "mem", which does not count`}},
		{"placement", "strict_ordering: true prime\nresources: \"ncpus, mem\"\n",
			with(func(c *Config) { c.Prime.StrictOrdering, c.Resources = true, []string{"ncpus", "mem"} }), nil},
		{"bad values", "fairshare_decay_factor: 1.5\nfairshare_decay_time: soon\n\\\nunknown_shares: abc\nfair_share: maybe\n",
			with(func(c *Config) {
				c.UnknownShares = -1
				c.Prime.FairShare, c.NonPrime.FairShare = true, true
			}),
			[]string{
				`line 1: fairshare_decay_factor: "1.5" is not between 0 and 1, PBS uses 0.5`,
				`line 2: fairshare_decay_time: "soon" is not a time (HH:MM:SS or seconds), and does not count`,
				`line 3: unknown_shares: "abc" is not a number of shares, PBS takes it for -1`,
				`line 5: fair_share: "maybe" is neither true nor false, PBS takes it for true`,
			}},
		{"bad words", "by_queue: false sometimes\nunknown_shares\nword\nnode_sort_key: \"ncpus HIGHER\"\nnode_sort_key: \"ncpus LOW free\"\n", base, []string{
			`line 1: "sometimes" is none of prime, non_prime and all: the line holds at all times`,
			"line 2: unknown_shares has no value",
			"line 3: expected NAME: VALUE",
			`line 4: node_sort_key: expected "RESOURCE HIGH" or "RESOURCE LOW" in quotes, perhaps with total, assigned or unused, found "ncpus HIGHER", which does not count`,
			`line 5: node_sort_key: expected "RESOURCE HIGH" or "RESOURCE LOW" in quotes, perhaps with total, assigned or unused, found "ncpus LOW free", which does not count`,
		}},
		{"unknown names", "by_qeue: true\nfairshare_entity: eusr\nnode_sort_key: \"ncpus HIGH\" ALL\nfoo_bar: x\n",
			with(func(c *Config) {
				c.Entity = "eusr"
				c.Prime.NodeSortKeys, c.NonPrime.NodeSortKeys = []string{"ncpus HIGH"}, []string{"ncpus HIGH"}
			}), []string{
				"line 1: by_qeue is not a setting that PBS knows; did you mean by_queue?",
				"line 2: fairshare_entity: a job without an attribute eusr has the entity egroup:euser; did you mean euser?",
				"line 4: foo_bar is not a setting that PBS knows",
			}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got, problems := ParseConfig(test.text)
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("config (-want +got):\n%s", diff)
			}
			var messages []string
			for _, p := range problems {
				messages = append(messages, p.Error())
			}
			if diff := cmp.Diff(test.problems, messages); diff != "" {
				t.Errorf("problems (-want +got):\n%s", diff)
			}
		})
	}
}

func seeds(f *testing.F, name string) {
	files, err := filepath.Glob("../testdata/pbsfs/*/sched_priv/" + name)
	if err != nil || len(files) == 0 {
		f.Fatalf("no seeds: %v", err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(text))
	}
}

// Every line is a node, a problem, a comment or blank, and the tree can be
// worked on whatever the text was.
func FuzzResourceGroup(f *testing.F) {
	seeds(f, "resource_group")
	f.Fuzz(func(t *testing.T, text string) {
		tree, problems := ParseResourceGroup(text, 10)
		lines := strings.Count(text, "\n") + len(text)/maxLine + 1
		rejected := 0
		for _, p := range problems {
			if p.PBS != "" {
				rejected++
			}
		}
		if n := tree.Len() - 2 + rejected; n > lines {
			t.Fatalf("%d nodes and problems from %d lines", n, lines)
		}
		visited := 0
		for id := range tree.Preorder() {
			visited++
			if path := tree.Path(id); id != Root && path[len(path)-1] != id {
				t.Fatalf("the path of %d is %v", id, path)
			}
		}
		if visited != tree.Len() {
			t.Fatalf("visited %d of %d nodes", visited, tree.Len())
		}
	})
}

func FuzzConfig(f *testing.F) {
	seeds(f, "sched_config")
	f.Fuzz(func(t *testing.T, text string) {
		c, problems := ParseConfig(text)
		if !(c.DecayFactor > 0 && c.DecayFactor < 1) {
			t.Errorf("decay factor %v", c.DecayFactor)
		}
		for _, p := range problems {
			if p.Line < 1 || p.Line > strings.Count(text, "\n")+1 {
				t.Errorf("problem on line %d", p.Line)
			}
		}
	})
}
