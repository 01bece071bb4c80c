package explain

import (
	"fmt"
	"time"

	"fairshare/cmd/internal/moment"
	"fairshare/cmd/internal/pbs/order"
	"fairshare/cmd/internal/pbs/qstat"
	"fairshare/cmd/internal/report"
)

// fresh is how old a comment may be, in seconds, that is taken as of the time of its list.
const fresh = 60

// SayWritten says of the comment on a job that waits when PBS wrote it at the latest, where that is before the list was made: what keeps the
// job may be something else by then, as PBS's scheduler writes a comment only where it is another than before (update_job_comment). The list's
// local times are of a zone, and times are said in another one.
func (e *Explanation) SayWritten(o *order.Order, row int, local, zone *time.Location) {
	at, isTold := qstat.ParseTime(o.List.Changed(row), local)
	if kind, _ := qstat.MeaningOf(e.Comment); e.Comment == "" || kind == qstat.OfState || e.State != "Q" || !isTold || o.Plan.Now-at < fresh {
		return
	}
	e.Written = fmt.Sprintf("by %s, %s before the list: PBS writes it anew only when it changes", moment.Clock(at, zone), report.Span(float64(o.Plan.Now-at)))
}
