// Package cluster knows the vnodes of a PBS complex and finds those that a job runs on.
package cluster

import (
	"cmp"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
	"sync"

	"fairshare/cmd/internal/pbs"
	"fairshare/cmd/internal/report"
	"fairshare/formula"
)

// Cluster is the vnodes of a complex, in the order in which the scheduler tries
// them. It never changes and may be shared.
type Cluster struct {
	Vnodes      []Vnode
	Consumables []string // resources that jobs use up, by their place in amounts
	LeftOut     []string // vnodes that are down or offline

	isOfScheduler bool // whether the vnodes of other schedulers are no part of it
	IsTorque      bool // whether TORQUE printed the vnodes

	hosts   [][]int32        // the vnodes of each host
	hostOf  []int32          // by vnode
	numbers map[string]int32 // of vnodes, by name
	queues  map[string]bool  // those that have vnodes of their own
	checks  Checks
	ncpus   int              // its place among the consumables, -1 for none
	keys    []sortKey        // of node_sort_key, where one of them changes with what runs
	buckets func() [][]int32 // see findBuckets; nil where jobs run in reservations, who are placed without

	isReserved bool // whether this is what a reservation has of a cluster
}

// Vnode is a part of a host that runs jobs.
type Vnode struct {
	Name, Host string
	Queue      string            // whose jobs alone may run here, "" for all
	Partition  string            // whose scheduler alone places jobs here, "" for the default one
	Mom        string            // the daemon that has it, "" where that is not known
	Sharing    string            // as PBS has it, such as default_excl
	Amounts    []float64         // of the consumables; sizes in kb
	Words      map[string]string // other resources, such as arch
	Priority   float64

	Limits      *VnodeLimits // how many jobs it takes, nil for any
	NoMultinode bool         // whether it takes no part of a job that has several hosts
	oddState    string       // a word of its state that PBS does not have, "" for none
	unknown     []string     // attributes that pbsnodes prints and nobody knows
	IsStateless bool         // whether pbsnodes was to say its state, and does not
	odd         []string     // numbers that cannot be read, as they stand
}

// newCluster returns a cluster of vnodes that have all of their resources in Words.
func newCluster(vnodes []Vnode, checks Checks) *Cluster {
	c := &Cluster{Vnodes: vnodes, checks: checks, queues: map[string]bool{}}
	for i := range vnodes {
		if queue := vnodes[i].Queue; queue != "" {
			c.queues[queue] = true
		}
		for name := range vnodes[i].Words {
			if checks.checked(name) && checks.isConsumed(name) && !slices.Contains(c.Consumables, name) {
				c.Consumables = append(c.Consumables, name)
			}
		}
	}
	slices.Sort(c.Consumables)
	c.ncpus = slices.Index(c.Consumables, "ncpus")
	for i := range vnodes {
		v := &c.Vnodes[i]
		for _, name := range c.Consumables {
			v.Amounts = append(v.Amounts, checks.amountOf(v.Words, name))
		}
	}
	if c.findKeys(checks.SortKeys); c.keys == nil {
		c.sort(checks.SortKeys)
	}
	hosts := map[string]int32{}
	for i := range c.Vnodes {
		host, ok := hosts[c.Vnodes[i].Host]
		if !ok {
			host = int32(len(c.hosts))
			hosts[c.Vnodes[i].Host] = host
			c.hosts = append(c.hosts, nil)
		}
		c.hosts[host] = append(c.hosts[host], int32(i))
		c.hostOf = append(c.hostOf, host)
	}
	c.number()
	c.buckets = sync.OnceValue(c.findBuckets)
	return c
}

// Of returns the cluster of those vnodes that a scheduler places jobs on.
func (c *Cluster) Of(s *pbs.Scheduler) *Cluster {
	isOthers := func(v Vnode) bool { return !s.Places(v.Partition) }
	if !slices.ContainsFunc(c.Vnodes, isOthers) {
		return c
	}
	vnodes := slices.DeleteFunc(slices.Clone(c.Vnodes), isOthers)
	for i := range vnodes {
		vnodes[i].Amounts = nil
	}
	own := newCluster(vnodes, c.checks)
	own.LeftOut, own.isOfScheduler = c.LeftOut, true
	return own
}

