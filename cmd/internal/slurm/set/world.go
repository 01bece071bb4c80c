package set

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
	"time"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/moment"
	"fairshare/cmd/internal/report"
	"fairshare/cmd/internal/slurm"
	"fairshare/cmd/internal/slurm/sched"
)

// failing is what a setting of nodes is called whose jobs are killed as they go away, as slurmctld does with those of a node that is DOWN;
// those of one that is drained (offline) end by themselves.
const failing = "down"

// always and never are since when nodes are away that are taken away for good, or put back.
const (
	always = "always"
	never  = "never"
)

// nodeStates are settings by the State of scontrol update node that does the same.
var nodeStates = map[string][2]string{
	"DRAIN": {"offline", always}, "DOWN": {failing, always}, "FAIL": {"offline", always},
	"RESUME": {"offline", never}, "UNDRAIN": {"offline", never}, "IDLE": {"offline", never},
}

// newWorldSetting reads a setting of nodes or reservations, whose names may have dots. It is nil for others.
//
//	node.NAMES.down=FROM/TO    node.NAMES.offline=always    node.NAMES.offline=never    node.NAMES.State=DRAIN    nodes.removed=NAMES
//	reservation.NAME=FROM/TO on NAMES    reservation.NAME=FROM/TO    reservation.NAME=none
func newWorldSetting(name, value string) (*setting, error) {
	kind, rest, _ := strings.Cut(name, ".")
	at := strings.LastIndexByte(rest, '.')
	x := &setting{name: name, value: value, of: rest}
	switch kind = strings.ToLower(kind); {
	case kind == "nodes" && rest == "removed":
		x.kind, x.of = ofRemoved, value
	case kind == "nodes" && (rest == "added" || strings.HasPrefix(rest, "added.")):
		return nil, errors.New("it cannot add nodes, since it does not say of which partitions they are: a copy of the site that has them, in scontrol show node and in Nodes of scontrol show partition, tries it")
	case kind == "node" && at > 0:
		x.kind, x.of, x.key = ofNode, rest[:at], strings.ToLower(rest[at+1:])
		switch {
		case x.key == failing || x.key == "offline":
		case x.key == "state" && value != "":
			as, isKnown := nodeStates[strings.ToUpper(value)]
			if !isKnown {
				return nil, fmt.Errorf("the State of a node is set to one of %s, not to %s", strings.Join(slices.Sorted(maps.Keys(nodeStates)), ", "), value)
			}
			x.key, x.value = as[0], as[1]
		default:
			return nil, errors.New(report.NoSuch("setting", name, []string{"node." + x.of + ".down", "node." + x.of + ".offline"}))
		}
	case kind == "reservation" && rest != "":
		x.kind = ofReservation
	default:
		return nil, nil
	}
	if value == "" {
		return nil, errors.New("expected NAME=VALUE")
	}
	return x, nil
}

// setWorld takes nodes away, or adds, moves or drops a reservation.
func setWorld(setup *sched.Setup, x *setting) error {
	switch x.kind {
	case ofRemoved:
		return remove(setup, x.of)
	case ofNode:
		nodes, err := FindNodes(setup, x.of)
		if err != nil {
			return err
		}
		if x.value == never {
			return putBack(setup, nodes)
		}
		from, to := int64(0), int64(sched.ForGood)
		if x.value != always {
			if from, to, err = parseSpan(x.value, setup.Zone); err != nil {
				return err
			}
		}
		setup.Outages, setup.Failures = slices.Clone(setup.Outages), slices.Clone(setup.Failures)
		for _, i := range nodes {
			setup.Outages = append(setup.Outages, sched.Outage{Node: i, From: from, To: to})
			if x.key == failing {
				setup.Failures = append(setup.Failures, sched.Failure{Node: i, At: from, To: to})
			}
		}
		return nil
	}
	return reserve(setup, x.of, x.value)
}

// putBack puts nodes back that are drained or down, as RESUME does.
func putBack(setup *sched.Setup, nodes []int) error {
	nodes = slices.DeleteFunc(nodes, func(i int) bool { return !isDown(setup, i) })
	if len(nodes) == 0 {
		return errors.New("none of them is drained or down")
	}
	setup.Nodes, setup.Down = slices.Clone(setup.Nodes), slices.Clone(setup.Down)
	for _, i := range nodes {
		setup.Nodes[i].CPUs, setup.Down[i] = setup.Down[i], 0
	}
	return nil
}

// isDown reports whether a node is drained or down in the site.
func isDown(setup *sched.Setup, node int) bool { return node < len(setup.Down) && setup.Down[node] > 0 }

// AwayAlready says which settings take nodes away that are drained or down as a site has them.
func AwayAlready(setup *sched.Setup, settings []string) (remarks []diag.Remark) {
	for _, s := range settings {
		name, value, _ := strings.Cut(s, "=")
		x, err := newWorldSetting(strings.TrimSpace(name), strings.TrimSpace(value))
		if err != nil || x == nil || x.kind != ofNode || x.key == failing || x.value != always {
			continue
		}
		nodes, err := FindNodes(setup, x.of)
		if err == nil && !slices.ContainsFunc(nodes, func(i int) bool { return !isDown(setup, i) }) {
			remarks = append(remarks, diag.Warningf("%s changes nothing: %s %s drained or down already (never puts back)", s, x.of, map[bool]string{true: "is", false: "are all"}[len(nodes) == 1]).OfAsked())
		}
	}
	return remarks
}

