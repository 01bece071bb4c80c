package forecast

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"strings"

	"fairshare/cmd/internal/slurm"
	"fairshare/cmd/internal/trace"
)

// parents finds the jobs that others wait for among those of a list.
type parents struct {
	listed  map[string]listedJob
	byArray map[string][]string   // the tasks of an array that run or wait, as the list has them
	byRow   map[string][]string   // those of one ID in the list
	byName  map[userName][]string // the jobs of a name of one user
	over    map[string]bool       // jobs of the list that have ended
	untold  []*slurm.ListedJob    // which have not, while no end of them, or of some of their tasks, is forecast
	isOver  func(id string) bool  // whether a job that is none of these has ended
}

// userName is whose a job is and what it is called: of those only one runs at a time that are a singleton.
type userName struct{ user, name string }

// parents returns what finds the jobs that others wait for. lacking tells whether those that the list lacks have ended.
func (s *Site) parents(lacking bool) *parents {
	p := &parents{listed: s.listed, byArray: map[string][]string{}, byRow: map[string][]string{}, byName: map[userName][]string{}, over: map[string]bool{}}
	p.isOver = func(id string) bool { return lacking || p.over[id] }
	ids := slices.SortedFunc(maps.Keys(s.listed), func(a, b string) int { return cmp.Compare(s.listed[a].ID, s.listed[b].ID) })
	for _, id := range ids {
		of := s.listed[id]
		if array, _, isTask := strings.Cut(id, "_"); isTask {
			p.byArray[array] = append(p.byArray[array], id)
		}
		name := userName{of.user, of.name}
		p.byRow[of.row], p.byName[name] = append(p.byRow[of.row], id), append(p.byName[name], id)
	}
	for i := range s.Queue {
		n := &s.Queue[i]
		indices, _ := trace.ParseIndices(n.Indices)
		own := idsOf(n)
		_, isListed := s.listed[firstOf(own)]
		switch state := slurm.StateNamed(n.State); {
		case n.State == "COMPLETING", state.Fate == slurm.IsOver && n.State != "REQUEUED":
			p.over[cmp.Or(n.Task, n.ID)] = true
		case !isListed, n.Task == "" && n.Array != "" && indices.Count() > len(own):
			p.untold = append(p.untold, n)
		}
	}
	return p
}

// parents returns what finds the jobs that one waits for that is asked for: those that the list lacks are taken to have ended.
func (o *offer) parents() *parents {
	if o.site.ofOffers == nil {
		o.site.ofOffers = o.site.parents(true)
	}
	return o.site.ofOffers
}

// isUntold reports whether nothing tells when a job ends, or one of the tasks of an array, that is not among those which run or wait.
func (p *parents) isUntold(job string) bool {
	array, task, isTask := strings.Cut(job, "_")
	return slices.ContainsFunc(p.untold, func(n *slurm.ListedJob) bool {
		switch {
		case job == n.ID, job == n.Task:
			return true
		case n.Array == "" || n.Array != array:
			return false
		case !isTask || task == "*":
			return true
		}
		indices, ok := trace.ParseIndices(n.Indices)
		index, err := strconv.Atoi(task)
		return n.Task == "" && ok && err == nil && indices.Has(index)
	})
}

// of returns the jobs of the list that a condition of a job is on and that run or wait, and whether these are all that are not over.
func (p *parents) of(c *slurm.DependencyCondition, id string) (jobs []string, isKnown bool) {
	if c.Kind == "singleton" {
		return p.before(id)
	}
	job := c.Job
	array, task, isOne := strings.Cut(job, "_")
	isOne = isOne && task != "*"
	if _, own, isTask := strings.Cut(id, "_"); c.Kind == "aftercorr" && isTask { // the task of the same index
		job, isOne = array+"_"+own, true
	}
	if _, isListed := p.listed[job]; isListed {
		return []string{job}, true
	}
	tasks := p.byArray[array]
	switch {
	case p.isUntold(job):
		return nil, false
	case isOne: // of which others may wait
		return nil, len(tasks) > 0 || p.isOver(job) || job != c.Job && p.isOver(array)
	case len(tasks) > 0:
		return tasks, true
	case len(p.byRow[job]) > 0: // a task by its own number
		return p.byRow[job], true
	}
	return nil, p.isOver(job) || p.isOver(array)
}

// before returns the jobs of the user and the name of a job that run, or came before it.
func (p *parents) before(id string) (jobs []string, isKnown bool) {
	own, isListed := p.listed[id]
	if !isListed {
		return nil, false
	}
	name := userName{own.user, own.name}
	for _, other := range p.byName[name] {
		if of := p.listed[other]; other != id && of.row != own.row && (of.Start > 0 || of.Job.ID < own.Job.ID) {
			jobs = append(jobs, other)
		}
	}
	slices.Sort(jobs)
	return jobs, !slices.ContainsFunc(p.untold, func(n *slurm.ListedJob) bool {
		has := slurm.StateNamed(n.State).Fate == slurm.Runs
		return userName{n.User, n.Name} == name && n.ID != own.row && (has || number(n.ID) < number(own.row))
	})
}

// number returns the number of a job, or of the array of a task.
func number(id string) int {
	array, _, _ := strings.Cut(id, "_")
	return integer(array)
}
