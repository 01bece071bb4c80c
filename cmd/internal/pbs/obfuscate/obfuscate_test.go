package obfuscate

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"fairshare/cmd/internal/file"
	"fairshare/cmd/internal/obfuscate"
	"fairshare/cmd/internal/pbs"
	"fairshare/cmd/internal/pbs/snapshot"
	"fairshare/cmd/internal/workshop"
)

// Nothing of what says something of people gets through, wherever it stands.
func TestSecrets(t *testing.T) {
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
	s, err := read("x.tar", bytes.NewReader(workshop.Archive(t, "s/job/qstat_f_F_json.out", job, "s/server/qmgr_ps.out", server, "s/node/pbsnodes_avFjson.out", nodes,
		"s/sched_priv/resource_group", secret("resgroup")+" 10 root 5 "+secret("word")+"\n#"+secret("note")+"\n"+secrets["owner"]+" 11 "+secrets["resgroup"]+" 5\n",
		"s/sched_priv/sched_config", "# "+secret("configremark")+"\nserver_dyn_res: \"x !/opt/"+secret("script")+"\"\npeer_queue: \"workq "+secret("peerqueue")+"@"+secret("peer")+"\"\nresources: \"ncpus, "+secret("configresource")+"\"\nround_robin: "+secret("configpeer")+".example.org\nfair_share: true all\n")))
	if err != nil {
		t.Fatal(err)
	}
	s.KeepLogs([]file.Source{{Name: "20260302-" + secret("logfile"), Open: func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(log)), nil }}}, nil)
	hidden, err := Snapshot(s, obfuscate.Shift{})
	if err != nil {
		t.Fatal(err)
	}
	all := textOf(t, hidden)
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
		s, err := read("x.tar", bytes.NewReader(workshop.Archive(t, members...)))
		if err != nil {
			t.Fatal(err)
		}
		hidden, err := Snapshot(s, obfuscate.Shift{})
		if err != nil {
			t.Fatal(err)
		}
		if queues[i], err = hidden.Member("qstat-Qf.txt").Text(file.MostPrinted); err != nil {
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

// textOf returns the names and the texts of all files that a snapshot is written as.
func textOf(t *testing.T, s *snapshot.Snapshot) string {
	dir := filepath.Join(t.TempDir(), "s")
	if err := s.Write(dir); err != nil {
		t.Fatal(err)
	}
	all := ""
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		all += filepath.ToSlash(path) + "\n" + plainText(t, text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// No word that is neither PBS's nor a resource of the site gets through with any setting of sched_config, but
// the beginning of queues' names, which is told.
func TestSecretSettings(t *testing.T) {
	for of := range pbs.Settings() {
		setting := of.Name
		if of.Of&pbs.OfConfig == 0 || of.Copy == pbs.NotCopied || of.Copy == pbs.CopyResources { // which are renamed
			continue
		}
		for _, value := range []string{"zqsecretqz", `"ncpus*zqsecretqz" ALL`, "true zqsecretqz"} {
			s, err := read("x.tar", bytes.NewReader(workshop.Archive(t, "s/sched_priv/resource_group", "a 10 root 5\n", "s/sched_priv/sched_config", "by_queue: true non_prime\n"+setting+": "+value+"\n")))
			if err != nil {
				t.Fatal(err)
			}
			hidden, err := Snapshot(s, obfuscate.Shift{})
			if err != nil {
				t.Fatal(err)
			}
			isTold := false
			for _, r := range hidden.Remarks {
				isTold = isTold || strings.Contains(r.Text, setting) || strings.Contains(r.Text, "zqsecretqz")
			}
			if text := textOf(t, hidden); strings.Contains(text, "zqsecretqz") && !isTold || !strings.Contains(text, "by_queue: true non_prime") {
				t.Errorf("%s: %s: %s", setting, value, text)
			}
			if !strings.HasSuffix(setting, "_prefix") && strings.Contains(textOf(t, hidden), "zqsecretqz") {
				t.Errorf("%s: %s gets through", setting, value)
			}
		}
	}
}

// samples are a value for each way in which a copy keeps one.
var samples = map[pbs.Copy]string{
	pbs.NotCopied: "zq", pbs.CopyAsIs: "ncpus*2", pbs.CopyPlain: "3", pbs.CopyAmounts: "3", pbs.CopyLimits: "[u:zq=3]", pbs.CopyResources: "ncpus", pbs.CopyQueues: "zq",
	pbs.CopySelect: "2:ncpus=1:zq=2", pbs.CopyPlaces: "(zq:ncpus=2)", pbs.CopyUser: "zq", pbs.CopyGroup: "zq", pbs.CopyAccount: "zq", pbs.CopyProject: "zq",
	pbs.CopyJobName: "zq", pbs.CopyHost: "zq", pbs.CopyHosts: "zq,zq", pbs.CopyAddress: "zq@zq", pbs.CopyQueue: "zq", pbs.CopyID: "7.zq", pbs.CopyIDs: "7.zq/0, 8.zq/1",
	pbs.CopyDependencies: "afterok:3.zq", pbs.CopyPath: "zq:/zq", pbs.CopyMoment: "1772434800", pbs.CopyRule: "FREQ=DAILY;COUNT=3", pbs.CopyZone: "UTC",
	pbs.CopyWords: "true", pbs.CopySortKeys: `"ncpus HIGH"`, pbs.CopyUsage: "cput", pbs.CopyEntityName: "zq", pbs.CopyPrefix: "p_", pbs.CopyPartitions: "zq,pbs-default", pbs.CopySchedPriv: "/zq/sched_priv_zq",
}

// A copy keeps what the table of settings says, in any of the places where it may stand, and no name.
func TestCopiesOfSettings(t *testing.T) {
	ofJobs := map[string]bool{} // what a log has of jobs is kept of reservations as well
	for s := range pbs.Settings() {
		ofJobs[s.Name] = ofJobs[s.Name] || s.Of&pbs.OfJob != 0 && s.Copy != pbs.NotCopied
	}
	for s := range pbs.Settings() {
		value, ok := samples[s.Copy]
		if !ok {
			t.Errorf("%s is kept in a way of which there is no sample", s.Name)
		}
		names := append(strings.Fields(s.Logged), s.Name)
		for _, name := range names {
			if s.PerResource {
				name += ".ncpus"
			}
			for kind, of := range map[string]pbs.Owner{"server": pbs.OfServer, "sched": pbs.OfScheduler, "queue": pbs.OfQueue, "resource": pbs.OfResource,
				"vnode": pbs.OfVnode, "config": pbs.OfConfig, "log": pbs.OfJob | pbs.OfReservation} {
				if s.Of&of == 0 || strings.HasPrefix(name, "resources_used") || kind == "log" && s.Of&pbs.OfJob == 0 && ofJobs[name] { // of resources_used only PBS's own are kept
					continue
				}
				o := &obfuscator{from: &snapshot.Snapshot{}, names: newNames(obfuscate.Shift{}), files: map[string][]byte{}, as: pbs.PrivName}
				var out strings.Builder
				switch kind {
				case "vnode":
					o.write(&out, "", of, name, value)
				case "config":
					o.config(name + ": " + value + "\n")
					out.Write(o.files[snapshot.PrivPath("sched_config")])
				case "log":
					if name, value := o.logAttribute(name, value); name != "" {
						out.WriteString(name + "=" + value)
					}
				default:
					o.object(&out, &pbs.Object{Kind: kind, Name: "n", Attributes: []pbs.Attribute{{Name: name, Value: value}}})
				}
				if got := out.String(); strings.Contains(got, name) != (s.Copy != pbs.NotCopied) || strings.Contains(got, "zq") {
					t.Errorf("%s of %s, %s: the copy has %q", name, kind, value, got)
				}
			}
		}
	}
}

// Whatever the bytes: what is read of a snapshot can be obfuscated and read again, or the
// error says of which part it is.
func FuzzObfuscate(f *testing.F) {
	shipped, err := os.ReadFile("../../../../testdata/snapshots/snapshot_20261121_10_00_00.tgz")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(shipped)
	f.Add(workshop.Archive(f, "s/job/qstat_f.out", "Job Id: 1.s\n    euser = a\n", "s/sched_priv/resource_group", "a 10 root 5\n", "s/sched_priv/usage", "x"))
	f.Add(workshop.Archive(f, "s/server/qmgr_ps.out", "set server job_sort_formula = \"a\n\tb\"\nset server max_run = \"[u:x=2]\"\n", "s/ctime", "1.5", "s/threshold.txt", "2"))
	f.Add(workshop.Archive(f, "s/node/pbsnodes_avFjson.out", `{"nodes":{"a[0]":{"Mom":"b"}}}`, "s/job/qstat_f_F_json.out", `{"Jobs":{"1.s":{"euser":"a","estimated":{"x":"/y"}}}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		s, err := read("x", bytes.NewReader(data))
		if err != nil || s.IsFile() {
			return
		}
		hidden, err := Snapshot(s, obfuscate.Shift{})
		var wrong *snapshot.Error
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

// read returns the snapshot in a stream.
func read(name string, r io.Reader) (*snapshot.Snapshot, error) {
	t, err := file.ReadTree(name, r)
	if err != nil {
		return nil, err
	}
	return snapshot.In(t)
}
