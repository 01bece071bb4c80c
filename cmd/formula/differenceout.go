package main

import (
	"cmp"
	"encoding/csv"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

func (s *session) printDifferenceCSV(d *difference) error {
	w := csv.NewWriter(s.out)
	w.Write([]string{"id", "user", "entity", "queue", "old_rank", "new_rank", "change", "old_value", "new_value", "old_reason", "new_reason", "old_error", "new_error"})
	for _, m := range d.Moves {
		w.Write([]string{m.ID, m.User, m.Entity, m.Queue, rankText(m.OldRank), rankText(m.NewRank), rankText(m.Change),
			known(m.OldValue), known(m.NewValue), m.OldReason, m.NewReason, m.OldError, m.NewError})
	}
	w.Flush()
	return w.Error()
}

// printDifference prints the summary, the mean shift of each entity and queue
// as bars, and the jobs that move most.
func (s *session) printDifference(d *difference, top int) {
	out := s.out
	fmt.Fprintf(out, "old: %s\nnew: %s\n\n", d.Old, d.New)
	if d.isSame() {
		fmt.Fprintf(out, "The order of %s does not change.\n", count(d.Jobs, "job"))
	} else {
		fmt.Fprintf(out, "%d of %s move", d.Moved, count(d.Jobs, "job"))
		if d.TauB != nil {
			fmt.Fprintf(out, ", Kendall's tau-b %.3f", float64(*d.TauB))
		}
		fmt.Fprintln(out)
		for _, o := range d.Overlap {
			if o.First >= d.Jobs {
				break // all of them
			}
			fmt.Fprintf(out, "%d of the first %d stay among them\n", o.Shared, o.First)
		}
	}
	for _, group := range d.groups() {
		if len(group.ids) > 0 {
			fmt.Fprintf(out, "%s: %s, %s\n", group.what, count(len(group.ids), "job"), some(group.ids))
		}
	}
	if d.Entered > 0 {
		fmt.Fprintf(out, "%s newly considered\n", count(d.Entered, "job"))
	}
	if d.isSame() {
		return
	}
	s.printBars("ENTITY", d.Entities)
	s.printBars("QUEUE", d.Queues)
	s.printMoves(d, top)
}

// group is jobs of which something is to be said.
type group struct {
	what string
	ids  []string
}

func (d *difference) groups() []group {
	return []group{
		{"newly failing to evaluate", d.NewlyFail}, {"newly tied with another", d.NewlyTie},
		{"newly under the threshold", d.NewlyUnder}, {"newly left out otherwise", d.NewlyLeftOut},
	}
}

// some are the first of a list.
func some(ids []string) string {
	const most = 5
	if len(ids) <= most {
		return strings.Join(ids, ", ")
	}
	return strings.Join(ids[:most], ", ") + ", …"
}

// barWidth is the longest bar, in columns, to either side.
const barWidth = 20

// printBars draws mean shifts: to the right for earlier, to the left for later.
func (s *session) printBars(title string, lines []shiftLine) {
	const most = 30 // lines; the middle is left out
	longest := 0.0
	for _, l := range lines {
		longest = max(longest, math.Abs(float64(l.Mean)))
	}
	if longest == 0 {
		return
	}
	table := [][]string{{title, "JOBS", "MEAN CHANGE", strings.Repeat(" ", barWidth-5) + "later|earlier"}}
	for i, l := range lines {
		if len(lines) > most && i == most/2 {
			table = append(table, []string{fmt.Sprintf("… %d more", len(lines)-most), "", "", ""})
		}
		if len(lines) > most && i >= most/2 && i < len(lines)-most/2 {
			continue
		}
		n := int(math.Round(math.Abs(float64(l.Mean)) / longest * barWidth))
		left, right := strings.Repeat(" ", barWidth), ""
		if l.Mean < 0 {
			left = strings.Repeat(" ", barWidth-n) + strings.Repeat("█", n)
		} else {
			right = strings.Repeat("█", n)
		}
		table = append(table, []string{l.Name, strconv.Itoa(l.Jobs), fmt.Sprintf("%+.1f", float64(l.Mean)), left + "|" + right})
	}
	fmt.Fprintln(s.out)
	s.printCells(table, func(column int) bool { return column == 1 || column == 2 })
}

// printMoves prints the jobs that move most, top of them or all for 0.
func (s *session) printMoves(d *difference, top int) {
	var moved []int
	for i, m := range d.Moves {
		if m.OldRank != nil && m.NewRank == nil || m.NewRank != nil && (m.OldRank == nil || *m.Change != 0) {
			moved = append(moved, i)
		}
	}
	slices.SortStableFunc(moved, func(a, b int) int { return cmp.Compare(d.Moves[b].distance(), d.Moves[a].distance()) })
	if top > 0 && len(moved) > top {
		moved = moved[:top]
	}
	table := [][]string{{"OLD", "NEW", "CHANGE", "JOB", "USER", "ENTITY", "QUEUE", "OLD VALUE", "NEW VALUE", ""}}
	for _, i := range moved {
		m := d.Moves[i]
		change, note := "", m.NewError
		if m.Change != nil {
			change = fmt.Sprintf("%+d", *m.Change)
		}
		if note == "" {
			note = m.NewReason
		}
		table = append(table, []string{dash(rankText(m.OldRank)), dash(rankText(m.NewRank)), change, m.ID, m.User, m.Entity, m.Queue,
			short(m.OldValue), short(m.NewValue), note})
	}
	fmt.Fprintln(s.out)
	s.printCells(table, func(column int) bool { return column < 3 || column == 7 || column == 8 })
}
