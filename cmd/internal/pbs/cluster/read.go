package cluster

import (
	"errors"
	"iter"
	"maps"
	"slices"
	"strings"

	"fairshare/cmd/internal/pbs"
)

// ErrNoNodes says that a text has no vnode.
var ErrNoNodes = errors.New("this names no vnode: it is not what pbsnodes -av prints, as text, JSON or DSV")

// ErrAllAway says that no vnode takes jobs.
var ErrAllAway = errors.New("all vnodes are down or offline")

// Listing is what pbsnodes -av prints of vnodes, read once.
type Listing struct{ vnodes []attributes }

// ReadListing reads what pbsnodes -av prints, in any of its forms.
func ReadListing(text string) (*Listing, error) {
	found, err := parseAny(text)
	if err == nil && len(found) == 0 {
		err = ErrNoNodes
	}
	if err != nil {
		return nil, err
	}
	return &Listing{found}, nil
}

// Cluster returns the cluster of the vnodes. Those that are down or offline do not count, unless all is set.
func (l *Listing) Cluster(checks Checks, all bool) (*Cluster, error) {
	const nameAlone = 1
	if !slices.ContainsFunc(l.vnodes, func(a attributes) bool { return len(a) > nameAlone }) {
		return nil, ErrNoNodes
	}
	var vnodes []Vnode
	var leftOut []string
	isAway := l.isAway(checks.Told)
	for _, a := range l.vnodes {
		if !all && isAway(a) {
			leftOut = append(leftOut, a[""])
			continue
		}
		vnodes = append(vnodes, a.vnode())
	}
	if len(vnodes) == 0 {
		return nil, ErrAllAway
	}
	checks.learn(l.vnodes)
	c := newCluster(vnodes, checks)
	c.LeftOut, c.IsTorque = leftOut, slices.ContainsFunc(l.vnodes, attributes.isTorque)
	return c, nil
}

// Away returns the vnodes that are down, offline or without a licence.
func (l *Listing) Away() (names []string) {
	isAway := l.isAway(nil)
	for _, a := range l.vnodes {
		if isAway(a) {
			names = append(names, a[""])
		}
	}
	return names
}

// isAway returns what reports whether a vnode is down, offline or without a licence, but for those of which it is told when
// they are.
func (l *Listing) isAway(told map[string]bool) func(a attributes) bool {
	hasLicences := slices.ContainsFunc(l.vnodes, func(a attributes) bool { return a["license"] != "" }) // else lists do not tell
	return func(a attributes) bool {
		return (a.isAway() || hasLicences && a["license"] == "" && a["jobs"] == "") && !told[a[""]]
	}
}

// State returns the state of a vnode, "" where nothing tells it.
func (l *Listing) State(name string) string {
	if at := slices.IndexFunc(l.vnodes, func(a attributes) bool { return a[""] == name }); at >= 0 {
		return l.vnodes[at]["state"]
	}
	return ""
}

// Without returns a listing in which some vnodes are not in a state any more, such as offline. It is false where none of them is.
func (l *Listing) Without(state string, names []string) (changed *Listing, isAny bool) {
	changed = &Listing{slices.Clone(l.vnodes)}
	for i, a := range changed.vnodes {
		left, had := pbs.WithoutState(a["state"], state)
		if !had || !slices.Contains(names, a[""]) {
			continue
		}
		isAny = true
		changed.vnodes[i] = maps.Clone(a)
		changed.vnodes[i]["state"] = left
	}
	return changed, isAny
}

// Vnodes yields the attributes of each vnode, which nobody changes; its name is the one of "".
func (l *Listing) Vnodes() iter.Seq[map[string]string] {
	return func(yield func(map[string]string) bool) {
		for _, a := range l.vnodes {
			if !yield(a) {
				return
			}
		}
	}
}

// CutError says that a list of vnodes lacks some of them, or a part of one.
type CutError struct{ within string } // the vnode in which a text ends, "" for JSON

func (e *CutError) Error() string {
	if e.within == "" {
		return "the JSON of vnodes is cut off or damaged"
	}
	return "the list of vnodes is cut off within vnode " + e.within
}

// findCut returns a *CutError if a list of vnodes as text is cut off: its last line ends within the
// name of an attribute, or its last vnode lacks what pbsnodes prints of each and all others have.
func findCut(text string, found []attributes) error {
	if len(found) == 0 {
		return nil
	}
	lines := strings.Split(strings.TrimRight(text, "\r\n"), "\n")
	line := strings.TrimRight(lines[len(lines)-1], "\r")
	last, others := found[len(found)-1], found[:len(found)-1]
	isCut := strings.HasPrefix(line, " ") && !strings.Contains(line+" ", " = ")
	for _, printed := range [][]string{{"state"}, {"state", "resv_enable", "sharing"}} { // some lists are made by hand
		lacks := func(a attributes) bool {
			return slices.ContainsFunc(printed, func(name string) bool { return a[name] == "" })
		}
		isCut = isCut || lacks(last) && len(others) > 0 && !slices.ContainsFunc(others, lacks)
	}
	if isCut {
		return &CutError{last[""]}
	}
	return nil
}

