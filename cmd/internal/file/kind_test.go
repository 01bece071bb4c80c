package file

import (
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"
)

// beginnings are texts and what they are.
var beginnings = []struct{ first, want string }{
	{"PBS_MAG!\x00\x00\x01", "a usage database"},
	{"Job ID: 57\nCluster: c\nUser/Group: bob/hep\n", "what seff prints, which formula history --job ID tells from what sacct -P prints"},
	{"PARTITION AVAIL  TIMELIMIT  NODES  STATE NODELIST\nmain*        up 2-00:00:00      1   idle n1\n", "what sinfo prints, of which scontrol show node and scontrol show partition have all"},
	{"57|cfd|bob|hep|main|COMPLETED\n", Headless},
	{"57|cfd|bob\n", ""},
	{"57           cfd        main       hep           16  COMPLETED      0:0 \n", Headless},
	{"slurm_load_jobs error: Unable to contact slurm controller (connect failure)\n", "the error of a command that nothing answered, as on a host that is none of the cluster"},
	{"sacct: error: Sending PersistInit msg: Connection refused\nsacct: error: Problem talking to the database: Connection refused\n", "the error of a command that nothing answered, as on a host that is none of the cluster"},
	{"Connection refused\nqstat: cannot connect to server pbs (errno=15010)\n", "the error of a command that nothing answered, as on a host that is none of the cluster"},
	{"bash: squeue: command not found\n", "the error of a shell that did not find a command, as on a host that is none of the cluster"},
	{"Slurm accounting storage is disabled\n", "the error of sacct at a site that keeps no accounting, where squeue and scontrol show job tell of the jobs that are there"},
	{"squeue: error: Invalid user: foo\n", "the error of a command that could not do what it was asked"},
	{"qstat: Unknown Job Id 12.pbs\n", "the error of a command that could not do what it was asked"},
	{"squeue: error: x\nJOBID PARTITION\n", ""}, // which has a print below it
	{"GIF89a", "a picture"},
	{"%PDF-1.7\n", "a PDF"},
	{"\x7fELF\x02\x01", "a program"},
	{"#!/bin/sh\n", "a program"},
	{"\n  <!DocType html>", "a page in HTML"},
	{"<HTML lang=en>", "a page in HTML"},
	{"             Account       User  RawShares  NormShares\n", "what sshare prints, which formula shares reads"},
	{"Account|User|RawShares|NormShares\n", "what sshare prints, which formula shares reads"},
	{"03/02/2026 07:00:00;Q;1.s;user=u", "an accounting log"},
	{"\ufeff03/02/2026 07:00:00;Q;1.s;user=u", "an accounting log"}, // as some editors begin a text
	{"03/02/2026 07:00:00;0100;Server@s;Job;1.s;", "a log of a PBS daemon"},
	{"03/02/2026 07:00:00.123456;0100;Server@s;Job;1.s;", "a log of a PBS daemon"},
	{"; Version: 2.2\n; Computer: x\n", "a trace in the Standard Workload Format"},
	{"{\n  \"timestamp\":1,\n  \"Jobs\":{}}", "a list of jobs in JSON"},
	{"{\"pbs_version\":\"23\", \"nodes\" : {}}", "what pbsnodes prints, in JSON"},
	{"{\"nodes\" : []}", "JSON"}, // as scontrol prints them
	{"# begin 2026-11-27T09:00:00Z\n1795770000.10 1795770000.90 rc=0 config.txt: scontrol show config\n", "a list of what collect asked a Slurm site"},
	{"# t2 user root, begin 2026-03-02 11:55:31\n1772452531.82 1772452532.14 rc=1 a.txt: scontrol show config\n", "a list of what collect asked a Slurm site"},
	{"# begin 2026-11-27\nsome notes\n", ""}, // as somebody writes them
	{"*****\nsdiag output at Mon Mar 02 11:55:47 2026 (1772452547)\n", "what sdiag prints"},
	{"Job id            Name             User\n----\n1.s a b\n", "what qstat prints without -f"},
	{"\ns:\n      Req'd\nJob ID          Username Queue\n", "what qstat prints without -f"},
	{"Queue              Max   Tot Ena Str   Que   Run   Hld   Wat   Trn   Ext Type\n---- \nworkq 0 2 yes yes 2 0 0 0 0 0 Exec\n", "what qstat -Q or qstat -q prints, of which qstat -Qf has all"},
	{"\nserver: s\n\nQueue            Memory CPU Time Walltime Node   Run   Que   Lm  State\n", "what qstat -Q or qstat -q prints, of which qstat -Qf has all"},
	{"vnode           state           OS       hardware host            queue        mem     ncpus   nmics   ngpus  comment\n---\n", "what pbsnodes -aS prints, of which pbsnodes -av has all"},
	{"{\"Queue\":{}}", "what qstat -Qf prints, in JSON"},
	{"{\n  \"pbs_server\":\"s\",\n  \"Server\":{}}", "what qstat -Bf prints, in JSON"},
	{"Name=n1|Mom=n1|state=free\n", "what pbsnodes prints, in lines of DSV"},
	{"Name=n1\n", ""}, // as whatever has settings
	{"{\"Jobs\":{\"1.s\":{\"Queue\":\"a\"}}}", "a list of jobs in JSON"},
	{" [1]", "JSON"},
	{"{}", "JSON"},
	{"Job Id: 1.s\n    euser = ann\n", "a list of jobs, as qstat -f prints it"},
	{"Queue: workq\n    started = True\n", "a list of queues, as qstat -Qf prints it"},
	{"Server: s\n    scheduling = True\n", "what qstat -Bf prints"},
	{"#\n# Create queues\n#\ncreate queue workq\n", "what qmgr prints"},
	{"set server scheduling = True\n", "what qmgr prints"},
	{"Sched default\n    state = idle\n", "what qmgr prints"},
	{"n1\n     Mom = n1.example.org\n", "what pbsnodes prints"},
	{"n1\n     state = free\n", "what pbsnodes prints"},
	{"# a comment\nfair_share: true all\n", "a sched_config"},
	{"fairshare_usage_res : ncpus\n", "a sched_config"},
	{"preempt_order: SCR\n", "a sched_config"},
	{"* HOLIDAYS\nYEAR 2026\n", "a file of holidays"},
	{"  weekday 0600 1730\n", "a file of holidays"},
	{"saturday none all\n", "a file of holidays"},
	{"# begin and end\n03/02/2026 17:30 03/02/2026 18:30\n", "a file of dedicated times"},
	{"4/15/1998 12:00\n", "a file of dedicated times"},
	{"# a comment\n\nann 10 root 40\n", "a resource_group"},
	{"* a comment\nann\t10\troot\t40", "a resource_group"},
	{"id,job_state,queue\n1,Q,a\n", "a table in CSV"},
	{"", "empty"},
	{" \n\t\n", "empty"},
	{"\ufeff", "empty"},
	{"a\x00b", "no text"},
	{"\xfe\xfe\xfe", "no text"},
	{"\xff\xd8\xff\xe0", "a picture"},
	{"\x89PNG\r\n", "a picture"},
	// What is none of them.
	{"nothing of PBS\n", ""},
	{"id,job_state\n1,Q\n", ""},            // two columns may be prose
	{"one, two, three", ""},                // and so may what has no line
	{"ann 10 root\n", ""},                  // shares are missing
	{"3/2/2026 07:00:00;Q;1.s;user=u", ""}, // no log has such days
	{"my_fair_share: true\n", ""},          // nor sched_config such a setting
	{"created queue workq\n", ""},          // nor qmgr such a word
	{"Resv ID: R58.pbsref\nReserve_Name = NULL\n", ResvsText},
	{"Name: R58.pbsref\nReserve_Name = NULL\n", ResvsText},
	{"NODELIST   NODES PARTITION STATE \nn1             1     main* idle  \n", "what sinfo prints, of which scontrol show node and scontrol show partition have all"},
	{"Invalid user: foo\n", "the error of a command that could not do what it was asked"},
	{"sbatch: error: x\n", "the error of a command that could not do what it was asked"},
	{"Resv ID         Queue         User     State             Start / Duration / End\n", "what pbs_rstat prints without -f, of which pbs_rstat -f has all"},
	{"Resv ID: R58.pbsref\nResv ID: R59.pbsref\n", "what pbs_rstat prints without -f, of which pbs_rstat -f has all"},
	{"%\n", ""}, // and this is no PDF
	{"gr\u00fc\u00dfe \u2014 ein Text in UTF-8\n", ""}, // text is more than ASCII
}

