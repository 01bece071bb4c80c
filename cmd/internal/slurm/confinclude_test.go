package slurm

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"fairshare/cmd/internal/file"
)

// A slurm.conf is read with the files beside it that it includes, each in its place, and it is said which are not.
func TestIncludes(t *testing.T) {
	const missing = ": no such file stands beside it: put it there, or the lines themselves in its place"
	beside := fstest.MapFS{}
	for name, text := range map[string]string{
		"weights.conf": "# of the site\nPriorityWeightAge=5\n", "d/nodes.conf": "NodeName=n[1-2] CPUs=4\n\nInclude parts.conf\n",
		"parts.conf": "PartitionName=p Nodes=n1\nPriorityWeightAge=7\nPriorityMaxAge=soon\n", "hpc_x": "PriorityWeightQOS=3\n",
		"self": "PriorityWeightQOS=4\nInclude self\n", "a": "Include b\nPriorityWeightQOS=1\n", "b": "include ./a\n",
		"back": "PriorityWeightQOS=2\nInclude slurm.conf\n", "slurm.conf": "PriorityWeightQOS=8\n", "empty": "", "large": "#" + strings.Repeat(" ", 30<<20) + "\n",
	} {
		beside[name] = &fstest.MapFile{Data: []byte(text)}
	}
	for i := range 12 {
		beside[fmt.Sprintf("deep%d", i)] = &fstest.MapFile{Data: fmt.Appendf(nil, "Include deep%d\n", i+1)}
	}
	for _, test := range []struct {
		text     string
		settings string // in the order of their lines
		said     []string
		unread   string
	}{
		{"PriorityWeightAge=1\nInclude weights.conf\n", "PriorityWeightAge=1 PriorityWeightAge=5", []string{"line 2 of weights.conf: PriorityWeightAge is set again, as on line 1: the last one counts, 5"}, ""},
		{"  INCLUDE\t/etc/slurm/weights.conf # all\n", "PriorityWeightAge=5", nil, ""},
		{"Include ../other/weights.conf\n", "PriorityWeightAge=5", nil, ""},
		{"Include \\\n weights.conf\n", "PriorityWeightAge=5", nil, ""},
		{"Include d/nodes.conf\nPriorityWeightAge=9\n", "PriorityWeightAge=7 PriorityMaxAge=soon PriorityWeightAge=9",
			[]string{"line 2: PriorityWeightAge is set again, as on line 2 of parts.conf: the last one counts, 9"}, `line 3 of parts.conf: PriorityMaxAge: "soon" is not a time`},
		{"ClusterName=hpc\nInclude /etc/%c_x\n", "ClusterName=hpc PriorityWeightQOS=3", nil, ""},
		{"Include /etc/%c_x\nPriorityWeightAge=9\n", "PriorityWeightAge=9", []string{"line 1: Include /etc/%c_x is not followed: no ClusterName stands before it, which %c is"}, ""},
		{"Include x\nInclude /etc/y/z.conf\nInclude d\nInclude ..\nPriorityWeightAge=9\n", "PriorityWeightAge=9",
			[]string{"line 1: Include x is not followed" + missing, "line 2: Include /etc/y/z.conf is not followed" + missing, "line 3: Include d is not followed" + missing, "line 4: Include .. is not followed" + missing}, ""},
		{"Include self\n", "PriorityWeightQOS=4", []string{"line 2 of self: Include self is not followed: self is read already, and would include itself for ever"}, ""},
		{"Include a\n", "PriorityWeightQOS=1", []string{"line 1 of b: Include ./a is not followed: a is read already, and would include itself for ever"}, ""},
		{"Include /etc/slurm/slurm.conf\nInclude back\nPriorityWeightAge=9\n", "PriorityWeightQOS=2 PriorityWeightAge=9",
			[]string{"line 1: Include /etc/slurm/slurm.conf is not followed: slurm.conf is read already, and would include itself for ever", "line 2 of back: Include slurm.conf is not followed: slurm.conf is read already, and would include itself for ever"}, ""},
		{strings.Repeat("Include large\n", 300) + "PriorityWeightAge=9\n", "PriorityWeightAge=9",
			[]string{"line 3: Include large is not followed: at most 1000 files of 64 MB together are, and none behind them"}, ""},
		{strings.Repeat("Include empty\n", 1300) + "PriorityWeightAge=9\n", "PriorityWeightAge=9",
			[]string{"line 1001: Include empty is not followed: at most 1000 files of 64 MB together are, and none behind them"}, ""},
		{"Include deep0\nPriorityWeightAge=9\n", "PriorityWeightAge=9",
			[]string{"line 1 of deep7: Include deep8 is not followed: files are followed that stand in deep0 in deep1 in deep2 in deep3 in deep4 in deep5 in deep6 in deep7, and no deeper"}, ""},
		{"Include=weights.conf\nIncludes=3\nPriorityWeightAge=9\n", "Include=weights.conf Includes=3 PriorityWeightAge=9", []string{"line 1: Include=weights.conf is not followed: Slurm has Include and a name behind a blank"}, ""},
	} {
		dir := Beside{Dir: file.Dir{Name: "site", FS: beside}, Self: "slurm.conf", Texts: map[string]string{}}
		var settings []string
		for _, s := range slices.Backward(ConfSettings(test.text, dir)) {
			settings = append(settings, s.Name+"="+s.Value)
		}
		if got := strings.Join(settings, " "); got != test.settings {
			t.Errorf("%q: the settings are %s", test.text, got)
		}
		conf, said, err := ParseConf(test.text, dir)
		if diff := cmp.Diff(test.said, append(said, conf.Missing...)); diff != "" {
			t.Errorf("%q: %s", shortened(test.text), diff)
		}
		if unread := fmt.Sprint(err); err == nil && test.unread != "" || err != nil && unread != test.unread {
			t.Errorf("%q: %v", test.text, err)
		}
		if strings.HasSuffix(test.settings, "PriorityWeightAge=9") && conf.Weights.Age != 9 {
			t.Errorf("%q: a weight of %v", test.text, conf.Weights.Age)
		}
		if conf, _, _ := ParseConf(test.text, Beside{}); strings.Contains(strings.ToLower(test.text), "include\t") && !strings.Contains(strings.Join(conf.Missing, ""), missing) {
			t.Errorf("%q: without a folder it misses %q", test.text, conf.Missing)
		}
	}
}
