package dump

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A scontrol show config that is cut off anywhere, behind a line or within one, is refused, and the whole one is not.
func TestCutConfig(t *testing.T) {
	names, _ := filepath.Glob("../../../../testdata/slurm-now/*.tgz")
	for _, name := range append(names, "../../../../testdata/slurm-site/t1_morning.tgz") {
		d, err := Open(name)
		if err != nil {
			t.Fatal(err)
		}
		text := d.All(KindConfig)[0].Text
		check := func(cut string) error {
			d := &Dump{}
			d.Set("config.txt", cut)
			if len(d.All(KindConfig)) == 0 && strings.Contains(cut, "Configuration data as of ") {
				t.Errorf("%s: %q is not known for a configuration", name, cut)
			}
			if err := d.CutConfig(); err != nil && !d.endsBehindRead() {
				return err
			}
			return nil
		}
		for _, whole := range []string{text, strings.TrimRight(text, "\n")} { // as a shell's $(...) has it
			if err := check(whole); err != nil {
				t.Error(err)
			}
		}
		end, first := strings.Index(text, "\nSlurmctld("), strings.Index(text, "\n")
		if err := check(text[:end]); err != nil {
			t.Errorf("%s: without the last line, of which nothing is read: %v", name, err)
		}
		for at := 1; at < strings.Index(text, "\nTrackWCKey"); at++ {
			isEnd := text[at-1] == '\n'
			if within := text[at] == '=' || text[at] == ','; at > first && (isEnd || within) && check(text[:at]) == nil {
				t.Errorf("%s: a cut behind %q is not noticed", name, text[max(0, at-40):at])
			}
		}
	}
}

// A line of slurm.conf that goes on in the next is one setting for all that read it.
func TestContinuedSetting(t *testing.T) {
	const begin, end = "ClusterName=c\nSchedulerParameters=bf_window=100,", "bf_contiue # of backfill\nPriorityWeightAge=10\n"
	for between, want := range map[string]string{
		"": "bf_window=100,bf_contiue", "\\\n": "bf_window=100,bf_contiue", "\\ \t\r\n": "bf_window=100,bf_contiue", "\\\n\\\n": "bf_window=100,bf_contiue",
		"\\\\\n": `bf_window=100,\\`,
	} {
		d := &Dump{}
		d.Set("slurm.conf", begin+between+end)
		if got := d.Config("schedulerparameters"); got != want {
			t.Errorf("%q: %q, want %q", between, got, want)
		}
	}
}

// A slurm.conf is the configuration also where another file of its folder includes it, and it is said which is left out.
func TestConfThatIsIncluded(t *testing.T) {
	const main, nodes = "ClusterName=main\nPriorityType=priority/multifactor\nPriorityWeightAge=10\n", "NodeName=n1 CPUs=4\nPartitionName=p Nodes=n1\n"
	for _, test := range []struct {
		files   map[string]string
		cluster string
		said    string
	}{
		{map[string]string{"slurm.conf": main + nodes, "try.conf": "ClusterName=try\nInclude slurm.conf\n"}, "main", "try.conf is not read: SITE/slurm.conf is a slurm.conf as well, and they differ"},
		{map[string]string{"slurm.conf": main + nodes, "a.conf": "ClusterName=try\nInclude slurm.conf\n"}, "main", "a.conf is not read: SITE/slurm.conf is a slurm.conf as well, and they differ"},
		{map[string]string{"slurm.conf": main + "Include nodes.conf\n", "nodes.conf": nodes}, "main", ""},
		{map[string]string{"site.conf": main + "Include nodes.conf\n", "nodes.conf": nodes}, "main", ""},
		{map[string]string{"slurm.conf": main + nodes, "a.conf": "ClusterName=try\nPriorityWeightQOS=5\n" + nodes}, "main", "a.conf is not read: SITE/slurm.conf is a slurm.conf as well, and they differ"},
		{map[string]string{"slurm.conf": main + nodes, "a.conf": main + " " + nodes}, "main", "a.conf is not read: SITE/slurm.conf has the same"},
		{map[string]string{"slurm.conf": main + nodes, "a.conf": main + nodes + "Include weights\n", "weights": "PriorityWeightQOS=5\n"}, "main",
			"a.conf is not read: SITE/slurm.conf is a slurm.conf as well, and they differ\nSITE/weights is not read: SITE/slurm.conf is a slurm.conf as well, and they differ"},
	} {
		dir := t.TempDir()
		for name, text := range test.files {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		d, err := Open(dir)
		if err != nil {
			t.Fatal(err)
		}
		if _, has := test.files["nodes.conf"]; has { // which counts as it was when the site was opened, and is read once
			if err := os.WriteFile(filepath.Join(dir, "nodes.conf"), []byte("PriorityWeightAge=20\nPriorityWeightQOS=5\n"), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		conf, said, err := d.Conf()
		if err != nil || conf.Weights.Age != 10 || len(conf.Partitions) != 1 || d.Config("priorityweightqos") != "" || d.Config("clustername") != test.cluster {
			t.Errorf("%v: %+v, of cluster %s, %v", test.files, conf, d.Config("clustername"), err)
		}
		var lines []string
		for _, r := range append(d.Remarks, said...) {
			lines = append(lines, strings.ReplaceAll(r.Text, dir, "SITE"))
		}
		if test.said != "" {
			test.said = "SITE/" + test.said
		}
		if got := strings.Join(lines, "\n"); got != test.said {
			t.Errorf("%v: %q", test.files, got)
		}
	}
}