// A file is what its beginning says, and the more special kind wins.
func TestKindOf(t *testing.T) {
	for _, test := range beginnings {
		if got := KindOf([]byte(test.first)); got != test.want {
			t.Errorf("%q: %q, want %q", test.first, got, test.want)
		}
	}
	said := map[string]bool{}
	for _, test := range beginnings {
		said[test.want] = true
	}
	for _, k := range kinds {
		if !said[k.what] {
			t.Errorf("nothing is %s here", k.what)
		}
	}
}

// What a pattern fits begins with the words by which texts are left out that it cannot fit: no text is left out that one fits of those
// that are known, altered in some places.
func TestFirstWordsLeaveNothingOut(t *testing.T) {
	pieces := []string{" ", "\t", "\n", "\r\n", "\f", "\v", "\u00a0", "#\n", "*", "slurm_x", "/", "-", "_", "7", "", ": error: ", " error: "}
	for _, k := range kinds {
		pieces = append(pieces, k.words...)
	}
	const alterations = 400
	random := rand.New(rand.NewPCG(1, 2))
	fitted := map[string]int{}
	for _, b := range beginnings {
		for n := range alterations {
			text := b.first
			for range n % 4 {
				from := random.IntN(min(len(text), 20) + 1)
				to := min(from+random.IntN(3), len(text))
				text = text[:from] + pieces[random.IntN(len(pieces))] + text[to:]
			}
			for _, k := range kinds {
				if len(k.words) == 0 || !k.begin().MatchString(text) {
					continue
				}
				if fitted[k.what]++; !k.mayFit(text) {
					t.Fatalf("%q is %s, and is left out", text, k.what)
				}
			}
		}
	}
	for _, k := range kinds {
		if len(k.words) > 0 && fitted[k.what] == 0 {
			t.Errorf("no text was %s", k.what)
		}
	}
}

