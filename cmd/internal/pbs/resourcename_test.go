package pbs

import (
	"testing"

	"fairshare/formula"
)

// What other schedulers and people call time and memory are walltime and mem, whether the resources of the site are known or not.
func TestResourcesCalledElsewhere(t *testing.T) {
	at := &Site{Resources: map[string]formula.Type{"file": ""}}
	for name, own := range map[string]string{"time": "walltime", "memory": "mem"} {
		if err := at.CheckResource(name); err == nil || err.Error() != "there is no resource "+name+"; did you mean "+own+"?" {
			t.Errorf("of known resources: %v", err)
		}
		if near := NearResource(name, "file"); near != own {
			t.Errorf("%s is taken for %q", name, near)
		}
	}
}
