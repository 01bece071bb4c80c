package order

import (
	"strings"
	"testing"

	"fairshare/cmd/internal/slurm/dump"
	"fairshare/cmd/internal/slurm/dump/dumptest"
)

// What a slurm.conf says of partitions holds jobs as the same does that scontrol prints of them.
func TestPartitionsOfConf(t *testing.T) {
	t.Parallel()
	const gpu, short = "PartitionName=gpu ", "PartitionName=short "
	for _, test := range []struct {
		of, conf      string
		key, scontrol string
		holds         string // words of a limit that holds one job at least; "" for what holds all as before
	}{
		{},
		{gpu, "AllowAccounts=hep ", "AllowAccounts=ALL", "AllowAccounts=hep", "(AllowAccounts)"},
		{gpu, "AllowAccounts=all ", "AllowAccounts=ALL", "AllowAccounts=ALL", ""},
		{gpu, "DenyAccounts=astro ", "AllowAccounts=ALL", "DenyAccounts=astro", "(DenyAccounts)"},
		{gpu, "DenyQos=gpuq ", "AllowQos=normal,high,gpuq", "DenyQos=gpuq", "(DenyQos)"},
		{gpu, "state=down ", "State=UP", "State=DOWN", "DOWN"},
		{gpu, "MaxNodes=Infinite ", "MaxNodes=UNLIMITED", "MaxNodes=UNLIMITED", ""},
		{gpu, "ReqResv=yes ", "ReqResv=NO", "ReqResv=YES", ""},
		{gpu, "RootOnly=1 ", "RootOnly=NO", "RootOnly=YES", ""},
		{short, "MaxNodes=1 ", "MaxNodes=4", "MaxNodes=1", ""},
	} {
		names := append(dumptest.Without(dumptest.Needed), "sacctmgr-P-assoc.txt", "slurm.conf")
		printed := dumptest.Of(t, "t2_busy", names...)
		before, of, after := cutAt(t, printed.Text("scontrol-show-partition.txt"), strings.TrimSpace(test.of))
		printed.Set("scontrol-show-partition.txt", before+of+strings.Replace(after, test.key, test.scontrol, 1))
		written := dumptest.Of(t, "t2_busy", dumptest.Without(names, "scontrol-show-config.txt", "scontrol-show-partition.txt")...)
		conf := written.Text("slurm.conf")
		if test.of != "" {
			before, of, after = cutAt(t, conf, test.of)
			if key, _, _ := strings.Cut(test.conf, "="); strings.HasPrefix(test.key, "AllowQos") || key == "MaxNodes" { // which the line has
				line, rest, _ := strings.Cut(after, "\n")
				line = strings.Replace(strings.Replace(line, "AllowQos=normal,high,gpuq", "", 1), "MaxNodes=4", "", 1)
				after = line + "\n" + rest
			}
			written.Set("slurm.conf", before+of+test.conf+after)
		}
		limits, want := limitsOf(t, written), limitsOf(t, printed)
		if len(limits) != len(want) || !strings.Contains(strings.Join(want, "\n"), test.holds) {
			t.Fatalf("%s: limits %q, of scontrol's print %q", test.conf, limits, want)
		}
		for i := range want {
			if limits[i] != want[i] {
				t.Errorf("%s: %s, of scontrol's print %s", test.conf, limits[i], want[i])
			}
		}
	}
}

// cutAt cuts a text around a part that it has.
func cutAt(t *testing.T, text, at string) (before, part, after string) {
	t.Helper()
	before, after, ok := strings.Cut(text, at)
	if !ok {
		t.Fatalf("there is no %q", at)
	}
	return before, at, after
}

// limitsOf returns what holds each job of a site.
func limitsOf(t *testing.T, d *dump.Dump) (list []string) {
	t.Helper()
	s, err := New(d)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range s.Rows() {
		list = append(list, r.Job.ID+" "+r.Limit.String()+" never: "+r.Never.String())
	}
	return list
}
