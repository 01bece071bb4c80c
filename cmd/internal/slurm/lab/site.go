package lab

import (
	"cmp"
	"maps"
	"slices"

	"fairshare/cmd/internal/accounts"
	"fairshare/cmd/internal/lab"
	"fairshare/cmd/internal/report"
	"fairshare/cmd/internal/slurm/set"
)

// Facts are what is known of a site whatever is tried.
type Facts struct {
	Kind     string   `json:"kind"` // "slurm"
	From     string   `json:"from"`
	InForce  string   `json:"in_force"` // the formula: there is none
	Notes    []string `json:"notes"`    // on how well the priorities are known
	Users    []string `json:"users"`    // of jobs, for filters
	Accounts []string `json:"accounts"`
}

// Surroundings are what can be changed of a site, as a state has it.
type Surroundings struct {
	Facts
	Replays    bool        `json:"replays"` // whether there is a record
	Replay     string      `json:"replay"`  // the replay that is running, "" for none
	Fields     []Field     `json:"fields"`
	Tree       []Node      `json:"tree"`      // parents before children; none without a tree
	Omitted    int         `json:"omitted"`   // nodes that are not in Tree
	Algorithm  string      `json:"algorithm"` // of the fairshare factors
	QOS        []QOS       `json:"qos"`
	Partitions []Partition `json:"partitions"`
}

// Field is a setting of slurm.conf.
type Field struct {
	Name  string `json:"name"`
	Value string `json:"value"`
	Form  string `json:"form"` // "weight", "weights" (of several TRES), "choice" (YES or NO) or "text"
	Says  string `json:"says"`
}

// fields are the settings on which the order now depends.
var fields = []Field{
	{Name: "PriorityWeightAge", Form: "weight", Says: "how long a job waits"},
	{Name: "PriorityWeightFairshare", Form: "weight", Says: "how little its association has used of its shares"},
	{Name: "PriorityWeightJobSize", Form: "weight", Says: "how much of the cluster it asks for"},
	{Name: "PriorityWeightPartition", Form: "weight", Says: "the factor of its partition"},
	{Name: "PriorityWeightQOS", Form: "weight", Says: "the priority of its QOS"},
	{Name: "PriorityWeightAssoc", Form: "weight", Says: "the priority of its association, which is in none of the files and counts 0"},
	{Name: "PriorityWeightTRES", Form: "weights", Says: "what it asks for of its partition, such as cpu=100,gres/gpu=5000"},
	{Name: "PriorityMaxAge", Form: "text", Says: "the wait from which age counts fully, as DAYS-HOURS:MINUTES:SECONDS"},
	{Name: "PriorityFavorSmall", Form: "choice", Says: "whether a small job size counts more"},
	{Name: "PriorityFlags", Form: "text", Says: "such as NO_FAIR_TREE, DEPTH_OBLIVIOUS, SMALL_RELATIVE_TO_TIME, NO_NORMAL_ALL"},
	{Name: "FairShareDampeningFactor", Form: "text", Says: "of fairshare without Fair Tree"},
}

// Node is an account or a user in the tree.
type Node struct {
	Name   string        `json:"name"`  // as --set takes it
	Label  string        `json:"label"` // of a user without the account
	Parent int           `json:"parent"`
	Group  bool          `json:"is_group"`
	Shares string        `json:"shares"` // or "parent"
	Usage  report.Number `json:"usage"`
	Width  report.Number `json:"percentage"` // its part of all shares
	accounts.Standing
}

// QOS is a QOS with its priority.
type QOS struct {
	Name     string        `json:"name"`
	Priority report.Number `json:"priority"`
}

// Partition is a partition with what of it orders jobs.
type Partition struct {
	Name   string        `json:"name"`
	Tier   report.Number `json:"tier"`
	Factor report.Number `json:"factor"`
}

// maxNodes bounds the nodes that a page has: of a large tree those with the largest shares.
const maxNodes = 1500

// around returns what can be changed.
func (l *Lab) around(state lab.State) (*Surroundings, error) {
	if err := state.Check(); err != nil {
		return nil, err
	}
	site, _, err := set.With(l.site, state.Settings)
	if err != nil {
		return nil, err
	}
	a := &Surroundings{Facts: l.known, Replays: l.Replay != nil, Replay: l.Running(), Fields: []Field{}, Tree: []Node{}, QOS: []QOS{}, Partitions: []Partition{}}
	values := map[string]string{}
	for _, s := range site.Conf.Settings() {
		values[s.Name] = s.Value
	}
	for _, f := range fields {
		f.Value = values[f.Name]
		a.Fields = append(a.Fields, f)
	}
	if table := site.Fairshare(); table != nil {
		a.addTree(table)
	}
	for _, name := range slices.Sorted(maps.Keys(site.QOS)) {
		a.QOS = append(a.QOS, QOS{name, report.Number(site.QOS[name])})
	}
	for _, name := range slices.Sorted(maps.Keys(site.Conf.Partitions)) {
		p := site.Conf.Partitions[name]
		a.Partitions = append(a.Partitions, Partition{name, report.Number(p.Tier), report.Number(p.JobFactor)})
	}
	return a, nil
}

// addTree adds the nodes of the tree under the algorithm that counts, without those whose share is
// too small to see where there are many.
func (a *Surroundings) addTree(table *accounts.Table) {
	tree := table.Tree
	a.Algorithm = table.Algorithms[0].Title
	widths := table.Widths()
	thinnest := 0.
	if tree.Len() > maxNodes {
		thinnest = 1. / maxNodes
	}
	places := make([]int, tree.Len()) // in the list, -1 for none
	for i := range tree.Preorder {
		at := int(i)
		x := tree.At(at)
		parent := -1
		if at > 0 {
			parent = places[x.Parent]
		}
		if at > 0 && (parent < 0 || widths[at] < thinnest) {
			places[at] = -1
			a.Omitted++
			continue
		}
		places[at] = len(a.Tree)
		account, user := table.Names(at)
		name := account
		if user != "" {
			name += "/" + user
		}
		a.Tree = append(a.Tree, Node{name, cmp.Or(user, account), parent, !x.User, string(table.AppendShares(nil, at)), report.Number(x.Usage), report.Number(widths[at]), table.Standing(0, at)})
	}
}
