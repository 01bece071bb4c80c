package compare

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"

	"fairshare/cmd/internal/page"
	"fairshare/cmd/internal/report"
)

// Group is jobs to which the same happens.
type Group struct {
	Label string
	IDs   []string
	Of    string // what is said of some of them, after "; of them", "" for nothing
}

// Happenings returns the jobs to which something happens that a person should know
// of. Some groups may be empty.
func (d *Difference) Happenings() []Group {
	groups := []Group{{Label: "newly failing to evaluate", IDs: d.NewlyFail}, {Label: "newly tied with another", IDs: d.NewlyTie}, {Label: "newly under the threshold", IDs: d.NewlyUnder}}
	return append(append(groups, d.leftOut()...), d.Starts.groups()...)
}

// leftOut returns the jobs that are newly left out for another reason than the threshold, by their reasons, and together those of
// reasons beyond the first few.
func (d *Difference) leftOut() (groups []Group) {
	const most = 4 // reasons
	for i, id := range d.NewlyLeftOut {
		label := "newly left out"
		if why := d.whyLeft[i]; why != "" {
			label += " (" + why + ")"
		}
		at := slices.IndexFunc(groups, func(g Group) bool { return g.Label == label })
		switch {
		case at >= 0:
		case len(groups) <= most:
			groups, at = append(groups, Group{Label: label}), len(groups)
		default:
			at = most
			groups[at].Label = "newly left out for other reasons"
		}
		groups[at].IDs = append(groups[at].IDs, id)
	}
	return groups
}

// Chart returns the difference without its parties. of returns the ranks of a row, and the numbers of
// its names in each party.
func (d *Difference) Chart(from string, of func(row int) (old, now int, names []int32)) *page.Compare {
	c := &page.Compare{Old: d.Old, New: d.New, From: from, Verdict: d.verdict(), Summary: d.figures()}
	for row, m := range d.Moves {
		if m.OldRank == nil && m.NewRank == nil {
			continue
		}
		if len(c.Jobs) == page.MaxJobs {
			c.Omitted++
			continue
		}
		job := page.Job{ID: m.ID}
		job.OldValue, job.NewValue = ValuesApart(&m)
		job.Old, job.New, job.Parties = of(row)
		c.Jobs = append(c.Jobs, job)
	}
	const listed = 500
	for _, group := range d.Happenings() {
		if len(group.IDs) > 0 {
			c.Lists = append(c.Lists, page.List{Label: group.Label, Count: len(group.IDs), IDs: group.IDs[:min(len(group.IDs), listed)]})
		}
	}
	return c
}

// RankedChart returns a difference of BetweenRanks with its parties, whose titles are those of Projects, Entities,
// Queues and Groups, for which users stand as Projects.
func (d *Difference) RankedChart(from string, titles [4]string) *page.Compare {
	var parties [len(titles)]*numberedParty
	for i, shifts := range [][]Shift{d.Projects, d.Entities, d.Queues, d.Groups} {
		parties[i] = newNumberedParty(titles[i], shifts)
	}
	rank := func(n *int) int {
		if n == nil {
			return 0
		}
		return *n
	}
	c := d.Chart(from, func(row int) (old, now int, names []int32) {
		m := &d.Moves[row]
		for i, name := range []string{m.User, m.Entity, m.Queue, m.Group} {
			names = append(names, parties[i].number(name))
		}
		return rank(m.OldRank), rank(m.NewRank), names
	})
	for _, p := range parties {
		c.Parties = append(c.Parties, p.Party)
	}
	return c
}

// numberedParty is a party of a page whose names come one by one.
type numberedParty struct {
	page.Party
	index map[string]int32
}

func newNumberedParty(name string, shifts []Shift) *numberedParty {
	p := &numberedParty{page.Party{Name: name}, map[string]int32{}}
	for _, s := range shifts {
		p.Shifts = append(p.Shifts, s.Page(int(p.number(s.Name))))
	}
	return p
}

// number returns the place of a name among those of the party.
func (p *numberedParty) number(name string) int32 {
	i, ok := p.index[name]
	if !ok {
		i = int32(len(p.Names))
		p.index[name] = i
		p.Names = append(p.Names, name)
	}
	return i
}

// verdict says in one sentence how many jobs move, and whose most.
func (d *Difference) verdict() string {
	if d.Moved == 0 {
		return fmt.Sprintf("None of %s moves.", report.Count(d.Jobs, "job"))
	}
	text := fmt.Sprintf("%d of %s change places", d.Moved, report.Count(d.Jobs, "job"))
	if len(d.Entities) == 0 {
		return text + "."
	}
	order := func(a, b Shift) int { return cmp.Compare(a.Mean, b.Mean) }
	gain, loss := slices.MaxFunc(d.Entities, order), slices.MinFunc(d.Entities, order)
	if gain.Mean > 0 {
		text += fmt.Sprintf("; those of %s gain most, %s places on average", gain.Name, report.Fixed(float64(gain.Mean), 1))
	}
	if loss.Mean < 0 {
		text += fmt.Sprintf("; those of %s lose most, %s places", loss.Name, report.Fixed(-float64(loss.Mean), 1))
	}
	return text + "."
}

// figures returns the numbers at the top of the page.
func (d *Difference) figures() []page.Figure {
	figures := []page.Figure{
		{ID: "jobs", Label: "jobs in both orders", Value: strconv.Itoa(d.Jobs)},
		{ID: "moved", Label: "of them move", Value: strconv.Itoa(d.Moved)},
	}
	if d.Tau != nil {
		figures = append(figures, page.Figure{ID: "tau", Label: "of all pairs keep their order (Kendall's tau " + TauText(d.Tau) + ")", Value: partInOrder(d.Tau)})
	}
	for _, o := range d.Overlap {
		if o.First < d.Jobs {
			figures = append(figures, page.Figure{ID: fmt.Sprintf("first%d", o.First), Label: fmt.Sprintf("of the first %d stay among them", o.First), Value: strconv.Itoa(o.Shared)})
		}
	}
	for _, f := range []struct {
		id, label string
		number    int
	}{
		{"entered", "newly considered", d.Entered}, {"under", "newly under the threshold", len(d.NewlyUnder)},
		{"left", "newly left out", len(d.NewlyLeftOut)}, {"fail", "newly failing to evaluate", len(d.NewlyFail)},
		{"tie", "newly tied with another", len(d.NewlyTie)},
	} {
		if f.number > 0 {
			figures = append(figures, page.Figure{ID: f.id, Label: f.label, Value: strconv.Itoa(f.number)})
		}
	}
	return figures
}

// ValuesApart returns a job's old and new value in six digits, or in as many as
// tell them apart.
func ValuesApart(m *Move) (old, now string) {
	if m.OldValue == nil || m.NewValue == nil {
		return report.OrDash(m.OldValue), report.OrDash(m.NewValue)
	}
	return report.Apart(float64(*m.OldValue), float64(*m.NewValue), 6)
}

// Page returns the mean shift of a name, of which the number is known, as a page draws it.
func (s Shift) Page(number int) page.Shift {
	return page.Shift{Name: number, Jobs: s.Jobs, Mean: math.Round(float64(s.Mean)*100) / 100}
}
