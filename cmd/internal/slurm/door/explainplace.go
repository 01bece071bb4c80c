package door

import (
	"fmt"
	"slices"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/report"
	"fairshare/cmd/internal/slurm/order"
	"fairshare/cmd/internal/slurm/sched"
	"fairshare/cmd/internal/terms"
)

// printPlace prints the rank of a job, first the one in its partition where it is known who else competes for nodes of that, and what put
// others ahead of it.
func printPlace(to *report.Printer, e order.Explanation) {
	among := ""
	switch {
	case e.IsOfSprio:
		among = " among all that sprio prints"
	case e.IsOfSome:
		among = " among the jobs of your list (its place among all is not known from it)"
	}
	own := e.InOwn
	isOwnFirst := own != nil && own.Beside != nil && !e.IsOfSome && e.Tier != nil
	switch {
	case isOwnFirst:
		beside := report.Count(*own.Beside, "job") + " are ahead"
		switch *own.Beside {
		case 0:
			beside = "no job is ahead"
		case 1:
			beside = "1 job is ahead"
		}
		fmt.Fprintf(to, "rank %d of %d in partition %s, priority %s, tier %s; of other partitions with nodes of it, %s\n", own.Rank, own.Of, report.Printable(e.Partition), report.Fixed(float64(e.Value), 0), report.Plain(float64(*e.Tier)), beside)
		fmt.Fprintf(to, "rank %d of %d among the jobs of all partitions%s", *e.Rank, e.Of, among)
	case e.IsWithin:
		fmt.Fprintf(to, "rank %d of %d of its partition%s, as squeue lists them", *e.Rank, e.Of, among)
	case e.Tier == nil:
		fmt.Fprintf(to, "rank %d of %d%s, priority %s", *e.Rank, e.Of, among, report.Fixed(float64(e.Value), 0))
	default:
		fmt.Fprintf(to, "rank %d of %d%s, priority %s in a partition of tier %s", *e.Rank, e.Of, among, report.Fixed(float64(e.Value), 0), report.Plain(float64(*e.Tier)))
	}
	fmt.Fprintln(to, terms.Ahead(*e.Rank, byWords(e.Ahead), ruleWords()))
	if len(e.Before) > 0 {
		fmt.Fprintf(to, "right before it: %s (formula sort shows all)\n", report.First(e.Before))
	}
	atLeast := ""
	if e.MayDiffer {
		atLeast = "at least "
	}
	switch n := len(e.StuckAhead); {
	case n == 1:
		fmt.Fprintf(to, "of those ahead, %sjob %s does not start as things are\n", atLeast, report.Printable(e.StuckAhead[0]))
	case n > 1:
		fmt.Fprintf(to, "of those ahead, %s%d do not start as things are: %s\n", atLeast, n, report.First(e.StuckAhead))
	}
	if own != nil && !isOwnFirst {
		of := ""
		if e.IsOfSome {
			of = " of your list"
		}
		fmt.Fprintf(to, "rank %d of %d%s in partition %s alone: the rank above counts the jobs of all partitions\n", own.Rank, own.Of, of, report.Printable(e.Partition))
	}
}

// ruleWords returns what is said of the rules by which jobs go before others, in their order: of a rule whose name alone tells little
// to who does not know it, another word.
func ruleWords() []string {
	words := slices.Clone(sched.OrderRules)
	words[sched.ByPreemption], words[sched.ByCircle] = "the right to preempt", "who may preempt whom of the jobs between them"
	return words
}

// byWords returns how many jobs go first by what, in the words of ruleWords.
func byWords(by map[string]int) map[string]int {
	words, said := map[string]int{}, ruleWords()
	for i, rule := range sched.OrderRules {
		if n := by[rule]; n > 0 {
			words[said[i]] = n
		}
	}
	return words
}

// sayThrough says in full what it is that jobs go before one, or it before them, by who may preempt whom of the jobs between them.
func (s *Site) sayThrough(e order.Explanation) {
	ahead, over := e.Ahead[sched.ByCircle.String()], e.Over[sched.ByCircle.String()]
	if ahead+over == 0 {
		return
	}
	s.to.Say(diag.Generalf("between two jobs alone, %s would stand the other way round; jobs between them may preempt one and go behind the other, so that Slurm's rules lead in a circle, and the whole list decides: --vs names the jobs", report.Count(ahead+over, "job")))
}
