package slurm

import (
	"reflect"
	"testing"
)

// What sbatch takes of a dependency and what scontrol prints of it is read alike, and when it can never be met is told.
func TestParseDependency(t *testing.T) {
	for text, want := range map[string]struct {
		d         Dependency
		hasFailed bool
	}{
		"afterok:103(unfulfilled)":                     {Dependency{Conditions: []DependencyCondition{{Kind: "afterok", Job: "103", State: "unfulfilled"}}}, false},
		"afterok:1:2,after:3+10":                       {Dependency{Conditions: []DependencyCondition{{Kind: "afterok", Job: "1"}, {Kind: "afterok", Job: "2"}, {Kind: "after", Job: "3", Minutes: 10}}}, false},
		"afternotok:62_*(failed)":                      {Dependency{Conditions: []DependencyCondition{{Kind: "afternotok", Job: "62_*", State: "failed"}}}, true},
		"singleton(unfulfilled)":                       {Dependency{Conditions: []DependencyCondition{{Kind: "singleton", State: "unfulfilled"}}}, false},
		"afterany:1_5(unfulfilled),afterok:2(failed)":  {Dependency{Conditions: []DependencyCondition{{Kind: "afterany", Job: "1_5", State: "unfulfilled"}, {Kind: "afterok", Job: "2", State: "failed"}}}, true},
		"afterany:1_5(unfulfilled)?afterok:2(failed)":  {Dependency{Any: true, Conditions: []DependencyCondition{{Kind: "afterany", Job: "1_5", State: "unfulfilled"}, {Kind: "afterok", Job: "2", State: "failed"}}}, false},
		"afterok:1(failed)?afterok:2(failed)":          {Dependency{Any: true, Conditions: []DependencyCondition{{Kind: "afterok", Job: "1", State: "failed"}, {Kind: "afterok", Job: "2", State: "failed"}}}, true},
		"after:160+5(unfulfilled),afterburstbuffer:16": {Dependency{Conditions: []DependencyCondition{{Kind: "after", Job: "160", Minutes: 5, State: "unfulfilled"}, {Kind: "afterburstbuffer", Job: "16"}}}, false},
	} {
		if d, ok := ParseDependency(text); !ok || !reflect.DeepEqual(d, want.d) || d.HasFailed() != want.hasFailed {
			t.Errorf("%s: %+v, %v, %v", text, d, ok, d.HasFailed())
		}
	}
	for _, text := range []string{"", "(null)", "afterok", "afterok:", "afterok:x", "afterok:1_x", "after:1+x", "after:1+-5", "103", "afterok:1,afterok:2?afterok:3"} {
		if d, ok := ParseDependency(text); ok {
			t.Errorf("%q is read as %+v", text, d)
		}
	}
}
