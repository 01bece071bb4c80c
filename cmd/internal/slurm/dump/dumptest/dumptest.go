// Package dumptest has what tests of the rooms of Slurm read: recorded sites, and sites of which some files are others.
package dumptest

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"fairshare/cmd/internal/slurm/dump"
)

// Folders of what was recorded of Slurm, as a room of its wing finds them.
const (
	Sites   = "../../../../testdata/slurm-site/"
	Replays = "../../../../testdata/slurm-replay/"
)

// Moments are the moments of a real site (Slurm 22.05.8), with how many jobs sprio lists.
var Moments = map[string]int{"t1_morning": 1, "t2_busy": 26, "t5_end": 37}

// Needed are the files of a moment that a site is read from, without a second one of any of them.
var Needed = []string{"scontrol-show-config.txt", "scontrol-show-job.txt", "scontrol-show-node.txt", "scontrol-show-partition.txt", "sprio-pipe.txt", "sshare-alP.txt", "sacctmgr-P-qos.txt"}

const (
	// As scontrol printed them at 11:55 of the day.
	Maint1  = "ReservationName=maint1 StartTime=2026-03-02T17:48:00 EndTime=2026-03-02T19:48:00 Duration=02:00:00\n   Nodes=c[05-06] NodeCnt=2 CoreCnt=32 Features=(null) PartitionName=(null) Flags=MAINT,IGNORE_JOBS,SPEC_NODES\n   TRES=cpu=32\n   Users=root Groups=(null) Accounts=(null) Licenses=(null) State=INACTIVE BurstBuffer=(null) Watts=n/a\n   MaxStartDelay=(null)\n\n"
	Chemres = "ReservationName=chemres StartTime=2026-03-02T12:49:47 EndTime=2026-03-02T18:49:47 Duration=06:00:00\n   Nodes=c02 NodeCnt=1 CoreCnt=16 Features=(null) PartitionName=main Flags=FLEX\n   TRES=cpu=16\n   Users=(null) Groups=(null) Accounts=chem Licenses=(null) State=INACTIVE BurstBuffer=(null) Watts=n/a\n   MaxStartDelay=(null)\n\n"
	// As sacctmgr printed them in the evening.
	BookedHeader = "Cluster|Name|TRES|TimeStart|TimeEnd|UnusedWall\n"
	BookedMaint  = "hpc|maint1|cpu=32|2026-03-02T17:48:00|2026-03-02T19:00:00|7200.000000\n"
)

// Of returns the files of a recorded moment that a site is read from.
func Of(t *testing.T, moment string, names ...string) *dump.Dump {
	t.Helper()
	all, err := dump.Open("../../../../testdata/slurm-site/" + moment + ".tgz")
	if err != nil {
		t.Fatal(err)
	}
	d := all.Empty()
	d.Name = moment
	for _, name := range names {
		if all.Text(name) == "" {
			t.Fatalf("%s has no %s", moment, name)
		}
		d.Set(name, all.Text(name))
	}
	return d
}

// Without returns the names of files but some.
func Without(names []string, others ...string) (list []string) {
	for _, name := range names {
		if !strings.Contains(strings.Join(others, " "), name) {
			list = append(list, name)
		}
	}
	return list
}

// Edit puts another text in the place of one in a file of a site, wherever that stands there.
func Edit(t *testing.T, d *dump.Dump, file, old, text string) {
	t.Helper()
	was := d.Text(file)
	if !strings.Contains(was, old) {
		t.Fatalf("%s has no %q", file, old)
	}
	d.Set(file, strings.ReplaceAll(was, old, text))
}

// Written returns the folder that a site is written to.
func Written(t *testing.T, d *dump.Dump) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "site")
	if err := d.Write(name); err != nil {
		t.Fatal(err)
	}
	return name
}

// Booked returns a site with what scontrol and sacctmgr print of reservations, "" for nothing.
func Booked(t *testing.T, printed, table string) *dump.Dump {
	t.Helper()
	d, err := dump.Open("../../../../testdata/slurm-site/t2_busy.tgz")
	if err != nil {
		t.Fatal(err)
	}
	d.Parts = slices.DeleteFunc(d.Parts, func(p dump.Part) bool { return p.Kind == dump.KindReservations })
	for name, text := range map[string]string{"reservations.txt": printed, "reservations-past.txt": table} {
		if text != "" {
			d.Set(name, text)
		}
	}
	return d
}

