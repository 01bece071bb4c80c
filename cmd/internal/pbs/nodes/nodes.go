// Package nodes says what the vnodes of a PBS complex have, who runs there, and what keeps each from a job, by the
// placement of package cluster.
package nodes

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/nodes"
	"fairshare/cmd/internal/outcome"
	"fairshare/cmd/internal/pbs"
	"fairshare/cmd/internal/pbs/cluster"
	"fairshare/cmd/internal/pbs/forecast"
	"fairshare/cmd/internal/pbs/qstat"
	"fairshare/cmd/internal/pbs/replay"
	"fairshare/cmd/internal/pbs/site"
	"fairshare/cmd/internal/report"
	"fairshare/cmd/internal/trace"
)

// reader makes the nodes of a site.
type reader struct {
	*forecast.Site
	machine *nodes.Machine
	state   *cluster.State
	jobs    map[int32][]nodes.Job
	kept    map[int32][]string        // reservations that have something of each vnode now
	known   map[string]byte           // the states of the jobs of the list, by ID
	away    map[string]bool           // vnodes that settings take away now, and whether they are down
	closed  map[int32]bool            // vnodes that are up and take no job just now, such as busy ones
	rows    map[string]qstat.TableRow // of tables of jobs, where there is no list, by their qstat.Number
	has     []claim                   // what jobs and reservations have now
}

// claim is what a job or a reservation has of the vnodes, until a time; 0 where nothing tells until when.
type claim struct {
	place cluster.Allocation
	until int64
}

// Read returns the vnodes of a place with what is asked of them. In logs reservations are looked for where the place does not
// tell them; they are nil where there are none.
func Read(ctx context.Context, p *site.Place, at *pbs.Site, logs *site.Logs, zone *time.Location, q nodes.Question) (*nodes.Machine, []diag.Remark, error) {
	s, remarks, err := forecast.ReadNodes(p, at, logs, zone)
	if err != nil {
		return nil, remarks, err
	}
	r := &reader{Site: s, machine: &nodes.Machine{At: s.At, Zone: zone, Called: "vnode", Queue: "queue", Parts: "chunks", Why: "comment", States: pbs.VnodeStates()}, state: s.Cluster.NewState(), jobs: map[int32][]nodes.Job{}, known: map[string]byte{}, kept: map[int32][]string{}, closed: map[int32]bool{}}
	if err := r.machine.CheckStates(q.States); err != nil {
		return nil, remarks, err
	}
	if err := r.only(&q); err != nil {
		return nil, remarks, err
	}
	if err := r.named(q.Names); err != nil {
		return nil, remarks, err
	}
	if s.Cluster.IsTorque && q.OfJob() {
		return nil, remarks, &diag.RequestError{Err: &pbs.TorqueError{Of: "the vnodes of " + p.Nodes.Name, Have: "formula nodes lists them without --submit"}}
	}
	var later []string
	r.away, later = s.AwayNow()
	for _, name := range slices.Concat(s.Away, slices.Sorted(maps.Keys(r.away))) {
		if v, ok := s.Cluster.Number(name); ok {
			r.state.SetAway(v, true)
		}
	}
	if len(later) > 0 {
		remarks = append(remarks, diag.Notef("what is set of %s begins later, and changes nothing of what is there now", report.First(later)))
	}
	var new *forecast.Newcomer
	if q.OfJob() {
		if q.Job != "" {
			new, err = s.NewcomerOf(q.Job)
		} else {
			new, err = s.Newcomer(q.Queue, q.User, q.Submit)
		}
		if err != nil {
			return nil, remarks, err
		}
		remarks = append(remarks, slices.Concat(new.Misread(), new.Caveats())...)
		if q.Queue = new.Queue; q.Queue != "" && !new.IsOfDefault() {
			r.machine.Only = []string{q.Queue}
		}
	}
	r.machine.Known = slices.Sorted(maps.Keys(s.Users()))
	r.tellReservations()
	if p.OnlyTables() {
		said, err := r.readTable(p)
		if remarks = append(remarks, said...); err != nil {
			return nil, remarks, err
		}
	}
	lost := r.run(r.keep())
	unlisted := r.lostUnlisted()
	r.hold(q.Queue, lost, unlisted)
	if len(lost)+len(unlisted) > 0 {
		var ids []string
		for _, j := range lost {
			ids = append(ids, j.id)
		}
		ids = append(ids, unlisted...)
		remarks = append(remarks, diag.Notef("the vnodes that go down lose %s: %s", report.Count(len(ids), "job"), report.First(ids)).OfAsked())
	}
	r.machine.IsUntold = r.isUntold()
	switch {
	case r.machine.IsUntold && q.Users != nil:
		return nil, remarks, diag.Requestf("where jobs of %s run is not told: %s", strings.Join(q.Users, " and "), noJobsTold)
	case r.machine.IsUntold:
		remarks = append(remarks, diag.Warningf("%s", noJobsTold).Briefly("%s", noJobsInShort))
	case len(r.known) > 0:
		remarks = append(remarks, r.Unlisted()...)
	case r.rows != nil && len(r.jobs) > 0:
		remarks = append(remarks, r.ofTables())
	case len(p.Jobs) == 0 && len(r.jobs) > 0:
		remarks = append(remarks, diag.Warningf("without a list of jobs (--jobs FILE) who runs there is what the vnodes tell, and not whose jobs they are, how many cpus each has, until when they run and who waits"))
	}
	if new == nil {
		r.list(nil, nil)
		if q.IsTold(r.machine.Named) && len(r.known) > 0 {
			r.await()
		}
		return r.machine, remarks, nil
	}
	said, err := r.place(ctx, q, new)
	if remarks = append(remarks, said...); err != nil {
		return nil, remarks, err
	}
	if q.Queue == "" {
		remarks = append(remarks, r.sayNoQueue()...)
	}
	r.list(new.Request, r.ahead(new.Request, new.Walltime(), q.Queue))
	r.sayKinds()
	return r.machine, remarks, nil
}