// parseAny reads any of the forms, in the order of the vnodes, in which they are tried.
func parseAny(text string) ([]attributes, error) {
	text = strings.TrimSpace(text) + "\n"
	if !strings.HasPrefix(text, "{") && !strings.HasPrefix(text, "Name=") {
		found := parseText(text)
		return found, findCut(text, found)
	}
	objects, damage := pbs.ParseObjects("", text)
	if len(damage) > 0 {
		return nil, &CutError{}
	}
	var found []attributes
	for _, o := range objects {
		if o.Kind != "node" {
			continue
		}
		a := attributes{"": o.Name}
		for _, attribute := range o.Attributes {
			a[attribute.Name] = attribute.Value
		}
		found = append(found, a)
	}
	return found, nil
}

// attributes are those of a vnode; its name is the one of "".
type attributes map[string]string

// prefix begins the names of what a vnode has.
const prefix = "resources_available."

func (a attributes) vnode() Vnode {
	v := Vnode{Name: a[""], Queue: a["queue"], Partition: a["partition"], Mom: a["Mom"], Sharing: a["sharing"], Priority: float64(a.integer("Priority", 0)), odd: a.oddIntegers(), Words: map[string]string{},
		Limits: a.limits(), NoMultinode: isTrue(a["no_multinode_jobs"]), IsStateless: a["state"] == "", oddState: a.oddState(), unknown: a.unknown()}
	for name, value := range a {
		if resource, ok := strings.CutPrefix(name, prefix); ok {
			v.Words[resource] = value
		}
	}
	if a.isTorque() {
		a.addTorque(v.Words)
	}
	if v.Words["vnode"] == "" {
		v.Words["vnode"] = v.Name
	}
	if v.Words["host"] == "" {
		v.Words["host"] = v.Name
	}
	v.Host = v.Words["host"]
	return v
}

// oddState returns a word of a vnode's state that PBS does not have, "" for none.
func (a attributes) oddState() string {
	for word := range strings.SplitSeq(a["state"], ",") {
		if word = strings.TrimSpace(word); word != "" && !pbs.IsVnodeState(word) {
			return word
		}
	}
	return ""
}

// unknown returns the attributes that PBS does not print, as far as is known here.
func (a attributes) unknown() (names []string) {
	if a.isTorque() {
		return nil
	}
	for name := range a {
		if name != "" && pbs.SettingOf(pbs.OfVnode|pbs.OfAttributes, name) == nil {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

func (a attributes) isAway() bool {
	for state := range strings.SplitSeq(a["state"], ",") {
		if slices.Contains(pbs.AwayStates, strings.TrimSpace(state)) {
			return true
		}
	}
	return false
}

// TakesNone reports whether a vnode takes no job in a state, however much it has free: in any but free and job-busy, which
// says that its cpus are in use.
func TakesNone(state string) bool {
	for word := range strings.SplitSeq(state, ",") {
		if word = strings.TrimSpace(word); word != "" && word != "free" && word != "job-busy" {
			return true
		}
	}
	return false
}

// StatesNow returns what of a vnode's state keeps jobs away now, without what its own jobs and reservations make of it.
func StatesNow(state string) (words []string) {
	for word := range strings.SplitSeq(state, ",") {
		word = strings.TrimSpace(word)
		if !slices.Contains([]string{"", "free", "job-busy", "job-exclusive", "resv-exclusive"}, word) {
			words = append(words, word)
		}
	}
	return words
}

func parseText(text string) []attributes {
	var found []attributes
	newest := "" // attribute, which a line that begins with a tab continues
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\r\n")
		name, value, isAttribute := strings.Cut(line, " = ")
		switch {
		case line == "" || line[0] == '#':
			newest = ""
		case line[0] == '\t' && newest != "":
			found[len(found)-1][newest] += strings.TrimSpace(line)
		case line[0] != ' ' && line[0] != '\t':
			if strings.ContainsAny(line, " =;") {
				return nil // something else
			}
			found, newest = append(found, attributes{"": line}), ""
		case isAttribute && len(found) > 0:
			newest = strings.TrimSpace(name)
			found[len(found)-1][newest] = strings.TrimSpace(value)
		}
	}
	return found
}
