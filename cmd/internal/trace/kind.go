package trace

import "strings"

// Kind is a way to tell jobs apart.
type Kind struct {
	Name string
	Of   func(*Job) string
}

// Kinds returns the ways to tell the jobs of a trace apart: by queue, user, group,
// account, project and size; those of a Slurm site by partition, qos, account, user and size.
func (t *Trace) Kinds() []Kind {
	names := t.Names.List
	if t.isSlurm {
		return []Kind{
			{"partition", func(j *Job) string { return names[j.Queue] }},
			{"qos", func(j *Job) string { return names[j.Project] }},
			{"account", func(j *Job) string { return names[j.Account] }},
			{"user", func(j *Job) string { return names[j.User] }},
			{"size", SizeOf},
		}
	}
	return []Kind{
		{"queue", func(j *Job) string { return names[j.Queue] }},
		{"user", func(j *Job) string { return names[j.User] }},
		{"group", func(j *Job) string { return names[j.Group] }},
		{"account", func(j *Job) string { return names[j.Account] }},
		{"project", func(j *Job) string { return names[j.Project] }},
		{"size", SizeOf},
	}
}

// WordFor returns what a kind of names is called where the trace comes from: the queues of sacct are partitions.
func (t *Trace) WordFor(kind string) string {
	if kind == "queue" && t.QueueWord != "" {
		return t.QueueWord
	}
	return kind
}

// IsReservation reports whether a queue is that of a reservation. Those of Slurm have no queues.
func (t *Trace) IsReservation(queue string) bool {
	return !t.isOfTable && !t.isSlurm && IsReservation(queue)
}

// IsReservation reports whether a queue is called as PBS calls those of reservations.
func IsReservation(queue string) bool {
	return len(queue) > 1 && strings.IndexByte("RSM", queue[0]) >= 0 && strings.Trim(queue[1:], "0123456789") == ""
}

// TellingKinds returns Kinds without account, project and qos where all jobs have the same
// one.
func (t *Trace) TellingKinds(jobs []*Job) []Kind {
	var kinds []Kind
	for _, k := range t.Kinds() {
		isRare := k.Name == "account" || k.Name == "project" || k.Name == "qos"
		if !isRare || k.tells(jobs) {
			kinds = append(kinds, k)
		}
	}
	return kinds
}

// tells reports whether jobs have more than one name of a kind.
func (k Kind) tells(jobs []*Job) bool {
	for _, j := range jobs {
		if k.Of(j) != k.Of(jobs[0]) {
			return true
		}
	}
	return false
}

// Groups returns jobs by their names of a kind.
func (k Kind) Groups(jobs []*Job) map[string][]*Job {
	groups := map[string][]*Job{}
	for _, j := range jobs {
		groups[k.Of(j)] = append(groups[k.Of(j)], j)
	}
	return groups
}
