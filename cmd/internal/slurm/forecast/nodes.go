package forecast

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/forecast"
	"fairshare/cmd/internal/outcome"
	"fairshare/cmd/internal/report"
	"fairshare/cmd/internal/slurm"
	"fairshare/cmd/internal/slurm/sched"
	"fairshare/cmd/internal/slurm/setup"
	"fairshare/cmd/internal/trace"
)

// RunningJob is a job of the list that runs.
type RunningJob struct {
	ID, User string
	*sched.Job
}

// ReadNodes returns a site with the jobs that run and wait now and what is reserved, with nothing of its past.
func ReadNodes(now *setup.Site, zone *time.Location) (*Site, []diag.Remark) {
	s := newSite(now, zone)
	s.begin(trace.OfSlurm())
	remarks := append(s.keep(), s.addJobs()...)
	s.KeepUnknown()
	return s, remarks
}

// Running returns the jobs that run, in the order of the list.
func (s *Site) Running() (list []RunningJob) {
	for id, p := range s.listed {
		if p.Start > 0 {
			list = append(list, RunningJob{id, p.user, p.Job})
		}
	}
	slices.SortFunc(list, func(a, b RunningJob) int { return a.Job.ID - b.Job.ID })
	return list
}

// Wish is what a job asks for that would be submitted.
type Wish struct {
	*sched.Request
	Partitions []int  // where it may run: those that are named, or all
	Named      string // those that are named, "" for none
	Begin      int64  // when it may start first: now, or as --begin or its reservation says
	Waits      string // why that is later, "" for now
	ID, User   string // of a job of the list, "" for one that is not there yet
	Held       string // why such a one does not start whatever there is room for, "" if it may
	own        int32  // the number of the reservation that it asks for, 0 for none
	limit      int64  // in seconds, 0 for that of the partition
	site       *Site
	offer      *offer
	closed     map[int]*sched.Limit // by partition where it may run, see ClosedTo

	said      []diag.Remark // of the line that asks for it
	isAnybody bool          // whether nothing tells who submits it, nor of which account it is

	Refused   string   // why Slurm does not take it, "" if it does
	RefusedBy []string // the partitions in which Slurm does not take it, where none is named
}

// Limit returns for how long the job may run in a partition, in seconds.
func (w *Wish) Limit(partition int) int64 {
	if w.limit > 0 {
		return w.limit
	}
	limit, _ := w.site.usualLimit(partition)
	return limit
}

// PlaceIn returns where it would run in a partition on a machine, from a time on, nil for nowhere.
func (w *Wish) PlaceIn(m *sched.Machine, partition int, at, limit int64) []sched.Share {
	return m.PlaceIn(w.site.Setup, w.Request, partition, at, limit, w.own)
}

// Preempts reports whether jobs that run may go for it.
func (w *Wish) Preempts() bool { return w.site.Setup.Preempts() || w.site.Setup.Suspends() }

// Judge returns what a pass and a cycle right now make of it in a partition where nothing else waits: whether it starts, for which jobs
// that run and go for it, and else what it waits for, "" where that is the pass itself.
func (w *Wish) Judge(ctx context.Context, partition int) (becomes forecast.CycleResult, err error) {
	j, err := w.in(partition).job()
	if err != nil {
		return becomes, err
	}
	var running []*sched.Job
	for _, x := range w.site.Running() {
		running = append(running, x.Job.Change())
		running[len(running)-1].Run = max(0, w.site.At-x.Start) + 2*sched.Soon
	}
	waits, gone, err := w.site.Setup.Alone(ctx, j, running, w.site.At, w.site.Swept)
	if err != nil {
		return becomes, err
	}
	if becomes = w.site.becomesOf(j, gone, w.site.byNumber(gone)); becomes.Reason == "" && waits != sched.WaitsForPass {
		becomes.Reason = waits
	}
	if gone != nil {
		for _, share := range gone[0].Shares {
			becomes.Nodes = append(becomes.Nodes, w.site.Setup.Nodes[share.Node].Name)
		}
	}
	becomes.ID = forecast.NewID
	return becomes, nil
}

// LeavesOut says by which option a node is none for it, "" where it may have it.
func (w *Wish) LeavesOut(node int) (option, why string) {
	wanted, _ := slurm.Hostlist(w.offer.asked["nodelist"])
	unwanted, _ := slurm.Hostlist(w.offer.asked["exclude"])
	switch name := w.site.Setup.Nodes[node].Name; {
	case w.ID != "" && w.On != nil && !w.On.Has(node):
		return "nodelist", "not among those that it may have (-w, -x)"
	case w.ID != "":
	case slices.Contains(unwanted, name):
		return "excluded", "-x"
	case w.Request.Named && w.Request.With == nil && !slices.Contains(wanted, name):
		return "nodelist", "not named by -w"
	case !slices.Contains(wanted, name) && w.site.Setup.WantedDown(w.Request) != nil:
		return "nodelist", "only beside " + strings.Join(wanted, ", ") + " (-w)"
	}
	return "", ""
}

