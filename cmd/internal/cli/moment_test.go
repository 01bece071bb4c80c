package cli

import (
	"strings"
	"testing"
	"time"
)

// Each flag that takes a time understands all forms in which people write one, and says of other texts that they are none;
// each flag of a TIME is one of these, or takes a length of time.
func TestTimesOfFlags(t *testing.T) {
	parser, err := newParser(&commandLine{}, Config{})
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for _, node := range parser.Model.Children {
		for _, flags := range node.AllFlags(false) {
			for _, flag := range flags {
				_, isMoment := flag.Target.Interface().(*momentFlag)
				_, isPast := flag.Target.Interface().(*pastFlag)
				isMoment = isMoment || isPast
				_, isLength := flag.Target.Interface().(time.Duration)
				if flag.PlaceHolder == "TIME" && !isMoment && !isLength && flag.Name != "horizon" {
					t.Errorf("--%s of %s takes a TIME, and is neither a moment nor a length of time", flag.Name, node.Name)
				}
				if !isMoment {
					continue
				}
				seen[flag.Name] = true
				for _, text := range []string{
					"Monday", "mon", "Monday 08:00", "18:00", "23.11.2026", "23.11.2026 18:00", "2026-11-23", "2026-11-23 18:00", "2026-11-23T18:00:00", "2026-11-23T18:00:00Z",
					"2026-11-23T18:00:00+01:00", "1795453200",
				} {
					if _, err := parser.Parse([]string{node.Name, "--" + flag.Name + "=" + text}); err != nil && strings.Contains(err.Error(), "--"+flag.Name+":") {
						t.Errorf("formula %s --%s=%q: %v", node.Name, flag.Name, text, err)
					}
				}
				if _, err := parser.Parse([]string{node.Name, "--" + flag.Name + "=now-7days"}); (err != nil && strings.Contains(err.Error(), "is no time")) == isPast {
					t.Errorf("formula %s --%s=now-7days: %v", node.Name, flag.Name, err)
				}
				for _, text := range []string{"", "now-7dayz", "Someday", "31.11.2026", "25:00", "tomorrow 8"} {
					if _, err := parser.Parse([]string{node.Name, "--" + flag.Name + "=" + text}); err == nil || !strings.Contains(err.Error(), "is no time") {
						t.Errorf("formula %s --%s=%q: %v", node.Name, flag.Name, text, err)
					}
				}
			}
		}
	}
	for _, name := range []string{"at", "from", "to", "by"} {
		if !seen[name] {
			t.Errorf("--%s takes no time", name)
		}
	}
}
