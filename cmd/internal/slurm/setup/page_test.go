package setup

import (
	"flag"
	"fmt"
	"strings"
	"testing"

	"fairshare/cmd/internal/slurm"
	"fairshare/cmd/internal/workshop"
)

var update = flag.Bool("update", false, "write the page of what slurmctld goes by")

// The page in docs says of each row of the tables what becomes of it here.
func TestPage(t *testing.T) {
	workshop.HoldPage(t, "slurm-fields.md", page(), *update)
}

func page() string {
	var b strings.Builder
	b.WriteString(`# What slurmctld goes by, and what becomes of it here

This page is written from the tables in the code that readers, warnings and copies without names go by
(` + "`go test ./cmd/internal/slurm/setup -run Page -update`" + `). It has all that scontrol and sacctmgr of Slurm 22.05 to
25.05 print of jobs, nodes, partitions, reservations, QOS and associations, all words of
SchedulerParameters, SelectTypeParameters and PreemptParameters, and the settings on which the order, starts or submissions depend.

- **read**: it counts as it is. What ` + "`--set`" + ` can change is told in [slurm-settings.md](slurm-settings.md).
- **said**: it is not modelled. ` + "`when` and `replay`" + ` say so, with the jobs that it concerns and their core hours; what jobs ask
  for, ` + "`when`" + ` by what scontrol prints of them, and ` + "`replay`" + ` by the line that submitted them, where sacct has it.
- **without effect**: no answer depends on it, for the reason that stands there.

What is not on this page is news of a version that is not known here, and said as such, with the number of records and the field
that may be meant. A field that all versions print is said where it is missing, and a job, node, partition or reservation is not read
without one that is **needed**.
`)
	for _, of := range []struct {
		title, lacks string
		all          slurm.Attributes
	}{
		{"Jobs: scontrol show job", "jobs with it ", slurm.JobAttributes}, {"Nodes: scontrol show node", "nodes ", slurm.NodeAttributes},
		{"Words of the State of nodes", "nodes ", slurm.NodeStates}, {"Partitions: scontrol show partition", "partitions ", slurm.PartitionAttributes},
		{"Reservations: scontrol show reservation", "a reservation, ", slurm.ReservationAttributes}, {"Flags of reservations", "a reservation, ", slurm.ReservationFlags},
		{"QOS: sacctmgr show qos", "", FieldsOf(OfQOS)}, {"Flags of QOS", "", QOSFlags}, {"Associations: sacctmgr show assoc", "", FieldsOf(OfAssociation)},
		{"SchedulerParameters", "", slurm.SchedulerWords}, {"SelectTypeParameters", "", slurm.SelectWords}, {"PreemptParameters", "", slurm.PreemptWords},
		{"Settings: scontrol show config", "here ", slurm.ConfigAttributes},
	} {
		fmt.Fprintf(&b, "\n## %s\n\n| name | here |\n|---|---|\n", of.title)
		for _, x := range of.all {
			is := "read"
			switch {
			case x.In == slurm.Needed:
				is = "read, needed"
			case x.TakesNone:
				is = "read: no job starts there"
			case x.Lacks != "":
				is = "said: " + of.lacks + x.Lacks
			case x.Idle != "":
				is = "without effect: " + x.Idle
			}
			fmt.Fprintf(&b, "| `%s` | %s |\n", x.Name, is)
		}
	}
	return b.String()
}
