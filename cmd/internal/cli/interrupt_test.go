package cli

import (
	"bytes"
	"context"
	"strings"
	"testing"
)

// A replay that is interrupted prints what was done by then, and says that the conditions
// of --fail-if are not judged.
func TestInterruptedGate(t *testing.T) {
	var stdout, stderr bytes.Buffer
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	args := []string{"replay", "../../../testdata/replay/A/snapshot", "--tz", "UTC", "--fail-if", "mean(wait) > 0", "-f", "ncpus"}
	code := Run(ctx, args, Config{Stdin: strings.NewReader(""), Stdout: &stdout, Stderr: &stderr})
	if code != exitUnreadable || !strings.Contains(stdout.String(), "POLICY") {
		t.Errorf("status %d: %s", code, stdout.String())
	}
	const first = "all figures are of the time until 2026-11-21 11:26:42 UTC, up to which policies 1 and 2 are replayed"
	if !strings.Contains(stdout.String(), "\nInterrupted: "+first+".\n") || !strings.Contains(stderr.String(), "interrupted: "+first) {
		t.Errorf("nothing says %q:\n%s%s", first, stdout.String(), stderr.String())
	}
	if want := "the conditions of --fail-if are not judged"; !strings.Contains(stderr.String(), want) {
		t.Errorf("nothing says %q:\n%s", want, stderr.String())
	}
}
