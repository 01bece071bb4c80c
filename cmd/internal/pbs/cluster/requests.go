package cluster

import (
	"cmp"
	"fmt"
	"strings"

	"fairshare/cmd/internal/pbs"
	"fairshare/cmd/internal/work"
)

// Requests are what jobs ask of a cluster, each found out once.
type Requests struct {
	work    *work.Work
	cluster *Cluster
	empty   *State // the cluster as nobody uses it
	known   map[requestKey]requestCheck
	groups  placementSets
	isAsked bool // whether default_chunk is other than when the jobs were submitted, so that their select counts
	ByQueue bool // whether it depends on the queue what a request asks for
	ByOwner bool // whether it depends on whose job it is which vnodes take it
}

// placementSets are the resources of which all vnodes of a job have one value.
type placementSets struct {
	all      string            // node_group_key of the server, "" for none
	ofQueue  map[string]string // that of queues
	neverAll bool              // do_not_span_psets: whether a job that fits into no set never runs
}

// placementSetsOf returns those of a site, as node_group_enable and node_group_key set them.
func placementSetsOf(site *pbs.Site) placementSets {
	p := placementSets{ofQueue: map[string]string{}, neverAll: strings.EqualFold(site.Sched.Scheduler["do_not_span_psets"], "true")}
	if !strings.EqualFold(site.Sched.Server["node_group_enable"], "true") {
		return p
	}
	p.all = site.Sched.Server["node_group_key"]
	for _, q := range site.Queues {
		if key := q.Attributes["node_group_key"]; key != "" {
			p.ofQueue[q.Name] = key
		}
	}
	return p
}

// of returns the resources that hold for the jobs of a queue, "" for none.
func (p placementSets) of(queue string) string { return cmp.Or(p.ofQueue[queue], p.all) }

type requestKey struct {
	number int32  // of Work.Requests
	queue  string // "" where vnodes do not care
	owner  Owner  // likewise
}

// requestCheck is what a request asks for, or why no vnodes could ever give it.
type requestCheck struct {
	request *Request
	err     error
}

// NewRequests returns what jobs of work ask of a cluster. The site is nil where nothing is known of it.
func NewRequests(w *work.Work, c *Cluster, site *pbs.Site) *Requests {
	r := &Requests{work: w, cluster: c, empty: c.NewState(), known: map[requestKey]requestCheck{}, ByQueue: c.HasQueues() || len(c.checks.OfQueues) > 0, ByOwner: c.isLimited()}
	if site != nil {
		r.groups = placementSetsOf(site)
		r.isAsked = site.HasChanged("default_chunk")
		r.ByQueue = r.ByQueue || len(r.groups.ofQueue) > 0
	}
	return r
}

// Try returns what a job of a queue asks for. It is an error if no vnodes could ever give
// it.
func (r *Requests) Try(number int32, queue string) (*Request, error) {
	return r.TryOf(number, queue, Owner{})
}

// TryOf does what Try does for a job of somebody.
func (r *Requests) TryOf(number int32, queue string, owner Owner) (*Request, error) {
	key := requestKey{number: number}
	if r.ByOwner {
		key.owner = owner
	}
	if r.ByQueue {
		key.queue = queue
	}
	t, isKnown := r.known[key]
	if !isKnown {
		text := r.work.Requests[number]
		selected := text.Select
		if text.Placed != "" && !r.isAsked {
			selected = text.Placed
		}
		t.request, t.err = r.cluster.Request(selected, text.Place, queue)
		if t.err == nil && text.IsWhole {
			t.request.Join()
		}
		if t.err == nil && r.ByOwner {
			t.request.belongsTo(owner)
		}
		if t.err == nil {
			t.request.Group(r.groups.of(queue))
		}
		if t.err == nil && t.request.IsGrouped() && !r.groups.neverAll && !r.empty.Fits(t.request) {
			t.request.Span()
		}
		switch {
		case t.err != nil || r.empty.Fits(t.request):
		case r.empty.IsShortOfSets(t.request):
			t.err = fmt.Errorf("select=%s:place=%s fits in no placement set of %s (do_not_span_psets), however empty: %s", r.cluster.withDefaults(selected, queue), text.Place, t.request.Sets(), r.empty.SetRoom(t.request))
		default:
			asked := fmt.Sprintf("select=%s:place=%s", r.cluster.withDefaults(selected, queue), text.Place)
			t.err = &MisfitError{asked, r.cluster.String(), r.empty.lacks(t.request)}
		}
		r.known[key] = t
	}
	return t.request, t.err
}
