package forecast

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"fairshare/cmd/internal/pbs"
	"fairshare/cmd/internal/report"
	"fairshare/cmd/internal/trace"
	"fairshare/formula"
)

// queues returns the names of a site's queues in which jobs can run, none where they are not known.
func (s *Site) queues() []string {
	var names []string
	for _, q := range s.Site.Queues {
		if !q.Stopped && !q.Routes {
			names = append(names, q.Name)
		}
	}
	return names
}

// hasQueue reports whether a site has a queue, which may be that of a reservation in which the list has jobs; of a site whose
// queues are not known it has any.
func (s *Site) hasQueue(name string) bool {
	isListed := func(n trace.ListedJob) bool { return s.Past.Names.List[n.Queue] == name }
	return s.Site.Queues == nil || slices.ContainsFunc(s.Site.Queues, func(q pbs.Queue) bool { return q.Name == name }) ||
		trace.IsReservation(name) && slices.ContainsFunc(s.Now, isListed)
}

// refuses says why PBS does not take a job as it is asked for, "" if it does: its queue may take none, or none from
// users, the job may ask for more than resources_max or less than resources_min, or there may be as many jobs as
// max_queued lets in, or access lists may keep its user out. All of that is checked of a new job and, but for what the server
// counts, of one that moves to the queue. Of one that stays there the resources are that are changed, and nothing of one that is as it is.
func (s *Site) refuses(a Ask) string {
	moves, asked := true, a.requested()
	if a.is != nil {
		var changed []Resource
		if moves, changed = s.changedBy(a); !moves {
			asked = changed
		}
	}
	at := slices.IndexFunc(s.Site.Queues, func(q pbs.Queue) bool { return q.Name == a.Queue })
	if at < 0 {
		return ""
	}
	queue := s.Site.Queues[at]
	if why := queue.WhyClosed(); moves && why != "" {
		return why
	}
	if why, _ := s.keptOut(a); why != "" {
		return why
	}
	for _, r := range asked {
		if why := s.outOfBounds(&queue, r); why != "" {
			return why
		}
	}
	if !moves {
		return ""
	}
	return s.crowded(a)
}

// outOfBounds says that a job asks for more or less of a resource than a queue takes, or than the server does where
// the queue has no bound of its own.
func (s *Site) outOfBounds(queue *pbs.Queue, r Resource) string {
	asked, ok := number(r.Value)
	if !ok {
		return ""
	}
	bound := func(own, ofServer map[string]string) (by, text string, amount float64, is bool) {
		by, text = "queue "+queue.Name, own[r.Name]
		if text == "" {
			by, text = "the server", ofServer[r.Name]
		}
		amount, is = number(text)
		return by, text, amount, is
	}
	server := s.Site.Sched.Server
	if by, text, most, is := bound(queue.Attributes.Of("resources_max"), server.Of("resources_max")); is && asked > most {
		return fmt.Sprintf("%s takes jobs of %s up to %s", by, r.Name, text)
	}
	if by, text, least, is := bound(queue.Attributes.Of("resources_min"), server.Of("resources_min")); is && asked < least {
		return fmt.Sprintf("%s takes jobs of %s from %s on", by, r.Name, text)
	}
	return ""
}

// isOpen reports whether a queue is known to take jobs of the user of one that is asked for.
func (s *Site) isOpen(a Ask, queue string) bool {
	a.Queue = queue
	why, unknown := s.keptOut(a)
	return why == "" && unknown == nil && s.Site.Queue(queue).WhyClosed() == ""
}

// number returns the amount of a resource.
func number(text string) (float64, bool) {
	amount, ok := formula.ParseAmount(text, "")
	if !ok {
		return 0, false
	}
	return amount.Number()
}

// Sensible returns changes that are worth a try: half the walltime, half the cpus, and other queues.
func (s *Site) Sensible(a Ask) []string {
	var changes []string
	if seconds, ok := number(a.of("walltime")); ok && seconds >= 120 {
		changes = append(changes, "walltime="+report.Duration(math.Floor(seconds/2)))
	}
	for _, r := range a.requested() {
		if n, err := strconv.Atoi(r.Value); r.Name == "ncpus" && err == nil && n > 1 {
			changes = append(changes, "ncpus="+strconv.Itoa(n/2))
		}
	}
	const most = 4 // queues
	for _, queue := range s.queues() {
		if queue != a.Queue && len(changes) < 2+most && s.isOpen(a, queue) {
			changes = append(changes, "queue="+queue)
		}
	}
	return changes
}
