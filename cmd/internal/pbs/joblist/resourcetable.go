package joblist

import (
	"slices"

	"fairshare/cmd/internal/pbs"
	"fairshare/cmd/internal/pbs/qstat"
	"fairshare/formula"
)

// resource is what is known of a resource's name.
type resource struct {
	typ     formula.Type
	column  int // -1 if its amounts are not kept
	name    string
	numeric bool // some job requests an amount of it
	asking  int  // how many jobs of the batch ask for it
}

// resourceTable finds resources by name. Most jobs have the same ones in the
// same places, so that it looks there first.
type resourceTable struct {
	byName  map[string]*resource
	byPlace []*resource
}

// forget forgets what jobs have requested.
func (t *resourceTable) forget() {
	const most = 100_000
	if len(t.byName) > most {
		*t = resourceTable{}
	}
	for _, r := range t.byName {
		r.numeric = false
	}
}

// find returns what is known of the resource that a job has at a place.
func (t *resourceTable) find(place int, name []byte, r *reader) *resource {
	if place < len(t.byPlace) && t.byPlace[place].name == string(name) {
		return t.byPlace[place]
	}
	found := t.byName[string(name)]
	if found == nil {
		found = &resource{name: string(name), typ: r.Symbols.Type(string(name)), column: slices.Index(r.Columns, string(name))}
		if t.byName == nil {
			t.byName = map[string]*resource{}
		}
		t.byName[found.name] = found
	}
	if place == len(t.byPlace) {
		t.byPlace = append(t.byPlace, found)
	}
	return found
}

// countChunks counts a job that asks for resources that are not modelled in its chunks and not as a whole.
func (p *part) countChunks(selected []byte, list []qstat.Resource) {
	for name := range pbs.UnmodelledOfChunks(selected) {
		if !slices.ContainsFunc(list, func(r qstat.Resource) bool { return string(r.Name) == name }) {
			p.Asking[name]++
		}
	}
}
