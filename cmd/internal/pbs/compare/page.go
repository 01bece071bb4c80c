package compare

import (
	"fairshare/cmd/internal/accounts"
	"fairshare/cmd/internal/compare"
	"fairshare/cmd/internal/page"
	"fairshare/cmd/internal/pbs/joblist"
	"fairshare/cmd/internal/pbs/order"
)

// Page returns the difference of two orders as a page shows it. from says where
// the jobs come from, and of when they are.
func Page(d *compare.Difference, before, after *order.Order, from string) page.Data {
	l := before.List
	c := d.Chart(from, func(row int) (old, now int, names []int32) {
		job := l.Job(row)
		return before.Place(row), after.Place(row), []int32{job.User, job.Entity, job.Group, job.Project, job.Queue}
	})
	c.Parties = []page.Party{
		{Name: "User", Names: l.Users.List}, party("Entity", &l.Entities, d.Entities), party("Group", &l.Groups, d.Groups),
		party("Project", &l.Projects, d.Projects), party("Queue", &l.Queues, d.Queues),
	}
	out := page.Data{Title: "What a change does to the order of jobs", Compare: c}
	switch old, now := before.Plan.Site.SchedPriv, after.Plan.Site.SchedPriv; {
	case old == nil && now == nil:
	case old == now:
		out.Trees = []page.Tree{accounts.PBSPage("Fairshare tree: width is shares, colour is use", before.Tree)}
	default:
		out.Trees = []page.Tree{
			accounts.PBSPage("Old fairshare tree: width is shares, colour is use", before.Tree),
			accounts.PBSPage("New fairshare tree", after.Tree),
		}
	}
	return out
}

// party returns mean shifts by a kind of name as a page draws them.
func party(name string, names *joblist.Names, shifts []compare.Shift) page.Party {
	p := page.Party{Name: name, Names: names.List}
	for _, s := range shifts {
		number, _ := names.Find(s.Name)
		p.Shifts = append(p.Shifts, s.Page(int(number)))
	}
	return p
}
