// Package pbs knows what a PBS site says of itself: the scheduler's directory,
// the attributes that qmgr prints, its queues and resources.
package pbs

import (
	"iter"
	"maps"
	"reflect"
	"slices"
	"strings"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/file"
	"fairshare/formula"
	"fairshare/fstree"
)

// Site is all that decides about the order of a site's jobs, besides the jobs
// themselves.
type Site struct {
	SchedPriv *SchedPriv        // nil if it is not known
	NonPrime  bool              // whether the settings for non-prime time apply
	Closed    map[string]string // by queue: why none of its jobs is considered now, besides that it is stopped
	Reserved  map[string]bool   // the queues of the reservations of which it is told whether they have begun
	Queues    []Queue           // in the order of qstat -Q; nil if they are not known
	Resources map[string]formula.Type
	Flags     map[string]string // of Resources, such as "hn"
	Sched     Sched             // Sched.Formula is the formula in force, "" for none
	Changes   []Change          // what With has made of it
	Asked     []Asked           // what With makes of it besides what it is told: changes of files that are given over the site's own
	configs   []configOver      // of files that are given over the site's own, those whose lines ask for settings of sched_config
	Untried   []Asked           // of these, what With has not made, since the order of jobs does not depend on it
	Replaced  []Replaced        // and what it has not made, since something else that is asked for takes its place

	Scheduler  Scheduler   // whose queues, vnodes and tree it is about
	Others     []*Site     // likewise of the other schedulers, where no single one is asked for
	schedulers []Scheduler // that there are, as far as anything tells

	AddedNodes   string       // vnodes that WithReplayed adds, as cluster.ParseSpec reads them
	RemovedNodes string       // names of vnodes that it takes away, such as "n01,g0*"
	AwayNodes    []AwayVnodes // vnodes that it takes away for a while
	OtherVnodes  []OtherVnode // attributes of vnodes that it changes

	// Walltime is what jobs would ask for, made of what they used and asked for; nil for that.
	Walltime *formula.Formula

	DynamicAmounts map[string]string // by resource of server_dyn_res, how much there is, as WithReplayed was told

	ReservationChanges []ReservationChange // reservations that it adds, moves or drops

	Untold string // what its formula, which is left out, needs and nothing tells, "" for nothing
}

// Policy returns the policy of sched_config for the time of day, without fairshare
// where the tree is not known.
func (s *Site) Policy() fstree.Policy {
	if s.SchedPriv == nil {
		return fstree.Policy{}
	}
	policy := s.SchedPriv.Config.Prime
	if s.NonPrime {
		policy = s.SchedPriv.Config.NonPrime
	}
	policy.FairShare = policy.FairShare && s.HasTree()
	return policy
}

// Copied returns a copy of a site, whose formula can be another one.
func (s *Site) Copied() *Site {
	changed := *s
	changed.Others = slices.Clone(s.Others)
	for i, other := range s.Others {
		changed.Others[i] = other.Copied()
	}
	return &changed
}

// AtAnyTime returns a copy of a site for what knows by itself which times have rules of their own: no queue of it is closed, and unless
// it is to be non-prime time all the time, the settings of prime time hold where those rules do not. It is so of all its schedulers.
func (s *Site) AtAnyTime(isNonPrime bool) *Site {
	always := *s
	always.NonPrime, always.Closed = isNonPrime, nil
	always.Others = slices.Clone(s.Others)
	for i, other := range s.Others {
		always.Others[i] = other.AtAnyTime(isNonPrime)
	}
	return &always
}

// WithSchedPriv returns a copy of a site with another sched_priv, and remarks on
// it.
func (s *Site) WithSchedPriv(dir file.Dir) (*Site, []diag.Remark, error) {
	priv, err := LoadSchedPriv(dir, false)
	if err != nil {
		return nil, nil, err
	}
	site := *s
	site.SchedPriv = priv
	return &site, append(priv.Remarks(), site.askConfigAgain(s)...), nil
}

// Accrues reports whether eligible_time grows, as far as anything tells: while eligible_time_enable of the server is
// false, it is 0 of all jobs.
func (s *Site) Accrues() bool {
	return !strings.EqualFold(s.Sched.Server["eligible_time_enable"], "false")
}

