package setup

import (
	"slices"
	"strings"
	"testing"

	moved "fairshare/cmd/internal/obfuscate"
	"fairshare/cmd/internal/slurm/dump"
	"fairshare/cmd/internal/slurm/dump/dumptest"
	"fairshare/cmd/internal/slurm/obfuscate"
	"fairshare/cmd/internal/slurm/sched"
)

// The flags of QOS that sacctmgr 22.05 and 24.11 can print.
const flagNames = "DenyOnLimit,EnforceUsageThreshold,NoDecay,NoReserve,OverPartQOS,PartitionMaxNodes,PartitionMinNodes,PartitionTimeLimit,Relative,RequiresReservation,UsageFactorSafe"

// Each column of sacctmgr, and each flag, is in the table once, with one thing that is made of it.
func TestFieldsAreAllThere(t *testing.T) {
	for isOf, names := range map[int]string{OfAssociation: dumptest.AssociationColumns, OfQOS: dumptest.QosColumns} {
		list := strings.Split(names, ",")
		for _, name := range list {
			if f := FieldNamed(name, isOf); f == nil || f.Name != name {
				t.Errorf("%s is not in the table", name)
			}
		}
		for i := range fields {
			if f := &fields[i]; f.isOf&isOf != 0 && f.isOf != OfBoth && !slices.Contains(list, f.Name) {
				t.Errorf("%s is no column", f.Name)
			}
		}
	}
	copied := map[int][]string{OfAssociation: copiedColumns(t, "sacctmgr-P-assoc.txt", dumptest.AssociationColumns), OfQOS: copiedColumns(t, "sacctmgr-P-qos.txt", dumptest.QosColumns)}
	asked := strings.Split(dump.QOSColumns, ",")
	for i := range fields {
		f := &fields[i]
		if f.isOf&OfQOS != 0 && (f.IsLimit() || f.isRead || f.lacks != "") && !slices.Contains(asked, f.Name) {
			t.Errorf("a live site is not asked for %s of QOS", f.Name)
		}
		made := 0
		for _, is := range []bool{f.IsLimit(), f.isRead, f.lacks != "", f.idle != "", f.in != ""} {
			if is {
				made++
			}
		}
		for isOf, kept := range copied { // in a copy without names
			if isKept := slices.Contains(kept, f.column()); f.isOf&isOf != 0 && (f.IsLimit() || f.isRead || f.lacks != "") && !isKept {
				t.Errorf("an obfuscated copy has no %s", f.Name)
			}
		}
		if made != 1 || f.in != "" && FieldNamed(f.in, f.isOf) == nil {
			t.Errorf("%s: %+v", f.Name, f)
		}
	}
	var flags []string
	for _, f := range QOSFlags {
		flags = append(flags, f.Name)
	}
	if slices.Sort(flags); strings.Join(flags, ",") != flagNames {
		t.Errorf("flags are %v", flags)
	}
	for _, moment := range []string{"t1_morning", "t2_busy", "t5_end"} { // what a real sacctmgr has printed
		d := dumptest.Of(t, moment, "sacctmgr-P-assoc.txt", "sacctmgr-P-qos.txt")
		for name, isOf := range map[string]int{"sacctmgr-P-assoc.txt": OfAssociation, "sacctmgr-P-qos.txt": OfQOS} {
			header, _, _ := strings.Cut(d.Text(name), "\n")
			for column := range strings.SplitSeq(header, "|") {
				if FieldNamed(column, isOf) == nil {
					t.Errorf("%s: %s is not in the table", name, column)
				}
			}
		}
	}
}

