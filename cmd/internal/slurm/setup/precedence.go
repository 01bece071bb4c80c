package setup

import (
	"fairshare/cmd/internal/slurm/dump"
	"fairshare/cmd/internal/slurm/sched"
)

// ReadPreemption returns on what it depends which job of a site may preempt which, and so which goes first: PreemptType, and
// the QOS with those that each names, as their table has them.
func ReadPreemption(d *dump.Dump) (preemptType, mode string, qos []sched.QOS) {
	if p := d.Table(dump.KindQOS); p.Text != "" {
		rows, _ := d.RowsOf(p)
		for _, row := range rows {
			qos = append(qos, sched.QOS{Name: row["name"], Preempts: names(row["preempt"])})
		}
	}
	return d.Config("preempttype"), d.Config("preemptmode"), qos
}
