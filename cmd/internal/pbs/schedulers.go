package pbs

import (
	"cmp"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/file"
)

// Scheduler is one of the schedulers of a site: the default one, which places the jobs of all queues that are in no
// partition, or one that places those of some partitions.
type Scheduler struct {
	Name       string
	Partitions []string // nil for the default one
	Priv       string   // what its sched_priv is called, "" where nothing tells
}

// DefaultPartition is what PBS calls the partition of the default scheduler.
const DefaultPartition = "pbs-default"

// Places reports whether a scheduler places jobs on what is in a partition, "" for none.
func (s *Scheduler) Places(partition string) bool {
	if partition == "" || partition == DefaultPartition {
		return s.Partitions == nil
	}
	return slices.Contains(s.Partitions, partition)
}

// goesBy reports whether a scheduler is the one that a person names, by itself or one of its partitions.
func (s *Scheduler) goesBy(name string) bool {
	return name == s.Name || slices.Contains(s.Partitions, name) || s.Partitions == nil && name == DefaultPartition
}

// schedulerOf returns what an object of qmgr says of a scheduler.
func schedulerOf(o *Object) Scheduler {
	s := Scheduler{Name: o.Name}
	if !IsDefaultScheduler(o.Name) {
		s.Partitions = []string{} // one that has none yet places nothing
	}
	for _, a := range o.Attributes {
		switch a.Name {
		case "partition":
			for name := range strings.SplitSeq(a.Value, ",") {
				if name = strings.TrimSpace(name); name != "" && s.Partitions != nil {
					s.Partitions = append(s.Partitions, name)
				}
			}
		case "sched_priv":
			s.Priv = path.Base(a.Value)
		}
	}
	return s
}

// Schedulers returns the schedulers that there are, as far as anything tells.
func (s *Site) Schedulers() []Scheduler { return s.schedulers }

// Queue returns the queue of a name; one that the site does not have is like any other in no partition.
func (s *Site) Queue(name string) Queue {
	if at := slices.IndexFunc(s.Queues, func(q Queue) bool { return q.Name == name }); at >= 0 {
		return s.Queues[at]
	}
	return Queue{Name: name}
}

// AddPartition says in which partition a queue is, where the queue itself does not: that of a reservation.
func (s *Site) AddPartition(queue, partition string) {
	queues := slices.Clone(s.Queues)
	at := slices.IndexFunc(queues, func(q Queue) bool { return q.Name == queue })
	switch {
	case at < 0:
		queues = append(queues, Queue{Name: queue, Partition: partition})
	case queues[at].Partition == "":
		queues[at].Partition = partition
	}
	s.Queues = queues
	for _, other := range s.Others {
		other.Queues = queues
	}
}

// Places reports whether the site's own scheduler places the jobs of a queue.
func (s *Site) Places(queue string) bool { return s.Scheduler.Places(s.Queue(queue).Partition) }

// Serves reports whether jobs of a queue may run on vnodes of a partition: whether one scheduler places the ones on the others.
func (s *Site) Serves(queue, partition string) bool {
	of := s.Queue(queue).Partition
	places := func(x Scheduler) bool { return x.Places(of) && x.Places(partition) }
	return of == partition || places(s.Scheduler) || slices.ContainsFunc(s.schedulers, places)
}

// IsPlaced reports whether some scheduler that is told of places jobs on vnodes of a partition.
func (s *Site) IsPlaced(partition string) bool {
	return s.Scheduler.Places(partition) || slices.ContainsFunc(s.schedulers, func(x Scheduler) bool { return x.Places(partition) })
}

// QueuesOf returns the queues whose jobs a scheduler places that goes by a name, or by that of one of its partitions.
// isKnown is false where there is none.
func (s *Site) QueuesOf(name string) (queues []string, isKnown bool) {
	at := slices.IndexFunc(s.schedulers, func(x Scheduler) bool { return x.goesBy(name) })
	if at < 0 {
		return nil, false
	}
	for _, q := range s.Queues {
		if !q.Routes && s.schedulers[at].Places(q.Partition) {
			queues = append(queues, q.Name)
		}
	}
	return queues, true
}

// PlaceNames returns the names of the queues of a site and, of several schedulers, theirs and those of their partitions, by which
// queues can be asked for as well; and what all of them are called.
func (s *Site) PlaceNames() (called string, names []string) {
	for _, q := range s.Queues {
		names = append(names, q.Name)
	}
	if len(s.schedulers) < 2 {
		return "queue", names
	}
	for _, x := range s.schedulers {
		names = append(append(names, x.Name), x.Partitions...)
	}
	return "queue, partition or scheduler", names
}

// Has reports whether the jobs of a queue are any scheduler's of the site: its own or that of one of Others.
func (s *Site) Has(queue string) bool {
	return s.Places(queue) || slices.ContainsFunc(s.Others, func(other *Site) bool { return other.Places(queue) })
}