// remove takes nodes away for good.
func remove(setup *sched.Setup, names string) error {
	nodes, err := FindNodes(setup, names)
	if err != nil {
		return err
	}
	setup.Nodes, setup.Down = slices.Clone(setup.Nodes), slices.Clone(setup.Down)
	for _, i := range nodes {
		setup.Nodes[i].CPUs, setup.Down[i] = 0, 0
	}
	if !slices.ContainsFunc(setup.Nodes, func(n sched.Node) bool { return n.CPUs > 0 }) {
		return errors.New("no node would be left")
	}
	return nil
}

// reserve adds, moves or drops a reservation. The jobs of one that is dropped run as others do.
func reserve(setup *sched.Setup, name, value string) error {
	isMeant := func(k sched.Reservation) bool { return k.Name == name || name == "*" }
	at := slices.IndexFunc(setup.Reservations, isMeant)
	setup.Reservations = slices.Clone(setup.Reservations)
	if value == "none" {
		if at < 0 {
			var names []string
			for _, k := range setup.Reservations {
				names = append(names, k.Name)
			}
			return errors.New(report.NoSuch("reservation", name, names))
		}
		for i := range setup.Reservations {
			if k := &setup.Reservations[i]; isMeant(*k) {
				k.Nodes, k.IsFlex, k.IsMagnetic = sched.NewSet(len(setup.Nodes)), true, false
				k.Start, k.End, k.Known = 0, sched.ForGood, 0
			}
		}
		return nil
	}
	span, names, hasNodes := strings.Cut(value, " on ")
	from, to, err := parseSpan(span, setup.Zone)
	switch {
	case err != nil:
		return fmt.Errorf("%w; expected none, or FROM/TO on NODES, such as 2026-03-02 22:00/2026-03-03 04:00 on n01,g0*", err)
	case name == "*":
		return errors.New("all reservations can be dropped together (none), but not be moved together")
	case at < 0 && !hasNodes:
		return errors.New("the site has no such reservation, and a new one needs nodes: FROM/TO on NODES")
	}
	if at >= 0 && slices.ContainsFunc(setup.Reservations[at+1:], isMeant) {
		return errors.New("several reservations have this name: drop them all (none), and add new ones")
	}
	k := sched.Reservation{Name: name, ID: 1}
	for _, other := range setup.Reservations {
		k.ID = max(k.ID, other.ID+1)
	}
	if at >= 0 {
		k = setup.Reservations[at]
	}
	k.Start, k.End, k.Known = from, to, 0
	if hasNodes {
		nodes, err := FindNodes(setup, names)
		if err != nil {
			return err
		}
		k.Nodes = sched.NewSet(len(setup.Nodes))
		for _, i := range nodes {
			k.Nodes.Add(i)
		}
	}
	if at >= 0 {
		setup.Reservations[at] = k
	} else {
		setup.Reservations = append(setup.Reservations, k)
	}
	return nil
}

// FindNodes returns the nodes of a list such as c[01-04],g0*, in which * and ? stand for anything, or that have a feature which no
// node is named like; ALL are all.
func FindNodes(setup *sched.Setup, text string) (found []int, err error) {
	patterns, err := slurm.Hostlist(text)
	if err != nil {
		return nil, err
	}
	for _, pattern := range patterns {
		before := len(found)
		isNamed := func(n *sched.Node) bool {
			is, err := path.Match(pattern, n.Name)
			return is || err != nil && pattern == n.Name
		}
		isAll := func(*sched.Node) bool { return strings.EqualFold(pattern, "ALL") } // as scontrol takes it
		hasFeature := func(n *sched.Node) bool { return slices.Contains(n.Features, pattern) }
		for _, is := range []func(*sched.Node) bool{isNamed, hasFeature, isAll} {
			for i := range setup.Nodes {
				if is(&setup.Nodes[i]) {
					found = append(found, i)
				}
			}
			if len(found) > before {
				break
			}
		}
		if len(found) == before {
			var names []string
			for _, n := range setup.Nodes {
				names = append(names, n.Name)
			}
			return nil, errors.New(report.NoSuch("node", pattern, names))
		}
	}
	if len(found) == 0 {
		return nil, errors.New("no node is named")
	}
	slices.Sort(found)
	return slices.Compact(found), nil
}

// parseSpan reads FROM/TO.
func parseSpan(text string, zone *time.Location) (from, to int64, err error) {
	first, last, isSpan := strings.Cut(text, "/")
	if !isSpan {
		return 0, 0, fmt.Errorf("%q is not FROM/TO, such as 2026-03-02 08:10/2026-03-02 10:00", text)
	}
	return moment.ParseSpan(strings.TrimSpace(first), strings.TrimSpace(last), cmp.Or(zone, time.Local))
}

// setLicences changes how many of some licences there are.
func setLicences(setup *sched.Setup, x *setting) error {
	var names []string
	for i := range setup.Licences {
		l := &setup.Licences[i]
		if strings.EqualFold(l.Name, x.of) {
			l.Total = int64(x.number)
			return nil
		}
		names = append(names, l.Name)
	}
	if names == nil {
		return errors.New("the site has no licences")
	}
	return errors.New(report.NoSuch("licence", x.of, names))
}
