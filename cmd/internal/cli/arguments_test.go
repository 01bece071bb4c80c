package cli

import (
	"io"
	"strings"
	"testing"
)

// Flags may stand between the arguments of a command, and what is no flag of it is left to the parser.
func TestGathered(t *testing.T) {
	parser, err := newParser(&commandLine{}, Config{Stdout: io.Discard, Stderr: io.Discard})
	if err != nil {
		t.Fatal(err)
	}
	for line, want := range map[string]string{
		"":                                     "",
		"explain 1 --vs 2 SITE":                "explain --vs 2 1 SITE",
		"explain 1 --vs=2 SITE":                "explain --vs=2 1 SITE",
		"replay SITE --why sacct.txt":          "replay --why SITE sacct.txt",
		"replay SITE -o csv sacct.txt":         "replay -o csv SITE sacct.txt",
		"replay SITE -ocsv sacct.txt":          "replay -ocsv SITE sacct.txt",
		"replay SITE --tz UTC - --set x=1 log": "replay --tz UTC --set x=1 SITE - log",
		"history a --tz UTC -- --b":            "history --tz UTC -- a --b",
		"history a --nonsense b":               "history a --nonsense b",
		"history a -Q b":                       "history a -Q b",
		"history a --tz":                       "history a --tz",
		"sort SITE --top 3":                    "sort SITE --top 3",
		"SITE --top 3 more":                    "SITE --top 3 more",
	} {
		if got := strings.Join(gathered(parser, strings.Fields(line)), " "); got != want {
			t.Errorf("%q becomes %q, want %q", line, got, want)
		}
	}
}
