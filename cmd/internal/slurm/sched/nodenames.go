package sched

// NodeNames finds the nodes of a site by their names.
type NodeNames struct {
	setup  *Setup
	places map[string]int
}

// NewNodeNames returns the names of the nodes of a site.
func NewNodeNames(s *Setup) *NodeNames {
	n := &NodeNames{s, map[string]int{}}
	for i := range s.Nodes {
		n.places[s.Nodes[i].Name] = i
	}
	return n
}

// Has reports whether a node is called so.
func (n *NodeNames) Has(name string) bool {
	_, ok := n.places[name]
	return ok
}

// cpus returns how many CPUs a node has, also while it is down.
func (n *NodeNames) cpus(i int) int64 {
	cpus := int64(n.setup.Nodes[i].CPUs)
	if i < len(n.setup.Down) {
		cpus += int64(n.setup.Down[i])
	}
	return cpus
}

// KeepTo lets a job run on all of the nodes that it wants (sbatch -w), and on none that it does not want (-x). Where it may
// have more nodes and has tasks for them, others come beside those that it wants if these have too few CPUs for it as they
// are. It reports whether that can be modelled: not where it wants a node that the site does not have, or none but
// those that it names, which are too few; then it is kept from the unwanted ones alone.
func (n *NodeNames) KeepTo(r *Request, wanted, unwanted []string) bool {
	on, cpus, isKnown := NewSet(len(n.setup.Nodes)), int64(0), true
	for _, name := range wanted {
		i, ok := n.places[name]
		if isKnown = isKnown && ok; ok && !on.Has(i) {
			on.Add(i)
			cpus += n.cpus(i)
		}
	}
	count := int32(on.count())
	isOpen := len(wanted) > 0 && isKnown && (r.MaxNodes == 0 || r.MaxNodes > count) && max(r.Tasks, r.MinNodes) > count
	isOn := isOpen || len(wanted) > 0 && isKnown && cpus >= int64(r.CPUs) && count >= r.MinNodes
	r.With = nil
	switch {
	case isOpen:
		r.With, r.MinNodes = on, max(r.MinNodes, count)
		on = n.all()
	case isOn:
		r.MinNodes, r.MaxNodes = count, count
	case r.On != nil:
		on = r.On.clone()
	default:
		on = n.all()
	}
	for _, name := range unwanted {
		if i, ok := n.places[name]; ok {
			on.remove(i)
		}
	}
	r.On, r.Named = on, isOn || r.Named
	return isOn || len(wanted) == 0
}

// KeepAs lets a job run on the nodes that another one wants, and on none that that does not want.
func (r *Request) KeepAs(was *Request) {
	r.On, r.Named, r.With = was.On, was.Named, was.With
	r.MinNodes = max(r.MinNodes, int32(r.With.count()))
}

// all returns all nodes.
func (n *NodeNames) all() Set {
	all := NewSet(len(n.setup.Nodes))
	for i := range n.setup.Nodes {
		all.Add(i)
	}
	return all
}

// named returns the nodes that a job wants by name.
func (r *Request) named() Set {
	if r.With != nil {
		return r.With
	}
	return r.On
}

// WantedDown returns the names of the nodes that a job wants by name and that take no jobs.
func (s *Setup) WantedDown(r *Request) (names []string) {
	if r.With == nil && !r.Named {
		return nil
	}
	for i := range s.Nodes {
		if r.named().Has(i) && s.Nodes[i].CPUs == 0 {
			names = append(names, s.Nodes[i].Name)
		}
	}
	return names
}

// AreWhole reports whether a job that had some CPUs of some nodes had all of them, and more than the cores of what
// it asked for.
func (n *NodeNames) AreWhole(r *Request, names []string, cpus int64) bool {
	all, most := int64(0), int64(0)
	for k, name := range names {
		i, ok := n.places[name]
		if !ok {
			return false
		}
		all += n.cpus(i)
		threads, used := r.threads(&n.setup.Nodes[i])
		if k == 0 {
			most = (int64(r.CPUs) + int64(used) - 1) / int64(used) * int64(threads)
		} else {
			most += int64(threads) // a core that is not used in whole, on each node
		}
	}
	return len(names) > 0 && cpus == all && cpus > most
}

// Place returns the place of a node in the cluster, and whether a node is called so.
func (n *NodeNames) Place(name string) (at int, ok bool) {
	at, ok = n.places[name]
	return at, ok
}
