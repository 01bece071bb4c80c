package dump

import (
	"cmp"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"fairshare/cmd/internal/slurm"
)

// differencesOf returns what is said of facts that two prints of a site tell otherwise.
func differencesOf(d *Dump) string {
	listed, _, remarks := d.Jobs()
	_, of := d.Priorities(jobsOf(listed))
	remarks = append(append(remarks, of...), d.Shares().Remarks...)
	if _, of, err := d.Conf(); err == nil {
		remarks = append(remarks, of...)
	}
	var list []string
	for _, r := range remarks {
		if fact, text, isSo := strings.Cut(r.Text, " differs in "); isSo {
			list = append(list, fact+": "+text[strings.LastIndex(text, ".txt: ")+6:])
		}
	}
	return strings.Join(list, "\n")
}

// No two prints of a recorded site tell a fact otherwise than the time between them explains.
func TestPrintsAgree(t *testing.T) {
	names, _ := filepath.Glob("../../../../testdata/slurm-*/*.tgz")
	more, _ := filepath.Glob("../../../../testdata/slurm-*/*/site.tgz")
	for _, name := range append(names, more...) {
		d, err := Open(name)
		if err != nil {
			continue
		}
		if got := differencesOf(d); got != "" {
			t.Errorf("%s: %s", name, got)
		}
	}
}

// Of each fact that stands in two prints, another one in the print that does not count is said, with both and which counts.
func TestPrintsDiffer(t *testing.T) {
	const qos = "sacctmgr-P-qos.txt"
	const job, queue, sprio, sshare, assoc, manager, node, partition = "scontrol-show-job.txt", "squeue-pipe.txt", "sprio-pipe.txt", "sshare-alP.txt", "sacctmgr-P-assoc.txt", "scontrol-show-assoc_mgr.txt", "scontrol-show-node.txt", "scontrol-show-partition.txt"
	const row = "57|57|57|N/A|j32|bob|hep|main|normal|PD|Resources|9130|"
	for _, test := range []struct{ file, old, text, want string }{
		{assoc, "hpc|chem|||30|", "hpc|chem|||300|", "the share of associations: chem 30 and 300; that of SITE/sshare-alP.txt counts"},
		{assoc, "hpc|chem|erin||40|", "hpc|chem|erin||parent|", "the share of associations: erin in chem 40 and parent; that of SITE/sshare-alP.txt counts"},
		{manager, "=30/0.28/", "=31/0.28/", "the share of associations: chem 30 and 31; that of SITE/sshare-alP.txt counts"},
		{assoc, "hpc|chem|||30|||cpu=128|", "hpc|chem|||30|||cpu=40|", "a limit of associations: GrpTRES of chem cpu=40 and cpu=128; that of SITE/sacctmgr-P-assoc.txt counts"},
		{assoc, "|cpu=20000|3|", "|cpu=20000|4|", "a limit of associations: MaxJobs of chem/hank 4 and 3; that of SITE/sacctmgr-P-assoc.txt counts"},
		{qos, "cpu=48|4|20|", "cpu=40|4|20|", "a limit of QOS: MaxTRESPU of QOS high cpu=40 and cpu=48; that of SITE/sacctmgr-P-qos.txt counts"},
		{qos, "||||12:00:00|", "||||13:00:00|", "a limit of QOS: MaxWallPJ of QOS low 13:00:00 and 720; that of SITE/sacctmgr-P-qos.txt counts"},
		{manager, "GrpWall=N(4291.15)", "GrpWall=600(4291.15)", "a limit of associations: GrpWall of root - and 600; that of SITE/sacctmgr-P-assoc.txt counts"},
		{manager, "UsageRaw/Norm/Efctv=1669049.37/", "UsageRaw/Norm/Efctv=969049.37/", "the usage of associations: bio 1669049 and 969049; that of SITE/sshare-alP.txt counts"},
		{manager, "UsageRaw/Norm/Efctv=1669049.37/", "UsageRaw/Norm/Efctv=1668049.37/", ""}, // by a job that has ended
		{queue, row + "0.00000212574378|16|1|32000M|N/A|3:00:00|", row + "0.00000212574378|16|1|32000M|N/A|2:30:00|", "the time limit: job 57 3:00:00 and 2:30:00; that of SITE/scontrol-show-job.txt counts"},
		{job, "Priority=9130 Nice=0 Account=hep", "Priority=1 Nice=0 Account=hep", "the priority: job 57 1 and 9130; that of sprio counts\nthe priority: job 57 9130 and 1; that of SITE/sprio-pipe.txt counts"},
		{queue, row, strings.Replace(row, "9130", "9131", 1), "the priority: job 57 9130 and 9131; that of sprio counts"},
		{queue, row, strings.Replace(row, "bob", "ann", 1), "the user: job 57 bob and ann; that of SITE/scontrol-show-job.txt counts"},
		{queue, row, strings.Replace(row, "hep", "bio", 1), "the account: job 57 hep and bio; that of SITE/scontrol-show-job.txt counts"},
		{queue, row, strings.Replace(row, "normal", "high", 1), "the QOS: job 57 normal and high; that of SITE/scontrol-show-job.txt counts"},
		{queue, row, strings.Replace(row, "main", "short", 1), "the partition: job 57 main and short; that of SITE/scontrol-show-job.txt counts"},
		{sprio, "57|main|bob|9130|", "57|main|ann|9130|", "the user: job 57 bob and ann; that of SITE/scontrol-show-job.txt counts"},
		{sprio, "57|main|bob|9130|", "57|main|bob|9131|", "the priority: job 57 9131 and 9130; that of SITE/sprio-pipe.txt counts"},
		{partition, "TotalCPUs=224", "TotalCPUs=225", "the number of CPUs: partition main 224 and 225; that of SITE/scontrol-show-node.txt counts"},
		{node, "CPUTot=16", "CPUTot=20", "the number of CPUs: partition main 228 and 224, partition short 284 and 280; that of SITE/scontrol-show-node.txt counts"},
		{"", "", "", ""},
	} {
		all, err := Open("../../../../testdata/slurm-site/t2_busy.tgz")
		if err != nil {
			t.Fatal(err)
		}
		d := all.Empty()
		d.Name = "SITE"
		for _, name := range []string{job, queue, sprio, sshare, assoc, qos, manager, node, partition, "scontrol-show-config.txt"} {
			text := all.Text(name)
			if name == test.file {
				if !strings.Contains(text, test.old) {
					t.Fatalf("%s has no %q", name, test.old)
				}
				text = strings.Replace(text, test.old, test.text, 1)
			}
			d.Set(name, text)
		}
		if got := strings.ReplaceAll(differencesOf(d), "SITE: ", "SITE/"); got != test.want {
			t.Errorf("%s, %s: said\n%s\nwant\n%s", test.file, test.text, got, test.want)
		}
	}
}

