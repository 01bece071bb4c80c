package setup

import (
	"slices"
	"strings"
	"testing"

	"fairshare/cmd/internal/slurm/dump"
	"fairshare/cmd/internal/slurm/dump/dumptest"
)

// A database keeps the associations of several clusters: those of others have no effect and name no account of this one.
func TestAssociationsOfOtherClusters(t *testing.T) {
	const own = "hpc|bio|||20||||||\n"
	const other = "abc|elsewhere|||20|||cpu=1,gres/odd=3|||\n" + "abc|bio|||20||7||||\n"
	of := func(rows string, without ...string) *dump.Dump {
		d := dumptest.Of(t, "t2_busy", dumptest.Without([]string{"scontrol-show-config.txt", "scontrol-show-node.txt", "scontrol-show-partition.txt"}, without...)...)
		d.Set("associations.txt", "Cluster|Account|User|Partition|Share|Priority|GrpJobs|GrpTRES|MaxJobs|MaxTRES|QOS\n"+rows)
		return d
	}
	said := func(d *dump.Dump) string {
		var texts []string
		for _, r := range d.Unread() {
			texts = append(texts, r.Text)
		}
		return strings.Join(texts, "; ")
	}
	d := of(own + other)
	if got := knownAccounts(d); !slices.Equal(got, []string{"bio"}) {
		t.Errorf("accounts %v", got)
	}
	if got := limited(d, dump.KindAssociations, OfAssociation); got != nil {
		t.Errorf("limits of %d associations", len(got))
	}
	if got := ReadAssociationPriorities(d); got == nil || got.Most != 0 {
		t.Errorf("priorities %+v", got)
	}
	if got := said(d); got != "" {
		t.Errorf("said %s", got)
	}
	for _, test := range []struct {
		d         *dump.Dump
		says, not string
	}{
		{of(own+other, "scontrol-show-config.txt"), "has associations of the clusters abc and hpc, and nothing tells which of them is this one", ""},
		{of(other), "has no associations of cluster hpc, and those of abc are not read", ""},
		{of(other, "scontrol-show-config.txt"), "", "clusters"},
		{of(strings.ReplaceAll(own, "hpc", "HPC")), "", "clusters"},
	} {
		if got := said(test.d); !strings.Contains(got, test.says) || test.not != "" && strings.Contains(got, test.not) {
			t.Errorf("said %q, want %q", got, test.says)
		}
	}
}