// IsUnplaced reports whether a queue is in a partition of whose scheduler nothing tells.
func (s *Site) IsUnplaced(queue string) bool {
	partition := s.Queue(queue).Partition
	places := func(other Scheduler) bool { return other.Places(partition) }
	return !s.Scheduler.Places(partition) && !slices.ContainsFunc(s.schedulers, places)
}

// PlacedBy says who places the jobs of a queue that the site's own scheduler does not.
func (s *Site) PlacedBy(queue string) string {
	partition := s.Queue(queue).Partition
	for i := range s.schedulers {
		if s.schedulers[i].Places(partition) {
			return "scheduler " + s.schedulers[i].Name
		}
	}
	return "the scheduler of partition " + partition
}

// NoSchedulerError says that a site has no scheduler of a name.
type NoSchedulerError struct {
	Name  string
	There []string
}

func (e *NoSchedulerError) Error() string {
	if len(e.There) == 0 {
		return fmt.Sprintf("there is no partition %s: nothing tells of schedulers (qmgr -c 'list sched')", e.Name)
	}
	return fmt.Sprintf("there is no partition and no scheduler %s; there are %s", e.Name, strings.Join(e.There, ", "))
}

// readSchedulers finds the schedulers of a site in the attributes that files have.
func (f *Files) readSchedulers() (all []Scheduler) {
	var own []*Object
	for i, from := range slices.Concat(f.Sched, f.Override) {
		text, err := from.Text(maxFile)
		if err != nil {
			continue // which is told when it is read for what it says
		}
		objects, _ := ParseObjects(from.Name, text)
		if i < len(f.Sched) {
			own = append(own, objects...)
		} else if len(own) > 0 && isCommands(text) { // which may set what there is not
			objects = parseChanges(own, there{}, text).objects
		}
		for _, o := range objects {
			if o.Kind != "sched" {
				continue
			}
			found := schedulerOf(o)
			at := slices.IndexFunc(all, func(s Scheduler) bool { return s.Name == found.Name })
			if at < 0 {
				all = append(all, found)
				continue
			}
			if len(found.Partitions) > 0 {
				all[at].Partitions = found.Partitions
			}
			if found.Priv != "" {
				all[at].Priv = found.Priv
			}
		}
	}
	return all
}

// chosen returns the scheduler that is asked for, the default one where none is.
func chosen(all []Scheduler, name string) (Scheduler, error) {
	if name == "" {
		if at := slices.IndexFunc(all, func(s Scheduler) bool { return s.Partitions == nil && IsDefaultScheduler(s.Name) }); at >= 0 {
			return all[at], nil
		}
		if len(all) == 1 {
			return Scheduler{Name: all[0].Name, Priv: all[0].Priv}, nil // somebody gives this one as the one that there is
		}
		return Scheduler{Name: defaultScheduler}, nil
	}
	var there []string
	for _, s := range all {
		if s.goesBy(name) {
			return s, nil
		}
		there = append(there, s.Name)
		there = append(there, s.Partitions...)
	}
	return Scheduler{}, &diag.RequestError{Err: &NoSchedulerError{name, there}}
}

// readOnce has the sources with attributes or queues and those that win over others read once, however often they are asked for.
func (f *Files) readOnce() {
	f.Sched, f.Queues, f.Override, f.OverrideQueues = slices.Clone(f.Sched), slices.Clone(f.Queues), slices.Clone(f.Override), once(f.OverrideQueues)
	for _, sources := range [][]file.Source{f.Sched, f.Queues, f.Override} {
		for i := range sources {
			sources[i] = once(sources[i])
		}
	}
}

// once returns a source that is read once.
func once(from file.Source) file.Source {
	if !from.IsGiven() {
		return from
	}
	var text string
	var err error
	isRead := false
	kept := from
	kept.Open = func() (io.ReadCloser, error) {
		if !isRead {
			text, err = from.Text(maxFile)
			isRead = true
		}
		return io.NopCloser(strings.NewReader(text)), err
	}
	return kept
}

// privOf returns the directory of a scheduler, not given where nothing leads to it.
func (f *Files) privOf(s Scheduler) file.Dir {
	if f.Further == nil || s.Priv == "" {
		return file.Dir{}
	}
	return f.Further(s.Priv)
}

// readOthers reads what is told of the other schedulers that place jobs of the site's queues.
func (f *Files) readOthers(site *Site) []diag.Remark {
	var remarks []diag.Remark
	for _, s := range site.schedulers {
		places := func(q Queue) bool { return s.Places(q.Partition) }
		if s.Name == site.Scheduler.Name || !slices.ContainsFunc(site.Queues, places) {
			continue
		}
		of := *f
		of.Partition, of.Queues, of.OverrideQueues.Open, of.SchedPriv = s.Name, nil, nil, f.privOf(s)
		other, more, err := of.Read()
		if err != nil {
			remarks = append(remarks, diag.Damagef("scheduler %s: %v", s.Name, err))
			continue
		}
		other.Queues = site.Queues
		site.Others = append(site.Others, other)
		for _, r := range more {
			if !slices.Contains(remarks, r) {
				remarks = append(remarks, r)
			}
		}
	}
	return remarks
}

