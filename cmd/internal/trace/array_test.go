package trace

import (
	"math"
	"slices"
	"testing"
)

func TestArrayIDs(t *testing.T) {
	for _, test := range []struct {
		id      string
		isArray bool
		array   string // of a subjob
		index   int
		alone   string // without its server
	}{
		{id: "7.server", alone: "7"},
		{id: "7", alone: "7"},
		{id: "7[].server.site", isArray: true, alone: "7[]"},
		{id: "7[]", isArray: true, alone: "7[]"},
		{id: "7[3].server.site", array: "7[].server.site", index: 3, alone: "7[3]"},
		{id: "7[12]", array: "7[]", index: 12, alone: "7[12]"},
		{id: "7[0].s", array: "7[].s", alone: "7[0]"},
		{id: "7[3", alone: "7[3"},
		{id: "7]3[", alone: "7]3["},
		{id: "7[].", isArray: true, alone: "7[]"},
		{id: "7[x].s", alone: "7[x]"},
		{id: "7[-1].s", alone: "7[-1]"},
		{id: "7[1-3].s", alone: "7[1-3]"},
		{id: "7[]x", alone: "7[]x"},
		{id: "7[3][].s", alone: "7[3][]"},
		{id: "7[99999999999999999999].s", alone: "7[99999999999999999999]"},
		{id: ""},
	} {
		array, index, isSubjob := Subjob(test.id)
		if IsArray(test.id) != test.isArray || array != test.array || index != test.index || isSubjob != (test.array != "") {
			t.Errorf("%q is an array: %v; it is subjob %d of %q", test.id, IsArray(test.id), index, array)
		}
		if isSubjob && SubjobID(array, index) != test.id {
			t.Errorf("subjob %d of %s is %s, want %s", index, array, SubjobID(array, index), test.id)
		}
		if got := WithoutServer(test.id); got != test.alone {
			t.Errorf("%q without its server is %q, want %q", test.id, got, test.alone)
		}
	}
}

func TestParseIndices(t *testing.T) {
	for text, want := range map[string][]int{
		"-": {}, "7": {7}, "0-2,7": {0, 1, 2, 7}, "1-9:4": {1, 5, 9}, "0-9:4,12": {0, 4, 8, 12}, "1-1": {1}, "0-2%2": {0, 1, 2},
		"0-4:2%1,9": {0, 2, 4, 9}, " 1 , 3-4 ": {1, 3, 4}, "5:2": {5}, "7,1": {7, 1}, "0-9:4611686018427387903": {0},
	} {
		indices, ok := ParseIndices(text)
		if got := slices.Collect(indices.All()); !ok || !slices.Equal(got, want) || indices.Count() != len(want) {
			t.Errorf("%q: %v (%d), want %v", text, got, indices.Count(), want)
		}
	}
	for _, text := range []string{"", ",", "1,", "2-1", "1-9:0", "1-9:", "1-9:-1", "x", "1-x", "-1", "+1", "1-", "1--2", "0x1", "1_0", "99999999999999999999"} {
		if indices, ok := ParseIndices(text); ok || indices != nil {
			t.Errorf("%q is read as %v", text, indices)
		}
	}
	for text, want := range map[string]int{
		"0-9999999": 10_000_000, "0-4294967295": math.MaxInt32, "0-4294967295:4294967295": 2, "0-99999999999,5": math.MaxInt32,
		"0-4611686018427387903,0-4611686018427387903": math.MaxInt32,
	} {
		if indices, ok := ParseIndices(text); !ok || indices.Count() != want {
			t.Errorf("%q has %d indices (%v), want %d", text, indices.Count(), ok, want)
		}
	}
}

// As many indices are counted as come, and each of them names a subjob.
func FuzzParseIndices(f *testing.F) {
	for _, text := range []string{"0-9:2,12", "-", "1-100%5", "0-4294967295", "4611686018427387903,0-4611686018427387903:4611686018427387902"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		const most = 1000
		indices, ok := ParseIndices(text)
		if !ok && indices != nil {
			t.Errorf("%q is refused and read as %v", text, indices)
		}
		count := 0
		for index := range indices.All() {
			if array, again, isSubjob := Subjob(SubjobID("7[].s", index)); array != "7[].s" || again != index || !isSubjob {
				t.Errorf("%q: index %d is subjob %d of %s", text, index, again, array)
			}
			if count++; count == most {
				break
			}
		}
		if got := indices.Count(); count < most && got != count || got < count {
			t.Errorf("%q: %d indices are counted, %d or more come", text, got, count)
		}
	})
}

// Who names tasks of an array of Slurm means these, in whatever form squeue lists them; where it has cut their list, all of them.
func TestTasksNamed(t *testing.T) {
	for _, c := range []struct {
		job, asked string
		want       bool
	}{
		{"118_2", "118_[1-3]", true}, {"118_4", "118_[1-3]", false}, {"118_4", "118_[77-99]", false}, {"118_9", "118_[1-3,9%2]", true}, {"118_3", "118_[1-9:2]", true}, {"118_4", "118_[1-9:2]", false},
		{"118_4", "118", true}, {"118_4", "118_4", true}, {"118_4", "118_[1-3,...]", true}, {"118", "118_[1-3]", true}, {"119_2", "118_[1-3]", false}, {"7[3].server", "7[]", true},
	} {
		if got := IsNamed(c.job, c.asked); got != c.want {
			t.Errorf("%s, asked for %s: %v, want %v", c.job, c.asked, got, c.want)
		}
	}
}
