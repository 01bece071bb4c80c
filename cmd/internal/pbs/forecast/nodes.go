package forecast

import (
	"cmp"
	"slices"
	"time"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/forecast"
	"fairshare/cmd/internal/pbs"
	"fairshare/cmd/internal/pbs/cluster"
	"fairshare/cmd/internal/pbs/site"
	"fairshare/cmd/internal/trace"
	"fairshare/cmd/internal/work"
)

// ReadNodes returns what a place tells of its vnodes and of the jobs that have not ended, with nothing of its past and of
// its order. Without a list there are no jobs.
func ReadNodes(p *site.Place, at *pbs.Site, zone *time.Location) (*Site, []diag.Remark, error) {
	if !p.Nodes.IsGiven() {
		return nil, nil, &diag.RequestError{Err: ErrNoNodes}
	}
	s := &Site{Zone: zone, Site: at}
	if !p.Taken.IsZero() {
		s.At = p.Taken.Unix()
	}
	var err error
	if s.Past, err = trace.Read(nil, zone, trace.Keep{Requests: true}); err != nil {
		return nil, nil, err
	}
	const most = 1 << 30
	if s.nodes, err = p.Nodes.Text(most); err == nil {
		s.Cluster, s.Away, err = parseNodes(s.nodes, at)
	}
	if err != nil {
		return nil, nil, diag.Requestf("%s: %w", p.Nodes.Name, err)
	}
	remarks := s.Cluster.Damage()
	said, err := s.readJobs(p)
	remarks = append(remarks, said...)
	if err != nil || s.At == 0 {
		return s, remarks, err
	}
	said, err = s.readReservations(p, nil, nil)
	return s, slices.Concat(remarks, said, s.doubts()), err
}

// NodesText returns what pbsnodes printed.
func (s *Site) NodesText() string { return s.nodes }

// Requests returns what jobs of the list ask of the vnodes.
func (s *Site) Requests() func(n trace.ListedJob) (*cluster.Request, error) {
	w := work.New(s.Past.NewList(), nil)
	of := cluster.NewRequests(w, s.Cluster, s.Site)
	return func(n trace.ListedJob) (*cluster.Request, error) {
		return of.Try(w.NewJob(n.Job, s.At, 0, 0).Request, s.Past.Names.List[n.Queue])
	}
}

// RequestOf returns what a job asks for that would be submitted to a queue with some resources. It is nil, with why, where
// no vnodes could ever give it. An error is for what cannot be asked for.
func (s *Site) RequestOf(queue, resources string) (r *cluster.Request, why error, err error) {
	const nobody = "nobody"
	list, err := ParseResources(resources)
	if err != nil {
		return nil, nil, err
	}
	if err := s.CheckQueue(queue); err != nil {
		return nil, nil, err
	}
	a := Ask{User: nobody, Queue: queue, Resources: list}
	checked := a
	checked.Queue = cmp.Or(queue, nobody)
	if err := s.check(checked); err != nil {
		return nil, nil, err
	}
	of := s.with(a)
	r, why = of.Requests()(of.Now[0])
	return r, why, nil
}

// CheckQueue returns an error for a queue that the site does not have, as far as its queues are known.
func (s *Site) CheckQueue(name string) error {
	if name == "" || len(s.Site.Queues) == 0 {
		return nil
	}
	var there []string
	for _, q := range s.Site.Queues {
		if q.Name == name {
			return nil
		}
		there = append(there, q.Name)
	}
	return &forecast.NoQueueError{Called: "queue", Queue: name, There: there}
}
