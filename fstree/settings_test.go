package fstree

import (
	"reflect"
	"slices"
	"strings"
	"testing"
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
