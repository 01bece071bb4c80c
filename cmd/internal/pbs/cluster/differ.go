package cluster

import (
	"maps"
	"slices"
	"strings"
)

// Differences are what another print of the same vnodes tells otherwise on which starts depend: which vnodes are away, what they have and
// whose they are. What is in use changes from one print to the next. Each is named with what it is there, nil for none.
func (l *Listing) Differences(other *Listing) (list []string) {
	there := map[string]attributes{}
	for _, a := range other.vnodes {
		there[a[""]] = a
	}
	isAway, isAwayThere := l.isAway(nil), other.isAway(nil)
	state := map[bool]string{true: "away", false: "up"}
	for _, a := range l.vnodes {
		b, isThere := there[a[""]]
		if !isThere {
			list = append(list, a[""]+" (missing)")
			continue
		}
		if isAway(a) != isAwayThere(b) {
			list = append(list, a[""]+" ("+state[isAwayThere(b)]+")")
		}
		for _, name := range slices.Sorted(maps.Keys(a)) {
			isOf := strings.HasPrefix(name, prefix) || name == "queue" || name == "partition" || name == "sharing"
			if is, was := plainly(a[name]), plainly(b[name]); isOf && b[name] != "" && is != was {
				list = append(list, a[""]+" ("+strings.TrimPrefix(name, prefix)+" "+b[name]+")")
			}
		}
	}
	return list
}

// plainly returns a value of an attribute as that of another print can be compared with it.
func plainly(value string) string {
	parts := strings.Split(strings.ToLower(strings.ReplaceAll(value, " ", "")), ",")
	slices.Sort(parts)
	return strings.Join(parts, ",")
}
