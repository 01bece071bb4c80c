package snapshot

import (
	"archive/tar"
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const shipped = "../../../testdata/snapshots/snapshot_20261121_10_00_00.tgz"

func TestFind(t *testing.T) {
	for name, want := range map[string][2]string{
		"snapshot_1/job/qstat_f.out":             {"job/qstat_f.out", "snapshot_1/"},
		"job/qstat_f.out":                        {"job/qstat_f.out", ""},
		"a/b/c/server/qstat_Bf.out":              {"server/qstat_Bf.out", "a/b/c/"},
		"sched_priv/usage":                       {"sched_priv/usage", ""},
		"resource_group":                         {"sched_priv/resource_group", ""},
		"copy/resource_group":                    {"sched_priv/resource_group", "copy/"},
		"02-fstree/qstat-f.json.gz":              {"qstat-f.json", "02-fstree/"},
		"snapshot_1/sched_priv_gpu/usage":        {},
		"snapshot_1/sched_priv/holidays":         {},
		"a/b/c/d/e/job/qstat_f.out":              {},
		"snapshot_1/server_priv/accounting/2026": {},
	} {
		member, top, ok := find(name)
		if got := [2]string{member, top}; got != want || ok != (want[0] != "") {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}

// archiveOf returns a tar archive of members, in pairs of name and text.
func archiveOf(t testing.TB, members ...string) []byte {
	t.Helper()
	var out bytes.Buffer
	w := tar.NewWriter(&out)
	for i := 0; i < len(members); i += 2 {
		if err := w.WriteHeader(&tar.Header{Name: members[i], Mode: 0o644, Size: int64(len(members[i+1]))}); err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(w, members[i+1]); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func jobsOf(t *testing.T, s *Snapshot) string {
	t.Helper()
	from := s.Jobs()
	if !from.IsGiven() {
		return ""
	}
	text, err := from.Text(1 << 20)
	if err != nil {
		t.Fatal(err)
	}
	return filepath.Base(from.Name) + ": " + text
}

// Of several lists the best one that is not empty counts, in whatever order they
// come.
func TestBestList(t *testing.T) {
	for _, members := range [][]string{
		{"s/job/qstat_f.out", "text", "s/job/qstat_f_F_json.out", "json", "s/job/qstat_f_F_dsv.out", "dsv"},
		{"s/job/qstat_f_F_json.out", "json", "s/job/qstat_f.out", "text"},
		{"s/job/qstat_f.out", "text", "s/job/qstat_f_F_json.out", "json"},
	} {
		s, err := Read("x.tar", bytes.NewReader(archiveOf(t, members...)))
		if err != nil {
			t.Fatal(err)
		}
		if got := jobsOf(t, s); got != "qstat_f_F_json.out: json" {
			t.Errorf("%v: %q", members, got)
		}
	}
	for _, members := range [][]string{
		{"s/job/qstat_f.out", "text", "s/job/qstat_f_F_json.out", ""},
		{"s/job/qstat_f_F_json.out", "", "s/job/qstat_f.out", "text"},
	} {
		s, err := Read("x.tar", bytes.NewReader(archiveOf(t, members...)))
		if err != nil {
			t.Fatal(err)
		}
		if got := jobsOf(t, s); got != "qstat_f.out: text" {
			t.Errorf("%v: %q", members, got)
		}
	}
}

// Of an archive that is cut off anywhere, what comes before is there, and the
// damage is told.
func TestCutOff(t *testing.T) {
	packed, err := os.ReadFile(shipped)
	if err != nil {
		t.Fatal(err)
	}
	parts := map[bool]int{}
	for _, part := range []float64{.01, .1, .3, .5, .7, .9, .99} {
		s, err := Read("x.tgz", bytes.NewReader(packed[:int(part*float64(len(packed)))]))
		if err != nil {
			parts[false]++
			continue
		}
		parts[true]++
		damaged := false
		for _, r := range s.Remarks {
			damaged = damaged || r.IsDamage
		}
		if !damaged {
			t.Errorf("%v of it: no damage is told: %v", part, s.Remarks)
		}
		if _, _, err := s.Files().Read(); err != nil {
			t.Errorf("%v of it: %v", part, err)
		}
	}
	if parts[true] < 4 {
		t.Errorf("%d of 7 could be read", parts[true])
	}
}

// What is written and read again is the same.
func TestWrite(t *testing.T) {
	s, err := Open(shipped, nil)
	if err != nil {
		t.Fatal(err)
	}
	texts := func(s *Snapshot) map[string]string {
		all := map[string]string{}
		if err := s.each(func(name string, text []byte) error { all[name] = string(text); return nil }); err != nil {
			t.Fatal(err)
		}
		return all
	}
	want := texts(s)
	if len(want) < 8 {
		t.Fatalf("%d members", len(want))
	}
	for _, name := range []string{"a.tgz", "b.tar.gz", "c"} {
		path := filepath.Join(t.TempDir(), name)
		if err := s.Write(path); err != nil {
			t.Fatal(err)
		}
		again, err := Open(path, nil)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, texts(again)); diff != "" {
			t.Errorf("%s (-read +written):\n%s", name, diff)
		}
		info, err := os.Stat(path)
		if err != nil || info.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s may be read by others: %v (%v)", name, info.Mode(), err)
		}
	}
}

// Names are replaced wherever they stand, and the same ones by the same ones.
func TestNames(t *testing.T) {
	n := newNames()
	n.name("host", "n01")
	n.name("user", "ann")
	n.name("host", "pbs.example.org")
	for text, want := range map[string]string{
		"n01/0*2+n01/1":                  "host-1/0*2+host-1/1",
		"(n01[0]:ncpus=2)+(n02:ncpus=2)": "(host-1[0]:ncpus=2)+(n02:ncpus=2)",
		"1:ncpus=2:host=n09":             "1:ncpus=2:host=host-3",
		"[u:bob=3],[g:PBS_GENERIC=5]":    "[u:user-2=3],[g:PBS_GENERIC=5]",
		"afterok:12.pbs.example.org":     "afterok:12.host-2",
		"/home/ann/x,n01:/home/ann/x":    "/path-1,host-1:/path-1",
		"annual ann's":                   "annual user-1's",
	} {
		if got := n.value(text); got != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
}

// Whatever the bytes: a snapshot is read in bounded memory or refused, and what is
// read of it can be used and obfuscated.
func FuzzSnapshot(f *testing.F) {
	packed, err := os.ReadFile(shipped)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(packed)
	f.Add(packed[:len(packed)/2])
	f.Add(archiveOf(f, "s/job/qstat_f.out", "Job Id: 1.s\n    euser = a\n", "s/sched_priv/resource_group", "a 10 root 5\n", "s/sched_priv/usage", "x"))
	f.Add(archiveOf(f, "s/server/qmgr_ps.out", "set server job_sort_formula = \"a\n\tb\"\nset server max_run = \"[u:x=2]\"\n", "s/ctime", "1.5", "s/threshold.txt", "2"))
	f.Add(archiveOf(f, "s/node/pbsnodes_avFjson.out", `{"nodes":{"a[0]":{"Mom":"b"}}}`, "s/job/qstat_f_F_json.out", `{"Jobs":{"1.s":{"euser":"a","estimated":{"x":"/y"}}}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		s, err := Read("x", bytes.NewReader(data))
		if err != nil {
			return
		}
		if _, _, err := s.Files().Read(); err != nil {
			t.Errorf("the parts of a snapshot are optional: %v", err)
		}
		s.Taken()
		if s.IsList() {
			return
		}
		hidden, err := Obfuscate(s)
		var wrong *Error
		if err != nil && !errors.As(err, &wrong) && !strings.Contains(err.Error(), "x/") {
			t.Errorf("an error without a name: %v", err)
		}
		if err == nil {
			if _, _, err := hidden.Files().Read(); err != nil {
				t.Errorf("obfuscated: %v", err)
			}
		}
	})
}
