package compare

import (
	"fmt"
	"iter"
	"maps"
	"slices"
	"strconv"
	"strings"

	"fairshare/cmd/internal/report"
)

// Places are where the jobs of a user stand in an order.
type Places struct {
	User  string `json:"user"`
	Ranks []int  `json:"ranks"` // of those that are considered, the first one first
	Of    int    `json:"of"`    // how many jobs are considered, of everybody
	Other int    `json:"other"` // how many of theirs are not considered

	Left map[string][]string `json:"not_considered,omitempty"` // which these are, by why
}

// PlacesOf returns where the jobs of two users stand, or of one where both are the same. jobs has them in any order, and placeOf returns the
// user and the rank of each, and of one that is not considered 0 and why, with which job that is.
func PlacesOf[R any](users [2]string, jobs iter.Seq[R], placeOf func(R) (user string, rank int, id, why string)) []Places {
	list := []Places{{User: users[0], Ranks: []int{}, Left: map[string][]string{}}}
	if users[1] != users[0] {
		list = append(list, Places{User: users[1], Ranks: []int{}, Left: map[string][]string{}})
	}
	of := 0
	for job := range jobs {
		user, rank, id, why := placeOf(job)
		if rank > 0 {
			of++
		}
		for i := range list {
			switch {
			case user != list[i].User:
			case rank > 0:
				list[i].Ranks = append(list[i].Ranks, rank)
			default:
				list[i].Other++
				list[i].Left[why] = append(list[i].Left[why], id)
			}
		}
	}
	for i := range list {
		slices.Sort(list[i].Ranks)
		list[i].Of = of
	}
	return list
}

// String says it in a sentence.
func (p Places) String() string {
	const most = 8 // ranks that are told
	text := fmt.Sprintf("%s has %d of the %d jobs that are considered", p.User, len(p.Ranks), p.Of)
	if len(p.Ranks) > 0 {
		var ranks []string
		for _, rank := range p.Ranks[:min(most, len(p.Ranks))] {
			ranks = append(ranks, strconv.Itoa(rank))
		}
		text += ", at rank " + strings.Join(ranks, ", ")
	}
	if more := len(p.Ranks) - most; more > 0 {
		text += fmt.Sprintf(" and %d more down to %d", more, p.Ranks[len(p.Ranks)-1])
	}
	if p.Other > 0 {
		var why []string
		for _, reason := range slices.Sorted(maps.Keys(p.Left)) {
			why = append(why, report.First(p.Left[reason])+" "+report.DashIfEmpty(reason))
		}
		text += fmt.Sprintf(" (and %s not considered: %s)", report.Count(p.Other, "job"), strings.Join(why, "; "))
	}
	return text
}

// PrintPlaces prints where the jobs of users stand, if they are asked about.
func PrintPlaces(to *report.Printer, places []Places) {
	for _, p := range places {
		fmt.Fprintln(to, report.Printable(p.String()))
	}
	switch len(places) {
	case 1:
		fmt.Fprintln(to, "\nThe job and the first one of its user:")
	case 2:
		fmt.Fprintln(to, "\nThe first jobs of both:")
	}
}
