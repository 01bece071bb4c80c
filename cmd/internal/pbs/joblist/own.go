package joblist

import (
	"bytes"
	"strconv"
	"strings"

	"fairshare/cmd/internal/pbs/qstat"
	"fairshare/formula"
)

// UnreadableReason begins what is said of a job with an amount that the scheduler
// cannot read.
const UnreadableReason = "the scheduler cannot read "

// own keeps what only this program's own output says of a job.
func own(p *part, i int, record *qstat.Record) {
	if subjobs, err := strconv.ParseInt(string(record.Values[subjobsAt]), 10, 32); err == nil && subjobs >= 0 {
		p.rows[i].Subjobs, p.rows[i].isUntold = int32(subjobs), false
	}
	if amount, isUnreadable := strings.CutPrefix(string(record.Values[reasonAt]), UnreadableReason); isUnreadable {
		p.Unreadable[i] = amount
	}
	j := &p.rows[i]
	j.IsPreempted = j.IsPreempted || j.State == 'S' && string(record.Values[consideredAt]) == "true"
}

// inKB returns an amount of this program's own output with its unit.
func inKB(amount []byte, t formula.Type) []byte {
	if t != formula.Size {
		return amount
	}
	return append(bytes.Clone(amount), "kb"...)
}
