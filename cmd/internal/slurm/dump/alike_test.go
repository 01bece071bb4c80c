package dump

import (
	"slices"
	"strings"
	"testing"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/file"
)

// Of two files of one kind and form one is read, and which is said, with a warning where what both tell differs; other forms stay.
func TestAlike(t *testing.T) {
	const qos = "Name|Priority|UsageFactor|\nnormal|0|1.000000|\n"
	const node = "NodeName=a Arch=x86_64 CoresPerSocket=8 \n   CPUAlloc=0\n"
	for _, c := range []struct {
		first, second, read, said string // the names of the files that are read, and what is said
	}{
		{qos, strings.Replace(qos, "|0|", "|7|", 1), "a", "b is not read: s/a is what sacctmgr show qos prints"},
		{qos, qos + "high|9|1.000000|\n", "b", ""}, // as of some alone
		{qos + "low|3|1.000000|\n", qos + "high|9|1.000000|\n", "a", "QOS high is in it alone"},
		{qos, qos, "a", ""},
		{qos, "Name|Priority|UsageFactor|Flags|\nnormal|0|1.000000||\n", "a b", ""},
		{qos, node, "a b", ""},
		{node, strings.ReplaceAll(node, "\n  ", ""), "a", ""}, // with -o
		{node, node + strings.ReplaceAll(node, "=a", "=b"), "b", ""},
		{node, strings.Replace(node, "Alloc=0", "Alloc=2", 1), "a", "they differ: cpualloc of node a is 2, and 0 in the one that is read"},
		{node + "CPULoad=0.1\n", node + "CPULoad=0.2\n", "a", ""}, // as it moves by itself
	} {
		tree := file.TreeOf("s", map[string][]byte{"a": []byte(c.first), "b": []byte(c.second)})
		d, err := Find(tree)
		if err != nil {
			t.Fatal(err)
		}
		var read, said []string
		for _, p := range d.Parts {
			read = append(read, p.File())
		}
		for _, r := range d.Remarks {
			if r.IsGeneral == strings.Contains(r.Text, "they differ: ") {
				t.Errorf("%q and %q: %+v", c.first, c.second, r)
			}
			if !r.IsGeneral {
				said = append(said, r.Text)
			}
		}
		if got := strings.Join(said, "\n"); strings.Join(read, " ") != c.read || (got == "") != (c.said == "") || !strings.Contains(got, c.said) {
			t.Errorf("%q and %q: %v, %q", c.first, c.second, read, got)
		}
	}
}

// Of a second file of each kind that a recorded site has, with something else in it, it is said which is not read, for every command:
// also for check, which takes the configuration alone. What is of several moments or users is read of all.
func TestSecondFile(t *testing.T) {
	read := []Kind{KindPriorities, KindAccounting, KindAccounts, KindEvents, KindPastReservations, KindTopology}
	site, err := Open("../../../../testdata/slurm-site/t2_busy.tgz")
	if err != nil {
		t.Fatal(err)
	}
	for _, second := range site.Parts {
		if second.Kind == KindUnknown || slices.Contains(read, second.Kind) {
			continue
		}
		one, two := "1", "2"
		if second.Kind == KindConfig { // and not when it was printed
			one, two = " = 1", " = 2"
		}
		files := map[string][]byte{"second": []byte(strings.Replace(second.Text, one, two, 1))}
		for _, p := range site.Parts {
			files[p.File()] = []byte(p.Text)
		}
		d, err := Find(file.TreeOf("s", files))
		if err != nil {
			t.Fatal(err)
		}
		_, advised, err := d.Advised()
		if err != nil {
			t.Errorf("beside %s: %v", second.File(), err)
		}
		for command, remarks := range map[string][]diag.Remark{"sort": d.Remarks, "check": advised} {
			isSaid := slices.ContainsFunc(remarks, func(r diag.Remark) bool {
				return r.Kind == diag.Warning && strings.Contains(r.Text, " is not read: ") && strings.Contains(r.Text, "second") && strings.Contains(r.Text, second.File())
			})
			if !isSaid {
				t.Errorf("%s: which of %s and another one is read is not said: %v", command, second.File(), remarks)
			}
		}
	}
}
