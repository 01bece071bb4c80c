package setup

import (
	"strings"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/slurm"
	"fairshare/cmd/internal/slurm/dump"
	"fairshare/cmd/internal/slurm/sched"
)

// CheckTables says what is wrong with values in what a site prints of QOS, associations and the like, and what these name that others
// lack or is not read of them, in the words of all commands that go by them.
func CheckTables(d *dump.Dump, conf *slurm.Conf) (wrong, doubtful []string) {
	r := &reader{dump: d, setup: &sched.Setup{Conf: conf}, isNow: true, isPartial: true}
	r.readsAll = len(d.All(dump.KindConfig))+len(d.All(dump.KindConf)) == 0
	r.readParts(nil)
	r.sayUnknownTRES()
	wrong, doubtful = texts(r.remarks), append(texts(Lost(d, d.Shares().Tree, nil)), doubts(d, conf)...)
	for _, name := range sched.QOSNames(r.setup.QOS) {
		if loop := sched.PreemptionLoop(r.setup.QOS, name); loop != nil {
			wrong = append(wrong, "QOS "+strings.Join(loop, " preempts ")+": sacctmgr refuses such a loop of preemption")
			break // the others of the loop have it as well
		}
	}
	for _, r := range d.Unread() {
		if r.IsDamage {
			wrong = append(wrong, r.Text)
		} else {
			doubtful = append(doubtful, r.Text)
		}
	}
	return wrong, doubtful
}

// texts returns what remarks say.
func texts(remarks []diag.Remark) (list []string) {
	for _, r := range remarks {
		list = append(list, r.Text)
	}
	return list
}