// TreeUsers returns whom the fairshare tree has, nobody where it is not known or not of users.
func (s *Site) TreeUsers() []string {
	var users []string
	if s.HasTree() && s.Entity() == "euser" {
		tree := s.SchedPriv.Tree
		for id := range tree.Preorder() {
			if id != fstree.Root && !tree.IsGroup(id) {
				users = append(users, tree.Entity(id).Name)
			}
		}
	}
	return users
}

// HasTree reports whether the site's fairshare tree is known.
func (s *Site) HasTree() bool { return s.SchedPriv != nil && s.SchedPriv.NoTree == nil }

// Entity returns the attribute of a job that names its fairshare entity.
func (s *Site) Entity() string {
	if s.SchedPriv == nil {
		return fstree.DefaultConfig().Entity
	}
	return s.SchedPriv.Config.Entity
}

// Files are what describes a site; the zero value of each is one that is not
// given.
type Files struct {
	SchedPriv file.Dir
	Queues    []file.Source // as qstat -Qf prints them, the best one first
	Resources file.Source   // as qmgr's "list resource" prints them
	Sched     []file.Source // attributes of the server or the scheduler, see Sched
	Formula   file.Source   // the formula in force, "(unset)" for none
	Threshold file.Source   // job_sort_formula_threshold, a number

	Partition string                     // the scheduler that is asked for, or a partition of it; "" for all of them
	Only      string                     // the one file of the sched_priv that is given, "" for a whole directory
	priv      string                     // what the sched_priv is called where it is not the default scheduler's
	Further   func(name string) file.Dir // the directory of another scheduler, as its sched_priv is called; nil where there is none

	// Override are files that are given over the site's own attributes and queues: prints of them, or commands for qmgr. Of what
	// the site tells nothing of they tell what it has, and else they are tried: what if?
	Override       []file.Source
	OverrideQueues file.Source // one more, which has to have queues

	Vnodes func() iter.Seq[map[string]string] // the attributes of the site's vnodes, the name as the one of ""; nil for no such function

	IsChecked bool // whether what stands in them is looked at, and not what comes of it

	IsOwn bool // whether they count for that alone of which the site tells nothing, so that the site is what it is

	ownPriv    file.Dir                   // that of the site, where SchedPriv is another one that is tried; not given for none
	ownFurther func(name string) file.Dir // and Further
}

// TryPriv lets another sched_priv take the place of the site's own, which the site has as it is without what is tried.
func (f *Files) TryPriv(dir file.Dir) {
	if f.SchedPriv.Name != dir.Name {
		f.ownPriv, f.ownFurther = f.SchedPriv, f.Further
	}
	f.SchedPriv, f.Further = dir, nil
}

// ReadBoth reads the site twice: with what is given over what it tells, and as it is without. Each file is read once. The second
// one is nil where nothing is given, or where nothing is known of the site without.
func (f Files) ReadBoth() (site, own *Site, remarks []diag.Remark, err error) {
	f.readOnce()
	site, remarks, err = f.Read()
	if err != nil || !f.hasOverrides() && f.ownPriv.Name == "" {
		return site, nil, remarks, err
	}
	f.IsOwn = true
	if f.ownPriv.Name != "" {
		with := f
		with.SchedPriv, with.Further = f.ownPriv, f.ownFurther
		if own, _, err := with.Read(); err == nil && own.SchedPriv != nil { // else the other one tells what the site itself does not
			return site, own, remarks, nil
		}
	}
	if own, _, err := f.Read(); err == nil {
		return site, own, remarks, nil
	}
	return site, nil, remarks, nil
}

// HasPrivOf reports whether a site has the same sched_priv as another one, or neither has any.
func (s *Site) HasPrivOf(other *Site) bool {
	if s.SchedPriv == nil || other.SchedPriv == nil {
		return s.SchedPriv == other.SchedPriv
	}
	return s.SchedPriv.Dir.Name == other.SchedPriv.Dir.Name
}

// IsReadAs reports whether a site is read as another one is: their attributes, queues and resources are the same, and their sched_priv.
func (s *Site) IsReadAs(other *Site) bool {
	a, b := s.Sched, other.Sched
	a.Sources, b.Sources = nil, nil
	isSame := reflect.DeepEqual(a, b) && reflect.DeepEqual(s.Queues, other.Queues) && maps.Equal(s.Resources, other.Resources) && maps.Equal(s.Flags, other.Flags)
	return isSame && s.HasPrivOf(other) && slices.EqualFunc(s.Others, other.Others, (*Site).IsReadAs)
}