// TwoAssociations makes a site one in which a user has a second association, of partition gpu alone, with shares,
// usage and limits of its own.
func TwoAssociations(t *testing.T, isNamed bool) *dump.Dump {
	t.Helper()
	d := Of(t, "t2_busy", append(Needed, "sacctmgr-P-assoc.txt")...)
	var shares strings.Builder
	for i, line := range strings.SplitAfter(d.Text("sshare-alP.txt"), "\n") {
		account, rest, isRow := strings.Cut(line, "|")
		user, values, _ := strings.Cut(rest, "|")
		switch of := "|"; {
		case !isRow:
			shares.WriteString(line)
			continue
		case !isNamed:
			shares.WriteString(line)
		default:
			if i == 0 {
				of = "|Partition|"
			} else {
				of = "||"
			}
			shares.WriteString(account + "|" + user + of + values)
		}
		if strings.TrimSpace(account) == "chem" && user == "hank" {
			of := "|gpu|"
			if !isNamed {
				of = "|"
			}
			shares.WriteString(account + "|hank" + of + "7|0.1|1234|0.1|0.1|0.1|0.1||\n")
		}
	}
	d.Set("sshare-alP.txt", strings.Replace(shares.String(), "|NormShares|", "|OldShares|", 1)) // which are others with one more
	d.Set("sacctmgr-P-assoc.txt", d.Text("sacctmgr-P-assoc.txt")+"hpc|chem|hank|gpu|7|||||||2|||3|||normal|normal|\n")
	return d
}

// Changed returns the folder of a recorded site of which files are other ones. Texts to replace and what replaces them
// follow each other.
func Changed(t *testing.T, site string, texts ...string) string {
	t.Helper()
	d, err := dump.Open(site)
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(texts); i += 2 {
		count := 0
		for _, p := range d.Parts {
			count += strings.Count(p.Text, texts[i])
			d.Set(p.File(), strings.ReplaceAll(p.Text, texts[i], texts[i+1]))
		}
		if count == 0 {
			t.Fatalf("%s has no %q", site, texts[i])
		}
	}
	return Written(t, d)
}

// QosColumns are the columns that sacctmgr 22.05 and 24.11 can print of QOS.
const QosColumns = "Descr,Flags,GraceTime,GrpCPUMins,GrpCPURunMins,GrpCPUs,GrpJobs,GrpJobsAccrue,GrpMem,GrpNodes,GrpSubmit,GrpTRES,GrpTRESMins,GrpTRESRunMins,GrpWall,ID,LimitFactor,MaxCPUMins,MaxCPURunMinsPU," +
	"MaxCPUs,MaxCPUsPU,MaxJobsAccruePA,MaxJobsAccruePU,MaxJobsPA,MaxJobsPU,MaxNodes,MaxNodesPU,MaxSubmitPA,MaxSubmitPU,MaxTRES,MaxTRESMins,MaxTRESPA,MaxTRESPU,MaxTRESPerNode,MaxTRESRunMinsPA,MaxTRESRunMinsPU," +
	"MaxWall,MinCPUs,MinPrioThres,MinTRES,Name,Preempt,PreemptExemptTime,PreemptMode,Priority,UsageFactor,UsageThres"

// AssociationColumns are the columns that sacctmgr 22.05 and 24.11 can print of associations.
const AssociationColumns = "Account,Cluster,Comment,Def QOS,Flags,GrpCPUMins,GrpCPURunMins,GrpCPUs,GrpJobs,GrpJobsAccrue,GrpMem,GrpNodes,GrpSubmit,GrpTRES,GrpTRESMins,GrpTRESRunMins,GrpWall,ID,LFT,Lineage," +
	"MaxCPUMins,MaxCPUs,MaxJobs,MaxJobsAccrue,MaxNodes,MaxSubmit,MaxTRES,MaxTRESMins,MaxTRESPerNode,MaxWall,MinPrioThres,ParentID,ParentName,Partition,Priority,QOS,QOS_RAW,RGT,Share,User"
