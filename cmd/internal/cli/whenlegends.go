package cli

import (
	"maps"
	"slices"

	"fairshare/cmd/internal/forecast"
	"fairshare/cmd/internal/report"
	"fairshare/cmd/internal/study"
	"fairshare/cmd/internal/witness"
)

// noBound stands for a time before which a job hardly starts where that is the time of the list, which says nothing.
const noBound = "any time"

// oneDraw says what the start in a single run is.
const oneDraw = "each start is that of one run, in which others come and end as they happen to in it: more --runs tell the middle and the times beside it"

// howMany follows what is said of doubtful names.
const howMany = "; formula when SITE --check says how many such times held"

// legends says what the marks mean that cells have had.
func (v *view) legends() (lines []string) {
	switch {
	case v.said != nil:
		lines = append(lines, study.DoubtOfAll(v.said, v.isMarked)+howMany)
	case v.isMarked:
		lines = append(lines, study.DoubtNote+howMany)
	}
	if v.isDrawnOnce {
		lines = append(lines, oneDraw)
	}
	if v.isUncompared {
		lines = append(lines, "which of these is sooner is not known, since the order is not")
	}
	if v.isOpen {
		lines = append(lines, noBound+": it may start from now on, and no time is known before which it hardly does")
	}
	return lines
}

// sayOnce finds which names need no mark, since each of some jobs has a doubtful one of the kind: they are said once.
func (v *view) sayOnce(jobs []*forecast.Job) {
	const most = 3 // names of a kind, of which more are told apart better by marks
	for _, x := range parties {
		doubted := map[string]bool{}
		isOfAll := len(jobs) > 0
		for _, j := range jobs {
			name := x.of(j)
			doubted[name] = true
			isOfAll = isOfAll && v.judged.Doubt(x.kind, name) != nil
		}
		if isOfAll && len(doubted) <= most {
			v.doubted = append(v.doubted, x)
			text := v.judged.Word(x.kind) + " " + report.Listed(slices.Sorted(maps.Keys(doubted)))
			if !slices.Contains(v.said, text) { // by the table, whose page follows
				v.said = append(v.said, text)
			}
		}
	}
}

// isSaidOnce reports whether names of a kind have no marks.
func (v *view) isSaidOnce(kind witness.Kind) bool {
	return slices.ContainsFunc(v.doubted, func(x party) bool { return x.kind == kind })
}

// marked returns the name of a queue or user, with a mark where its recorded starts disagree with the rules.
func (v *view) marked(kind witness.Kind, name string) string {
	if v.judged.Doubt(kind, name) != nil && !v.isSaidOnce(kind) {
		v.isMarked = true
		return name + study.DoubtMark
	}
	return name
}

// party is one of those of whom a job is.
type party struct {
	kind  witness.Kind
	title string // of the column that is for it alone, "" where there always is one
	of    func(*forecast.Job) string
}

var parties = []party{
	{witness.OfQueue, "", func(j *forecast.Job) string { return j.Queue }},
	{witness.OfUser, "", func(j *forecast.Job) string { return j.User }},
	{witness.OfQOS, "QOS", func(j *forecast.Job) string { return j.Project }},
	{witness.OfAccount, "Account", func(j *forecast.Job) string { return j.Account }},
	{witness.OfProject, "Project", func(j *forecast.Job) string { return j.Project }},
	{witness.OfGroup, "Group", func(j *forecast.Job) string { return j.Group }},
}
