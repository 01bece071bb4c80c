package sched

import "slices"

// A job that asks for no reservation stands in the queue once more for each MAGNETIC one that it may run in, and goes there before
// jobs of none: it runs in the first that has room for it, or outside (Slurm's reservation.c, job_resv_append_magnetic). It
// does so before the reservation begins as well, when only a FLEX one lets it start.

// attract returns an entry of a job as a reservation has it that attracts it, nil where that does not.
func (e *engine) attract(entry *Job, k *Reservation) *Job {
	if !e.attracts(k, entry) {
		return nil
	}
	of := *entry
	of.of, of.Reservation, of.barred = entry.whole(), k.ID, barred{}
	of.kind, of.isAttracted, of.of.isAttracted = e.kindOf(&of), true, true
	return &of
}

// attracts reports whether a reservation attracts an entry of a job.
func (s *Setup) attracts(k *Reservation, entry *Job) bool {
	return k.IsMagnetic && entry.Reservation == 0 && s.LetsIn(k, entry)
}

// isDrawn reports whether an entry is that of a reservation for which its job does not ask.
func (j *Job) isDrawn() bool { return j.of != nil && j.Reservation != j.of.Reservation }

// attractAll gives the jobs that wait their entries in a reservation that becomes known.
func (e *engine) attractAll(k *Reservation) {
	if !k.IsMagnetic {
		return
	}
	e.gather()
	before := len(e.queue)
	for _, j := range e.queue[:before] {
		if of := e.attract(j, k); of != nil {
			e.queue = append(e.queue, of)
		}
	}
	if len(e.queue) > before {
		e.sort()
	}
}

// letGo takes the entries that jobs have for a reservation that attracted them and is over out of the queue.
func (e *engine) letGo(k *Reservation) {
	if !k.IsMagnetic {
		return
	}
	e.gather()
	e.queue = slices.DeleteFunc(e.queue, func(j *Job) bool { return j.isDrawn() && j.Reservation == k.ID })
	for _, j := range e.queue {
		j.whole().isAttracted = false
	}
	for _, j := range e.queue {
		if j.isDrawn() {
			j.of.isAttracted = true
		}
	}
}
