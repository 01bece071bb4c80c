// Package cluster knows the vnodes of a PBS complex and finds those that a job runs on.
package cluster

import (
	"maps"
	"slices"
	"strings"

	"fairshare/cmd/internal/pbs"
	"fairshare/formula"
)

// Checks says which resources the scheduler looks at when it places a job.
type Checks struct {
	Resources []string                     // sched_config's "resources"; nil for PBS's default
	Types     map[string]formula.Type      // of resources that are not PBS's own
	Flags     map[string]string            // likewise, such as "hn"
	SortKeys  []string                     // node_sort_key, such as "sort_priority HIGH"
	Defaults  map[string]string            // default_chunk of the server, by resource
	OfQueues  map[string]map[string]string // default_chunk of queues, which comes before the server's
	Infinite  []string                     // resources of which a vnode has as much as anybody asks for where it does not say how much
	Explicit  bool                         // whether vnodes without a value of a placement set's resource are no set
	InTurn    bool                         // smp_cluster_dist: whether jobs of one chunk that are packed go from host to host
	Told      map[string]bool              // vnodes that count although they are away now: it is told when they are

	Lacked []string // of which PBS has written that a job lacks them: where Resources is nil they are looked at too

	counted []string // beside the default ones, where Resources is nil, see learn
}

// ChecksOf returns what the scheduler of a site looks at. Vnodes that are told of count although they are away now.
func ChecksOf(site *pbs.Site, told map[string]bool) Checks {
	c := Checks{
		Types: site.Resources, Flags: site.Flags, SortKeys: site.Policy().NodeSortKeys, Told: told,
		Defaults: site.Sched.Server.Of("default_chunk"), OfQueues: map[string]map[string]string{},
	}
	for _, q := range site.Queues {
		if of := q.Attributes.Of("default_chunk"); len(of) > 0 {
			c.OfQueues[q.Name] = of
		}
	}
	c.Explicit = strings.EqualFold(site.Sched.Scheduler["only_explicit_psets"], "true")
	if site.SchedPriv != nil {
		c.Resources = site.SchedPriv.Config.Resources
		c.Infinite = site.SchedPriv.Config.UnsetInfinite
		c.InTurn = slices.ContainsFunc(site.SchedPriv.Config.Others["smp_cluster_dist"], func(value string) bool { return strings.HasPrefix(strings.ToLower(value), "round_robin") })
	}
	return c
}

// chunkDefaults returns what chunks of a queue's jobs have of resources that they do not name: the default_chunk of
// the queue, and then of the server.
func (c *Checks) chunkDefaults(queue string) map[string]string {
	if len(c.OfQueues[queue]) == 0 {
		return c.Defaults
	}
	all := maps.Clone(c.Defaults)
	if all == nil {
		all = map[string]string{}
	}
	maps.Copy(all, c.OfQueues[queue])
	return all
}

// ChunkDefaults returns what each chunk of a job of a queue has of resources that it does not name, as chunkDefaults does, and whose
// default_chunk it is, by the names of the resources.
func ChunkDefaults(site *pbs.Site, queue string) (all []pbs.Given) {
	checks := ChecksOf(site, nil)
	defaults := checks.chunkDefaults(queue)
	for _, name := range slices.Sorted(maps.Keys(defaults)) {
		of := "the server"
		if _, isOwn := checks.OfQueues[queue][name]; isOwn {
			of = "queue " + queue
		}
		all = append(all, pbs.Given{Name: name, Value: defaults[name], From: of})
	}
	return all
}

// defaultResources are what sched_config names where nothing is changed.
var defaultResources = []string{"ncpus", "mem", "arch", "host", "vnode"}

// checked reports whether the scheduler looks at a resource of chunks and vnodes.
// Booleans and the names of vnodes always count.
func (c *Checks) checked(name string) bool {
	list := c.Resources
	if list == nil {
		list = slices.Concat(defaultResources, c.Lacked, c.counted)
	}
	return name == "host" || name == "vnode" || c.Types[name] == formula.Boolean || slices.Contains(list, name)
}

// PassesOver reports whether "resources" of sched_config leaves out a resource that jobs use up or that their vnodes have to have, so
// that the scheduler starts jobs whatever there is of it.
func (c *Checks) PassesOver(name string) bool {
	return c.Resources != nil && !c.checked(name) && (c.isConsumed(name) || strings.ContainsAny(c.Flags[name], "hq"))
}

// isConsumed reports whether jobs use a resource up: of PBS's own those that have
// amounts, of a site's those with flag n or f. One with flag h alone has to be there
// in the amount that is asked for, and stays.
func (c *Checks) isConsumed(name string) bool {
	if slices.Contains(ownConsumables, name) {
		return true
	}
	t, isOwn := c.Types[name]
	return isOwn && (t == formula.Long || t == formula.Float64 || t == formula.Size) && strings.ContainsAny(c.Flags[name], "nf")
}

func (c *Checks) isSize(name string) bool {
	return c.Types[name] == formula.Size || slices.Contains(ownMemory, name)
}

// ownMemory are the resources of PBS itself that are sizes of memory.
var ownMemory = []string{"mem", "vmem", "accelerator_memory", "hbmem"}
