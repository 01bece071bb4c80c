package order

import (
	"fmt"
	"slices"
	"strings"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/pbs"
	"fairshare/cmd/internal/pbs/joblist"
	"fairshare/cmd/internal/report"
	"fairshare/fstree"
)

// Unlisted are the jobs of a list whose entities resource_group does not have: PBS hangs those under "unknown", where
// all of them together have its shares. To have left somebody out is the commonest mistake of a tree.
type Unlisted struct {
	Names []string // of the entities, in the order of the list
	Jobs  int

	waiting int      // of Jobs, those that wait
	names   []string // of their entities
	ofAll   int      // jobs of the list that wait

	part  float32 // of the tree, that unknown has
	never bool    // whether those without shares never start
	under string  // fairshare_entity
}

// NewUnlisted returns the jobs of a list at a site whose entities the site's tree does not have.
func NewUnlisted(site *pbs.Site, l *joblist.List) Unlisted {
	var u Unlisted
	if !site.HasTree() {
		return u
	}
	tree := site.SchedPriv.Tree
	u.under, u.part = site.Entity(), tree.Entity(fstree.Unknown).TreePercentage
	u.never = site.SchedPriv.Config.EnforceNoShares && site.Policy().FairShare
	isUnlisted := make([]bool, len(l.Entities.List))
	for number, name := range l.Entities.List {
		id, isKnown := tree.Lookup(name)
		isUnlisted[number] = !isKnown || slices.Contains(tree.Path(id), fstree.Unknown)
	}
	seen, waits := make([]bool, len(isUnlisted)), make([]bool, len(isUnlisted))
	for row := range l.Len() {
		j := l.Job(row)
		if j.HasLeft() || j.IsRepeated || !site.Places(l.Queues.List[j.Queue]) {
			continue
		}
		isWaiting := j.State == 'Q'
		if isWaiting {
			u.ofAll++
		}
		if !isUnlisted[j.Entity] {
			continue
		}
		if name := l.Entities.List[j.Entity]; isWaiting {
			if u.waiting++; !waits[j.Entity] {
				waits[j.Entity] = true
				u.names = append(u.names, name)
			}
		}
		if u.Jobs++; !seen[j.Entity] {
			seen[j.Entity] = true
			u.Names = append(u.Names, l.Entities.List[j.Entity])
		}
	}
	return u
}

// shown says who is not listed, with how many jobs.
func (u Unlisted) shown() string {
	const most = 5
	verb := map[bool]string{true: "is", false: "are"}[len(u.Names) == 1]
	return fmt.Sprintf("%s %s not in resource_group (%s)", report.Some(u.Names, most), verb, report.Count(u.Jobs, "job"))
}

// String says which these are, with which share, and what follows; "" for none.
func (u Unlisted) String() string {
	if u.Jobs == 0 {
		return ""
	}
	text := u.shown() + ": PBS hangs them under unknown"
	if len(u.Names) == 1 {
		text = strings.Replace(text, "hangs them", "hangs it", 1)
	}
	switch {
	case u.part == 0 && u.never:
		return text + ", which has no shares (unknown_shares): with fairshare_enforce_no_shares, as here, they never start"
	case u.part == 0:
		return text + ", which has no shares (unknown_shares): whoever has some goes before"
	}
	return text + fmt.Sprintf(", where all who are not listed have %s%% of the tree in common, and what one of them uses counts against all", report.Decimals(100*float64(u.part), 2))
}

// Remark returns that as a remark where the order depends on it, nil for nothing.
func (u Unlisted) Remark() []diag.Remark {
	if u.Jobs == 0 {
		return nil
	}
	remark := diag.Notef("%s", u).OfPeople()
	if u.part > 0 {
		remark = remark.Briefly("%s: all such have %s%% of the tree in common", u.shown(), report.Decimals(100*float64(u.part), 2))
	}
	return []diag.Remark{remark}
}

// Most returns a warning where more than half of the waiting jobs are of those whom resource_group does not have, nil otherwise.
func (u Unlisted) Most(site *pbs.Site) []diag.Remark {
	if 2*u.waiting <= u.ofAll {
		return nil
	}
	who := "entity " + u.names[0] + ", whom it does not have: PBS hangs it"
	if n := len(u.names); n > 1 {
		who = fmt.Sprintf("%d entities whom it does not have, such as %s: PBS hangs them", n, u.names[0])
	}
	groups := site.SchedPriv.NameOf(pbs.GroupsFile)
	return []diag.Remark{diag.Warningf("%s: %d of %s are of %s under unknown, where all such have its shares in common", groups, u.waiting, report.Count(u.ofAll, "waiting job"), who).At(groups, 0)}
}

// unlisted says whom resource_group does not have, where that matters.
func (o *Order) unlisted() []diag.Remark {
	if !o.Plan.Site.Policy().FairShare && !o.Plan.UsesTree() {
		return nil
	}
	return NewUnlisted(o.Plan.Site, o.List).Remark()
}
