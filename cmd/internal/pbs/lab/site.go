package lab

import (
	"slices"
	"strconv"

	"fairshare/cmd/internal/lab"
	"fairshare/cmd/internal/pbs"
	"fairshare/cmd/internal/pbs/order"
	"fairshare/cmd/internal/report"
	"fairshare/fstree"
)

// Surroundings are what can be changed of a site besides its formula.
type Surroundings struct {
	Kind     string   `json:"kind"` // "pbs"
	From     string   `json:"from"`
	InForce  string   `json:"in_force"`     // the formula
	Tree     []Node   `json:"tree"`         // parents before children; none without a tree
	Omitted  int      `json:"omitted"`      // nodes that are not in Tree
	Unlisted string   `json:"unlisted"`     // whose jobs hang under unknown, and what follows; "" for nobody's
	Lacks    []string `json:"not_modelled"` // settings of the site, and how many jobs they concern
	Queues   []Queue  `json:"queues"`
	Switches []Switch `json:"switches"`
	Users    []string `json:"users"` // of jobs, for filters
	Groups   []string `json:"groups"`
	Names    []Name   `json:"names"`
	Replays  bool     `json:"replays"` // whether there are logs
	Judges   bool     `json:"judges"`  // whether it is known what stops each job now
	Replay   string   `json:"replay"`  // the replay that is running, "" for none
}

// Node is a resgroup or an entity.
type Node struct {
	Name       string        `json:"name"`
	Parent     int           `json:"parent"` // in the list, -1 for the root
	IsGroup    bool          `json:"is_group"`
	Shares     int32         `json:"shares"`
	Usage      report.Number `json:"usage"`
	Percentage report.Number `json:"percentage"`
	TreeUsage  report.Number `json:"tree_usage"`
	Factor     report.Number `json:"factor"`
}

// Queue is a queue with its priority.
type Queue struct {
	Name     string `json:"name"`
	Priority int    `json:"priority"`
	Stopped  bool   `json:"stopped"`
}

// Switch is a setting of sched_config that is true or false.
type Switch struct {
	Name string `json:"name"` // as in --set
	On   bool   `json:"on"`
	Says string `json:"says"` // what it does
}

// maxNodes bounds the nodes that a page has: of a large tree those with the largest shares.
const maxNodes = 1500

// switches are those that can be tried.
var switches = []struct{ name, says string }{
	{"fair_share", "order jobs by fairshare where values are equal"},
	{"by_queue", "finish one queue before the next"},
	{"round_robin", "take a job of each queue in turn"},
	{"preemptive_sched", "express queues go first"},
	{"fairshare_enforce_no_shares", "leave out jobs of entities without shares"},
}

// Around returns what can be changed, as a state has it.
func (l *Lab) Around(s lab.State) (*Surroundings, error) {
	if err := s.Check(); err != nil {
		return nil, err
	}
	site, err := l.Site.With(s.Settings)
	if err != nil {
		return nil, err
	}
	a := &Surroundings{Kind: "pbs", From: l.From, InForce: l.Site.Sched.Formula, Tree: []Node{}, Lacks: []string{}, Queues: []Queue{}, Switches: []Switch{}, Names: l.Names, Replays: l.Replay != nil, Judges: l.Judge != nil, Replay: l.Running()}
	a.Users, a.Groups = lab.Bounded(l.List.Users.List), lab.Bounded(l.List.Groups.List)
	if site.HasTree() {
		a.addTree(site)
		a.Unlisted = order.NewUnlisted(site, l.List).String()
	}
	for _, r := range slices.Concat(l.unseen, l.NotModelled()) {
		a.Lacks = append(a.Lacks, r.Text)
	}
	for _, q := range l.inForce.Queues {
		queue := Queue{q.Name, q.Priority, q.Stopped}
		for _, other := range site.Queues {
			if other.Name == q.Name {
				queue = Queue{q.Name, other.Priority, other.Stopped}
			}
		}
		a.Queues = append(a.Queues, queue)
	}
	if priv := site.SchedPriv; priv != nil {
		for _, w := range switches {
			on, _ := strconv.ParseBool(priv.Config.Setting(w.name))
			a.Switches = append(a.Switches, Switch{"sched." + w.name, on, w.says})
		}
	}
	return a, nil
}

// addTree adds the nodes of a tree, without those whose share is too small to see where
// there are many.
func (a *Surroundings) addTree(site *pbs.Site) {
	tree := site.SchedPriv.Tree
	thinnest := float32(0)
	if tree.Len() > maxNodes {
		thinnest = 1. / maxNodes
	}
	var path []int // the places of the nodes above
	for id, depth := range tree.Preorder() {
		e := tree.Entity(id)
		if len(path) < depth || id != fstree.Root && e.TreePercentage < thinnest {
			a.Omitted++ // it, and all below it
			path = path[:min(len(path), depth)]
			continue
		}
		parent := -1
		if depth > 0 {
			parent = path[depth-1]
		}
		path = append(path[:depth], len(a.Tree))
		a.Tree = append(a.Tree, Node{
			e.Name, parent, tree.IsGroup(id) || id == fstree.Unknown || id == fstree.Root, e.Shares, report.Number(e.Usage),
			report.CFloat(e.TreePercentage), report.CFloat(e.TreeUsage), report.Number(e.Factor()),
		})
	}
}
