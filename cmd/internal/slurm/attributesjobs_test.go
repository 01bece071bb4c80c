package slurm_test

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"fairshare/cmd/internal/slurm"
	"fairshare/cmd/internal/slurm/dump"
)

// waitingJob is a job that waits as Slurm 24.11 prints one, and asks for nothing that is not modelled.
const waitingJob = `JobId=197 JobName=k83
   UserId=ben(6102) GroupId=hep(5102) MCS_label=N/A
   Priority=1716 Nice=0 Account=hep QOS=normal
   JobState=PENDING Reason=Priority Dependency=(null)
   RunTime=00:00:00 TimeLimit=01:30:00 TimeMin=N/A
   SubmitTime=2026-09-14T10:31:22 EligibleTime=2026-09-14T10:31:22
   AccrueTime=2026-09-14T10:31:22
   StartTime=Unknown EndTime=Unknown Deadline=N/A
   Partition=batch AllocNode:Sid=login:0
   NumNodes=1 NumCPUs=12 NumTasks=12 CPUs/Task=1 ReqB:S:C:T=0:0:*:*
   ReqTRES=cpu=12,mem=24000M,node=1,billing=17
   Socks/Node=* NtasksPerN:B:S:C=0:0:*:* CoreSpec=*
   MinCPUsNode=1 MinMemoryCPU=2000M MinTmpDiskNode=0
   Features=(null) DelayBoot=00:00:00
   OverSubscribe=OK Contiguous=0 Licenses=(null) Network=(null)
   Command=(null)
`

// TestJobFields changes each field that a job may ask for something with, and looks for a word on it: each that is not
// modelled has one, and each that is new as well.
func TestJobFields(t *testing.T) {
	read := func(text string) slurm.ListedJob {
		jobs, problems, err := slurm.ParseListed(text, time.UTC)
		if err != nil || len(problems) > 0 || len(jobs) != 1 {
			t.Fatal(jobs, problems, err)
		}
		return jobs[0]
	}
	if j := read(waitingJob); len(j.Lacks)+len(j.Unknown) > 0 {
		t.Error(j.Lacks, j.Unknown)
	}
	for change, want := range map[string]string{
		"OverSubscribe=USER": "--exclusive=user", "OverSubscribe=MCS": "--exclusive=user", "OverSubscribe=TOPO": "--exclusive=user", "OverSubscribe=YES": "",
		"Contiguous=1": "--contiguous", "Deadline=2026-09-14T10:50:00": "--deadline", "TimeMin=00:05:00": "--time-min", "CoreSpec=8": "--core-spec", "ThreadSpec=2": "--thread-spec",
		"ReqB:S:C:T=0:4:16:2": "sockets or cores", "ReqB:S:C:T=0:0:*:1": "", "Socks/Node=2": "sockets of each node", "NtasksPerN:B:S:C=1:2:1:*": "each board or core", "NtasksPerN:B:S:C=4:0:8:*": "", "NtasksPerN:B:S:C=4:0:8:1": "each board or core",
		"MinTmpDiskNode=5T": "--tmp", "Prefer=amd": "--prefer", "Network=sn_all": "--network", "Switches=1@00:10:00": "", "SegmentSize=4": "--segment", "HetJobId=190": "heterogeneous",
		"BurstBuffer=#DW": "burst buffers", "TresPerSocket=gres/gpu:1": "each socket", "TresPerTask=cpu=4": "", "TresPerTask=cpu=4,gres/gpu=1": "", "CpusPerTres=gres:gpu:4": "each GPU", "MemPerTres=gres:gpu:4": "each GPU",
		"FedOrigin=west": "federation", "Reboot=1": "--reboot", "BatchFeatures=big": "--batch", "Frobnication=7": "Frobnication",
		"MinMemoryCPU=lots": "by MinMemoryCPU for something that cannot be read (lots)", "CPUs/Task=one": "by CPUs/Task", "MinCPUsNode=1.5": "by MinCPUsNode", "Switches=few": "by Switches", "Switches=1@soon": "by Switches",
	} {
		key, _, _ := strings.Cut(change, "=")
		var words []string
		isThere := false
		for _, word := range strings.Split(waitingJob, " ") {
			if at := strings.Index(word, "\n"); at >= 0 && strings.HasPrefix(word, key+"=") {
				word, isThere = change+word[at:], true
			} else if strings.HasPrefix(word, key+"=") {
				word, isThere = change, true
			}
			words = append(words, word)
		}
		text := strings.Join(words, " ")
		if !isThere {
			text += "   " + change + "\n"
		}
		j := read(text)
		said := strings.Join(j.Unknown, "; ")
		for _, lack := range j.Lacks {
			if said += lack.What; lack.Field != change || !strings.HasPrefix(lack.String(), change) {
				t.Errorf("%s is said of %s", lack, change)
			}
		}
		if !strings.Contains(said, want) || (want == "") != (said == "") {
			t.Errorf("%s: %q is said, want %q", change, said, want)
		}
	}
}

// TestKnownFields asks for what recorded sites of each version print of jobs.
func TestKnownFields(t *testing.T) {
	names, _ := filepath.Glob("../../../testdata/slurm-now/*.tgz")
	more, _ := filepath.Glob("../../../testdata/slurm-site/*.tgz")
	for _, name := range append(names, more...) {
		d, err := dump.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		jobs, _ := d.Queue(time.UTC)
		for _, j := range jobs {
			if len(j.Unknown) > 0 {
				t.Errorf("%s: job %s has %v", name, j.ID, j.Unknown)
			}
		}
	}
}
