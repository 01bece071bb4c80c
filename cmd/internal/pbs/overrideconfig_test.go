package pbs

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"fairshare/cmd/internal/file"
)

// A line of a sched_config asks for what is otherwise than in the sched_priv for which it is tried.
func TestOverrideByConfig(t *testing.T) {
	dir := func(config string) file.Dir {
		name := t.TempDir()
		for base, content := range map[string]string{"sched_config": config, "resource_group": "ann 11 root 10\n"} {
			if err := os.WriteFile(filepath.Join(name, base), []byte(content), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		return file.DirAt(name)
	}
	const first = "fair_share: false ALL\ndedicated_prefix: ded\n"
	for _, x := range []struct{ lines, other, asks, asksOfOther string }{
		{"dedicated_prefix: ded\nfair_share: FALSE\n", first, "", ""},
		{"dedicated_prefix: DED\n", "dedicated_prefix: DED\n", "sched.dedicated_prefix=DED", ""},
		{"fair_share: false\n", "fair_share: true ALL\n", "", "sched.fair_share=false"},
		{"fair_share: true\n", "fair_share: True ALL\n", "sched.fair_share=true", ""},
		{"unknown_shares: 10\nfair_share: false\n", "fair_share: true ALL\n", "sched.unknown_shares=10", "sched.unknown_shares=10 sched.fair_share=false"},
	} {
		site, remarks, err := Files{SchedPriv: dir(first), Override: []file.Source{text(x.lines)}}.Read()
		if err != nil {
			t.Fatal(x.lines, err)
		}
		other, more, err := site.WithSchedPriv(dir(x.other))
		if err != nil {
			t.Fatal(x.lines, err)
		}
		if settingsOf(site) != x.asks || settingsOf(other) != x.asksOfOther {
			t.Errorf("%q asks for %q, want %q, and of the other sched_priv for %q, want %q: %v, %v", x.lines, settingsOf(site), x.asks, settingsOf(other), x.asksOfOther, remarks, more)
		}
	}
	site, _, err := Files{SchedPriv: dir(first), Override: []file.Source{text("fair_share: false\nbogus_setting: 3\nby_queue: true prime\n")}}.Read()
	if err != nil {
		t.Fatal(err)
	}
	_, more, err := site.WithSchedPriv(dir("fair_share: maybe ALL\nby_queue: true prime\n"))
	if err != nil || strings.Count(fmt.Sprint(more), "bogus_setting") > 0 {
		t.Errorf("what is said of the first sched_priv is said again: %v, %v", more, err)
	}
}

// Commands for qmgr are told as such however short their words are, by the parser's own rule, and what is printed or is something else is
// none.
func TestAreCommands(t *testing.T) {
	shorter := func(word string) (all []string) {
		for n := range word {
			all = append(all, word[:n+1])
		}
		return all
	}
	for _, verb := range []string{"set", "create", "unset", "delete"} {
		for _, v := range shorter(verb) {
			for _, kind := range []string{"server", "sched", "queue", "resource"} {
				for _, k := range shorter(kind) {
					for _, form := range []string{"%s\n", "# why\n\n%s\n", "Qmgr: %s\n", "qmgr -c \"%s\"\n", "#!/bin/sh\nqmgr -c '%s'\n", "sudo qmgr -c '%s'\n"} {
						if text := fmt.Sprintf(form, v+" "+k+" a,b x=1,y=2"); !AreCommands(text) {
							t.Errorf("%q are no commands", text)
						}
					}
				}
			}
		}
	}
	for _, text := range []string{"", "#\n# Create queues and set their attributes.\n#\ncreate queue a\n", "Server: s\n    scheduling = True\n", "id,job_state,queue\n1,Q,a\n", "by_queue: true\n", "#!/bin/sh\n#PBS -l ncpus=1\n./run\n", "some text\n"} {
		if AreCommands(text) {
			t.Errorf("%q are commands", text)
		}
	}
}

// A value of a sched_config that PBS takes for another one than it is counts as PBS takes it, with a warning, as in a sched_priv.
func TestOverrideByOddConfig(t *testing.T) {
	for _, x := range []struct{ line, asks, said string }{
		{"by_queue: yes ALL", "sched.by_queue=true", `"yes" is neither true nor false, PBS takes it for true`},
		{"strict_ordering: 2", "sched.strict_ordering=true", "PBS takes it for true"},
		{"unknown_shares: ten", "sched.unknown_shares=-1", "PBS takes it for -1"},
		{"unknown_shares: 12abc", "sched.unknown_shares=12", "PBS takes it for 12"},
		{"fairshare_decay_factor: 1.5", "sched.fairshare_decay_factor=0.5", "PBS uses 0.5"},
		{"half_life: 1:00:00", "sched.half_life=3600", "half_life is deprecated"},
		{"fairshare_decay_time: 1:00:00", "sched.fairshare_decay_time=1:00:00", "whose lines are tried"},
		{"fairshare_entity: eusr", "sched.fairshare_entity=eusr", "did you mean euser?"},
		{"help_starving_jobs: TRUE sometimes", "sched.help_starving_jobs=TRUE", "the line holds at all times"},
		{"help_starving_jobs: TRUE none", "", "does not hold at all times"},
		{"unknown_shares: 12 prime", "sched.unknown_shares=12", "whose lines are tried"},
		{"job_sort_key: ncpus", "", `job_sort_key of sched_config does not count`},
	} {
		name := t.TempDir()
		for base, content := range map[string]string{"sched_config": "fairshare_decay_factor: 0.9\nhelp_starving_jobs: false ALL\n", "resource_group": "ann 11 root 10\n"} {
			if err := os.WriteFile(filepath.Join(name, base), []byte(content), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		site, remarks, err := Files{SchedPriv: file.DirAt(name), Override: []file.Source{text(x.line + "\n")}}.Read()
		if err != nil {
			t.Fatal(x.line, err)
		}
		if settingsOf(site) != x.asks || !strings.Contains(fmt.Sprint(remarks), x.said) || x.asks != "" && strings.Contains(fmt.Sprint(remarks), "of sched_config does not count") {
			t.Errorf("%q asks for %q, want %q: %v, want %q", x.line, settingsOf(site), x.asks, remarks, x.said)
		}
		if changed, err := site.WithReplayed(nil); err != nil || x.asks != "" && len(changed.Changes) != 1 {
			t.Errorf("%q is not tried: %v, %v", x.line, changed, err)
		}
	}
}