// only notes the queues whose vnodes a question is about: the one that it names, or those of a scheduler or a partition that
// it names in the place of one.
func (r *reader) only(q *nodes.Question) error {
	queues, isOfScheduler := r.Site.Site.QueuesOf(q.Queue)
	err := r.CheckQueue(q.Queue)
	switch {
	case q.Queue == "":
		return nil
	case err == nil || !isOfScheduler:
		r.machine.Only = []string{q.Queue}
		if to := r.Site.Site.Queue(q.Queue).Destinations(); err == nil && q.Submit == "" && len(to) > 0 {
			r.machine.Only = to // of which one takes its jobs
		}
		return err
	case q.Submit != "":
		return forecast.AskedOfScheduler(q.Queue, queues)
	}
	r.machine.Only, q.Queue = append([]string{}, queues...), ""
	return nil
}

// named finds the vnodes that alone are shown.
func (r *reader) named(patterns []string) error {
	if patterns == nil {
		return nil
	}
	list, err := cluster.Expanded(strings.Join(patterns, ","))
	if err != nil {
		return err
	}
	for _, pattern := range list {
		var wrong error
		isAny := false
		for _, of := range []*cluster.Cluster{r.Cluster, r.Unplaced} {
			if of == nil {
				continue
			}
			numbers, err := of.Find(pattern)
			if isAny, wrong = isAny || err == nil, cmp.Or(wrong, err); err != nil {
				continue
			}
			for _, v := range numbers {
				r.machine.Named = append(r.machine.Named, of.Vnodes[v].Name)
			}
		}
		if !isAny && wrong != nil {
			return &diag.RequestError{Err: wrong}
		}
	}
	return nil
}

// serves reports whether the scheduler of a queue places jobs on a vnode.
func (r *reader) serves(queue string, v int32) bool {
	return r.Site.Site.Serves(queue, r.Cluster.Vnodes[v].Partition)
}

// keep gives reservations that last now what they have, and returns their queues.
func (r *reader) keep() map[string]bool {
	queues := map[string]bool{}
	for _, b := range r.Reservations {
		for _, h := range b.Holds {
			if !h.Lasts(r.At) {
				continue
			}
			place := r.state.ParseReserved(h.Nodes, h.Place)
			r.take(place, h.End)
			queues[b.Queue] = true
			for _, part := range place.Parts {
				if reserved := "reserved=" + nameOf(b); !slices.Contains(r.kept[part.Vnode], reserved) {
					r.kept[part.Vnode] = append(r.kept[part.Vnode], reserved)
				}
			}
		}
	}
	return queues
}

