package forecast

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/pbs"
	"fairshare/cmd/internal/pbs/cluster"
	"fairshare/cmd/internal/pbs/order"
	"fairshare/cmd/internal/pbs/replay"
	"fairshare/cmd/internal/pbs/world"
)

// Under returns the site under another policy from now on: with what its settings make of the vnodes, the
// reservations and the scheduler, and remarks on them. The jobs are those of now, and what is learned of
// the past stays; ranks are those that Rank finds. Its error is a *diag.SettingError, a *cluster.SpecError, or about what was read.
func (s *Site) Under(changed *pbs.Site, plan *order.Plan) (*Site, []diag.Remark, error) {
	if changed.Walltime != nil {
		return nil, nil, &diag.SettingError{Setting: "walltime", Err: errors.New("it is made of what jobs have used, which is not known of those that wait; --try walltime=TIME asks for another one")}
	}
	jobs := slices.Clone(s.Past.Jobs)
	for _, n := range s.Now {
		jobs = append(jobs, n.Job)
	}
	if err := replay.CheckLimits(changed, s.Past.Names, jobs); err != nil {
		return nil, nil, err
	}
	of := *s
	of.Site, of.Plan, of.ranks = changed, plan, nil
	var remarks []diag.Remark
	if !changed.HasPrivOf(s.Site) {
		remarks = of.readHours(nil)
	}
	said, err := of.changePlaces()
	if err != nil {
		return nil, nil, err
	}
	return &of, append(remarks, said...), nil
}

// changePlaces makes the vnodes and the reservations what settings of the site make of them.
func (s *Site) changePlaces() ([]diag.Remark, error) {
	all, err := s.clusterOf(s.Site)
	if err != nil {
		return nil, err
	}
	if s.Cluster, err = replay.ChangedCluster(all, s.Site); err != nil {
		return nil, err
	}
	isBack, err := s.putBack()
	if err != nil {
		return nil, err
	}
	if isBack || s.Site.OtherVnodes != nil { // what is in use of them besides is of other amounts
		s.shown = nil
		s.takeVnodes()
	}
	var remarks []diag.Remark
	if lacks := s.Cluster.AddedLack(); len(lacks) > 0 {
		remarks = append(remarks, diag.Warningf("nodes.added have no %s: jobs that ask for it do not run there", strings.Join(lacks, ", ")))
	}
	isGone := func(name string) bool {
		_, isThere := s.Cluster.Number(name)
		return !isThere
	}
	s.Away = slices.DeleteFunc(slices.Clone(s.Away), isGone)
	if err := s.keepsRunning(isGone); err != nil {
		return nil, err
	}
	happens := world.World{Reservations: s.Reservations}
	if err := replay.Change(&happens, s.Site, s.Cluster, s.Zone); err != nil {
		return nil, err
	}
	if err := s.happen(&happens); err != nil {
		return nil, err
	}
	return slices.Concat(remarks, s.awayAlready(), replay.IdleChanges(s.Site, &happens)), nil
}

// putBack lets vnodes be there which are away by the list, where settings say so, and reports whether there are some. Its error is a
// *diag.SettingError.
func (s *Site) putBack() (isAny bool, err error) {
	var back []string
	for _, away := range s.Site.AwayNodes {
		if !away.IsNever {
			continue
		}
		fail := func(err error) (bool, error) {
			return false, &diag.SettingError{Setting: fmt.Sprintf("node.%s.%s=never", away.Names, away.State()), Err: err}
		}
		numbers, err := s.Cluster.Find(away.Names)
		if err != nil {
			return fail(err)
		}
		var names []string
		for _, v := range numbers {
			names = append(names, s.Cluster.Vnodes[v].Name)
		}
		listing, has := s.Listing.Without(away.State(), names)
		if !has {
			return fail(fmt.Errorf("by pbsnodes none of them is %s", away.State()))
		}
		back = append(back, names...)
		s.Listing, isAny = listing, true
	}
	for _, name := range s.Listing.Away() {
		if slices.Contains(back, name) {
			return false, &diag.SettingError{Setting: "node." + name, Err: fmt.Errorf("it would still be %s, and nothing start there (node.%s.down=never)", s.Listing.State(name), name)}
		}
	}
	if isAny {
		isThere := func(name string) bool { _, is := s.Cluster.Number(name); return is }
		s.Away = slices.DeleteFunc(s.Listing.Away(), func(name string) bool { return !isThere(name) })
	}
	return isAny, nil
}

// awayAlready says which settings take vnodes away that are away as the list has it.
func (s *Site) awayAlready() (remarks []diag.Remark) {
	for _, away := range s.Site.AwayNodes {
		numbers, err := s.Cluster.Find(away.Names)
		isOther := func(v int32) bool {
			_, is := pbs.WithoutState(s.Listing.State(s.Cluster.Vnodes[v].Name), away.State())
			return !is
		}
		if err == nil && !away.IsNever && away.From == "" && !slices.ContainsFunc(numbers, isOther) {
			of := away.State()
			remarks = append(remarks, diag.Warningf("node.%s.%s=always changes nothing: %s %s already (never puts back)", away.Names, of, away.Names, map[bool]string{true: "is ", false: "are all "}[len(numbers) == 1]+of).OfAsked())
		}
	}
	return remarks
}

// AwayNow returns the vnodes that settings take away right now, and whether they are down, so that they lose what runs there; and
// those that settings take away later.
func (s *Site) AwayNow() (now map[string]bool, later []string) {
	now = map[string]bool{}
	for _, e := range s.changes {
		switch {
		case e.Kind != world.Offline && e.Kind != world.Down:
		case e.At <= s.At:
			now[e.Vnode] = now[e.Vnode] || e.Kind == world.Down
		default:
			later = append(later, e.Vnode)
		}
	}
	return now, later
}

// keepsRunning returns an error if a vnode is gone on which a job runs.
func (s *Site) keepsRunning(isGone func(vnode string) bool) error {
	for _, n := range s.Now {
		if n.Letter != 'R' && n.Letter != 'E' {
			continue
		}
		for name := range cluster.Vnodes(n.Vnodes()) {
			if isGone(name) && s.Site.RemovedNodes != "" {
				return &diag.SettingError{Setting: "nodes.removed=" + s.Site.RemovedNodes, Err: fmt.Errorf("job %s runs on %s; node.%s.offline=FROM/TO lets it end there, and nothing start", n.ID, name, name)}
			}
		}
	}
	return nil
}

// happen takes over what happens besides the jobs, none of which may be over already.
func (s *Site) happen(w *world.World) error {
	s.changes = nil
	for _, e := range w.Vnodes {
		if e.At <= s.At && (e.Kind == world.Online || e.Kind == world.Up) {
			return &diag.SettingError{Setting: "node." + e.Vnode, Err: errors.New("that time is over at the time of the list of jobs")}
		}
		e.At = max(e.At, s.At)
		s.changes = append(s.changes, e)
	}
	s.Reservations = known(w.Reservations, s.At)
	for _, r := range w.Reservations {
		if len(r.Holds) > 0 && !slices.ContainsFunc(s.Reservations, func(k *world.Reservation) bool { return k.ID == r.ID && len(k.Holds) > 0 }) {
			return &diag.SettingError{Setting: "reservation." + r.ID, Err: errors.New("that time is over at the time of the list of jobs")}
		}
	}
	return nil
}

// isOfPlaces reports whether a policy changes vnodes or reservations.
func isOfPlaces(at *pbs.Site) bool {
	return at.HasOtherVnodes() || len(at.AwayNodes)+len(at.ReservationChanges) > 0
}
