package cycle

import (
	"cmp"
	"math/bits"
	"slices"
	"strings"

	"fairshare/cmd/internal/pbs"
)

// Status is what sets a job apart for its preemption level, PBS's preempt_status.
type Status uint8

// What sets a job apart. The words are those of preempt_prio.
const (
	Express         Status = 1 << iota // express_queue
	OverShare                          // fairshare
	Starving                           // starving_jobs
	OverServerLimit                    // server_softlimits
	OverQueueLimit                     // queue_softlimits
	normal                             // normal_jobs
)

var statusWords = map[string]Status{
	"express_queue": Express, "fairshare": OverShare, "starving_jobs": Starving,
	"server_softlimits": OverServerLimit, "queue_softlimits": OverQueueLimit, "normal_jobs": normal,
}

// Levels are the preemption levels of a site.
type Levels struct {
	Least int // the priority from which on queues are express queues, preempt_queue_prio

	list    []level // those of more words before those of fewer
	normal  int32
	several bool   // whether there are several express queues
	asked   Status // all words
}

type level struct {
	status Status
	value  int32
}

// NewLevels returns the preemption levels of preempt_prio, of which the first is the
// highest, as PBS's scheduler takes them from its attributes.
func NewLevels(sched *pbs.Sched, queues []pbs.Queue) *Levels {
	const highest, step = 100_000, 1000 // PREEMPT_PRIORITY_HIGH, PREEMPT_PRIORITY_STEP
	l := &Levels{Least: sched.PreemptQueuePrio}
	list := sched.PreemptPrio
	if list == nil {
		list = []string{"express_queue", "normal_jobs"}
	}
	for i, text := range list {
		at := level{value: highest - step*int32(i)}
		for word := range strings.SplitSeq(text, "+") {
			at.status |= statusWords[strings.TrimSpace(word)]
		}
		if at.status == normal {
			l.normal = at.value
		}
		l.asked |= at.status
		l.list = append(l.list, at)
	}
	slices.SortStableFunc(l.list, func(a, b level) int {
		return cmp.Compare(bits.OnesCount8(uint8(b.status)), bits.OnesCount8(uint8(a.status)))
	})
	express := 0
	for _, q := range queues {
		if q.Priority >= l.Least {
			express++
		}
	}
	l.several = express > 1
	return l
}

// Asks reports whether a status makes a difference.
func (l *Levels) Asks(status Status) bool { return l.asked&status != 0 }

// Class returns the preemption priority of a job of a queue, negated, so that the lowest
// goes first: that of the first combination of preempt_prio which the job has all of, as
// PBS's set_preempt_prio. Those of several express queues differ by their priorities.
func (l *Levels) Class(status Status, priority int) int32 {
	if priority >= l.Least {
		status |= Express
	}
	if status == 0 {
		status = normal
	}
	for _, at := range l.list {
		if status&at.status != at.status {
			continue
		}
		value := at.value
		if l.several && status&Express != 0 {
			value += int32(max(0, priority))
		}
		return -value
	}
	return -l.normal
}
