package nodes

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"fairshare/cmd/internal/nodes"
	"fairshare/cmd/internal/pbs"
	"fairshare/cmd/internal/pbs/cluster"
	"fairshare/cmd/internal/pbs/forecast"
	"fairshare/cmd/internal/trace"
)

// list makes the nodes, in the order in which pbsnodes prints them.
func (r *reader) list(asked *cluster.Request, ahead []booking) {
	var queues []string
	r.machine.Closed = map[string]string{}
	for _, q := range r.Site.Site.Queues {
		if q.Routes {
			continue
		}
		queues = append(queues, q.Name)
		if state := q.State(); state != "" {
			r.machine.Closed[q.Name] = state
		}
	}
	add := func(n nodes.Node) {
		n.Words = nodes.WordsOf(n.State)
		r.machine.Nodes = append(r.machine.Nodes, n)
	}
	for told := range r.Listing.Vnodes() {
		var n nodes.Node
		if v, ok := r.Cluster.Number(told[""]); ok {
			n = r.node(v, told["state"], queues, asked, ahead)
		} else if n, ok = r.unplaced(told, queues, asked != nil); !ok {
			continue // it is removed
		}
		n.Comment = told["comment"]
		add(n)
	}
	for _, added := range r.Cluster.Added() {
		if v, ok := r.Cluster.Number(added.Name); ok {
			add(r.node(v, "free", queues, asked, ahead))
		}
	}
}

// node returns a vnode in a state, with the queues of some whose jobs it takes, and what is asked of it.
func (r *reader) node(v int32, state string, queues []string, asked *cluster.Request, ahead []booking) nodes.Node {
	of := &r.Cluster.Vnodes[v]
	if isDown, isAway := r.away[of.Name]; isAway {
		is := map[bool]string{true: "down", false: "offline"}[isDown]
		if state == "free" || isDown {
			state = is
		} else if !strings.Contains(state, is) {
			state += "," + is
		}
	}
	n := nodes.Node{Name: of.Name, Host: of.Host, State: state, IsUp: r.closed[v] || !r.state.IsAway(v), HasElse: !r.Cluster.IsBare(of), Jobs: r.jobs[v], Properties: append(of.Properties(r.Cluster), r.kept[v]...)}
	n.CPUs.Free, n.CPUs.All = r.state.Has(v, "ncpus")
	n.Memory.Free, n.Memory.All = r.state.Has(v, "mem")
	n.GPUs.Free, n.GPUs.All = r.state.Has(v, "ngpus")
	switch {
	case r.closed[v] && len(cluster.StatesNow(n.State)) > 0: // such as busy
		n.CPUs.Close()
		n.GPUs.Close()
	case r.closed[v]: // all of it is a job's or a reservation's
		n.CPUs.Free, n.GPUs.Free = 0, 0
	}
	n.IsOfAll = true
	for i, takes := range r.state.Takes(v, queues) {
		takes = takes && r.serves(queues[i], v)
		if n.IsOfAll = n.IsOfAll && takes; takes {
			n.Queues = append(n.Queues, queues[i])
		}
	}
	if of.Queue != "" && !slices.Contains(queues, of.Queue) { // where nothing tells which queues there are
		n.IsOfAll, n.Queues = false, append(n.Queues, of.Queue)
	}
	if asked != nil && !r.serves(r.machine.Asked.Queue, v) {
		n.Bars = r.outside(of)
	} else if asked != nil {
		r.judge(&n, v, asked, ahead)
	}
	return n
}

// outside says of which partition a vnode is on which the scheduler of what is asked for places no jobs.
func (r *reader) outside(of *cluster.Vnode) []nodes.Bar {
	name := cmp.Or(of.Partition, pbs.DefaultPartition)
	if !r.Site.Site.IsPlaced(of.Partition) {
		name += ", of no scheduler here"
	}
	return []nodes.Bar{{What: "partition", Has: name}}
}

