package cli

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"fairshare/cmd/internal/file"
	"fairshare/cmd/internal/workshop"
)

// otherFiles are files of all kinds, by the words of which one says what a file is.
func otherFiles(t *testing.T) map[string][]string {
	t.Helper()
	const data, priv = "../../../testdata/", "scheduler/02-fstree/sched_priv/"
	dir, kinds := t.TempDir(), map[string][]string{}
	put := func(name string, text []byte, words ...string) {
		name = filepath.Join(dir, name)
		if err := os.WriteFile(name, text, 0o600); err != nil {
			t.Fatal(err)
		}
		kinds[name] = words
	}
	plain := func(from string) []byte {
		if strings.HasSuffix(from, ".gz") {
			return workshop.Unpacked(t, data+from)
		}
		text, err := os.ReadFile(data + from)
		if err != nil {
			t.Fatal(err)
		}
		return text
	}
	put("list.json", plain("scheduler/02-fstree/qstat-f.json"), "qstat", "list of jobs", "list of PBS")
	put("config", plain(priv+"sched_config"), "sched_config")
	put("groups", plain(priv+"resource_group"), "resource_group")
	put("database", plain(priv+"usage"), "usage")
	put("20260302", plain("replay/P2/snapshot/server_priv/accounting/20260302.gz"), "accounting log")
	put("sacct.txt", plain("slurm-site/sacct-all.txt.gz"), "sacct")
	put("jobs.json", plain("flux-site/forms/jobs_pending.json"), "flux jobs", "flux site", "jobs of flux")
	put("formula", []byte("1000*fairshare_factor + ncpus\n"), "formula", "text")
	put("order.csv", []byte("rank,id,value\n1,3.srv,4\n"), "CSV", "csv")
	put("trace.swf", []byte("; UnixStartTime: 1770000000\n1 0 10 100 4 -1 -1 4 200 -1 1 1 1 -1 1 -1 -1 -1\n"), "Standard Workload Format", "SWF")
	put("pbsnodes.txt", plain("replay/Q3y/snapshot/node/pbsnodes_va.out"), "pbsnodes")
	put("qstat-Qf.txt", plain("scheduler/02-fstree/qstat-Qf.txt"), "qstat -Q")
	put("qstat.txt", plain("scheduler/02-fstree/qstat-f.txt"), "qstat", "list of jobs", "list of PBS")
	for name, words := range map[string]string{"list_banks.txt": "list-banks", "list_users.txt": "list-users", "view_bank_tree.txt": "view-bank", "export.json": "export"} {
		put(name, plain("flux-site/forms/"+name), words, "flux")
	}
	put("page.pdf", []byte("%PDF-1.4\n%\xe2\xe3\xcf\xd3\n1 0 obj\n"), "PDF")
	site, err := file.OpenTree(data + "slurm-site/t2_busy.tgz")
	if err != nil {
		t.Fatal(err)
	}
	for name, words := range map[string]string{
		"squeue.txt": "squeue", "sprio-l.txt": "sprio", "sshare-alP.txt": "sshare", "scontrol-show-job.txt": "scontrol show job",
		"scontrol-show-node.txt": "scontrol show node", "scontrol-show-partition.txt": "scontrol show partition", "scontrol-show-config.txt": "scontrol show config",
		"scontrol-show-assoc_mgr.txt": "scontrol show assoc_mgr", "sacctmgr-P-qos.txt": "sacctmgr show qos", "sacctmgr-P-assoc.txt": "sacctmgr show assoc",
		"sdiag.txt": "sdiag", "slurm.conf": "slurm.conf",
	} {
		text, err := fs.ReadFile(site.FS, "t2_busy/root/"+name)
		if err != nil {
			t.Fatal(err)
		}
		put(name, text, words)
	}
	return kinds
}

// lackWords are said where a file is used as what it is, and the command needs more, or another scheduler's.
var lackWords = []string{
	"no job 1 ", " is a PBS site: ", " is a Slurm site", " has no list of jobs: ", "Jobs are all that ", "lacks banks and users", "lacks the tree with its usage", "has no fairshare tree", "no formula: give ", "which vnodes are there?",
	"which vnodes has the cluster", "nothing to compare with", "has no accounting logs", "is a single file and no snapshot",
}

// A file that a command cannot use is named as what it is, by itself and alone in a folder, with a status for input that cannot be
// read or for what was asked.
func TestFilesOfAnotherKind(t *testing.T) {
	for name, words := range otherFiles(t) {
		folder := filepath.Join(t.TempDir(), "folder")
		if err := os.Mkdir(folder, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.Link(name, filepath.Join(folder, filepath.Base(name))); err != nil {
			t.Fatal(err)
		}
		for _, given := range []string{name, folder} {
			for command, args := range named {
				line := strings.Fields(strings.NewReplacer("NAME", given, "OUT", filepath.Join(t.TempDir(), "out.tgz")).Replace(strings.Join(args, " ")))
				var stdout, stderr bytes.Buffer
				code := run(line, strings.NewReader(""), &stdout, &stderr)
				if code == exitFine || code == exitPartly {
					continue // it is used
				}
				isSaid := slices.ContainsFunc(slices.Concat(words, lackWords), func(word string) bool { return strings.Contains(stderr.String(), word) })
				if !isSaid || code != exitUsage && code != exitUnreadable && code != exitFormula {
					t.Errorf("%s %s (alone: %t): status %d: %s", command, filepath.Base(name), given == folder, code, stderr.String())
				}
			}
		}
	}
}