// Priorities that have all been computed anew between two prints are no difference, and one among many is.
func TestPrioritiesOfTwoMoments(t *testing.T) {
	d, err := Open("../../../../testdata/slurm-site/t2_busy.tgz")
	if err != nil {
		t.Fatal(err)
	}
	text := d.Text("scontrol-show-job.txt")
	d.Set("scontrol-show-job.txt", strings.ReplaceAll(text, "\n   Priority=", "\n   Priority=1"))
	if got := differencesOf(d); strings.Contains(got, "the priority") {
		t.Errorf("of another moment: %s", got)
	}
}

// Each field of a job is compared between two prints, or is not for a reason; what is compared is told by one field.
func TestFactsAreComplete(t *testing.T) {
	notCompared := map[string]string{
		"ID": "by which jobs are found", "Task": "as ID", "Array": "as ID", "Indices": "as ID: tasks that start leave it",
		"State": "by which jobs of another moment are told", "Reason": "Slurm says another one as time goes on",
		"Nice": "0 where a list does not tell it", "Site": "only sprio tells it", "Submitted": "of the zone of each print", "Eligible": "as Submitted", "Accrued": "as Submitted",
		"Exclusive": "squeue tells it in other words", "TRES": "squeue does not tell it as a table", "CountedCPUs": "as TRES",
	}
	job := reflect.TypeFor[slurm.Job]()
	for i := range job.NumField() {
		name := job.Field(i).Name
		var j slurm.Job
		j.State = "PENDING"
		switch field := reflect.ValueOf(&j).Elem().Field(i); field.Kind() {
		case reflect.String:
			field.SetString(cmp.Or(field.String(), "x"))
		case reflect.Float64:
			field.SetFloat(90)
		case reflect.Slice:
			field.Set(reflect.ValueOf([]string{"x"}))
		}
		isCompared := false
		for _, fact := range append(slices.Clone(jobFacts), priorityFact) {
			isCompared = isCompared || fact.of(&j) != ""
		}
		if why := notCompared[name]; isCompared == (why != "") {
			t.Errorf("%s: is compared: %v, and the reason why not is %q", name, isCompared, why)
		}
	}
}

// Each limit that scontrol show assoc_mgr prints at any recorded site is compared with that of sacctmgr, or is not for a reason.
func TestLimitsAreComplete(t *testing.T) {
	notCompared := map[string]string{
		"SharesRaw/Norm/Level/Factor": "by itself", "UsageRaw/Norm/Efctv": "by itself", "UsageRaw": "of QOS, which sacctmgr does not print",
		"PreemptMode": "OFF is what sacctmgr calls cluster", "ParentAccount": "sshare prints the tree", "DefAssoc": "no limit", "Comment": "a text", "ID": "a number of the database", "Lft": "as ID", "Lineage": "as ID",
		"ClusterName": "a name", "Account": "a name", "UserName": "a name", "Partition": "a name", "QOS": "a name",
	}
	names, _ := filepath.Glob("../../../../testdata/slurm-*/*.tgz")
	more, _ := filepath.Glob("../../../../testdata/slurm-*/*/site.tgz")
	seen := map[string]bool{}
	for _, name := range append(names, more...) {
		d, err := Open(name)
		if err != nil {
			continue
		}
		for _, p := range d.All(KindManager) {
			_, records, _ := strings.Cut(p.Text, "Association Records")
			for word := range strings.FieldsSeq(records) {
				if key, _, isPair := strings.Cut(word, "="); isPair && !seen[key] {
					seen[key] = true
					if (managedLimits[key] == "") == (notCompared[key] == "") {
						t.Errorf("%s of %s: it is the column %q, and the reason why it is not compared is %q", key, p.Name, managedLimits[key], notCompared[key])
					}
				}
			}
		}
	}
	for key := range managedLimits {
		if !seen[key] {
			t.Errorf("no recorded site prints %s", key)
		}
	}
}
