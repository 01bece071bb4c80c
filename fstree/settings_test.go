package fstree

import (
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/agnivade/levenshtein"
)

// A question for the nearest name leaves the names as they are, which several readers share.
func TestNamesStay(t *testing.T) {
	names := []string{"euser", "Account_Name"}
	before := slices.Clone(names)
	if got := didYouMean("eusr", names); got != "; did you mean euser?" {
		t.Errorf("it asks %q", got)
	}
	if !slices.Equal(names, before) {
		t.Errorf("the names have become %q", names)
	}
}

// The name that is asked for is the first one by name of those with the smallest distance, of many words near to names and far from them; a
// file in which many lines have the same unknown name has the same question in each.
func TestNearestName(t *testing.T) {
	t.Parallel()
	plain := func(word string, candidates []string) string {
		best, distance := "", len(word)/4+2
		for _, candidate := range slices.Sorted(slices.Values(candidates)) {
			if d := levenshtein.ComputeDistance(word, candidate); d < distance {
				best, distance = candidate, d
			}
		}
		if best == "" {
			return ""
		}
		return "; did you mean " + best + "?"
	}
	random, asked := rand.New(rand.NewPCG(1, 2)), 0
	for _, names := range [][]string{settingNames(), entities} {
		for range 3000 {
			word := []rune(names[random.IntN(len(names))])
			for range random.IntN(7) {
				at := random.IntN(len(word) + 1)
				switch letter := []rune("aeprs_ü")[random.IntN(7)]; random.IntN(3) {
				case 0:
					word = slices.Insert(word, at, letter)
				case 1:
					word = word[:at]
				default:
					word = slices.Concat(word[:at], []rune{letter}, word[min(at+1, len(word)):])
				}
			}
			want := plain(string(word), names)
			if got := didYouMean(string(word), names); got != want {
				t.Fatalf("of %s it asks %q, want %q", string(word), got, want)
			}
			if want != "" {
				asked++
			}
		}
	}
	if asked < 1000 || asked > 5000 {
		t.Errorf("%d words are near to a name", asked)
	}
	_, problems := ParseConfig("by_queu: true\nfoo: bar\nby_queu: true\nfoo: bar\n")
	const question = "by_queu is not a setting that PBS knows; did you mean by_queue?"
	if len(problems) != 4 || problems[0].Message != question || problems[2].Message != question || problems[1].Message != problems[3].Message {
		t.Errorf("the problems are %v", problems)
	}
}

// TestWith shows that a setting that is set for all times stands in the place of all lines about it.
func TestWith(t *testing.T) {
	t.Parallel()
	const text = "by_queue: true prime\njob_sort_key: \"ncpus HIGH\" all\nnode_sort_key: \"mem LOW\" prime\nserver_dyn_res: \"a !x\"\npreempt_prio: \"express_queue\"\n"
	was, _ := ParseConfig(text)
	for _, line := range []string{"by_queue: false", "by_queue: TRUE", `job_sort_key: "mem LOW"`, `node_sort_key: "ncpus HIGH"`, `server_dyn_res: "b !y"`, `preempt_prio: "normal_jobs"`, "max_starve: 1:00:00", "max_starve: x"} {
		name, value, _ := strings.Cut(line, ": ")
		var others strings.Builder
		for other := range strings.Lines(text) {
			if !strings.HasPrefix(other, name) {
				others.WriteString(other)
			}
		}
		want, _ := ParseConfig(others.String() + line)
		got, problems := was.With(name, strings.Trim(value, `"`))
		if !reflect.DeepEqual(got, want) || len(problems) > 0 != (value == "x") {
			t.Errorf("with %s: %+v, %v; want %+v", line, got, problems, want)
		}
	}
	if again, _ := ParseConfig(text); !reflect.DeepEqual(was, again) {
		t.Errorf("the configuration itself has changed: %+v", was)
	}
}
