package cli

import (
	"bytes"
	"compress/gzip"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestPastVnodes holds that forecasts of the past do not depend on what is in use of the vnodes now: neither where the list of jobs is
// not there nor where it lacks jobs that vnodes name.
func TestPastVnodes(t *testing.T) {
	inUse := regexp.MustCompile(`(?m)^ +(jobs|resources_assigned\.\w+) = .*\n|"jobs":\s*\[[^]]*\],|"resources_assigned":\s*\{[^}]*\},`)
	isBusy := regexp.MustCompile(`(state = |"state":\s*")job-busy`)
	check := func(site string) string {
		t.Helper()
		var stdout, stderr bytes.Buffer
		if code := run([]string{"when", site, "--check", "--tz", "UTC", "--runs", "2", "-o", "csv"}, strings.NewReader(""), &stdout, &stderr); code != exitFine {
			t.Fatalf("exit %d: %s", code, stderr.String())
		}
		return stdout.String()
	}
	for _, name := range []string{"V1", "V6", "Q4y"} {
		idle := t.TempDir()
		if err := os.CopyFS(idle, os.DirFS("../../../testdata/replay/"+name+"/snapshot")); err != nil {
			t.Fatal(err)
		}
		busy := check(idle)
		vnodes, err := filepath.Glob(filepath.Join(idle, "node", "pbsnodes*"))
		if err != nil || len(vnodes) == 0 {
			t.Fatalf("%s: vnodes %v, %v", name, vnodes, err)
		}
		for _, file := range vnodes {
			text := unpacked(t, file)
			if err := os.Remove(file); err != nil {
				t.Fatal(err)
			}
			if !inUse.MatchString(text) {
				t.Errorf("%s: nothing is in use", file)
			}
			text = isBusy.ReplaceAllString(inUse.ReplaceAllString(text, ""), "${1}free")
			if err := os.WriteFile(strings.TrimSuffix(file, ".gz"), []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if got := check(idle); got != busy {
			t.Errorf("%s: with nothing in use now:\n%s\nand as it is:\n%s", name, got, busy)
		}
	}
}

// TestPastLists holds that --jobs adds a list to that of the site where forecasts of the past are asked for: the site's own changes
// nothing, and one that has priorities alone takes nothing away.
func TestPastLists(t *testing.T) {
	const of = "../../../testdata/replay/Q4y/"
	check := func(more ...string) (out, said string) {
		t.Helper()
		var stdout, stderr bytes.Buffer
		if code := run(append([]string{"when", of + "snapshot", "--check", "--tz", "UTC", "--runs", "2", "-o", "csv"}, more...), strings.NewReader(""), &stdout, &stderr); code != exitFine {
			t.Fatalf("%v: exit %d: %s", more, code, stderr.String())
		}
		return stdout.String(), stderr.String()
	}
	alone, said := check()
	if got, _ := check("--jobs", of+"snapshot/job/qstat_f_F_json.out"); got != alone {
		t.Errorf("with the site's own list beside itself:\n%s\nand alone:\n%s", got, alone)
	}
	known, saidBeside := check("--jobs", of+"priority.csv")
	if known == alone {
		t.Error("priorities of jobs that have left the site's list change nothing")
	}
	if before, _, _ := strings.Cut(said, "formula: note: 218"); !strings.HasPrefix(saidBeside, before) {
		t.Errorf("beside priorities it is said:\n%s\nand without:\n%s", saidBeside, said)
	}
}

// unpacked returns the text of a file that may be packed.
func unpacked(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasSuffix(name, ".gz") {
		return string(text)
	}
	from, err := gzip.NewReader(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	if text, err = io.ReadAll(from); err != nil {
		t.Fatal(err)
	}
	return string(text)
}
