package cli

import (
	"bufio"
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"fairshare/cmd/internal/workshop"

	"github.com/google/go-cmp/cmp"
)

// allRounds are the folders of all recorded rounds. A new one needs no code here:
// what is special about it stands in its own files.
func allRounds(t testing.TB) []string {
	t.Helper()
	files, err := filepath.Glob("../../../testdata/scheduler/*/formula.txt")
	if err != nil || len(files) < 60 {
		t.Fatalf("%d rounds, want 60 or more (%v)", len(files), err)
	}
	for i, file := range files {
		files[i] = filepath.Dir(file)
	}
	return files
}

// rounds are all recorded rounds, or every third of them where not all is tested.
func rounds(t testing.TB) (dirs []string) {
	t.Helper()
	for i, dir := range allRounds(t) {
		if i%3 == 0 || workshop.TestsAll() {
			dirs = append(dirs, dir)
		}
	}
	return dirs
}

// leastOfRounds returns how much is to be found in rounds at least, of what all of them have.
func leastOfRounds(all int) int {
	if !workshop.TestsAll() {
		return all / 4
	}
	return all
}

// Each recorded round comes out as the scheduler had it, from every format
// that was recorded, with one worker and with several. A plain run plays most lists with
// either, in turn, and every fourth with both.
func TestRounds(t *testing.T) {
	tried, among, want := 0, allRounds(t), 106
	if testing.Short() {
		among, want = rounds(t), leastOfRounds(want)
	}
	for _, dir := range among {
		for _, format := range []string{"json", "txt", "dsv"} {
			list, ok := readList(t, filepath.Join(dir, "qstat-f."+format))
			if !ok {
				continue
			}
			workers := []string{"1", "3"}
			if !workshop.Among(tried, 4) {
				workers = workers[tried%2:][:1]
			}
			tried++
			t.Run(filepath.Base(dir)+"/"+format, func(t *testing.T) {
				t.Parallel()
				playRound(t, dir, format, list, workers)
			})
		}
	}
	if tried < want {
		t.Errorf("%d lists, want %d or more", tried, want)
	}
}

// readList reads a list, which may be compressed.
func readList(t testing.TB, name string) ([]byte, bool) {
	t.Helper()
	if text, err := os.ReadFile(name); err == nil {
		return text, true
	}
	if name += ".gz"; !exists(name) {
		return nil, false
	}
	return workshop.Unpacked(t, name), true
}

func lines(t testing.TB, name string) []string {
	t.Helper()
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var list []string
	for s := bufio.NewScanner(f); s.Scan(); {
		list = append(list, s.Text())
	}
	return list
}

// roundArgs is the command line for a round.
func roundArgs(t *testing.T, dir, format string) []string {
	queues := "qstat-Qf.json"
	if format == "txt" {
		queues = "qstat-Qf.txt"
	}
	args := []string{"sort", "-o", "json", "--all", "--sched-priv", filepath.Join(dir, "sched_priv"),
		"--queues", filepath.Join(dir, queues), "--resources", filepath.Join(dir, "qmgr-list-resource.txt")}
	if src := lines(t, filepath.Join(dir, "formula.txt"))[0]; src == "(unset)" {
		args = append(args, "--no-formula")
	} else {
		args = append(args, "-f", src)
	}
	if sched := filepath.Join(dir, "qmgr-print-sched.txt"); exists(sched) {
		args = append(args, "--sched", sched)
	}
	if threshold := filepath.Join(dir, "threshold.txt"); exists(threshold) {
		args = append(args, "--threshold", lines(t, threshold)[0])
	}
	if exists(filepath.Join(dir, "static.txt")) {
		args = append(args, "--static")
	}
	return args
}

func exists(name string) bool {
	_, err := os.Stat(name)
	return err == nil
}

func playRound(t *testing.T, dir, format string, list []byte, workers []string) {
	var outputs []string
	for _, workers := range workers {
		var stdout, stderr bytes.Buffer
		code := run(append(roundArgs(t, dir, format), "--workers", workers), bytes.NewReader(list), &stdout, &stderr)
		if code != exitFine && code != exitPartly {
			t.Fatalf("exit %d: %s", code, &stderr)
		}
		outputs = append(outputs, stdout.String())
	}
	if outputs[0] != outputs[len(outputs)-1] {
		t.Error("one worker and three have different orders")
	}
	checkRound(t, dir, outputs[0])
}

// checkRound holds what sort prints as JSON to the order and the values of a round.
func checkRound(t *testing.T, dir, output string) {
	t.Helper()
	var got []struct {
		ID         string
		Log        string
		Value      any
		Considered bool
	}
	if err := json.Unmarshal([]byte(output), &got); err != nil {
		t.Fatal(err)
	}
	var order, values []string
	for _, j := range got {
		if j.Considered {
			order = append(order, j.ID)
		}
		if j.Value != nil {
			values = append(values, j.ID+" "+j.Log)
		}
	}
	if diff := cmp.Diff(lines(t, filepath.Join(dir, "order.txt")), order); diff != "" {
		t.Errorf("order (-PBS +ours):\n%s", diff)
	}
	want := lines(t, filepath.Join(dir, "values.txt"))
	slices.Sort(want)
	slices.Sort(values)
	if diff := cmp.Diff(want, values); diff != "" {
		t.Errorf("values (-PBS +ours):\n%s", diff)
	}
}

// The records come back byte for byte when all of them are printed in the
// order in which they came.
func TestRecordsStay(t *testing.T) {
	dir := "../../../testdata/scheduler/r16b-running-jobs-nofairshare"
	for _, format := range []string{"json", "txt", "dsv"} {
		dir := dir
		list, ok := readList(t, filepath.Join(dir, "qstat-f."+format))
		if !ok {
			dir = "../../../testdata/scheduler/02-fstree"
			if list, ok = readList(t, filepath.Join(dir, "qstat-f."+format)); !ok {
				t.Fatal(format)
			}
		}
		var stdout, stderr bytes.Buffer
		// Without any key, jobs stand by queue_rank, and so as they came; those
		// that are not considered follow.
		code := run([]string{"sort", "--no-formula", "--all", "-o", "jobs"}, bytes.NewReader(list), &stdout, &stderr)
		if code != exitFine {
			t.Fatalf("exit %d: %s", code, &stderr)
		}
		if got, want := sortedLines(stdout.String()), sortedLines(string(list)); !slices.Equal(got, want) {
			t.Errorf("%s: the lines of the records are not those of the input", format)
		}
		if stdout.Len() != len(list) {
			t.Errorf("%s: %d bytes from %d", format, stdout.Len(), len(list))
		}
	}
}

func sortedLines(s string) []string {
	list := strings.Split(s, "\n")
	for i, line := range list {
		list[i] = strings.TrimSuffix(line, ",") // between records it moves
	}
	slices.Sort(list)
	return list
}