// Unplaced returns the cluster of those vnodes of a list that are of a partition of no scheduler of a site, nil for none.
func (l *Listing) Unplaced(site *pbs.Site) *Cluster {
	var vnodes []Vnode
	for _, a := range l.vnodes {
		if !site.IsPlaced(a["partition"]) {
			vnodes = append(vnodes, a.vnode())
		}
	}
	if vnodes == nil {
		return nil
	}
	return newCluster(vnodes, ChecksOf(site, nil))
}

// Number returns the number of a vnode.
func (c *Cluster) Number(name string) (v int32, isKnown bool) {
	v, isKnown = c.numbers[name]
	return v, isKnown
}

// number finds the numbers of the vnodes. Of those that have one name the first one counts.
func (c *Cluster) number() {
	c.numbers = make(map[string]int32, len(c.Vnodes))
	for i := range c.Vnodes {
		if _, isKnown := c.numbers[c.Vnodes[i].Name]; !isKnown {
			c.numbers[c.Vnodes[i].Name] = int32(i)
		}
	}
}

// sort puts the vnodes into the order of node_sort_key, where none of its keys changes with what runs.
func (c *Cluster) sort(keys []string) {
	for _, key := range slices.Backward(keys) {
		words := strings.Fields(key)
		if len(words) < 2 || len(words) > 2 && words[2] != "total" {
			continue
		}
		of := func(v Vnode) float64 { return v.keyValue(words[0]) }
		sign := 1
		if strings.EqualFold(words[1], "HIGH") {
			sign = -1
		}
		slices.SortStableFunc(c.Vnodes, func(a, b Vnode) int {
			switch x, y := of(a), of(b); {
			case x < y:
				return -sign
			case x > y:
				return sign
			}
			return 0
		})
	}
}

// endless is more of a resource than jobs could ask for.
const endless = 1 << 42

// amountOf returns how much of a consumable a vnode has, by what it says of itself.
func (c *Checks) amountOf(words map[string]string, name string) float64 {
	if _, isSet := words[name]; !isSet && slices.Contains(c.Infinite, name) {
		return endless
	}
	return amount(words[name])
}

// amount returns a number, a size in kb or a time in seconds; 0 for what is none.
func amount(text string) float64 {
	x, ok := parseAmount(text)
	if !ok {
		return 0
	}
	return x
}

// parseAmount returns a number that a vnode can have, or a job ask for.
func parseAmount(text string) (x float64, ok bool) {
	const most = 1 << 53 // beyond which a number is not exact
	value, ok := formula.ParseAmount(strings.TrimSpace(text), "")
	x, isNumber := value.Number()
	return x, ok && isNumber && x >= 0 && x <= most
}

// isAmount reports whether a text is a number that a vnode can have, or a job ask for.
func isAmount(text string) bool {
	_, ok := parseAmount(text)
	return ok
}

// Total returns the amount of a consumable that all vnodes have.
func (c *Cluster) Total(name string) float64 {
	at := slices.Index(c.Consumables, name)
	if at < 0 {
		return 0
	}
	total := 0.
	for i := range c.Vnodes {
		total += c.Vnodes[i].Amounts[at]
	}
	return total
}

// NoVnodeError is a pattern that no vnode matches, or that all do.
type NoVnodeError struct {
	Pattern string
	IsAll   bool
	There   []string // the vnodes that there are
	Meant   string   // the resource of which it is a value that vnodes have, as a pattern; "" for none
}

func (e *NoVnodeError) Error() string {
	switch {
	case e.IsAll:
		return e.Pattern + " are all vnodes of the cluster"
	case e.Meant != "":
		return "there is no vnode " + e.Pattern + report.Meant(e.Meant)
	case strings.ContainsAny(e.Pattern, "*?[="):
		return "there is no vnode " + e.Pattern
	}
	return report.NoSuch("vnode", e.Pattern, e.There)
}

// Find returns the numbers of the vnodes that patterns name, such as "n01,g0*,cn0{41..49}", or that have a value of a resource, such as
// "rack=r03". It is a *NoVnodeError if a pattern names none.
func (c *Cluster) Find(patterns string) ([]int32, error) {
	var found []int32
	list, err := Expanded(patterns)
	if err != nil {
		return nil, err
	}
	for _, pattern := range list {
		before := len(found)
		for i := range c.Vnodes {
			if c.Vnodes[i].isNamed(pattern) {
				found = append(found, int32(i))
			}
		}
		if len(found) == before {
			return nil, c.noVnode(pattern)
		}
	}
	slices.Sort(found)
	return slices.Compact(found), nil
}

