package snapshot

import (
	"archive/tar"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"fairshare/cmd/internal/workshop"

	"fairshare/cmd/internal/file"
)

const shipped = "../../../../testdata/snapshots/snapshot_20261121_10_00_00.tgz"

func TestFind(t *testing.T) {
	for name, want := range map[string][2]string{
		"snapshot_1/job/qstat_f.out":             {"job/qstat_f.out", "snapshot_1/"},
		"job/qstat_f.out":                        {"job/qstat_f.out", ""},
		"a/b/c/server/qstat_Bf.out":              {"server/qstat_Bf.out", "a/b/c/"},
		"sched_priv/usage":                       {"sched_priv/usage", ""},
		"resource_group":                         {"sched_priv/resource_group", ""},
		"copy/resource_group":                    {"sched_priv/resource_group", "copy/"},
		"02-fstree/qstat-f.json.gz":              {"qstat-f.json.gz", "02-fstree/"},
		"snapshot_1/sched_priv_gpu/usage":        {},
		"snapshot_1/sched_priv/holidays":         {"sched_priv/holidays", "snapshot_1/"},
		"a/b/c/d/e/job/qstat_f.out":              {},
		"snapshot_1/server_priv/accounting/2026": {},
	} {
		member, top, ok := find(name)
		if got := [2]string{member, top}; got != want || ok != (want[0] != "") {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}

// read returns the snapshot in a stream.
func read(name string, r io.Reader) (*Snapshot, error) {
	t, err := file.ReadTree(name, r)
	if err != nil {
		return nil, err
	}
	return In(t)
}

func jobsOf(t *testing.T, s *Snapshot) string {
	t.Helper()
	lists := s.Jobs()
	if len(lists) == 0 {
		return ""
	}
	text, err := lists[0].Text(1 << 20)
	if err != nil {
		t.Fatal(err)
	}
	return filepath.Base(lists[0].Name) + ": " + text
}

// Of several lists the best one that is not empty counts, in whatever order they
// come.
func TestBestList(t *testing.T) {
	for _, members := range [][]string{
		{"s/job/qstat_f.out", "text", "s/job/qstat_f_F_json.out", "json", "s/job/qstat_f_F_dsv.out", "dsv"},
		{"s/job/qstat_f_F_json.out", "json", "s/job/qstat_f.out", "text"},
		{"s/job/qstat_f.out", "text", "s/job/qstat_f_F_json.out", "json"},
	} {
		s, err := read("x.tar", bytes.NewReader(workshop.Archive(t, members...)))
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
		s, err := read("x.tar", bytes.NewReader(workshop.Archive(t, members...)))
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
		s, err := read("x.tgz", bytes.NewReader(packed[:int(part*float64(len(packed)))]))
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

// An archive that a byte is wrong in, or that ends between two members, is damaged.
func TestDamaged(t *testing.T) {
	packed, err := os.ReadFile(shipped)
	if err != nil {
		t.Fatal(err)
	}
	flipped := bytes.Clone(packed)
	flipped[len(flipped)-6] ^= 1 // in the checksum
	plain := workshop.Archive(t, "s/job/qstat_f.out", strings.Repeat("x", 512), "s/ctime", "1")
	for name, data := range map[string][]byte{"checksum": flipped, "end": plain[:512+512+512+512]} {
		s, err := read("x", bytes.NewReader(data))
		if err != nil || len(s.Remarks) == 0 || !s.Remarks[0].IsDamage {
			t.Errorf("%s: %+v (%v)", name, s, err)
		}
	}
	if s, err := read("x", bytes.NewReader(plain)); err != nil || len(s.Remarks) > 0 {
		t.Errorf("%+v (%v)", s, err)
	}
}

// A file that stands twice in an archive is damage where it is used, as in a site or among its logs.
func TestTwice(t *testing.T) {
	site := []string{"s/job/qstat_f.out", "x", "s/server_priv/accounting/20240101", "x", "s/README", "1"}
	for again, want := range map[string][2]int{"s/README": {0, 0}, "s/job/qstat_f.out": {1, 0}, "s/server_priv/accounting/20240101": {0, 1}} {
		tree, err := file.ReadTree("x", bytes.NewReader(workshop.Archive(t, append(slices.Clone(site), again, "more")...)))
		if err != nil {
			t.Fatal(err)
		}
		s, err := In(tree)
		if err != nil {
			t.Fatal(err)
		}
		_, said, err := Logs(tree)
		if err != nil || len(s.Remarks) != want[0] || len(said) != want[1] {
			t.Errorf("%s: %v and of the logs %v (%v)", again, s.Remarks, said, err)
		}
	}
}

// What of a site is in an archive is known without passing it again, also behind so much that no begins are kept.
func TestFindBehindMuch(t *testing.T) {
	name := filepath.Join(t.TempDir(), "x.tar")
	f, err := os.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	w := tar.NewWriter(f)
	add := func(name, text string) {
		if err := w.WriteHeader(&tar.Header{Name: name, Mode: 0o644, Size: int64(len(text))}); err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(w, text); err != nil {
			t.Fatal(err)
		}
	}
	const begin, begins = 72 << 10, 128 << 20 // that are kept of each and of all
	for i := range begins/begin + 1 {
		add(fmt.Sprint("s/other/", i), strings.Repeat("x", begin))
	}
	add("s/job/qstat_f.out", "x")
	add("s/node/pbsnodes_va.out", "")
	if err := errors.Join(w.Close(), f.Close()); err != nil {
		t.Fatal(err)
	}
	tree, err := file.OpenTree(name)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(name); err != nil {
		t.Fatal(err)
	}
	if s, err := In(tree); err != nil || len(s.Remarks) > 0 || !s.Member("job/qstat_f.out").IsGiven() || s.Member("node/pbsnodes_va.out").IsGiven() {
		t.Errorf("%+v (%v)", s, err)
	}
}

// Whatever the bytes: a snapshot is read in bounded memory or refused, and what is
// read of it can be used.
func FuzzSnapshot(f *testing.F) {
	packed, err := os.ReadFile(shipped)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(packed)
	f.Add(packed[:len(packed)/2])
	f.Add(workshop.Archive(f, "s/job/qstat_f.out", "Job Id: 1.s\n    euser = a\n", "s/sched_priv/resource_group", "a 10 root 5\n", "s/sched_priv/usage", "x"))
	f.Add(workshop.Archive(f, "s/server/qmgr_ps.out", "set server job_sort_formula = \"a\n\tb\"\nset server max_run = \"[u:x=2]\"\n", "s/ctime", "1.5", "s/threshold.txt", "2"))
	f.Add(workshop.Archive(f, "s/node/pbsnodes_avFjson.out", `{"nodes":{"a[0]":{"Mom":"b"}}}`, "s/job/qstat_f_F_json.out", `{"Jobs":{"1.s":{"euser":"a","estimated":{"x":"/y"}}}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		s, err := read("x", bytes.NewReader(data))
		if err != nil {
			return
		}
		if _, _, err := s.Files().Read(); err != nil {
			t.Errorf("the parts of a snapshot are optional: %v", err)
		}
		s.Taken()
	})
}

// That only root may read the scheduler's directory is no damage.
func TestPrivRemark(t *testing.T) {
	forbidden := privRemark(&fs.PathError{Op: "open", Path: "sched_priv/usage", Err: fs.ErrPermission})
	if forbidden.IsDamage || !strings.Contains(forbidden.Text, "sudo formula collect") {
		t.Errorf("%+v", forbidden)
	}
	if broken := privRemark(errOtherServer); !broken.IsDamage {
		t.Errorf("%+v", broken)
	}
}

// Files that stand in one folder, as the list of what to collect has them but for its folders, are the same site.
func TestFlat(t *testing.T) {
	nested, flat := t.TempDir(), t.TempDir()
	for _, m := range Members {
		at := filepath.Join(nested, m.Path)
		if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{at, filepath.Join(flat, filepath.Base(m.Path))} {
			if err := os.WriteFile(name, []byte(m.Path), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	var found [2]string
	for i, name := range []string{nested, flat} {
		s, err := Open(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range Members {
			text, err := s.Member(m.Path).Text(100)
			found[i] += fmt.Sprintln(text, err, s.Member(m.Path).Member)
		}
	}
	if found[0] != found[1] {
		t.Errorf("in folders:\n%sin one:\n%s", found[0], found[1])
	}
}

// A folder with whatever somebody has left there is not taken for the only site in it, nor a text for a print since a word of qmgr's
// stands somewhere in it.
func TestStrayFiles(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		name = filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("site/sched_priv/resource_group", "ann 11 root 10\n")
	write("notes.txt", "what we did\nset server scheduling = false\nand then\nit was over\n")
	s, err := Open(dir)
	if err != nil || s.Name != filepath.Join(dir, "site") || len(s.All(Attributes)) > 0 {
		t.Fatalf("%v, %v", s, err)
	}
	write("print.txt", "#\n# Set server attributes.\n#\nset server scheduling = True\nset server comment = \"of\n\tthe site\"\n")
	if s, err = Open(dir); err != nil || len(s.All(Attributes)) != 1 {
		t.Fatalf("the print is not read: %v, %v", s, err)
	}
	for i := range mostBeside {
		write(fmt.Sprint("left", i), "whatever\n")
	}
	if _, err := Open(dir); err == nil || !strings.Contains(err.Error(), "is no site, but a folder of 53 files and folders: ") || !strings.HasSuffix(err.Error(), "name the site in it, "+filepath.Join(dir, "site")) {
		t.Errorf("a folder of stray files: %v", err)
	}
}