// tellReservations notes the reservations that last or are to come, with the vnodes of each.
func (r *reader) tellReservations() {
	for _, b := range r.Reservations {
		for _, h := range b.Holds {
			of := nodes.Reservation{Name: nameOf(b), Start: h.Start, End: h.End, Nodes: []string{}}
			for _, part := range r.state.ParseReserved(h.Nodes, h.Place).Parts {
				if name := r.Cluster.Vnodes[part.Vnode].Name; !slices.Contains(of.Nodes, name) {
					of.Nodes = append(of.Nodes, name)
				}
			}
			r.machine.Reservations = append(r.machine.Reservations, of)
		}
	}
}

// take lets a job or a reservation have something until a time.
func (r *reader) take(place cluster.Allocation, until int64) {
	r.state.Occupy(place)
	r.has = append(r.has, claim{place, until})
}

// lostJob is a job of the list that a vnode loses which settings let go down, with what it had besides what a reservation has.
type lostJob struct {
	id  string
	had cluster.Allocation
}

// run gives the jobs of the list that run what they have, but for those that run in what a reservation has. It returns those that
// vnodes lose which settings let go down.
func (r *reader) run(reserved map[string]bool) (lost []lostJob) {
	names, request := r.Past.Names.List, r.Requests()
	for _, n := range r.Now {
		r.known[n.ID] = n.Letter
		if !strings.ContainsRune("REU", rune(n.Letter)) || n.Vnodes() == "" {
			continue
		}
		asked, _ := request(n)
		if asked == nil {
			asked = &cluster.Request{}
		}
		place := r.state.ParseKnown(n.Vnodes(), asked)
		isReserved := reserved[names[n.Queue]]
		if r.loses(place) {
			j := lostJob{id: n.ID}
			if !isReserved {
				j.had = place
			}
			lost = append(lost, j)
			continue
		}
		if !isReserved {
			r.take(place, r.end(n))
		}
		at := slices.Index(r.state.Consumables, "ncpus")
		for _, part := range place.Parts {
			cpus := 0.
			if at >= 0 {
				cpus = float64(part.Count) * part.Chunk.Need[at]
			}
			r.add(part.Vnode, nodes.Job{ID: n.ID, User: names[n.User], CPUs: cpus, End: r.end(n)})
		}
		for _, v := range place.Own {
			r.add(v, nodes.Job{ID: n.ID, User: names[n.User], End: r.end(n)})
		}
	}
	return lost
}

// loses reports whether a vnode of some that a job has goes down.
func (r *reader) loses(place cluster.Allocation) bool {
	isDown := func(v int32) bool { return r.away[r.Cluster.Vnodes[v].Name] }
	return slices.ContainsFunc(place.Own, isDown) || slices.ContainsFunc(place.Parts, func(part cluster.Part) bool { return isDown(part.Vnode) })
}

// add adds a job to those of a vnode, or what it has there to it.
func (r *reader) add(v int32, j nodes.Job) {
	if at := slices.IndexFunc(r.jobs[v], func(of nodes.Job) bool { return of.ID == j.ID }); at >= 0 {
		r.jobs[v][at].CPUs += j.CPUs
		return
	}
	r.jobs[v] = append(r.jobs[v], j)
}

// end returns when a job ends by its walltime, 0 where nothing tells.
func (r *reader) end(n trace.ListedJob) int64 {
	if n.Start == trace.Unknown || n.Walltime <= 0 {
		return 0
	}
	return max(r.At, r.At-r.Ran(n)+n.Walltime)
}

// sayNoQueue says what a job that is in no queue is taken to be, where queues differ in what their jobs may run on.
func (r *reader) sayNoQueue() []diag.Remark {
	owned, others, isGiven := 0, 0, false
	for i := range r.Cluster.Vnodes {
		if !r.serves("", int32(i)) {
			others++
		}
		if r.Cluster.Vnodes[i].Queue != "" {
			owned++
		}
	}
	for _, q := range r.Site.Site.Queues {
		isGiven = isGiven || len(q.Attributes.Of("default_chunk")) > 0
	}
	var parts []string
	if owned > 0 {
		parts = append(parts, fmt.Sprintf("vnodes that a queue has for itself do not count (%d)", owned))
	}
	if others > 0 {
		parts = append(parts, fmt.Sprintf("vnodes on which the default scheduler places no jobs do not count (%d)", others))
	}
	if isGiven {
		parts = append(parts, "its chunks have no default_chunk of a queue")
	}
	if parts == nil {
		return nil
	}
	return []diag.Remark{diag.Notef("no queue is named (--queue): %s", strings.Join(parts, ", and "))}
}

