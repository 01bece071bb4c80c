package slurmsite

import (
	"slices"
	"strings"
	"testing"

	"fairshare/cmd/internal/slurmsched"
)

// The columns that sacctmgr 22.05 and 24.11 can print of associations, and the flags of QOS.
const (
	associationColumns = "Account,Cluster,Comment,Def QOS,Flags,GrpCPUMins,GrpCPURunMins,GrpCPUs,GrpJobs,GrpJobsAccrue,GrpMem,GrpNodes,GrpSubmit,GrpTRES,GrpTRESMins,GrpTRESRunMins,GrpWall,ID,LFT,Lineage," +
		"MaxCPUMins,MaxCPUs,MaxJobs,MaxJobsAccrue,MaxNodes,MaxSubmit,MaxTRES,MaxTRESMins,MaxTRESPerNode,MaxWall,MinPrioThres,ParentID,ParentName,Partition,Priority,QOS,QOS_RAW,RGT,Share,User"
	flagNames = "DenyOnLimit,EnforceUsageThreshold,NoDecay,NoReserve,OverPartQOS,PartitionMaxNodes,PartitionMinNodes,PartitionTimeLimit,Relative,RequiresReservation,UsageFactorSafe"
)

// Each column of sacctmgr, and each flag, is in the table once, with one thing that is made of it.
func TestFieldsAreAllThere(t *testing.T) {
	for isOf, names := range map[int]string{ofAssociation: associationColumns, ofQualities: qosColumns} {
		list := strings.Split(names, ",")
		for _, name := range list {
			if f := fieldNamed(name, isOf); f == nil || f.name != name {
				t.Errorf("%s is not in the table", name)
			}
		}
		for i := range fields {
			if f := &fields[i]; f.isOf&isOf != 0 && f.isOf != ofBoth && !slices.Contains(list, f.name) {
				t.Errorf("%s is no column", f.name)
			}
		}
	}
	copied := map[int][]string{ofAssociation: copiedColumns(t, "sacctmgr-P-assoc.txt", associationColumns), ofQualities: copiedColumns(t, "sacctmgr-P-qos.txt", qosColumns)}
	for i := range fields {
		f := &fields[i]
		made := 0
		for _, is := range []bool{f.isLimit(), f.isRead, f.lacks != "", f.idle != "", f.in != ""} {
			if is {
				made++
			}
		}
		for isOf, kept := range copied { // in a copy without names
			if isKept := slices.Contains(kept, f.column()); f.isOf&isOf != 0 && (f.isLimit() || f.isRead || f.lacks != "") && !isKept {
				t.Errorf("an obfuscated copy has no %s", f.name)
			}
		}
		if made != 1 || f.in != "" && fieldNamed(f.in, f.isOf) == nil {
			t.Errorf("%s: %+v", f.name, f)
		}
	}
	var flags []string
	for _, f := range qualityFlags {
		if flags = append(flags, f.name); !f.isRead && f.lacks == "" && f.idle == "" {
			t.Errorf("nothing is said of %s", f.name)
		}
	}
	if slices.Sort(flags); strings.Join(flags, ",") != flagNames {
		t.Errorf("flags are %v", flags)
	}
	for _, moment := range []string{"t1_morning", "t2_busy", "t5_end"} { // what a real sacctmgr has printed
		d := dumpOf(t, moment, "sacctmgr-P-assoc.txt", "sacctmgr-P-qos.txt")
		for name, isOf := range map[string]int{"sacctmgr-P-assoc.txt": ofAssociation, "sacctmgr-P-qos.txt": ofQualities} {
			header, _, _ := strings.Cut(d.Text(name), "\n")
			for column := range strings.SplitSeq(header, "|") {
				if fieldNamed(column, isOf) == nil {
					t.Errorf("%s: %s is not in the table", name, column)
				}
			}
		}
	}
}

