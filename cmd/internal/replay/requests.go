package replay

import (
	"cmp"
	"fmt"

	"fairshare/cmd/internal/cluster"
)

// ImpossibleError is a job that the cluster can never run, or jobs that together need
// more than it has.
type ImpossibleError struct{ ID, Detail string }

func (e *ImpossibleError) Error() string {
	if e.ID == "" {
		return e.Detail
	}
	return "job " + e.ID + ": " + e.Detail
}

// requests are what jobs ask of a cluster, each found out once.
type requests struct {
	work    *Work
	cluster *cluster.Cluster
	empty   *cluster.State // the cluster as nobody uses it
	known   map[requestKey]tried
}

type requestKey struct {
	number int32  // of Work.Requests
	queue  string // "" where vnodes do not care
}

// tried is what a request asks for, or why no vnodes could ever give it.
type tried struct {
	request *cluster.Request
	err     error
}

func newRequests(w *Work, c *cluster.Cluster) *requests {
	return &requests{work: w, cluster: c, empty: c.NewState(), known: map[requestKey]tried{}}
}

// try returns what a job of a queue asks for. It is an error if no vnodes could ever give
// it.
func (r *requests) try(number int32, queue string) (*cluster.Request, error) {
	key := requestKey{number: number}
	if r.cluster.HasQueues() {
		key.queue = queue
	}
	t, isKnown := r.known[key]
	if !isKnown {
		text := r.work.Requests[number]
		t.request, t.err = r.cluster.Request(text.Select, text.Place, queue)
		if t.err == nil && text.IsWhole {
			t.request.Join()
		}
		if t.err == nil && !r.empty.Fits(t.request) {
			t.err = fmt.Errorf("select=%s:place=%s fits on no vnodes of the cluster (%s in all)", text.Select, text.Place, r.cluster)
		}
		r.known[key] = t
	}
	return t.request, t.err
}

// Impossible reports for each job whether the cluster can never run it, and why it cannot
// run the first one.
func (w *Work) Impossible(c *cluster.Cluster) (is []bool, first error) {
	r := newRequests(w, c)
	is = make([]bool, len(w.Jobs))
	for i, j := range w.Jobs {
		queue, request := j.Queue, j.Request
		if stages := j.Stages(); len(stages) > 0 {
			queue, request = stages[0].Queue, w.requestOf(stages[0].Request, j.Job)
		}
		if _, err := r.try(request, w.Trace.Names.List[queue]); err != nil {
			is[i] = true
			first = cmp.Or[error](first, &ImpossibleError{ID: j.ID, Detail: err.Error()})
		}
	}
	return is, first
}
