package order

import (
	"fmt"
	"slices"
	"strings"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/pbs"
	"fairshare/cmd/internal/pbs/joblist"
	"fairshare/cmd/internal/report"
)

// Limited says whom limits of a site name that have no job in a list, which may be nil, and are not in its fairshare tree: it warns of those
// that are nearly somebody whom either has. Of the others it is a note, where there is a list: they may have no jobs now.
func Limited(site *pbs.Site, l *joblist.List) (remarks []diag.Remark) {
	if l == nil {
		l = &joblist.List{}
	}
	var nobody []string
	isSaid := map[string]bool{}
	for _, isSoft := range []bool{false, true} {
		limits, _ := site.Limits(isSoft) // of which check says what cannot be read
		for _, limit := range slices.Concat(limits, site.QueuedLimits()) {
			names := map[byte]*joblist.Names{'u': &l.Users, 'g': &l.Groups, 'p': &l.Projects}[limit.Kind]
			if names == nil || limit.Name == pbs.GenericLimit || slices.Contains(names.List, limit.Name) || site.HasTree() && inTree(site, limit.Name) {
				continue
			}
			of := fmt.Sprintf("%s of %s", limit.Setting, limit.Where())
			text := fmt.Sprintf("%s %s (%s)", pbs.LimitedKinds[limit.Kind], limit.Name, of)
			if isSaid[text] {
				continue
			}
			isSaid[text] = true
			if meant := misspelt(limit.Name, slices.Concat(names.List, entities(site))); meant != "" {
				remarks = append(remarks, diag.Warningf("%s is for %s %s, and neither a job nor the fairshare tree has that name%s", of, pbs.LimitedKinds[limit.Kind], limit.Name, report.Meant(meant)).OfPeople())
			} else if len(names.List) > 0 {
				nobody = append(nobody, text)
			}
		}
	}
	if nobody != nil {
		remarks = append(remarks, diag.Notef("limits name whom neither the list of jobs nor the fairshare tree has: %s", report.First(nobody)).OfPeople())
	}
	return remarks
}

// inTree reports whether a fairshare tree has a name.
func inTree(site *pbs.Site, name string) bool {
	_, is := site.SchedPriv.Tree.Lookup(name)
	return is
}

// entities returns the names in the fairshare tree of a site, nil where it has none.
func entities(site *pbs.Site) (names []string) {
	if !site.HasTree() {
		return nil
	}
	for id := range site.SchedPriv.Tree.Preorder() {
		names = append(names, site.SchedPriv.Tree.Entity(id).Name)
	}
	return names
}

// misspelt returns the name that is meant perhaps by one that nobody has, "" for none. Short names that have other letters, and those that
// differ by numbers, are those of others.
func misspelt(name string, names []string) string {
	const shortest = 4
	letters := func(name string) string { return strings.Trim(name, "0123456789") }
	meant := report.Typo(name, names)
	sorted := func(name string) string { return string(slices.Sorted(slices.Values([]byte(name)))) }
	if len(name) < shortest && sorted(name) != sorted(meant) || letters(name) == letters(meant) {
		return ""
	}
	return meant
}
