package cli

import (
	"fmt"
	"strings"
	"testing"
)

// TestWorkers: how many work at a time changes nothing. The list is longer
// than what one of them takes at once.
func TestWorkers(t *testing.T) {
	var list strings.Builder
	for i := range 20_000 {
		fmt.Fprintf(&list, `{"id":"%d","job_state":"Q","queue":"q","euser":"u%d","ncpus":%d,"eligible_time":%d}`+"\n", i, i%50, i%64, i*7%3600)
	}
	outputs := map[string]bool{}
	for _, workers := range []string{"1", "2", "7"} {
		var out, errs strings.Builder
		args := []string{"sort", "-f", "pow(2, -(ncpus/7)) + sin(eligible_time) + atan2(ncpus, 3) + exp(-ncpus)", "-o", "csv", "--workers", workers}
		if code := run(args, strings.NewReader(list.String()), &out, &errs); code != exitFine {
			t.Fatalf("%s workers: exit %d, %s", workers, code, errs.String())
		}
		outputs[out.String()] = true
	}
	if len(outputs) != 1 {
		t.Errorf("%d different outputs", len(outputs))
	}
}
