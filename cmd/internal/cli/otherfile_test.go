package cli

import (
	"bytes"
	"cmp"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
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
	put := func(text []byte, words ...string) {
		name := filepath.Join(dir, "a"+strconv.Itoa(len(kinds))) // which tells nothing: what the file is must be told by what is in it
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
	put(plain("scheduler/02-fstree/qstat-f.json"), listOfJobs, "a list of jobs")
	put(plain(priv+"sched_config"), "a sched_config")
	put(plain(priv+"resource_group"), "a resource_group")
	put(plain(priv+"usage"), "a usage database")
	put(plain("replay/P2/snapshot/server_priv/accounting/20260302.gz"), "an accounting log")
	put(plain("slurm-site/sacct-all.txt.gz"), "what sacct prints", "a table of sacct")
	put(plain("flux-site/forms/jobs_pending.json"), "what flux jobs --json prints", " is a flux site", "a list of jobs of flux")
	put([]byte("1000*fairshare_factor + ncpus\n"), noKind, "is neither ", "line 1: neither ", "is no snapshot")
	put([]byte("rank,id,value\n1,3.srv,4\n"), "CSV")
	put([]byte("; UnixStartTime: 1770000000\n1 0 10 100 4 -1 -1 4 200 -1 1 1 1 -1 1 -1 -1 -1\n"), "a trace in the Standard Workload Format")
	put(plain("replay/Q3y/snapshot/node/pbsnodes_va.out"), "what pbsnodes prints")
	put(plain("scheduler/02-fstree/qstat-Qf.txt"), "a list of queues")
	put(plain("scheduler/02-fstree/qstat-f.txt"), listOfJobs, "a list of jobs")
	for name, words := range map[string]string{"list_banks.txt": "what flux account list-banks prints", "list_users.txt": "what flux account list-users prints", "view_bank_tree.txt": "what flux account view-bank --tree prints", "export.json": "what flux account export-json prints"} {
		put(plain("flux-site/forms/"+name), words, " is a flux site")
	}
	put([]byte("%PDF-1.4\n%\xe2\xe3\xcf\xd3\n1 0 obj\n"), "PDF")
	site, err := file.OpenTree(data + "slurm-site/t2_busy.tgz")
	if err != nil {
		t.Fatal(err)
	}
	for name, words := range map[string]string{
		"squeue.txt": "what squeue prints", "sprio-l.txt": "what sprio prints", "sshare-alP.txt": "what sshare prints", "scontrol-show-job.txt": "what scontrol show job prints",
		"scontrol-show-node.txt": "what scontrol show node prints", "scontrol-show-partition.txt": "what scontrol show partition prints", "scontrol-show-config.txt": "what scontrol show config prints",
		"scontrol-show-assoc_mgr.txt": "what scontrol show assoc_mgr prints", "sacctmgr-P-qos.txt": "what sacctmgr show qos prints", "sacctmgr-P-assoc.txt": "what sacctmgr show assoc prints",
		"sdiag.txt": "what sdiag prints", "slurm.conf": "a slurm.conf",
	} {
		text, err := fs.ReadFile(site.FS, "t2_busy/root/"+name)
		if err != nil {
			t.Fatal(err)
		}
		put(text, words)
	}
	return kinds
}

// listOfJobs is what most commands print of a file with PBS's jobs.
const listOfJobs = "what qstat -f prints"

// noKind is said of text in which nothing tells what it is.
const noKind = "no list of jobs"

// generic takes away what is said of any file, in which words of kinds stand.
var generic = strings.NewReplacer("neither an accounting log nor a trace in the Standard Workload Format", "", "no list of jobs", "", "lacks a list of jobs", "", "sacct prints it", "")

// used are what is said of files whose kind is known, by a word of that kind: whose site it is of, or, of a list of jobs, what a
// command needs beside it.
var used = []struct{ kinds, said []string }{
	{[]string{listOfJobs, "CSV", "an accounting log", "a trace in the Standard Workload Format", "what sacct prints", "what flux jobs --json prints"}, []string{" has jobs alone, "}},
	{[]string{listOfJobs, "CSV"}, []string{"no job 1 ", "the list has no job 1: ", "no formula: give ", "the formula in force is not known", "the vnodes are not known", "which vnodes has the cluster", "nothing to compare with"}},
	{[]string{"a trace in the Standard Workload Format", "an accounting log", "what sacct prints"}, []string{"no formula: give ", "the vnodes are not known: give ", "which vnodes has the cluster", "nothing to compare with"}},
	{[]string{"what squeue prints"}, []string{" lists the jobs, and not scontrol show job"}},
	{[]string{"what scontrol show job prints"}, []string{" has no sprio -l: priorities are those that scontrol shows"}},
	{[]string{"what flux jobs --json prints", "what squeue prints", "what scontrol show job prints", "what sprio prints"}, []string{"no job 1 "}},
	{[]string{listOfJobs, "CSV", "what pbsnodes prints", "a list of queues", "an accounting log"}, []string{" is a PBS site: "}},
	{[]string{"what sacct prints", "what squeue prints", "what sprio prints", "what sshare prints", "what scontrol show job prints", "what scontrol show node prints", "what scontrol show partition prints", "what scontrol show config prints", "what scontrol show assoc_mgr prints", "what sacctmgr show qos prints", "what sacctmgr show assoc prints", "what sdiag prints", "a slurm.conf"}, []string{" is a Slurm site"}},
}

// A file that a command cannot use is named as what it is, by itself and alone in a folder, with a status for input that cannot be
// read or for what was asked. A plain run asks a third of the commands of each file, others of the next one, by itself or in its folder in turn.
func TestFilesOfAnotherKind(t *testing.T) {
	kinds := otherFiles(t)
	of := func(name string) string { return kinds[name][0] }
	files := slices.SortedFunc(maps.Keys(kinds), func(a, b string) int { return cmp.Or(strings.Compare(of(a), of(b)), strings.Compare(a, b)) })
	for nth, name := range files {
		words, kind := kinds[name], of(name)
		folder := filepath.Join(t.TempDir(), "folder")
		if err := os.Mkdir(folder, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.Link(name, filepath.Join(folder, filepath.Base(name))); err != nil {
			t.Fatal(err)
		}
		for _, given := range []string{name, folder} {
			for i, command := range slices.Sorted(maps.Keys(named)) {
				if !workshop.Among(i+nth, 3) || !workshop.TestsAll() && (given == folder) != ((i+nth)/3%2 == 0) {
					continue
				}
				args := named[command]
				line := strings.Fields(strings.NewReplacer("NAME", given, "OUT", filepath.Join(t.TempDir(), "out.tgz")).Replace(strings.Join(args, " ")))
				var stdout, stderr bytes.Buffer
				code := run(line, strings.NewReader(""), &stdout, &stderr)
				if code == exitFine || code == exitPartly {
					continue // it is used
				}
				words := words
				for _, u := range used {
					if slices.Contains(u.kinds, kind) {
						words = slices.Concat(words, u.said)
					}
				}
				said := stderr.String()
				if kind != noKind {
					said = generic.Replace(said)
				}
				isSaid := slices.ContainsFunc(words, func(word string) bool { return strings.Contains(said, word) })
				if !isSaid || code != exitUsage && code != exitUnreadable && code != exitFormula {
					t.Errorf("%s %s (alone: %t): status %d: %s", command, kind, given == folder, code, stderr.String())
				}
			}
		}
	}
}
