package order

import "testing"

// Of several values that are none, the first by its name is told, whatever the order of a map.
func TestParseVariables(t *testing.T) {
	for range 50 {
		_, err := ParseVariables(map[string]string{"ncpus": "four", "mem": "much", "walltime": "long", "eligible_time": "short"}, Symbols(nil))
		const want = `the value of eligible_time, "short", is not a number, a size or a time`
		if err == nil || err.Error() != want {
			t.Fatalf("it says %v, want %s", err, want)
		}
	}
}
