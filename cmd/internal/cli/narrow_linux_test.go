package cli

import (
	"context"
	"io"
	"strings"
	"testing"
)

// A terminal that is too narrow for a table is told what is left out, and of a job that never starts the whole reason.
func TestNarrowTerminal(t *testing.T) {
	const site = "../../../testdata/slurm-site/t2_busy.tgz"
	for _, row := range []struct{ args, says string }{
		{"when " + site + " 163 105 106 --tz UTC --runs 2", "never: partition short has jobs of up to 2:00:00, and it asks for 5:00:00 (MaxTime)"},
		{"when " + site + " 163 105 106 --tz UTC --runs 2", "(left out for want of width: 8 OF 10 FROM, TO, SLURM SAYS)"},
		{"history " + site + " --by user --top 3", "(left out for want of width: "},
	} {
		stdout, said := terminal(t)
		code := Run(context.Background(), strings.Fields(row.args), Config{Stdin: strings.NewReader(""), Stdout: stdout, Stderr: io.Discard})
		shown := strings.Join(strings.Fields(said()), " ")
		if code > exitPartly {
			t.Errorf("%s: status %d", row.args, code)
		}
		if !strings.Contains(shown, row.says) {
			t.Errorf("%s does not say %q:\n%s", row.args, row.says, shown)
		}
	}
}