// in returns it as an offer of one of its partitions.
func (w *Wish) in(partition int) *offer {
	of := *w.offer
	of.asked = maps.Clone(w.offer.asked)
	of.asked["partition"] = w.site.Setup.Partitions[partition].Name
	return &of
}

// IsReserved reports whether it asks for a reservation, beside which there is no room for it.
func (w *Wish) IsReserved() bool { return w.own != 0 }

// Keeping returns the reservations that keep a node from it in a partition when it begins.
func (w *Wish) Keeping(node, partition int) []string {
	return w.site.Setup.Keeping(node, w.Begin, w.Begin+w.Limit(partition), w.own)
}

// ClosedTo says by which rule a partition starts no such job, "" for none, and whether that is so as the partition is now.
func (w *Wish) ClosedTo(partition int) (why string, isOfNow bool) {
	by := w.closed[partition]
	return inWords(by), by != nil && by.IsOfNow
}

// close finds out by which rules partitions start no such job, and why Slurm does not take it. The rules that look at who
// submits it are asked where that is known.
func (w *Wish) close(o *offer) error {
	w.closed = map[int]*sched.Limit{}
	isTaken := false
	for _, p := range w.Partitions {
		of := w.in(p)
		j, err := of.job()
		if err != nil {
			return err
		}
		if o.user != "" {
			w.closed[p] = w.site.tells().Never(j)
		} else {
			w.closed[p] = w.site.Setup.ClosedTo(j, o.asked["qos"] != "")
		}
		if w.Named == "" {
			why := of.Refused()
			if why != "" {
				w.RefusedBy = append(w.RefusedBy, w.site.Setup.Partitions[p].Name)
			}
			w.Refused = cmp.Or(w.Refused, why)
			isTaken = isTaken || why == ""
		}
	}
	switch {
	case w.Named != "":
		w.Refused = o.Refused()
	case isTaken:
		w.Refused = ""
	}
	return nil
}

// Unlooked says what is not looked at of the line that asks for it, and which lists of accounts, where nothing tells whose job it is.
func (w *Wish) Unlooked() []diag.Remark {
	var names []string
	for _, p := range w.Partitions {
		if access := w.site.Setup.Access; w.isAnybody && access != nil && (access[p].Accounts != nil || access[p].DeniedAccounts != nil) {
			names = append(names, w.site.Setup.Partitions[p].Name)
		}
	}
	if names == nil {
		return w.said
	}
	return append(slices.Clip(w.said), diag.Notef("neither --user nor an account (-A) tells whose job it is: which accounts may use partition %s is not looked at", strings.Join(names, ", ")))
}

// WishOf returns what a job asks for by some options of sbatch, which a user would submit; "" where nothing tells who does.
func (s *Site) WishOf(queue, user, resources string) (*Wish, error) {
	asked, said, err := s.parseLine(resources)
	if err != nil {
		return nil, err
	}
	if asked["partition"] == "" {
		asked["partition"] = queue
	} else if queue != "" && queue != asked["partition"] {
		return nil, wrong("partition=%s is asked for beside --partition %s", asked["partition"], queue)
	}
	w := &Wish{Named: asked["partition"], site: s, isAnybody: user == "" && asked["account"] == ""}
	if w.Partitions, err = s.partitionsOf(asked["partition"]); err != nil {
		return nil, err
	}
	if text, ok := asked["time"]; ok {
		w.limit, _ = limitOf(text)
	}
	o := &offer{site: s, user: user, asked: asked}
	w.offer = o
	if w.Request, err = o.request(nil, w.Partitions[0]); err != nil {
		return nil, err
	}
	w.Request = s.withinMemory(w.Request, w.Partitions[0])
	j := &sched.Job{Request: w.Request, Submit: s.At}
	if err := o.setBegin(j); err != nil {
		return nil, err
	}
	if err := o.setDependency(j); err != nil {
		return nil, err
	}
	w.Begin, w.Waits, w.own = j.Submit, s.begins(j), j.Reservation
	if _, isStuck := o.depends(); isStuck {
		w.Waits = "waits for jobs of which nothing tells when it is met (--dependency)"
	}
	if o.isHeld() {
		w.Waits = "is held until somebody releases it (--hold)"
	}
	if k := s.Setup.ReservationOf(j); k != nil && !k.IsFlex {
		w.Begin = max(w.Begin, k.Start)
	}
	w.said = slices.Concat(said, o.otherwise(j))
	return w, w.close(o)
}

