package replay

import "strings"

// targetsOf returns which jobs one may preempt by its preempt_targets, which it has from its user or from the
// defaults of its queue: those in the queues, or with the resources, that it names, or with NONE none. It is nil
// where it may preempt any, as PBS's preempt_job_set_filter.
func (p *preemption) targetsOf(job int32) func(other int32) bool {
	text := p.at.work.Requests[p.at.terms[job].request].Words["preempt_targets"]
	if !p.targets || text == "" {
		return nil
	}
	list := strings.Split(strings.Trim(text, `"'`), ",")
	return func(other int32) bool {
		t := &p.at.terms[other]
		for _, target := range list {
			name, value, isNamed := strings.Cut(strings.TrimSpace(target), "=")
			switch {
			case !isNamed:
			case strings.EqualFold(name, "queue"):
				if p.at.queues[t.queue].Name == value {
					return true
				}
			case p.at.work.Requests[t.request].Words[strings.TrimPrefix(name, "Resource_List.")] == value:
				return true
			}
		}
		return false
	}
}