// Each limit of the table is read from its column, and what is no limit that holds is said where it is set.
func TestFieldsAreRead(t *testing.T) {
	values := func(f *field) string {
		switch {
		case f.amounts != nil:
			return "cpu=7"
		case f.seconds > 0:
			return "7:00"
		}
		return "7"
	}
	for _, isOf := range []int{ofAssociation, ofQualities} {
		columns := map[string]string{}
		for i := range fields {
			if f := &fields[i]; f.isOf&isOf != 0 && !f.isRead && f.name != "QOS" && f.name != "Share" {
				columns[f.name] = values(f)
			}
		}
		setup, said := withColumns(t, columns, isOf)
		limits := setup.QOS[slices.IndexFunc(setup.QOS, func(q slurmsched.QOS) bool { return q.Name == "high" })].Limits
		if isOf == ofAssociation {
			limits = setup.Accounts[setup.AssociationOf("chem", "hank", "")].Limits
		}
		for i := range fields {
			f := &fields[i]
			if _, isSet := columns[f.name]; !isSet {
				continue
			}
			switch isSaid := strings.Contains(said, f.name+" ("); {
			case f.amounts != nil:
				if a := *f.amounts(&limits); a == nil || a[setup.AmountOf("cpu")] != 7 {
					t.Errorf("%s: %v, %s", f.name, a, said)
				}
			case f.number != nil:
				want := int64(7)
				if f.seconds > 0 {
					want = 7 * 60 / f.seconds
				}
				if n := *f.number(&limits); n != want {
					t.Errorf("%s: %d", f.name, n)
				}
			case isSaid != (f.lacks != ""):
				t.Errorf("%s: it is said: %v: %s", f.name, isSaid, said)
			}
		}
	}
	if _, said := withColumns(t, map[string]string{"MaxCPUsPU": "3", "MaxCPURunMinsPU": "4"}, ofQualities); strings.Contains(said, "MaxCPUsPU (") || !strings.Contains(said, "MaxCPURunMinsPU (4) of QOS high, which the column MaxTRESRunMinsPU would tell,") {
		t.Error(said)
	}
	for isOf, value := range map[int]string{ofAssociation: "3", ofQualities: "1000"} { // PriorityWeightAssoc is 0 there
		if _, said := withColumns(t, map[string]string{"Priority": value}, isOf); strings.Contains(said, "Priority (") {
			t.Error(said)
		}
	}
	var all []string
	for _, flag := range qualityFlags {
		if flag.name != "Relative" {
			all = append(all, flag.name)
		}
	}
	_, said := withColumns(t, map[string]string{"Flags": strings.Join(all, ",")}, ofQualities)
	for _, flag := range qualityFlags {
		if isSaid := strings.Contains(said, "flag "+flag.name); isSaid != (flag.lacks != "" && flag.name != "Relative") {
			t.Errorf("%s: it is said: %v", flag.name, isSaid)
		}
	}
	if _, said := withColumns(t, map[string]string{"MaxMoons": "3"}, ofQualities); !strings.Contains(said, "maxmoons (3) of QOS high, which is not known here,") {
		t.Error(said)
	}
	if setup, said := withColumns(t, map[string]string{"Flags": "Relative"}, ofQualities); setup.QOS[1].Limits.UserJobs != slurmsched.None || !strings.Contains(said, "parts of a hundred") {
		t.Errorf("%+v: %s", setup.QOS[1].Limits, said)
	}
	if setup, _ := withColumns(t, map[string]string{"LimitFactor": "2.5"}, ofQualities); setup.QOS[1].LimitFactor != 2.5 {
		t.Error(setup.QOS[1])
	}
}

// withColumns returns a site of Slurm 24.11 in which columns of QOS high or of user hank in chem are set, and what
// is said of what is not modelled.
func withColumns(t *testing.T, values map[string]string, isOf int) (*slurmsched.Setup, string) {
	t.Helper()
	d := dumpOf(t, "t2_busy", append(slices.Clone(kept), "sacctmgr-P-assoc.txt", "scontrol-show-assoc_mgr.txt")...)
	name, isRow := "sacctmgr-P-qos.txt", func(cells []string) bool { return cells[0] == "high" }
	if isOf == ofAssociation {
		name, isRow = "sacctmgr-P-assoc.txt", func(cells []string) bool { return cells[1] == "chem" && cells[2] == "hank" }
	}
	var header []string
	var b strings.Builder
	for line := range strings.Lines(d.Text(name)) {
		cells := strings.Split(strings.TrimSuffix(line, "\n"), "|")
		if header == nil {
			for column := range values {
				if !slices.Contains(cells, column) {
					cells = append(cells, column)
				}
			}
			header = cells
		}
		cells = append(cells, make([]string, len(header)-len(cells))...)
		for column, value := range values {
			if isRow(cells) {
				cells[slices.Index(header, column)] = value
			}
		}
		b.WriteString(strings.Join(cells, "|") + "\n")
	}
	d.Set(name, b.String())
	d.Set("scontrol-show-config.txt", strings.Replace(d.Text("scontrol-show-config.txt"), "= 22.05.8", "= 24.11.5", 1))
	setup, _, err := OpenScheduler(written(t, d))
	if err != nil {
		t.Fatal(err)
	}
	var said []string
	for _, x := range setup.Ignored {
		said = append(said, x.What)
	}
	return setup, strings.Join(said, "\n")
}

// copiedColumns returns the columns that an obfuscated copy keeps of a table.
func copiedColumns(t *testing.T, name, columns string) []string {
	t.Helper()
	d := dumpOf(t, "t2_busy", append(slices.Clone(kept), name)...)
	d.Set(name, strings.ReplaceAll(columns, ",", "|")+"\n")
	hidden, err := Obfuscated(d)
	if err != nil {
		t.Fatal(err)
	}
	return columnsOf(strings.TrimSpace(hidden.Text(name)))
}