// Read returns the site that the files describe, with remarks on what is missing
// or doubtful in them.
func (f Files) Read() (*Site, []diag.Remark, error) {
	site := &Site{Sched: defaultSched()}
	f.readOnce()
	if site.schedulers = f.readSchedulers(); f.Partition != "" || len(site.schedulers) > 0 {
		var err error
		if site.Scheduler, err = chosen(site.schedulers, f.Partition); err != nil {
			return nil, nil, err
		}
	}
	if f.Partition != "" && site.Scheduler.Partitions != nil && f.Further != nil {
		if own := f.privOf(site.Scheduler); own.Name != "" {
			f.SchedPriv, f.priv = own, site.Scheduler.Priv
		}
	}
	var remarks []diag.Remark
	var failed error
	read := func(from file.Source, part func(file.Source) ([]diag.Remark, error)) {
		if !from.IsGiven() || failed != nil {
			return
		}
		more, err := part(from)
		if err != nil && from.Optional {
			more = append(more, diag.Damagef("%v", err))
		} else if err != nil {
			failed = err
		}
		remarks = append(remarks, more...)
	}
	read(f.Resources, site.readResources)
	before := prints{}
	attributes := func(from file.Source) ([]diag.Remark, error) {
		return site.Sched.read(from, site.Scheduler.Name, before)
	}
	for _, from := range f.Sched {
		read(from, attributes)
	}
	read(f.Formula, site.readFormula)
	read(f.Threshold, site.readThreshold)
	if f.hasOverrides() {
		read(f.overrides()[0], func(file.Source) ([]diag.Remark, error) { return f.override(site) })
	} else if len(f.Queues) > 0 {
		read(f.Queues[0], func(file.Source) ([]diag.Remark, error) { return site.readQueues(f.Queues) })
	}
	if failed != nil {
		return site, remarks, failed
	}
	if f.Partition == "" {
		remarks = append(remarks, f.readOthers(site)...)
	}
	if site.Queues != nil {
		remarks = append(remarks, site.say()...)
	}
	remarks = append(remarks, site.unknownGroupKeys()...)
	if f.SchedPriv.Name == "" {
		remarks = append(remarks, f.askConfig(site)...)
		return site, append(remarks, site.checkAsked()...), nil
	}
	priv, err := LoadSchedPriv(f.SchedPriv, false)
	switch {
	case err == nil:
		site.SchedPriv, priv.only, priv.of = priv, f.Only, f.priv
		remarks = append(remarks, priv.Remarks()...)
		remarks = append(remarks, site.unknownResources()...)
		if !site.Sched.IsOfAttributes() {
			remarks = append(remarks, site.Sched.takeOld(priv)...)
		}
	case f.SchedPriv.Optional:
		remarks = append(remarks, diag.Damagef("fairshare terms cannot be computed: %v", err))
	default:
		return nil, nil, err
	}
	remarks = append(remarks, f.askConfig(site)...)
	return site, append(remarks, site.checkAsked()...), nil
}

// maxFormulaFile is more than any formula that can be evaluated.
const maxFormulaFile = 2 * formula.MaxLength

// ReservationChange is a reservation that was not, that was at another time or on other vnodes,
// or that was and is dropped.
type ReservationChange struct {
	Name      string // such as maint or R12; * for all of the record
	IsDropped bool
	From, To  string // as they were written
	Vnodes    string // such as "n01,g0*"; "" for those that it had
}

// OtherVnode is what an attribute of vnodes is in place of what pbsnodes tells.
type OtherVnode struct {
	Names     string // such as "n03" or "g0*"
	Attribute string // queue, or resources_available of a resource
	Value     string // "" for one that is not set
}

// HasOtherVnodes reports whether what is set makes other vnodes of those that pbsnodes tells, for good.
func (s *Site) HasOtherVnodes() bool {
	return s.AddedNodes+s.RemovedNodes != "" || s.OtherVnodes != nil
}

// AwayVnodes are vnodes that are away for a while: offline, so that nothing starts on them, or
// down, so that they lose what runs there as well.
type AwayVnodes struct {
	Names    string // such as "n03" or "g0*"
	IsDown   bool
	From, To string // as they were written; "" for always
	IsNever  bool   // whether they are not, as a site's list of vnodes has it: they are put back
}

// State returns what pbsnodes calls them while they are away.
func (v AwayVnodes) State() string {
	if v.IsDown {
		return "down"
	}
	return "offline"
}
