package snapshot

import (
	"archive/tar"
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"fairshare/cmd/internal/file"

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
		"02-fstree/qstat-f.json.gz":              {"qstat-f.json.gz", "02-fstree/"},
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

// An archive that a byte is wrong in, or that ends between two members, is damaged.
func TestDamaged(t *testing.T) {
	packed, err := os.ReadFile(shipped)
	if err != nil {
		t.Fatal(err)
	}
	flipped := bytes.Clone(packed)
	flipped[len(flipped)-6] ^= 1 // in the checksum
	plain := archiveOf(t, "s/job/qstat_f.out", strings.Repeat("x", 512), "s/ctime", "1")
	for name, data := range map[string][]byte{"checksum": flipped, "end": plain[:512+512+512+512]} {
		s, err := Read("x", bytes.NewReader(data))
		if err != nil || len(s.Remarks) == 0 || !s.Remarks[0].IsDamage {
			t.Errorf("%s: %+v (%v)", name, s, err)
		}
	}
	if s, err := Read("x", bytes.NewReader(plain)); err != nil || len(s.Remarks) > 0 {
		t.Errorf("%+v (%v)", s, err)
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

// Nothing of what says something of people gets through, wherever it stands.
func TestObfuscateSecrets(t *testing.T) {
	secrets := map[string]string{}
	secret := func(what string) string {
		secrets[what] = "zq" + what + "qz"
		return secrets[what]
	}
	job := `{"Jobs":{"1.` + secret("server") + `":{"Job_Name":"` + secret("jobname") + `","Job_Owner":"` + secret("owner") + "@" + secret("submithost") + `","euser":"` + secrets["owner"] +
		`","egroup":"` + secret("group") + `","project":"` + secret("project") + `","Account_Name":"` + secret("account") + `","job_state":"R","queue":"workq","exec_host":"` + secret("host") +
		`/0*2+` + secret("otherhost") + `/1","exec_vnode":"(` + secret("vnode") + `[0]:ncpus=2)","Output_Path":"` + secret("login") + ":/" + secret("home") + `/x","comment":"` + secret("comment") +
		`","Variable_List":{"HOME":"` + secret("variable") + `"},"Submit_arguments":"` + secret("arguments") + `","depend":"afterok:3.` + secret("dependserver") + `","Mail_Users":"` + secret("mail") +
		`","resources_used":{"cput":"00:00:01","note":"` + secret("used") + `"},"Resource_List":{"ncpus":2,"select":"1:ncpus=2:host=` + secret("selecthost") + `","software":"` + secret("software") + `","nodes":"2:` + secret("nodesword") + `:ppn=2+` + secret("nodeshost") + `","place":"` + secret("placeword") +
		`","` + secret("resource") + `":"+49301234567"}}}}`
	server := "set server acl_hosts += " + secret("aclhost") + "\nset server managers += " + secret("manager") + "@x\nset server mail_from = " + secret("mailfrom") +
		"\nset server max_run = \"[u:" + secret("limituser") + "=2]\"\nset server comment = " + secret("servercomment") + "\nset server default_qsub_arguments = \"-P " + secret("qsub") +
		"\"\ncreate queue workq\nset queue workq acl_users = a\nset queue workq acl_users += " + secret("acluser") + "\nset queue workq Priority = 10\nset server resources_available.site = " + secret("site") +
		"\nset server server_host = " + secret("serverhost") + "\n#" + secret("remark") + "\n"
	log := "03/02/2026 07:47:44;S;3." + secrets["server"] + ";user=" + secret("loguser") + " jobname=\"" + secret("logname") + " x\" queue=" + secret("logqueue") + " comment=" + secret("logcomment") +
		" session=77 exec_host=" + secret("loghost") + "/0*2 exec_vnode=(" + secret("logvnode") + ":ncpus=2:software=\"" + secret("logvalue") + "\") Resource_List.select=1:ncpus=2:" + secret("logresource") + "=1 resources_used.note=" + secret("logused") +
		" depend=meet:" + secret("logdepend") + "\n03/02/2026 09:03:11;A;25.x;Job deleted as " + secret("logwords") + " wants\nfoo " + secret("logbad") + "\n03/02/2026 10:27:51;D;42.x;requestor=" + secret("logrequestor") + "@" + secret("logrequesthost") + "\n"
	nodes := `{"nodes":{"` + secret("node") + `":{"Mom":"` + secret("mom") + `","comment":"` + secret("nodecomment") + `","jobs":["1.x/0"],"resources_available":{"host":"` + secrets["node"] + `","ncpus":4,"rack":"` + secret("rack") + `"}}}}`
	s, err := Read("x.tar", bytes.NewReader(archiveOf(t, "s/job/qstat_f_F_json.out", job, "s/server/qmgr_ps.out", server, "s/node/pbsnodes_avFjson.out", nodes,
		"s/sched_priv/resource_group", secret("resgroup")+" 10 root 5 "+secret("word")+"\n#"+secret("note")+"\n"+secrets["owner"]+" 11 "+secrets["resgroup"]+" 5\n",
		"s/sched_priv/sched_config", "# "+secret("configremark")+"\nserver_dyn_res: \"x !/opt/"+secret("script")+"\"\npeer_queue: \"workq "+secret("peerqueue")+"@"+secret("peer")+"\"\nresources: \"ncpus, "+secret("configresource")+"\"\nround_robin: "+secret("configpeer")+".example.org\nfair_share: true all\n")))
	if err != nil {
		t.Fatal(err)
	}
	s.KeepLogs([]file.Source{{Name: "20260302-" + secret("logfile"), Open: func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(log)), nil }}})
	hidden, err := Obfuscate(s, Shift{})
	if err != nil {
		t.Fatal(err)
	}
	all := ""
	if err := hidden.each(func(name string, text []byte) error {
		all += name + "\n" + plainText(t, text)
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	for what, name := range secrets {
		if at := strings.Index(all, name); at >= 0 {
			t.Errorf("%s gets through: %q", what, all[max(0, at-40):at+len(name)])
		}
	}
	for _, kept := range []string{"exec_host", "Priority = 10", "ncpus", "fair_share: true all", "[u:user-", "\t10\troot\t5\n", "accounting/20260302.gz", "03/02/2026 07:47:44;S;3.host-", "resources: ", " Resource_List.select=1:ncpus=2:resource_"} {
		if !strings.Contains(all, kept) {
			t.Errorf("%s is lost:\n%s", kept, all)
		}
	}
}

// Queues that a snapshot has as JSON are obfuscated as those that it has as text.
func TestObfuscatedQueues(t *testing.T) {
	const (
		list  = "Queue: fast\n    Priority = 10\n    max_run = [u:carol=2]\n    resources_max.ncpus = 4\n    comment = carol\n    started = True\n\n"
		asked = `{"Queue":{"fast":{"Priority":10,"max_run":"[u:carol=2]","resources_max":{"ncpus":4},"comment":"carol","started":"True"}}}`
	)
	var queues [2]string
	for i, members := range [][]string{{"s/qstat-Qf.txt", list}, {"s/qstat-Qf.json", asked}} {
		s, err := Read("x.tar", bytes.NewReader(archiveOf(t, members...)))
		if err != nil {
			t.Fatal(err)
		}
		hidden, err := Obfuscate(s, Shift{})
		if err != nil {
			t.Fatal(err)
		}
		if err := hidden.each(func(name string, text []byte) error {
			if strings.HasSuffix(name, "qstat-Qf.txt") {
				queues[i] = plainText(t, text)
			}
			return nil
		}); err != nil {
			t.Fatal(err)
		}
	}
	if queues[0] == "" || queues[0] != queues[1] || strings.Contains(queues[0], "carol") || !strings.Contains(queues[0], "max_run = [u:") {
		t.Errorf("queues as text:\n%s\nas JSON:\n%s", queues[0], queues[1])
	}
}

// plainText returns a text that may be packed.
func plainText(t *testing.T, text []byte) string {
	plain, err := file.Plain(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	unpacked, err := io.ReadAll(plain)
	if err != nil {
		t.Fatal(err)
	}
	return string(unpacked)
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
		if s.IsFile() {
			return
		}
		hidden, err := Obfuscate(s, Shift{})
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

// All of what is written is its owner's alone: the folders, the files in them, and what an
// archive says of its members.
func TestWriteModes(t *testing.T) {
	s, err := Open(shipped, nil)
	if err != nil {
		t.Fatal(err)
	}
	s.KeepLogs([]file.Source{{Name: "20260302", Open: func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader("a log\n")), nil }}})
	top := filepath.Join(t.TempDir(), "snapshot")
	if err := s.Write(top); err != nil {
		t.Fatal(err)
	}
	folders, files := 0, 0
	if err := filepath.WalkDir(top, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := entry.Info()
		if err != nil {
			return err
		}
		want := fs.FileMode(0o600)
		if files++; entry.IsDir() {
			want = fs.ModeDir | 0o700
			folders++
		}
		if info.Mode() != want {
			t.Errorf("%s has mode %v, want %v", path, info.Mode(), want)
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	if folders < 5 || files-folders < 9 {
		t.Errorf("%d folders and %d files are written", folders, files-folders)
	}
	packed := top + ".tgz"
	if err := s.Write(packed); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(packed); err != nil || info.Mode() != 0o600 {
		t.Errorf("the archive has mode %v (%v)", info.Mode(), err)
	}
	text, err := os.ReadFile(packed)
	if err != nil {
		t.Fatal(err)
	}
	members := tar.NewReader(strings.NewReader(plainText(t, text)))
	for n := 0; ; n++ {
		header, err := members.Next()
		if errors.Is(err, io.EOF) {
			if n != files-folders {
				t.Errorf("the archive has %d members, want %d", n, files-folders)
			}
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		if header.FileInfo().Mode() != 0o600 {
			t.Errorf("%s has mode %v in the archive", header.Name, header.FileInfo().Mode())
		}
	}
}
