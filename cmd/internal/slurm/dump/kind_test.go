package dump

import (
	"math/rand/v2"
	"strings"
	"testing"
)

// What sacctmgr prints of associations is told from what it prints of accounts and users with them.
func TestKindOfAssociations(t *testing.T) {
	for header, want := range map[string]Kind{
		"Cluster|Account|User|Partition|Share|Priority|GrpJobs|GrpTRES|GrpSubmit\n":                                     KindAssociations,
		"Account|Descr|Org|Cluster|ParentName|User|Share|Priority|GrpJobs|GrpNodes|GrpCPUs\n":                           KindUnknown,
		"User|Def Acct|Admin|Cluster|Account|Partition|Share|Priority|MaxJobs|MaxNodes|MaxCPUs|MaxSubmit|MaxWall|QOS\n": KindUnknown,
	} {
		if got := KindOf(header + "hpc|root|||1||||\n"); got != want {
			t.Errorf("%q is taken for %d, not for %d", header, got, want)
		}
	}
}

// What commands print of which there is nothing is told as well.
func TestKindOfNothing(t *testing.T) {
	for text, want := range map[string]Kind{
		"No licenses configured in Slurm.\n":                                     KindLicences,
		"No reservations in the system\n":                                        KindReservations,
		"No jobs in the system\n":                                                KindJobs,
		"LicenseName=matlab\n    Total=10 Used=0 Free=10 Reserved=0 Remote=no\n": KindLicences,
		"Cluster|NodeName|TimeStart|TimeEnd|State|Reason|User\n":                 KindEvents,
		"No such thing\n":                                                        KindUnknown,
	} {
		if got := KindOf(text); got != want {
			t.Errorf("%q is taken for %d, not for %d", text, got, want)
		}
	}
}

// Tables with few columns, in whatever order, are told by what they must have.
func TestKindOfFewColumns(t *testing.T) {
	for header, want := range map[string]Kind{
		"Name|Priority\n": KindQOS, "Name|Priority|MaxTRESPU\n": KindQOS, "MaxWall|Priority|Name\n": KindQOS, "Name|Priority|UsageFactor\n": KindQOS, "JobID|Name|Priority|Age\n": KindPriorities,
		"JOBID|STATE|NODELIST(REASON)\n": KindUnread, "JOBID|ST|NODELIST(REASON)|PARTITION\n": KindQueue, "JOBID|ST|REASON\n": KindUnread, "JOBID|PARTITION|STATE|REASON\n": KindQueue, "Name Priority\n": KindUnknown,
	} {
		if got := KindOf(header); got != want {
			t.Errorf("%q is taken for %d, not for %d", header, got, want)
		}
	}
}

// The reason of a job that waits stands in a column of its own, or in that of the nodes.
func TestReasonInNodes(t *testing.T) {
	q, err := parseQueue("JOBID|PARTITION|ST|USER|PRIORITY|NODELIST(REASON)\n11|batch|PD|bob|900|(Resources)\n18|batch|PD|eve|950|(Dependency)\n21|batch|R|dan|940|n[01-02]\n")
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []string{"Resources", "Dependency", ""} {
		if j := q.jobs[i]; j.Reason != want || j.Eligible.IsZero() != (want == "Dependency") {
			t.Errorf("%+v, want %q", j, want)
		}
	}
}

// What the first letter of a line says of its kind is what the whole pattern says.
func TestLineOf(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	pieces := []string{" ", "\t", "\n", "\v", "#", "Cluster - '", "cluster - '", "SwitchName", "switchname", "ſwitchname", "=", " = ", "ClusterName",
		"CLUSTERNAME", "PriorityType", "priorityx", "Priority", "SchedulerType", "ſchedulerParameters", "PartitionName", "ControlMachine", "SlurmctldHost", "x", "S", "é"}
	told := map[Kind]int{}
	for range 20_000 {
		var b strings.Builder
		for range r.IntN(5) {
			b.WriteString(pieces[r.IntN(len(pieces))])
		}
		line := b.String()
		words := strings.TrimLeft(line, " \t\f\r\n")
		for i := range lines {
			l := &lines[i]
			if is := words != "" && l.is(line, words); is != l.begin().MatchString(line) {
				t.Fatalf("%q is a line of kind %d: %v", line, l.kind, is)
			} else if is {
				told[l.kind]++
			}
		}
	}
	if len(told) != len(lines) {
		t.Errorf("lines of %d kinds were told, of %d", len(told), len(lines))
	}
}
