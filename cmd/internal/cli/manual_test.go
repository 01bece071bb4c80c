package cli

import (
	"io"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"fairshare/cmd/internal/workshop"

	"fairshare/cmd/internal/workshop/manual"
)

func TestManual(t *testing.T) {
	parser, err := newParser(&commandLine{}, Config{Stdout: io.Discard, Stderr: io.Discard})
	if err != nil {
		t.Fatal(err)
	}
	manual.Check(t, "../../formula/formula.1", parser.Model, *update)
}

// TestHelpFits: the help fits a screen of 32 lines and 80 columns.
func TestHelpFits(t *testing.T) {
	var out strings.Builder
	if code := run([]string{"--help"}, nil, &out, io.Discard); code != exitFine {
		t.Fatal(code)
	}
	lines := strings.Split(strings.TrimRight(out.String(), "\n"), "\n")
	if len(lines) > 32 {
		t.Errorf("%d lines", len(lines))
	}
	for _, line := range lines {
		if len(line) > 80 {
			t.Errorf("%d columns: %s", len(line), line)
		}
	}
	if !strings.Contains(out.String(), "Examples") {
		t.Error("no examples")
	}
}

// The help of a command shows the flags that are there, and says where the others are; --help-all has them.
func TestMostUsed(t *testing.T) {
	for name, flags := range mostUsed {
		if len(flags) > 10 {
			t.Errorf("%s: %d flags", name, len(flags))
		}
		var short, long strings.Builder
		if run([]string{name, "--help"}, nil, &short, io.Discard) != exitFine || run([]string{name, "--help-all"}, nil, &long, io.Discard) != exitFine {
			t.Fatal(name)
		}
		for _, flag := range flags {
			if !strings.Contains(short.String(), "--"+flag) {
				t.Errorf("the help of %s has no --%s", name, flag)
			}
		}
		at := strings.Index(short.String(), "PBS: ")
		if at < 0 || at > strings.Index(short.String(), "Examples:") || !strings.Contains(short.String(), "formula "+name+" --help-all") || !strings.Contains(long.String(), "--help-all") {
			t.Errorf("%s:\n%s", name, short.String())
		}
		if strings.Contains(short.String(), "--timeout") || long.Len() <= short.Len() && name != "nodes" {
			t.Errorf("%s: %d letters of help, %d in all", name, short.Len(), long.Len())
		}
	}
}

// The help of each command begins with what it needs at a site of PBS and at one of Slurm.
func TestNeeds(t *testing.T) {
	for name := range examples {
		if n := needs[name]; (n.pbs == "" || n.slurm == "") != (name == "man" || name == "help") {
			t.Errorf("%s: %v", name, n)
		}
	}
}

// TestExamples: each command has examples, and each of them is a command line.
func TestExamples(t *testing.T) {
	parser, err := newParser(&commandLine{}, Config{Stdout: io.Discard, Stderr: io.Discard})
	if err != nil {
		t.Fatal(err)
	}
	for _, command := range parser.Model.Children {
		if examples[command.Name] == "" {
			t.Errorf("%s has no example", command.Name)
		}
	}
	word := regexp.MustCompile(`'[^']*'|\S+`)
	for command, lines := range examples {
		for line := range strings.Lines(strings.TrimSpace(lines)) {
			line, _, _ := strings.Cut(strings.TrimSpace(line), "   ") // what it does stands behind it
			words := word.FindAllString(line, -1)
			for i := range words {
				words[i] = strings.Trim(words[i], "'")
			}
			if len(words) == 0 || words[0] != "formula" {
				t.Errorf("%s: %q is no command line", command, line)
				continue
			}
			if ctx, err := parser.Parse(words[1:]); err != nil || len(words) > 1 && ctx.Selected().Name != command {
				t.Errorf("%s: %q: %v", command, line, err)
			}
		}
	}
}

// TestBashCompletes asks bash, where there is one.
func TestBashCompletes(t *testing.T) {
	bash, err := exec.LookPath("bash")
	if err != nil {
		workshop.Skip(t, "no bash on this machine")
	}
	for words, want := range map[string]string{
		"formula co":                 "compare collect",
		"formula sort -o j":          "json jobs",
		"formula sort --sched":       "--sched --sched-priv",
		"formula explain --output t": "text",
		"formula --no":               "--no-formula --non-prime --now --nodes",
		"formula sort --output = t":  "table",
		"formula sort --output =":    "table ids json csv jobs",
	} {
		list := strings.Fields(words)
		script := `source ../../formula/completion/formula.bash; COMP_WORDS=(` + words + `); COMP_CWORD=` + string(rune('0'+len(list)-1)) + `; _formula; echo "${COMPREPLY[*]}"`
		out, err := exec.Command(bash, "--norc", "-c", script).CombinedOutput()
		if got := strings.TrimSpace(string(out)); err != nil || got != want {
			t.Errorf("%s: %q %v, want %q", words, got, err, want)
		}
	}
}
