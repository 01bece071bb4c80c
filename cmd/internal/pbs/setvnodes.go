package pbs

import (
	"fmt"
	"slices"
	"strings"

	"fairshare/formula"
)

// vnodeAttribute returns the names of vnodes and the attribute of a setting, without its first word; false where it is of no attribute
// that can be tried.
func vnodeAttribute(setting string) (names, attribute string, is bool) {
	if at := strings.Index(setting, "."+available+"."); at > 0 {
		return setting[:at], setting[at+1:], true
	}
	names, isQueue := strings.CutSuffix(setting, ".queue")
	return names, "queue", isQueue && names != ""
}

// isOfVnodes reports whether the name of a setting says what of vnodes it sets.
func isOfVnodes(name string) bool {
	_, _, is := vnodeAttribute(name)
	return is || strings.HasSuffix(name, ".offline") || strings.HasSuffix(name, ".down")
}

// isUsedUp reports whether jobs use up what vnodes have of a resource: of the site's own one whose flag has an n or an f.
func (s *Site) isUsedUp(resource string) bool {
	if _, isOfSite := s.Resources[resource]; isOfSite {
		return strings.ContainsAny(s.Flags[resource], "nf")
	}
	return slices.Contains(chunkResources, resource)
}

// setVnodes sets an attribute of vnodes, or for "" takes it away.
func (e *editor) setVnodes(names, attribute, value string) error {
	value = unquoted(value)
	if resource, isOne := strings.CutPrefix(attribute, available+"."); isOne {
		switch resource {
		case "host", "vnode":
			return fmt.Errorf("it says which vnode it is, and no other value of it can be tried")
		}
		if err := e.site.CheckResource(resource); err != nil {
			return err
		}
		t := e.site.known().typeOf(resource)
		if err := checkOfType(value, t); err != nil && value != "" {
			return err
		}
		if strings.HasPrefix(value, "-") && (t == formula.Long || t == formula.Float64) && e.site.isUsedUp(resource) {
			return fmt.Errorf("%q is below 0, and jobs use %s up", value, resource)
		}
	} else if isQueue := func(q Queue) bool { return q.Name == value }; value != "" && e.knowsQueues && !slices.ContainsFunc(e.site.Queues, isQueue) {
		return e.noQueue(value)
	}
	e.site.OtherVnodes = append(e.site.OtherVnodes, OtherVnode{names, attribute, value})
	return nil
}