// What a pattern fits has the words by which texts are left out that it cannot fit: in texts of
// the words of the patterns, in any order, none is left out that one fits.
func TestWordsLeaveNothingOut(t *testing.T) {
	var pieces []string
	for _, k := range kinds {
		if len(k.lines) > 0 || k.key != "" {
			pieces = append(pieces, regexp.MustCompile(`"?[A-Za-z_]{2,}"?`).FindAllString(k.begin().String(), -1)...)
		}
	}
	pieces = append(pieces, "YEAR 2026", "weekday 0600 ", "Queue  Max x", "vnode  state  OS ", "{", "{", ":", ":", "\n", "\n", "\n", " ", "\t", "\r\n", "\f", "#\n", "\v", "x", "Job Id", "usage_res", `"nodes":`, `"pbs_version":`, `"nodes":`, `"pbs_version":`)
	const texts, most = 30_000, 10
	random := rand.New(rand.NewPCG(1, 2))
	fitted := map[string]int{}
	for range texts {
		var text strings.Builder
		text.WriteString([]string{"", "{"}[random.IntN(2)])
		for range 1 + random.IntN(most) {
			text.WriteString(pieces[random.IntN(len(pieces))])
		}
		for _, k := range kinds {
			if (len(k.lines) == 0 && k.key == "") || !k.begin().MatchString(text.String()) {
				continue
			}
			if fitted[k.what]++; !k.mayFit(text.String()) {
				t.Fatalf("%q is %s, and is left out", text.String(), k.what)
			}
		}
	}
	for _, k := range kinds {
		if (len(k.lines) > 0 || k.key != "") && fitted[k.what] == 0 {
			t.Errorf("no text was %s", k.what)
		}
	}
}
