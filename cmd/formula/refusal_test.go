package main

import (
	"bytes"
	"strings"
	"testing"
)

// What is asked for and is not there is told, with the status that belongs to it.
func TestRefusals(t *testing.T) {
	t.Setenv("TZ", "UTC")
	const p6 = "../../testdata/replay/P6/snapshot"
	for _, c := range []struct {
		args string
		code int
		want string // in what is told
	}{
		{"usage " + p6 + " --tz UTC --at 1999-01-01", exitUsage, "error: --at is before the logs, which begin at 2026-03-02 00:00:00 UTC"},
		{"usage " + p6 + " --tz UTC --at 2026-04-01", exitFine, "warning: --at is 28 days after the last time of the logs, 2026-03-03 06:15:43 UTC"},
	} {
		var out, errs bytes.Buffer
		if code := run(strings.Fields(c.args), strings.NewReader(""), &out, &errs); code != c.code {
			t.Errorf("%s: status %d, want %d", c.args, code, c.code)
		}
		if !strings.Contains(errs.String(), c.want) {
			t.Errorf("%s: it says %q, want %q", c.args, errs.String(), c.want)
		}
	}
}