// say says which schedulers a site has, if there are several.
func (s *Site) say() []diag.Remark {
	if len(s.schedulers) < 2 {
		return nil
	}
	var names []string
	for _, other := range s.schedulers {
		text := other.Name
		if other.Partitions != nil {
			text += " (" + strings.Join(other.Partitions, ", ") + ")"
		}
		names = append(names, text)
	}
	if len(s.Others) == 0 {
		return []diag.Remark{diag.Notef("of the schedulers %s, this is about %s: its queues, vnodes and tree (--partition NAME)", strings.Join(names, " and "), s.Scheduler.Name)}
	}
	return []diag.Remark{diag.Notef("schedulers %s each place the jobs of their own queues on their own vnodes, by their own tree (--partition NAME)", strings.Join(names, " and "))}
}

// setOthers lets settings hold for the other schedulers as well: all but those of entities, which are of a tree.
func (s *Site) setOthers(asked []Asked, settings []string, on Effect) error {
	isForAll := func(setting string) bool {
		of, _, _ := strings.Cut(setting, ".")
		return slices.Contains([]string{"server", "sched", "queue", dynamicResources}, strings.TrimSpace(of))
	}
	shared := slices.DeleteFunc(slices.Clone(settings), func(setting string) bool { return !isForAll(setting) })
	s.Others = slices.Clone(s.Others)
	for i, other := range s.Others {
		before := *other
		before.Asked = slices.Concat(asked, other.Asked)
		changed, err := before.with(shared, on)
		if err != nil {
			return err
		}
		s.Others[i] = changed
		for at := range s.Changes {
			s.Changes[at].addWas(changed)
		}
	}
	return nil
}

// addWas adds what a setting was of another scheduler of the site, if that was something else.
func (c *Change) addWas(other *Site) {
	at := slices.IndexFunc(other.Changes, func(of Change) bool { return of.Name == c.Name && (of.Where == "") == (c.Where == "") })
	if at < 0 || other.Changes[at].Was == c.Was {
		return
	}
	c.Was = fmt.Sprintf("%s; of scheduler %s %s", cmp.Or(c.Was, "not set"), other.Scheduler.Name, cmp.Or(other.Changes[at].Was, "not set"))
}

// WithFormula makes a formula that of all schedulers of a site, "" for none.
func (s *Site) WithFormula(formula string) *Site {
	changed := *s
	changed.replace(Change.IsFormula, map[bool]string{true: "--no-formula", false: ofFormula}[formula == ""])
	changed.Sched.Formula = formula
	changed.Others = slices.Clone(s.Others)
	for i, other := range s.Others {
		changed.Others[i] = other.WithFormula(formula)
	}
	return &changed
}

// OfTree returns the site of the scheduler that places the jobs of a partition, or for "" of the default one, with
// what is told of its tree and its queues alone.
func (f Files) OfTree(partition string) (*Site, []diag.Remark, error) {
	f.readOnce()
	all := f.readSchedulers()
	own, err := chosen(all, partition)
	if err != nil {
		return nil, nil, err
	}
	alone := Files{SchedPriv: f.SchedPriv}
	if own.Partitions != nil && f.Further != nil {
		alone.SchedPriv, alone.priv = f.privOf(own), own.Priv
	}
	site, remarks, err := alone.Read()
	if err != nil || len(all) < 2 {
		return site, remarks, err
	}
	site.Scheduler, site.schedulers = own, all
	if f.HasQueues() {
		said, err := f.readQueues(site)
		if remarks = append(remarks, said...); err != nil {
			remarks = append(remarks, diag.Damagef("%v", err))
		}
	}
	return site, append(remarks, site.say()...), nil
}

// PartitionOf returns the scheduler that places the jobs of some queues, "" for the default one or several, and which of
// the names are queues: one may name a partition in their place.
func (f Files) PartitionOf(names []string) (partition string, queues []string) {
	f.readOnce()
	all := f.readSchedulers()
	if len(all) < 2 || !f.HasQueues() {
		return "", names
	}
	site := &Site{schedulers: all}
	if _, err := f.readQueues(site); err != nil {
		return "", names
	}
	for i, name := range names {
		isQueue := slices.ContainsFunc(site.Queues, func(q Queue) bool { return q.Name == name })
		at := slices.IndexFunc(all, func(s Scheduler) bool {
			return isQueue && s.Places(site.Queue(name).Partition) || !isQueue && s.goesBy(name)
		})
		if at < 0 || i > 0 && all[at].Name != partition {
			return "", names
		}
		partition = all[at].Name
		if isQueue {
			queues = append(queues, name)
		}
	}
	return partition, queues
}
