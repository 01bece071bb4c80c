package cli

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"os"
	"path"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// shipped is a snapshot in testdata, and what it is made of.
const (
	shipped      = "../../../testdata/snapshots/snapshot_20261121_10_00_00.tgz"
	shippedRound = "../../../testdata/scheduler/02-fstree"
)

// member is a file of an archive.
type member struct {
	name string
	text []byte
}

// roundMembers returns a recorded round as pbs_snapshot would have written it.
// What was not recorded is made: qstat -Bf of the formula and the threshold, the
// scheduler's attributes of PBS's defaults.
func roundMembers(t testing.TB, dir string) []member {
	t.Helper()
	top := "snapshot_20261121_10_00_00"
	var members []member
	add := func(name string, text []byte) { members = append(members, member{path.Join(top, name), text}) }
	server := "Server: pbsref\n    server_state = Active\n    scheduling = True\n"
	if src := strings.Join(lines(t, filepath.Join(dir, "formula.txt")), "\n"); src != "(unset)" {
		server += "    job_sort_formula = " + folded(src) + "\n"
	}
	if threshold := filepath.Join(dir, "threshold.txt"); exists(threshold) {
		server += "    job_sort_formula_threshold = " + lines(t, threshold)[0] + "\n"
	}
	add("ctime", []byte("1795255200"))
	add("server/qstat_Bf.out", []byte(server+"    pbs_version = 23.06.06\n\n"))
	for _, m := range []struct{ name, recorded string }{
		{"server/qstat_Qf.out", "qstat-Qf.txt"}, {"server/qmgr_pr.out", "qmgr-list-resource.txt"},
		{"job/qstat_f.out", "qstat-f.txt"}, {"job/qstat_f_F_json.out", "qstat-f.json"}, {"job/qstat_f_F_dsv.out", "qstat-f.dsv"},
		{"scheduler/qmgr_psched.out", "qmgr-print-sched.txt"}, {"sched_priv/resource_group", "sched_priv/resource_group"},
		{"sched_priv/sched_config", "sched_priv/sched_config"}, {"sched_priv/sched_formula", "sched_priv/sched_formula"},
		{"sched_priv/usage", "sched_priv/usage"},
	} {
		if text, ok := readList(t, filepath.Join(dir, m.recorded)); ok {
			add(m.name, text)
		}
	}
	if sched := "scheduler/qmgr_lsched.out"; !exists(filepath.Join(dir, "qmgr-print-sched.txt")) {
		add(sched, []byte("Sched default\n    preempt_queue_prio = 150\n    preempt_prio = express_queue, normal_jobs\n\n"))
	}
	return members
}

// folded returns a long value in lines of 80 columns, as qstat prints it.
func folded(value string) string {
	const first, width = 56, 72
	var b strings.Builder
	for room := first; len(value) > room; room = width {
		b.WriteString(value[:room] + "\n\t")
		value = value[room:]
	}
	return b.String() + value
}

// pack returns members as a .tgz.
func pack(t testing.TB, members []member) []byte {
	t.Helper()
	var out bytes.Buffer
	z := gzip.NewWriter(&out)
	w := tar.NewWriter(z)
	for _, m := range members {
		header := &tar.Header{Name: m.name, Mode: 0o644, Size: int64(len(m.text)), ModTime: time.Unix(1795255200, 0), Format: tar.FormatUSTAR}
		if err := w.WriteHeader(header); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write(m.text); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// unpack writes members into a directory.
func unpack(t testing.TB, members []member) string {
	t.Helper()
	dir := t.TempDir()
	for _, m := range members {
		name := filepath.Join(dir, m.name)
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, m.text, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// Each recorded round comes out alike as a snapshot: packed, from standard input,
// unpacked, and as the directory that was recorded.
func TestSnapshots(t *testing.T) {
	for _, dir := range rounds(t) {
		t.Run(filepath.Base(dir), func(t *testing.T) {
			t.Parallel()
			members := roundMembers(t, dir)
			packed := pack(t, members)
			file := filepath.Join(t.TempDir(), "snapshot.tgz")
			if err := os.WriteFile(file, packed, 0o644); err != nil {
				t.Fatal(err)
			}
			for _, args := range [][]string{{file}, {"-"}, {unpack(t, members)}, {"--snapshot", file}, {dir}} {
				args = append([]string{"sort", "-o", "json", "--all"}, args...)
				if exists(filepath.Join(dir, "static.txt")) {
					args = append(args, "--static")
				}
				var stdout, stderr bytes.Buffer
				if code := run(args, bytes.NewReader(packed), &stdout, &stderr); code != exitFine && code != exitPartly {
					t.Fatalf("%v: exit %d: %s", args, code, &stderr)
				}
				checkRound(t, dir, stdout.String())
			}
		})
	}
}

// The shipped snapshot is made of a recorded round.
func TestShippedSnapshot(t *testing.T) {
	if *update {
		if err := os.MkdirAll(filepath.Dir(shipped), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(shipped, pack(t, roundMembers(t, shippedRound)), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	var outputs []string
	for _, args := range [][]string{{"sort", shipped, "-o", "csv"}, {"sort", shippedRound, "-o", "csv"}} {
		var stdout, stderr bytes.Buffer
		if code := run(args, nil, &stdout, &stderr); code != exitFine {
			t.Fatalf("%v: exit %d: %s", args, code, &stderr)
		}
		outputs = append(outputs, stdout.String())
	}
	if outputs[0] != outputs[1] || len(outputs[0]) < 1000 {
		t.Errorf("the snapshot and its round differ:\n%s\n%s", outputs[0], outputs[1])
	}
}

// Our own output of each round, read back, has the same order and values, or is
// refused since it lacks what that needs.
func TestOwnOutput(t *testing.T) {
	var mutex sync.Mutex
	outcomes := map[int]int{}
	t.Cleanup(func() { // after all of them
		if outcomes[exitFine]+outcomes[exitPartly] < leastOfRounds(60) || outcomes[exitUnreadable] < leastOfRounds(10) {
			t.Errorf("%v by exit status", outcomes)
		}
	})
	for _, dir := range rounds(t) {
		for _, form := range []string{"json", "csv"} {
			t.Run(filepath.Base(dir)+"/"+form, func(t *testing.T) {
				t.Parallel()
				args := []string{"--all"}
				if exists(filepath.Join(dir, "static.txt")) {
					args = append(args, "--static")
				}
				var list, stdout, stderr bytes.Buffer
				if code := run(append([]string{"sort", dir, "-o", form}, args...), nil, &list, &stderr); code > exitPartly {
					t.Fatalf("exit %d: %s", code, &stderr)
				}
				code := run(append([]string{"sort", "-", "--snapshot", dir, "-o", "json"}, args...), &list, &stdout, &stderr)
				mutex.Lock()
				outcomes[code]++
				mutex.Unlock()
				switch {
				case code == exitUnreadable && strings.Contains(stderr.String(), "this is the output of a sort, which lacks "):
				case code > exitPartly:
					t.Fatalf("read back: exit %d: %s", code, &stderr)
				default:
					checkRound(t, dir, stdout.String())
				}
			})
		}
	}
}