// WishOfJob returns what a job of the list asks for that waits, which is asked for by its ID. An error is for a job that does not wait.
func (s *Site) WishOfJob(asked string) (*Wish, error) {
	ids := s.waiting()
	at := slices.IndexFunc(ids, func(id string) bool { return id == asked || s.listed[id].row == asked })
	if at < 0 {
		at = slices.IndexFunc(ids, func(id string) bool { return trace.IsNamed(id, asked) })
	}
	if at >= 0 {
		return s.wishOf(ids[at], s.listed[ids[at]]), nil
	}
	for id := range s.listed {
		if trace.IsNamed(id, asked) {
			return nil, diag.Requestf("job %s does not wait, it runs: where a job could run now is told of those that wait", id)
		}
	}
	return nil, &diag.NoJobError{Name: asked}
}

// waiting returns the jobs of the list that wait, in the order of the list, with each task of an array.
func (s *Site) waiting() (ids []string) {
	for id, p := range s.listed {
		if p.Start == 0 {
			ids = append(ids, id)
		}
	}
	slices.SortFunc(ids, func(a, b string) int { return s.listed[a].Job.ID - s.listed[b].Job.ID })
	return ids
}

// wishOf returns what a job of the list asks for.
func (s *Site) wishOf(id string, p listedJob) *Wish {
	partitions := p.Partitions
	if len(partitions) == 0 {
		partitions = []int{p.Partition}
	}
	w := &Wish{ID: id, User: p.user, Request: p.Request, Partitions: partitions, Begin: max(s.At, p.Submit), own: p.Reservation, limit: p.Limit, site: s, closed: map[int]*sched.Limit{}}
	w.offer = &offer{site: s, id: id, user: p.user, asked: options{}}
	var names []string
	for _, at := range partitions {
		names = append(names, s.Setup.Partitions[at].Name)
		of := p.Change()
		of.Partition, of.Partitions = at, nil
		w.closed[at] = s.tells().Never(of)
	}
	w.Named = strings.Join(names, ",")
	switch why, isHeld := strings.CutPrefix(p.why, outcome.Held); {
	case isHeld:
		w.Held = "is held: " + why
	case p.why != "":
		w.Held = strings.Replace(p.why, outcome.Never, "never starts: ", 1)
	case p.Submit > s.At:
		w.Waits = s.begins(p.Job)
	}
	if k := s.Setup.ReservationOf(p.Job); k != nil && !k.IsFlex {
		w.Begin = max(w.Begin, k.Start)
	}
	return w
}

// Text says in short what a job of the list asks for.
func (w *Wish) Text() string {
	least, most := max(1, w.MinNodes), w.MaxNodes
	if most == 0 {
		most = max(least, w.Tasks) // with a task on each
	}
	on := report.Count(int(least), "node")
	switch {
	case least == most:
	case w.MaxNodes > 0:
		on = fmt.Sprintf("%d to %d nodes", least, most)
	default:
		on = fmt.Sprintf("%d or more nodes", least)
	}
	return fmt.Sprintf("%s (%s on %s)", w.ID, report.Count(int(w.CPUs), "cpu"), on)
}

// WaitingWishes returns what each job of the list that waits asks for, of arrays in one, in the order of the list.
func (s *Site) WaitingWishes() (list []*Wish) {
	row := ""
	for _, id := range s.waiting() {
		if p := s.listed[id]; p.row != row {
			row, list = p.row, append(list, s.wishOf(id, p))
			list[len(list)-1].ID = row
		}
	}
	return list
}

// partitionsOf returns the partitions of a list of names, or all for "".
func (s *Site) partitionsOf(list string) (partitions []int, err error) {
	if list != "" {
		return s.partitionsNamed(list)
	}
	for i := range s.Setup.Partitions {
		partitions = append(partitions, i)
	}
	if partitions == nil {
		return nil, wrong("the site has no partition")
	}
	return partitions, nil
}

// partitionsNamed returns the partitions of a list of names.
func (s *Site) partitionsNamed(list string) (partitions []int, err error) {
	for name := range strings.SplitSeq(list, ",") {
		at := s.Setup.PartitionNamed(name)
		if at < 0 {
			return nil, fmt.Errorf("%w (sbatch refuses it: Invalid partition name specified)", s.noPartition(name))
		}
		partitions = append(partitions, at)
	}
	return partitions, nil
}

// Lists returns the names of a list of partitions, which the site is to have.
func (s *Site) Lists(list string) ([]string, error) {
	names := strings.Split(list, ",")
	for _, name := range names {
		if s.Setup.PartitionNamed(name) < 0 {
			return nil, s.noPartition(name)
		}
	}
	return names, nil
}

// noPartition says that the site has no partition of a name.
func (s *Site) noPartition(name string) error {
	return &forecast.NoQueueError{Called: "partition", Queue: name, There: s.Setup.PartitionNames()}
}
