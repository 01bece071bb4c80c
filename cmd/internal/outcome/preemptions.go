package outcome

import (
	"fmt"
	"strings"

	"fairshare/cmd/internal/report"
)

// Preemptions counts how often jobs were taken off their nodes for others.
type Preemptions struct {
	Suspended, Requeued, Cancelled int

	Lost float64 // core seconds of the runs that were requeued or cancelled
}

// Count returns how often a job was preempted.
func (p *Preemptions) Count() int { return p.Suspended + p.Requeued + p.Cancelled }

// Add adds those of another run, as of the jobs of another scheduler.
func (p *Preemptions) Add(more Preemptions) {
	p.Suspended, p.Requeued, p.Cancelled, p.Lost = p.Suspended+more.Suspended, p.Requeued+more.Requeued, p.Cancelled+more.Cancelled, p.Lost+more.Lost
}

// LostHours returns the core hours of the runs that were requeued or cancelled.
func (p *Preemptions) LostHours() float64 { return p.Lost / 3600 }

// Fates says what became of the jobs, as in: 2 requeued, 1 cancelled; 12.5 core hours lost.
func (p *Preemptions) Fates() string {
	var fates []string
	for _, fate := range []struct {
		times int
		word  string
	}{{p.Suspended, "suspended"}, {p.Requeued, "requeued"}, {p.Cancelled, "cancelled"}} {
		if fate.times > 0 {
			fates = append(fates, fmt.Sprintf("%d %s", fate.times, fate.word))
		}
	}
	text := strings.Join(fates, ", ")
	if p.Requeued+p.Cancelled > 0 {
		text += fmt.Sprintf("; %s core hours lost", report.Fixed(p.LostHours(), 1))
	}
	return text
}
