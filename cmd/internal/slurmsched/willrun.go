package slurmsched

import (
	"cmp"
	"slices"
)

// Busy is a job that holds nodes, and until when.
type busy struct {
	job *Job
	end int64
}

// outlook says when and where a job could run, from what runs now and from nothing else.
type outlook struct {
	machine *Machine
	running []busy // by end
	future  Machine
	place   placer
	seen    map[*Request][]glance // what first has said
	suiting map[*Request]Set      // the nodes that suit, by request
	isPlain bool                  // whether nothing is taken from there
}

// glance is what first says of a request on some nodes.
type glance struct {
	among  Set
	now    int64
	start  int64
	shares []Share
}

// killWait is how long Slurm expects a job to go on that should be over.
const killWait = 30

// sortBusy puts running jobs into the order of their ends.
func sortBusy(list []busy) {
	slices.SortStableFunc(list, func(a, b busy) int { return cmp.Compare(a.end, b.end) })
}

// first returns the first moment at which a job could run on some of the nodes, and where. Running
// jobs are taken away in the order of their ends, those of a window at once. The windows end 30, 60,
// 120, 240 … seconds after the first multiple of 30 seconds that follows the first end (as in Slurm's
// _will_run_test). Whether the next job is within the window is asked only after a job that has one of
// the nodes. The shares are valid until the next call.
func (o *outlook) first(r *Request, among Set, now int64) (start int64, shares []Share) {
	if o.isPlain {
		return o.look(r, among, now)
	}
	const most = 8 // of a request
	list := o.seen[r]
	for _, g := range list {
		if g.now == now && slices.Equal(g.among, among) {
			return g.start, g.shares
		}
	}
	start, shares = o.look(r, among, now)
	if o.seen == nil {
		o.seen = map[*Request][]glance{}
	}
	if len(list) < most {
		o.seen[r] = append(list, glance{among.clone(), now, start, slices.Clone(shares)})
	}
	return start, shares
}

// suited takes the nodes that cannot suit a job, whatever runs on them, out of those that it may run
// on (as Slurm's job_req_node_filter).
func (o *outlook) suited(r *Request, among Set) {
	suiting, isKnown := o.suiting[r]
	if !isKnown {
		suiting = NewSet(len(o.machine.Nodes))
		for i := range o.machine.Nodes {
			if o.machine.suits(r, i) {
				suiting.Add(i)
			}
		}
		if o.suiting == nil {
			o.suiting = map[*Request]Set{}
		}
		o.suiting[r] = suiting
	}
	among.intersect(suiting)
}

// look is first without what it has said before.
func (o *outlook) look(r *Request, among Set, now int64) (start int64, shares []Share) {
	if shares = o.place.place(o.machine, r, among); shares != nil {
		return now, shares
	}
	o.future.copyFrom(o.machine)
	length, base, windowEnd := int64(30), int64(0), int64(0)
	for i := 0; i < len(o.running); {
		last := int64(0)
		for i < len(o.running) {
			b := &o.running[i]
			i++
			if !b.job.nodes.meets(among) {
				continue
			}
			if windowEnd == 0 {
				base = b.end - b.end%length + length
				windowEnd = base + length
			}
			last = b.end
			o.future.free(b.job.Request, b.job.Shares)
			if i < len(o.running) && o.running[i].end > windowEnd {
				break
			}
		}
		if last == 0 {
			break
		}
		if i < len(o.running) {
			for {
				length *= 2
				windowEnd = base + length
				if o.running[i].end <= windowEnd {
					break
				}
			}
		}
		if shares = o.place.place(&o.future, r, among); shares != nil {
			if last <= now {
				return max(last+killWait, now+1), shares
			}
			return last, shares
		}
	}
	return 0, nil
}
