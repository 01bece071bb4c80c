package replay

import (
	"errors"
	"maps"
	"slices"
	"time"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/moment"
	"fairshare/cmd/internal/pbs"
	"fairshare/cmd/internal/pbs/cluster"
	"fairshare/cmd/internal/pbs/world"
	"fairshare/cmd/internal/trace"
	"fairshare/fstree"
)

// ChangedCluster returns a cluster without the vnodes that a site's changes take away and with those that
// they add, and of which they change attributes. Its error is a *diag.SettingError or a *cluster.SpecError.
func ChangedCluster(nodes *cluster.Cluster, site *pbs.Site) (*cluster.Cluster, error) {
	var err error
	if nodes, err = nodes.WithOther(site.OtherVnodes); err != nil {
		setting := "node"
		if none := (*cluster.NoVnodeError)(nil); errors.As(err, &none) {
			setting += "." + none.Pattern
		}
		return nil, &diag.SettingError{Setting: setting, Err: err}
	}
	if site.RemovedNodes != "" {
		if nodes, err = nodes.Without(site.RemovedNodes); err != nil {
			return nil, &diag.SettingError{Setting: "nodes.removed", Err: err}
		}
	}
	if site.AddedNodes != "" {
		return nodes.With(site.AddedNodes)
	}
	return nodes, nil
}

// Change adds to what happens what a site's changes say of vnodes that are away for a while and of
// reservations, with times of a zone. Its error is a *diag.SettingError.
func Change(happens *world.World, site *pbs.Site, nodes *cluster.Cluster, zone *time.Location) error {
	for _, away := range site.AwayNodes {
		if away.IsNever { // which is of what the list of vnodes says, and not of what happens
			continue
		}
		events, err := eventsOf(away, nodes, zone)
		if err != nil {
			return err
		}
		happens.Vnodes = world.Merge(happens.Vnodes, events)
	}
	all, err := reserve(happens.Reservations, site.ReservationChanges, nodes, zone)
	happens.Reservations = all
	return err
}

// eventsOf returns what happens to vnodes that a policy takes away for a while.
func eventsOf(away pbs.AwayVnodes, nodes *cluster.Cluster, zone *time.Location) ([]world.VnodeEvent, error) {
	fail := func(err error) error { return &diag.SettingError{Setting: "node." + away.Names, Err: err} }
	numbers, err := nodes.Find(away.Names)
	if err != nil {
		return nil, fail(err)
	}
	var at [2]int64
	kinds := []world.VnodeChange{world.Offline, world.Online}
	if away.IsDown {
		kinds = []world.VnodeChange{world.Down, world.Up}
	}
	if away.From == "" {
		kinds = kinds[:1] // from before the begin
	} else if at[0], at[1], err = moment.ParseSpan(away.From, away.To, zone); err != nil {
		return nil, fail(err)
	}
	var events []world.VnodeEvent
	for i, kind := range kinds {
		for _, number := range numbers {
			events = append(events, world.VnodeEvent{At: at[i], Vnode: nodes.Vnodes[number].Name, Kind: kind, IsAsked: true})
		}
	}
	return events, nil
}

// CheckLimits returns a *diag.SettingError if a limit that a site's changes set is of somebody who is
// neither in the tree nor among the users, groups or projects of some jobs: it would change nothing.
func CheckLimits(site *pbs.Site, names trace.Names, jobs []*trace.Job) error {
	known := func(kind byte) []string {
		of := map[string]bool{}
		for _, j := range jobs {
			of[names.List[map[byte]int32{'u': j.User, 'g': j.Group, 'p': j.Project}[kind]]] = true
		}
		return slices.Collect(maps.Keys(of))
	}
	var tree *fstree.Tree
	if site.SchedPriv != nil {
		tree = site.SchedPriv.Tree
	}
	for c, why := range site.UnknownLimits(tree, known) {
		return &diag.SettingError{Setting: c.Name + "=" + c.Value, Err: errors.New(why)}
	}
	return nil
}

// IdleChanges says which of a site's changes have no effect on what happens besides the jobs.
func IdleChanges(site *pbs.Site, happens *world.World) []diag.Remark {
	const requeue = "server.node_fail_requeue"
	isRequeue := func(c pbs.Change) bool { return c.Name == requeue }
	goesDown := func(e world.VnodeEvent) bool { return e.Kind == world.Down }
	if slices.ContainsFunc(site.Changes, isRequeue) && !slices.ContainsFunc(happens.Vnodes, goesDown) {
		return []diag.Remark{diag.Warningf("%s changes nothing while no vnode goes down", requeue)}
	}
	return nil
}
