package pbs

import (
	"testing"

	"fairshare/formula"
)

// What Slurm calls time is walltime, whether the resources of the site are known or not.
func TestTimeOfSlurm(t *testing.T) {
	at := &Site{Resources: map[string]formula.Type{"file": ""}}
	if err := at.CheckResource("time"); err == nil || err.Error() != "there is no resource time; did you mean walltime?" {
		t.Errorf("of known resources: %v", err)
	}
	if near := NearResource("time", "file"); near != "walltime" {
		t.Errorf("it is taken for %q", near)
	}
}
