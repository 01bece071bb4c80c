package main

import (
	"bufio"
	"bytes"
	"context"
	"strings"
	"testing"

	"fairshare/cmd/internal/diag"
)

// A replay that is interrupted prints what was done by then, and says that the conditions
// of --fail-if are not judged.
func TestInterruptedGate(t *testing.T) {
	var stdout, stderr bytes.Buffer
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	s := &session{ctx: ctx, in: strings.NewReader(""), out: bufio.NewWriter(&stdout), raw: &stdout, diag: diag.Printer{Program: "formula", W: &stderr}}
	code := s.run([]string{"replay", "../../testdata/replay/A/snapshot", "--tz", "UTC", "--fail-if", "mean(wait) > 0", "-f", "ncpus"})
	s.out.Flush()
	if code != exitUnreadable || !strings.Contains(stdout.String(), "POLICY") {
		t.Errorf("status %d: %s", code, stdout.String())
	}
	if want := "the conditions of --fail-if are not judged"; !strings.Contains(stderr.String(), want) {
		t.Errorf("nothing says %q:\n%s", want, stderr.String())
	}
}
