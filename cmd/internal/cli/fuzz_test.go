package cli

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"testing"
)

// The whole program, on any formula and any list: it ends with one of its exit
// codes, says why where it is not 0, and its JSON is JSON.
func FuzzProgram(f *testing.F) {
	f.Add("fairshare_factor + ncpus", "Job Id: 1.s\n    euser = bob\n    Resource_List.ncpus = 2\n\n", uint8(0))
	f.Add("1/ncpus", `{"Jobs":{"1.s":{"job_state":"Q","euser":"suzy","Resource_List":{"ncpus":0}},"2.s":{"euser":"bob"}}}`, uint8(1))
	f.Add("slice\\x2b1", "id,euser,slice\n1,bob,3\n2,scott,4\n", uint8(2))
	f.Add("eligible_time if queue_priority else job_priority", "{\"id\":\"1\",\"eligible_time\":\"1:00\"}\n{\"id\":\"1\"}\n", uint8(3))
	commands := [][]string{
		{"sort", "-o", "json", "--all"}, {"sort", "-o", "csv"}, {"sort"}, {"explain", "--job", "1", "-o", "json"},
		{"explain", "--job", "1", "--vs", "2"}, {"compare", "-f", "ncpus", "-o", "json"}, {"compare", "-f", "mem"}, {"sort", "-o", "jobs"},
	}
	f.Fuzz(func(t *testing.T, src, list string, which uint8) {
		args := append([]string{}, commands[int(which)%len(commands)]...)
		args = append(args, "-f", src, "--sched-priv", "../../../testdata/pbsfs/seed_print/sched_priv", "--workers", "1")
		var stdout, stderr bytes.Buffer
		code := run(args, strings.NewReader(list), &stdout, &stderr)
		if code < exitFine || code > exitUnreadable {
			t.Fatalf("exit %d", code)
		}
		if code > exitPartly && stderr.Len() == 0 {
			t.Errorf("exit %d and nothing said", code)
		}
		if bytes.ContainsAny(stderr.Bytes(), "\x1b\x07") {
			t.Errorf("standard error has control characters: %q", stderr.String())
		}
		if code <= exitPartly && slices.Contains(args, "json") && !json.Valid(stdout.Bytes()) {
			t.Errorf("this is no JSON: %q", stdout.String())
		}
	})
}