// Each limit of the table is read from its column, and what is no limit that holds is said where it is set.
func TestFieldsAreRead(t *testing.T) {
	values := func(f *Field) string {
		switch {
		case f.Amounts != nil:
			return "cpu=7"
		case f.Seconds > 0:
			return "7:00"
		}
		return "7"
	}
	for _, isOf := range []int{OfAssociation, OfQOS} {
		columns := map[string]string{}
		for i := range fields {
			if f := &fields[i]; f.isOf&isOf != 0 && !f.isRead && f.Name != "QOS" && f.Name != "Share" {
				columns[f.Name] = values(f)
			}
		}
		setup, said := withColumns(t, columns, isOf)
		limits := setup.QOS[slices.IndexFunc(setup.QOS, func(q sched.QOS) bool { return q.Name == "high" })].Limits
		if isOf == OfAssociation {
			limits = setup.Accounts[setup.AssociationOf("chem", "hank", "")].Limits
		}
		for i := range fields {
			f := &fields[i]
			if _, isSet := columns[f.Name]; !isSet {
				continue
			}
			switch isSaid := strings.Contains(said, f.Name+" ("); {
			case f.Amounts != nil:
				if a := *f.Amounts(&limits); a == nil || a[setup.AmountOf("cpu")] != 7 {
					t.Errorf("%s: %v, %s", f.Name, a, said)
				}
			case f.Number != nil:
				want := int64(7)
				if f.Seconds > 0 {
					want = 7 * 60 / f.Seconds
				}
				if n := *f.Number(&limits); n != want {
					t.Errorf("%s: %d", f.Name, n)
				}
			case isSaid != (f.lacks != ""):
				t.Errorf("%s: it is said: %v: %s", f.Name, isSaid, said)
			}
		}
	}
	if _, said := withColumns(t, map[string]string{"MaxCPUsPU": "3", "MaxCPURunMinsPU": "4"}, OfQOS); strings.Contains(said, "MaxCPUsPU (") || !strings.Contains(said, "MaxCPURunMinsPU (4) of QOS high, which the column MaxTRESRunMinsPU would tell,") {
		t.Error(said)
	}
	for isOf, value := range map[int]string{OfAssociation: "3", OfQOS: "1000"} { // PriorityWeightAssoc is 0 there
		if _, said := withColumns(t, map[string]string{"Priority": value}, isOf); strings.Contains(said, "Priority (") {
			t.Error(said)
		}
	}
	var all []string
	for _, flag := range QOSFlags {
		if flag.Name != "Relative" {
			all = append(all, flag.Name)
		}
	}
	_, said := withColumns(t, map[string]string{"Flags": strings.Join(all, ",")}, OfQOS)
	for _, flag := range QOSFlags {
		if isSaid := strings.Contains(said, "flag "+flag.Name); isSaid != (flag.Lacks != "" && flag.Name != "Relative") {
			t.Errorf("%s: it is said: %v", flag.Name, isSaid)
		}
	}
	if _, said := withColumns(t, map[string]string{"MaxMoons": "3"}, OfQOS); !strings.Contains(said, "maxmoons (3) of QOS high, which is not known here,") {
		t.Error(said)
	}
	if setup, said := withColumns(t, map[string]string{"Flags": "Relative"}, OfQOS); setup.QOS[1].Limits.UserJobs != sched.None || !strings.Contains(said, "parts of a hundred") {
		t.Errorf("%+v: %s", setup.QOS[1].Limits, said)
	}
	if setup, _ := withColumns(t, map[string]string{"LimitFactor": "2.5"}, OfQOS); setup.QOS[1].LimitFactor != 2.5 {
		t.Error(setup.QOS[1])
	}
}

// withColumns returns a site of Slurm 24.11 in which columns of QOS high or of user hank in chem are set, and what
// is said of what is not modelled.
func withColumns(t *testing.T, values map[string]string, isOf int) (*sched.Setup, string) {
	t.Helper()
	d := dumptest.Of(t, "t2_busy", append(slices.Clone(dumptest.Needed), "sacctmgr-P-assoc.txt", "scontrol-show-assoc_mgr.txt")...)
	name, isRow := "sacctmgr-P-qos.txt", func(cells []string) bool { return cells[0] == "high" }
	if isOf == OfAssociation {
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
	dumptest.Edit(t, d, "scontrol-show-config.txt", "= 22.05.8", "= 24.11.5")
	setup, _, err := Open(dumptest.Written(t, d))
	if err != nil {
		t.Fatal(err)
	}
	var said []string
	for _, x := range setup.Omissions {
		said = append(said, x.What)
	}
	return setup, strings.Join(said, "\n")
}

// copiedColumns returns the columns that an obfuscated copy keeps of a table.
func copiedColumns(t *testing.T, name, columns string) []string {
	t.Helper()
	d := dumptest.Of(t, "t2_busy", append(slices.Clone(dumptest.Needed), name)...)
	d.Set(name, strings.ReplaceAll(columns, ",", "|")+"\n")
	hidden, err := obfuscate.Copy(d, moved.Shift{})
	if err != nil {
		t.Fatal(err)
	}
	return dump.ColumnsOf(strings.TrimSpace(hidden.Text(name)))
}

// A limit that is no number is refused, and names its value; what is empty is none.
func TestLimitsAreNumbers(t *testing.T) {
	r := &reader{setup: &sched.Setup{}}
	for i := range fields {
		f := &fields[i]
		if f.Number == nil && f.Amounts == nil {
			continue
		}
		for _, text := range []string{"12x", "-5", "1e999", "many", "null", "[5]"} {
			l := sched.Limits{}
			if err := r.limit(f, text, &l, "QOS one"); err == nil {
				t.Errorf("%s=%s counts", f.Name, text)
			}
		}
	}
}
