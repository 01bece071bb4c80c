package pbs

import (
	"maps"
	"slices"
)

// Given is an amount of a resource that PBS gives a job which does not ask for it.
type Given struct{ Name, Value, From string }

// GivenTo returns what PBS gives the jobs of a queue as a whole that do not ask for it, in the order in which its server goes by
// it (set_resc_deflt): the resources_default of the queue and of the server, and then the resources_max of both, of resources
// that chunks do not have. Of each resource the first amount counts.
func (s *Site) GivenTo(queue string) (all []Given) {
	add := func(a Attributes, attribute, of string, gives func(resource string) bool) {
		amounts := a.Of(attribute)
		for _, name := range slices.Sorted(maps.Keys(amounts)) {
			if gives(name) {
				all = append(all, Given{name, amounts[name], attribute + " of " + of})
			}
		}
	}
	q := s.Queue(queue)
	for _, from := range []struct {
		attribute string
		gives     func(resource string) bool
	}{{"resources_default", func(string) bool { return true }}, {"resources_max", s.givesMost}} {
		add(q.Attributes, from.attribute, "queue "+q.Name, from.gives)
		add(s.Sched.Server, from.attribute, "the server", from.gives)
	}
	return all
}

// givesMost reports whether a job gets the resources_max of a resource that nothing else gives it: what is of chunks follows from
// its select, and nodect too.
func (s *Site) givesMost(resource string) bool {
	_, isOwn := ownResources[resource]
	_, isOfSite := s.Resources[resource]
	return (isOwn || isOfSite) && resource != "nodect" && !s.IsOfChunks(resource)
}

// DefaultsOf returns what the jobs of a queue have of resources that they do not ask for themselves, as GivenTo says.
func (s *Site) DefaultsOf(queue string) map[string]string {
	defaults := map[string]string{}
	for _, g := range slices.Backward(s.GivenTo(queue)) {
		defaults[g.Name] = g.Value
	}
	return defaults
}

// Defaults returns what all jobs have of resources that they do not ask for themselves: what they get in each queue, and of
// what chunks have the server's default_chunk.
func (s *Site) Defaults() map[string]string {
	ofAll := s.DefaultsOf("")
	for i, q := range s.Queues {
		of := s.DefaultsOf(q.Name)
		if i == 0 {
			ofAll = of
		}
		maps.DeleteFunc(ofAll, func(name, _ string) bool { _, ok := of[name]; return !ok })
	}
	defaults := s.Sched.Server.Of("default_chunk")
	maps.Copy(defaults, ofAll)
	return defaults
}
