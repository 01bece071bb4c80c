package cli

import (
	"errors"
	"slices"
	"strings"
	"testing"
)

// A flag that another command has is never taken for a typo of one of this command, and who has it is said, or how the same is named here.
func TestFlagsOfOtherCommands(t *testing.T) {
	parser, err := newParser(&commandLine{}, Config{})
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, n := range parser.Model.Children {
		for _, f := range n.Flags {
			if !n.Hidden && !slices.Contains(all, f.Name) {
				all = append(all, f.Name)
			}
		}
	}
	for _, n := range parser.Model.Children {
		for _, flag := range all {
			if hasFlag(parser, n.Name, flag) {
				continue
			}
			args := []string{n.Name, "--" + flag}
			guess := errors.New("unknown flag --" + flag + `, did you mean "--tz"?`)
			if got := flagError(parser, args, guess); strings.Contains(got.Error(), "did you mean") {
				t.Errorf("%s: %v", args, got)
			}
			if hint := hintFor(parser, args, flag); strings.HasSuffix(hint, " --help shows what there is") {
				t.Errorf("%s: the hint is %q", args, hint)
			}
		}
	}
	for text, want := range map[string]string{"usr": "unknown flag --usr; did you mean --user?", "queu": "unknown flag --queu; did you mean --queues or --queue?", "zzz": "unknown flag --zzz"} {
		if got := flagError(parser, []string{"sort"}, errors.New("unknown flag --"+text+`, did you mean "--tz"?`)); got.Error() != want {
			t.Errorf("%s: %v, want %s", text, got, want)
		}
	}
}