// unplaced returns a vnode that is of a partition of no scheduler, with the jobs that it tells; false for others.
func (r *reader) unplaced(told map[string]string, queues []string, isAsked bool) (n nodes.Node, is bool) {
	if r.Unplaced == nil {
		return n, false
	}
	v, is := r.Unplaced.Number(told[""])
	if !is {
		return n, false
	}
	of, state := &r.Unplaced.Vnodes[v], r.Unplaced.NewState()
	state.Hold(v, assignedOf(told))
	n = nodes.Node{Name: of.Name, Host: of.Host, State: told["state"], HasElse: !r.Unplaced.IsBare(of), Properties: append(of.Properties(r.Unplaced), "partition="+cmp.Or(of.Partition, pbs.DefaultPartition))}
	n.CPUs.Free, n.CPUs.All = state.Has(v, "ncpus")
	n.Memory.Free, n.Memory.All = state.Has(v, "mem")
	n.GPUs.Free, n.GPUs.All = state.Has(v, "ngpus")
	var ids []string
	for _, id := range cluster.JobsOn(told["jobs"]) {
		if !slices.Contains(ids, id) && !r.isStopped(id) {
			ids = append(ids, id)
			j := r.unlisted(id)
			j.CPUs = r.cpusOn(id, of.Name)
			n.Jobs = append(n.Jobs, j)
		}
	}
	for _, queue := range queues {
		if r.Site.Site.Serves(queue, of.Partition) {
			n.Queues = append(n.Queues, queue)
		}
	}
	if isAsked {
		n.Bars = r.outside(of)
	}
	return n, true
}

// cpusOn returns how many cpus a job of the list has of a vnode.
func (r *reader) cpusOn(id, vnode string) (cpus float64) {
	for _, n := range r.Now {
		if n.ID != id || n.Vnodes() == "" {
			continue
		}
		for name, has := range cluster.Vnodes(n.Vnodes()) {
			for part := range strings.SplitSeq(has, ":") {
				if text, is := strings.CutPrefix(part, "ncpus="); is && name == vnode {
					count, _ := strconv.ParseFloat(text, 64)
					cpus += count
				}
			}
		}
	}
	return cpus
}

// judge says how often a vnode has room for a chunk of what is asked for until the job ends, or what keeps it from all of
// them.
func (r *reader) judge(n *nodes.Node, v int32, asked *cluster.Request, ahead []booking) {
	for i := range asked.Chunks {
		room := r.state.Room(asked, &asked.Chunks[i], v)
		times, bars := room.Times, room.Bars
		for _, b := range ahead {
			if left := b.times[v]; left != nil && left[i] < times {
				if times = left[i]; times == 0 {
					bars = append(bars, cluster.Bar{What: "reservation", Has: b.name})
				}
			}
		}
		kind := nodes.Kind{Part: asked.Chunks[i].String(), Fits: times}
		n.Fits += times
		for _, other := range room.With {
			if name := r.Cluster.Vnodes[other].Name; times > 0 && !slices.Contains(n.FitsWith, name) {
				n.FitsWith = append(n.FitsWith, name)
			}
		}
		for _, b := range bars {
			if b.What == "state" {
				b.Has = n.State
			}
			bar := nodes.Bar{What: b.What, Has: b.Has}
			if kind.Bars = append(kind.Bars, bar); !slices.Contains(n.Bars, bar) {
				n.Bars = append(n.Bars, bar)
			}
		}
		if len(asked.Chunks) > 1 {
			n.Kinds = append(n.Kinds, kind)
		}
	}
	if n.Fits > 0 {
		n.Bars = nil
	}
}

// await says of each job that waits, of arrays in one, how often the vnodes that are named have room for its chunks, or what keeps them from it.
func (r *reader) await() {
	names, request := r.Past.Names.List, r.Requests()
	r.machine.Waiting = []nodes.Waiting{}
	isOther := func(n nodes.Node) bool { return !slices.Contains(r.machine.Named, n.Name) }
	named := slices.DeleteFunc(slices.Clone(r.machine.Nodes), isOther)
	for _, job := range r.Now {
		array, _, isSubjob := trace.Subjob(job.ID)
		if !forecast.Waits(job) || isSubjob && r.known[array] != 0 {
			continue
		}
		queue := names[job.Queue]
		w := nodes.Waiting{ID: job.ID, User: names[job.User], IsHeld: job.Letter == 'H' || job.Letter == 'T', On: map[string]nodes.Node{}}
		asked, err := request(job)
		ahead := r.ahead(asked, max(0, job.Walltime), queue)
		for _, n := range named {
			v, isPlaced := r.Cluster.Number(n.Name)
			of := nodes.Node{State: n.State}
			switch {
			case !isPlaced:
				of.Bars = []nodes.Bar{{What: "partition", Has: "of no scheduler here"}}
			case !r.serves(queue, v):
				of.Bars = r.outside(&r.Cluster.Vnodes[v])
			case err != nil:
				of.Bars = []nodes.Bar{{What: "what it asks for", Has: err.Error()}}
			default:
				r.judge(&of, v, asked, ahead)
			}
			w.On[n.Name] = of
		}
		r.machine.Waiting = append(r.machine.Waiting, w)
	}
}