// isNamed reports whether a pattern is of a vnode: of its name, or of a value that it has of a resource.
func (v *Vnode) isNamed(pattern string) bool {
	matches := func(pattern, text string) bool {
		is, err := path.Match(pattern, text)
		return is || err != nil && pattern == text
	}
	resource, value, isValue := strings.Cut(pattern, "=")
	if !isValue {
		return matches(pattern, v.Name)
	}
	return slices.ContainsFunc(split(v.Words[resource]), func(has string) bool { return matches(value, has) })
}

// split returns the values of a resource that may have several.
func split(values string) (list []string) {
	for value := range strings.SplitSeq(values, ",") {
		if value = strings.TrimSpace(value); value != "" {
			list = append(list, value)
		}
	}
	return list
}

// noVnode says that no vnode has a name, and of which resource it is a value.
func (c *Cluster) noVnode(pattern string) error {
	e := &NoVnodeError{Pattern: pattern}
	for i := range c.Vnodes {
		v := &c.Vnodes[i]
		e.There = append(e.There, v.Name)
		for _, property := range v.Properties(c) {
			if resource, values, _ := strings.Cut(property, "="); e.Meant == "" && slices.Contains(split(values), pattern) {
				e.Meant = resource + "=" + pattern
			}
		}
	}
	return e
}

// Without returns a cluster without the vnodes that patterns name. Its errors are
// *NoVnodeError.
func (c *Cluster) Without(patterns string) (*Cluster, error) {
	gone, err := c.Find(patterns)
	if err != nil {
		return nil, err
	}
	var vnodes []Vnode
	for i, v := range c.Vnodes {
		if _, isGone := slices.BinarySearch(gone, int32(i)); !isGone {
			v.Amounts = nil
			vnodes = append(vnodes, v)
		}
	}
	if len(vnodes) == 0 {
		return nil, &NoVnodeError{Pattern: patterns, IsAll: true}
	}
	left := newCluster(vnodes, c.checks)
	left.LeftOut = c.LeftOut
	return left, nil
}

// WithOther returns a cluster in which vnodes have other attributes than pbsnodes tells. Its errors are *NoVnodeError.
func (c *Cluster) WithOther(changes []pbs.OtherVnode) (*Cluster, error) {
	if changes == nil {
		return c, nil
	}
	vnodes := slices.Clone(c.Vnodes)
	for i := range vnodes {
		vnodes[i].Amounts, vnodes[i].Words = nil, maps.Clone(vnodes[i].Words)
	}
	for _, change := range changes {
		numbers, err := c.Find(change.Names)
		if err != nil {
			return nil, err
		}
		for _, n := range numbers {
			v := &vnodes[n]
			resource, isResource := strings.CutPrefix(change.Attribute, prefix)
			switch {
			case !isResource:
				v.Queue = change.Value
			case change.Value == "":
				delete(v.Words, resource)
			default:
				v.Words[resource] = change.Value
			}
		}
	}
	other := newCluster(vnodes, c.checks)
	other.LeftOut, other.IsTorque = c.LeftOut, c.IsTorque
	return other, nil
}

// IsBare reports whether a vnode has nothing that jobs could use up but memory, such as the host of PBS's server.
func (c *Cluster) IsBare(v *Vnode) bool {
	for i, name := range c.Consumables {
		isMemory := slices.Contains(ownMemory, name) // which each host has
		if !isMemory && v.Amounts[i] > 0 && v.Amounts[i] < endless {
			return false
		}
	}
	return true
}

// HasQueues reports whether vnodes are reserved for queues.
func (c *Cluster) HasQueues() bool { return len(c.queues) > 0 }

// String returns the size of a cluster, such as "12 vnodes, 256 ncpus". Vnodes on which no jobs could run do not count, as
// formula nodes has it, where there are others.
func (c *Cluster) String() string {
	n := 0
	for v := range c.Vnodes {
		if !c.IsBare(&c.Vnodes[v]) {
			n++
		}
	}
	text := report.Count(cmp.Or(n, len(c.Vnodes)), "vnode")
	for _, name := range c.Consumables {
		if total := c.Total(name); total > 0 && !c.checks.isSize(name) && total < endless {
			text += fmt.Sprintf(", %g %s", total, name)
		}
	}
	return text
}
