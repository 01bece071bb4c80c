package setup

import "testing"

// Each value of EnforcePartLimits that slurmctld reads means one of three, in whatever letters.
func TestPartLimits(t *testing.T) {
	for value, want := range map[string]string{
		"ALL": "ALL", "YES": "ALL", "yes": "ALL", "TRUE": "ALL", "true": "ALL", "UP": "ALL", "1": "ALL", "ANY": "ANY", "any": "ANY", "NO": "NO", "FALSE": "NO", "DOWN": "NO", "0": "NO", "": "", "SOME": "",
	} {
		if is := partLimitsOf(value); is != want {
			t.Errorf("%q means %q, want %q", value, is, want)
		}
	}
}
