package slurmsite

import "testing"

// What sacctmgr prints of associations is told from what it prints of accounts and users with them.
func TestKindOfAssociations(t *testing.T) {
	for header, want := range map[string]kind{
		"Cluster|Account|User|Partition|Share|Priority|GrpJobs|GrpTRES|GrpSubmit\n":                                     isAssociations,
		"Account|Descr|Org|Cluster|ParentName|User|Share|Priority|GrpJobs|GrpNodes|GrpCPUs\n":                           unknown,
		"User|Def Acct|Admin|Cluster|Account|Partition|Share|Priority|MaxJobs|MaxNodes|MaxCPUs|MaxSubmit|MaxWall|QOS\n": unknown,
	} {
		if got := kindOf(header + "hpc|root|||1||||\n"); got != want {
			t.Errorf("%q is taken for %d, not for %d", header, got, want)
		}
	}
}

// What commands print of which there is nothing is told as well.
func TestKindOfNothing(t *testing.T) {
	for text, want := range map[string]kind{
		"No licenses configured in Slurm.\n":                                     isLicences,
		"No reservations in the system\n":                                        isReservations,
		"No jobs in the system\n":                                                isJobs,
		"LicenseName=matlab\n    Total=10 Used=0 Free=10 Reserved=0 Remote=no\n": isLicences,
		"Cluster|NodeName|TimeStart|TimeEnd|State|Reason|User\n":                 isEvents,
		"No such thing\n":                                                        unknown,
	} {
		if got := kindOf(text); got != want {
			t.Errorf("%q is taken for %d, not for %d", text, got, want)
		}
	}
}