// place says what becomes of a job that is asked for: on which vnodes there is room for it, and what a cycle right now would
// make of it where the time is known.
func (r *reader) place(ctx context.Context, q nodes.Question, new *forecast.Newcomer) ([]diag.Remark, error) {
	x := &nodes.Asked{Text: cmp.Or(q.Submit, new.Text()), IsListed: new.ID != "", Queue: q.Queue, Never: new.Why != nil, Refused: new.Refused, Places: []string{}}
	if misfit, ok := errors.AsType[*cluster.MisfitError](new.Why); ok {
		x.Lacks = misfit.Lacks
	} else if new.Why != nil { // such as that no placement set has room for it
		x.Lacks = new.Why.Error()
	}
	x.IsUntimed = r.rows != nil
	if r.machine.Asked = x; new.Request == nil {
		return nil, nil
	}
	place, ok := r.placeOf(q.Queue, new.Request)
	x.Fits = ok
	for _, part := range place.Parts {
		if name := r.Cluster.Vnodes[part.Vnode].Name; !slices.Contains(x.Places, name) {
			x.Places = append(x.Places, name)
		}
	}
	if r.At == 0 {
		return nil, nil
	}
	becomes, remarks, err := new.Judge(ctx)
	if x.Now, x.Preempts, x.Reached = inSentence(becomes.String()), becomes.Preempts.IDs(), becomes.Reached; becomes.Starts && len(becomes.Nodes) > 0 {
		x.Places = becomes.Nodes // which keep clear of what is reserved
	}
	if becomes.Kept.Waited > 0 && x.Fits {
		x.Kept = becomes.Kept.Says()
	} else if x.Fits && becomes.Starts && err == nil {
		var others string
		if others, err = new.KeptOthers(ctx); others != "" {
			remarks = append(remarks, diag.Warningf("%s", others).OfAsked())
		}
	}
	if _, why, isRoom := strings.Cut(becomes.Reason, replay.WaitsForVnodes+" ("); isRoom && !x.Fits && !becomes.Starts {
		x.Lacks = strings.TrimSuffix(why, ")")
	}
	x.IsBarred = !x.Fits && !x.Never && (strings.HasPrefix(becomes.Reason, outcome.Never) || strings.HasPrefix(becomes.Reason, outcome.Held))
	return remarks, err
}

// sayKinds says for which of several kinds of chunks no vnode has room now, where there is no room for all.
func (r *reader) sayKinds() {
	x := r.machine.Asked
	if x.Fits || x.Never || len(r.machine.Nodes) == 0 {
		return
	}
	var none []string
	for i, k := range r.machine.Nodes[0].Kinds {
		if !slices.ContainsFunc(r.machine.Nodes, func(n nodes.Node) bool { return i < len(n.Kinds) && n.Kinds[i].Fits > 0 }) {
			none = append(none, k.Part)
		}
	}
	if none == nil {
		return
	}
	if x.Lacks != "" {
		x.Lacks += "; "
	}
	x.Lacks += "no vnode has room for " + strings.Join(none, " nor for ")
}

// inSentence returns what becomes of a job as it stands behind "it".
func inSentence(becomes string) string {
	for short, long := range map[string]string{outcome.Never: "never starts: ", outcome.Held: "is held: "} {
		if rest, isSo := strings.CutPrefix(becomes, short); isSo {
			return long + rest
		}
	}
	return becomes
}

// placeOf finds room for a job of a queue on the vnodes of its scheduler.
func (r *reader) placeOf(queue string, asked *cluster.Request) (cluster.Allocation, bool) {
	var others []int32
	for v := range int32(len(r.Cluster.Vnodes)) {
		if !r.state.IsAway(v) && !r.serves(queue, v) {
			others = append(others, v)
			r.state.SetAway(v, true)
		}
	}
	place, ok := r.state.Place(asked, nil)
	for _, v := range others {
		r.state.SetAway(v, false)
	}
	return place, ok
}
