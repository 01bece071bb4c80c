package setup

import (
	"fairshare/cmd/internal/slurm/dump"
	"fairshare/cmd/internal/slurm/sched"
)

// ReadPrecedence returns in which order the scheduler of a site considers jobs, as PreemptType and the table of its QOS
// tell.
func ReadPrecedence(d *dump.Dump) *sched.Precedence {
	var qos []sched.QOS
	if p := d.Table(dump.KindQOS); p.Text != "" {
		rows, _ := d.RowsOf(p)
		for _, row := range rows {
			qos = append(qos, sched.QOS{Name: row["name"], Preempts: names(row["preempt"])})
		}
	}
	return sched.NewPrecedence(d.Config("preempttype"), qos)
}
