package witness

import (
	"cmp"
	"fmt"
	"iter"
	"slices"
	"strconv"
	"strings"
	"time"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/moment"
	"fairshare/cmd/internal/report"
)

// sorted returns parts, those with most starts first.
func sorted(parts map[string]*Part) []Part {
	var list []Part
	for _, p := range parts {
		list = append(list, *p)
	}
	slices.SortFunc(list, func(a, b Part) int { return cmp.Or(cmp.Compare(b.Starts, a.Starts), cmp.Compare(a.Name, b.Name)) })
	return list
}

// until returns the time of the last start that is judged.
func (j *Judgement) until() string {
	zone := j.Facts.Zone
	if zone == nil {
		zone = time.UTC
	}
	return moment.Clock(j.To, zone)
}

// Remarks returns up to when a judgement goes that somebody has interrupted.
func (j *Judgement) Remarks() []diag.Remark {
	var remarks []diag.Remark
	if of := j.Facts.OfSome; of != "" {
		remarks = append(remarks, diag.Warningf("%s: whom the rules would have started, and where, is judged without the jobs of others", of))
	}
	if !j.IsCut {
		return remarks
	}
	r := diag.Warningf("interrupted: judged are the %s until %s", report.Count(j.Counts.Starts, "recorded start"), j.until())
	r.IsCut = true
	return append(remarks, r)
}

// Print writes the judgement as people read it, with so many queues and causes at most, 0 for all.
func (j *Judgement) Print(to *report.Printer, most int) error {
	c := j.Counts
	if c.Starts == 0 {
		fmt.Fprintln(to, "The record has no start that could be judged.")
		return nil
	}
	fmt.Fprintf(to, "%s\n\n", j.verdict())
	fmt.Fprintf(to, "%s of %.0f cpu hours, each judged in the state that the record has then; up to %s s may lie between a decision and its start in the record\n\n",
		report.Count(c.Starts, "recorded start"), c.Hours, report.Decimals(j.Facts.Uncertainty, 1))
	if j.IsCut {
		fmt.Fprintf(to, "Interrupted: they are those until %s.\n\n", j.until())
	}
	table := [][]string{{"", "JUDGED", "DIFFER", "AS THE RULES SAY", "IN CPU HOURS"}}
	for _, side := range []Side{May, Where, Who} {
		s := c.Sides[side]
		table = append(table, []string{j.words(side), strconv.Itoa(s.Judged), strconv.Itoa(s.Differ), percent(s.Share()), percent(s.HoursShare())})
	}
	all := j.Summary
	table = append(table, []string{"all:   may and where, and they would not start it sooner", strconv.Itoa(all.Starts), strconv.Itoa(all.Starts - all.Agree), percent(all.Share()), "-"})
	right := func(column int) bool { return column > 0 }
	if err := to.Table(report.Table{Rows: table, Right: right}); err != nil {
		return err
	}
	fmt.Fprintf(to, "\n%s\n", j.sentenceOfWords())
	if text := j.sentenceOfPassed(); text != "" {
		fmt.Fprintf(to, "\n%s\n", text)
	}
	if j.Facts.NoOrder != "" {
		fmt.Fprintf(to, "\nWho goes first is not judged: %s.\n", j.Facts.NoOrder)
	}
	if len(j.Queues) > 1 {
		fmt.Fprintln(to)
		rows := [][]string{{strings.ToUpper(j.Facts.Words.Queue), "STARTS", "MAY", "WHERE", "WHO"}}
		for _, p := range j.Queues {
			rows = append(rows, []string{report.DashIfEmpty(p.Name), strconv.Itoa(p.Starts), percent(p.Sides[May].Share()), percent(p.Sides[Where].Share()), percent(p.Sides[Who].Share())})
		}
		if err := to.Table(report.Table{Rows: report.FirstRows(rows, most, ""), Right: right}); err != nil {
			return err
		}
	}
	if doubts := all.doubtful(cmp.Or(most, len(all.Doubts))); doubts != nil {
		fmt.Fprintf(to, "\nFewer than %s of all their starts are so, more than by chance: %s\n", report.Percent(doubtful, 0), strings.Join(doubts, ", "))
	}
	j.printCauses(to, most)
	return nil
}

// verdict says in one sentence what the record says of the rules, and what that means for other answers.
func (j *Judgement) verdict() string {
	all := j.Summary
	text := fmt.Sprintf("%d of %s (%s) are what these rules give%s: ", all.Agree, report.Count(all.Starts, "recorded start"), percent(all.Share()), all.first(true))
	below := ""
	if all.Agree < all.Starts || all.Moments.Differ > 0 {
		below = "; what differs stands below"
	}
	switch all.Standing() {
	case Holds:
		return text + "forecasts and replays can rest on them" + below + "."
	case Untold:
		const most = 3
		if doubts := all.doubtful(most); doubts != nil {
			return text + "forecasts and replays may be wrong for " + strings.Join(doubts, ", ") + ", and for others the record cannot tell whether they can rest on them, since " + all.untold() + below + "."
		}
		return text + "the record cannot tell whether forecasts and replays can rest on them, since " + all.untold() + below + "."
	}
	if all.Against != "" {
		return text + "but " + all.Against + ", so that forecasts and replays are wrong" + below + "."
	}
	return text + "forecasts and replays are wrong where the others differ" + below + "."
}

// words returns what a side asks.
func (j *Judgement) words(side Side) string {
	return map[Side]string{
		May:   "may:   the rules allow the start there and then",
		Where: "where: they choose those " + j.Facts.Words.Node + "s" + j.Facts.Words.Given,
		Who:   "who:   they start nobody else before it who kept waiting",
	}[side]
}

// sentenceOfWords says what the words of the table ask of a job that the record has started.
func (j *Judgement) sentenceOfWords() string {
	return fmt.Sprintf("Of each job: could it start there at that time (may), are its %ss those that the scheduler would have chosen (where), and was it its turn, with no other job that should have started first (who)?", j.Facts.Words.Node)
}

// sentenceOfPassed says why the last row of the table has other counts than that of who, "" where neither differs.
func (j *Judgement) sentenceOfPassed() string {
	who, wait := j.Counts.Sides[Who].Differ, j.Counts.Sides[Wait].Differ
	if who == 0 && wait == 0 {
		return ""
	}
	return fmt.Sprintf("The last row counts a job that kept waiting once (%s), and not the starts that passed it (%s, which the row above it counts).",
		report.Count(wait, "job"), report.Count(who, "start"))
}

// printCauses writes one sentence for each group of starts that differ.
func (j *Judgement) printCauses(to *report.Printer, most int) {
	differ := 0
	for _, s := range j.Counts.Sides {
		differ += s.Differ
	}
	if differ == 0 {
		fmt.Fprintln(to, "\nNothing differs.")
		return
	}
	if len(j.Causes) == 0 {
		if who := j.Counts.Sides[Who]; j.Summary.Disagrees() && who.Differ >= leastMoments && isUnlikely(who.Differ, who.Judged) {
			ask := askOfOrder
			if len(j.Facts.Values) > 0 {
				ask = j.Facts.askOfValues()
			}
			fmt.Fprintf(to, "\nWho goes first differs all over, and what differs has nothing else in common: %s\n", ask)
		} else {
			fmt.Fprintln(to, "\nWhat differs has nothing in common that would be more than chance.")
			j.printValues(to)
		}
		for _, text := range j.Single {
			fmt.Fprintf(to, "  %s\n", text)
		}
		n := -len(j.Single)
		for _, side := range searched {
			n += j.Counts.Sides[side].Differ
		}
		if n > 0 {
			fmt.Fprintf(to, "  … %d more (-o csv)\n", n)
		}
		return
	}
	fmt.Fprintln(to, "\nWhat differs, by what it has in common")
	for i := range j.Causes {
		if most > 0 && i == most {
			fmt.Fprintf(to, "  … %d more\n", len(j.Causes)-most)
			break
		}
		c := &j.Causes[i]
		fmt.Fprintf(to, "  %s: %s: %s (%.0f cpu hours)\n", c.Side, c.Sentence(j.Facts), c.Question(j.Facts), c.Hours)
	}
	if untold := j.untold(); untold != "" {
		fmt.Fprintf(to, "\nWho goes first may depend on what the site does not tell: %s.\n", untold)
	}
	if !slices.ContainsFunc(j.Causes, func(c Cause) bool { return c.IsOfOrder }) {
		j.printValues(to)
	}
}

// printValues says what starts may differ by that no group is about, where it is not their turn by the rules.
func (j *Judgement) printValues(to *report.Printer) {
	if n := j.Counts.Sides[Who].Differ; n > 0 && len(j.Facts.Values) > 0 {
		fmt.Fprintf(to, "Whose turn it was, of %s, may differ by what the record does not tell: %s.\n", report.Count(n, "start"), strings.Join(j.Facts.Values, "; "))
	}
}

// untold says on what else who goes first may depend, where a group is about that which no guess explains; "" for nothing.
func (j *Judgement) untold() string {
	if !slices.ContainsFunc(j.Causes, func(c Cause) bool { return c.IsOfOrder && c.Guess == "" }) {
		return ""
	}
	return j.Facts.Untold
}

// percent returns a part of one, "-" for NaN.
func percent(part float64) string {
	if part != part {
		return "-"
	}
	return report.Decimals(100*part, 1) + "%"
}

// Line is a judgement in JSON.
type Line struct {
	IsCut       bool          `json:"interrupted,omitempty"` // they are those up to To
	Starts      int           `json:"starts"`
	CPUHours    report.Number `json:"cpu_hours"`
	From        int64         `json:"from"` // seconds since 1970
	To          int64         `json:"to"`
	Uncertainty report.Number `json:"uncertainty"` // seconds
	NoOrder     string        `json:"no_order"`    // why who goes first is not judged, "" where it is
	Untold      string        `json:"untold"`      // on what else who goes first may depend, where a group is about that; "" for nothing
	May         ScoreLine     `json:"may"`
	Where       ScoreLine     `json:"where"`
	Who         ScoreLine     `json:"who"`
	Moments     MomentsLine   `json:"moments"` // at which jobs started, and the rules start others
	Queues      []QueueLine   `json:"queues"`
	Causes      []CauseLine   `json:"causes"`
	NotModelled []string      `json:"not_modelled"`
	Summary     SummaryLine   `json:"summary"`
}

// ScoreLine is a score in JSON.
type ScoreLine struct {
	Judged      int            `json:"judged"`
	Differ      int            `json:"differ"`
	Share       *report.Number `json:"share"` // that is as the rules say, null for none
	HoursDiffer report.Number  `json:"cpu_hours_differ"`
}

// QueueLine is the starts of a queue or partition in JSON.
type QueueLine struct {
	Name   string    `json:"name"`
	Starts int       `json:"starts"`
	May    ScoreLine `json:"may"`
	Where  ScoreLine `json:"where"`
	Who    ScoreLine `json:"who"`
}

// CauseLine is a group of starts that differ in JSON.
type CauseLine struct {
	Side        string        `json:"side"`
	Rule        string        `json:"rule"`
	Features    []FeatureLine `json:"features"`
	Shared      []FeatureLine `json:"shared"`
	From        *int64        `json:"from"` // seconds since 1970, null for at all times
	To          *int64        `json:"to"`
	Differ      int           `json:"differ"`
	Judged      int           `json:"judged"`
	CPUHours    report.Number `json:"cpu_hours"`
	Waited      report.Number `json:"waited"` // seconds on average
	Sentence    string        `json:"sentence"`
	Question    string        `json:"question"`
	NotModelled []string      `json:"not_modelled"`
}

// FeatureLine is a feature in JSON.
type FeatureLine struct {
	Kind string `json:"kind"`
	Name string `json:"name"`
}

// Line returns the judgement in JSON.
func (j *Judgement) Line() Line {
	score := func(c *Counts, side Side) ScoreLine {
		s := c.Sides[side]
		return ScoreLine{s.Judged, s.Differ, report.Optional(s.Share()), report.Number(s.DifferHours)}
	}
	line := Line{
		IsCut: j.IsCut, Starts: j.Counts.Starts, CPUHours: report.Number(j.Counts.Hours), From: j.From, To: j.To, Uncertainty: report.Number(j.Facts.Uncertainty),
		NoOrder: j.Facts.NoOrder, Untold: j.untold(), May: score(&j.Counts, May), Where: score(&j.Counts, Where), Who: score(&j.Counts, Who), Moments: j.Moments.Line(),
		Queues: []QueueLine{}, Causes: []CauseLine{}, NotModelled: settings(j.Facts.Lacks), Summary: j.Summary.Line(),
	}
	for i := range j.Queues {
		p := &j.Queues[i]
		line.Queues = append(line.Queues, QueueLine{p.Name, p.Starts, score(&p.Counts, May), score(&p.Counts, Where), score(&p.Counts, Who)})
	}
	for i := range j.Causes {
		c := &j.Causes[i]
		of := CauseLine{
			Side: c.Side.String(), Rule: c.Rule, Features: featureLines(c.Of.Features), Shared: featureLines(c.Shared), Differ: c.Count, Judged: c.All,
			CPUHours: report.Number(c.Hours), Waited: report.Number(c.Wait), Sentence: c.Sentence(j.Facts), Question: c.Question(j.Facts), NotModelled: settings(c.Lacks),
		}
		if c.Of.To != 0 {
			of.From, of.To = &c.Of.From, &c.Of.To
		}
		line.Causes = append(line.Causes, of)
	}
	return line
}

func settings(lacks []Lack) []string {
	names := []string{}
	for _, lack := range lacks {
		names = append(names, lack.Setting)
	}
	return names
}

func featureLines(features []Feature) []FeatureLine {
	lines := []FeatureLine{}
	for _, f := range features {
		lines = append(lines, FeatureLine{f.Kind.String(), f.Name})
	}
	return lines
}

// String returns what a kind is called in JSON.
func (k Kind) String() string {
	return [...]string{"queue", "qos", "account", "project", "group", "user", "asks", "cpus", "nodes", "on", "on_node", "rather", "rather_node"}[k]
}

// Starts returns starts as a listing, one row each.
func Starts(starts iter.Seq[*Start]) *report.Listing[*Start] {
	text := func(name string, of func(*Start) string) report.Column[*Start] {
		return report.Column[*Start]{Title: strings.ToUpper(name), Text: of, Name: name, Cell: of}
	}
	number := func(x int64) string {
		if x == 0 {
			return ""
		}
		return strconv.FormatInt(x, 10)
	}
	passed := func(s *Start) string {
		var ids []string
		for _, p := range s.Passed {
			ids = append(ids, p.Job)
		}
		return strings.Join(ids, " ")
	}
	columns := []report.Column[*Start]{
		text("job", func(s *Start) string { return s.Job }),
		text("queue", func(s *Start) string { return s.Queue }),
		text("user", func(s *Start) string { return s.User }),
		text("group", func(s *Start) string { return s.Group }),
		text("account", func(s *Start) string { return s.Account }),
		text("project", func(s *Start) string { return s.Project }),
		text("qos", func(s *Start) string { return s.QOS }),
		text("cpus", func(s *Start) string { return strconv.FormatInt(s.CPUs, 10) }),
		text("arrival", func(s *Start) string { return number(s.Came) }),
		text("start", func(s *Start) string { return number(s.At) }),
		text("may", func(s *Start) string { return s.May.Finding.String() }),
		text("rule", func(s *Start) string { return cmp.Or(s.May.Reason, s.May.Rule, s.Where.Rule) }),
		text("where", func(s *Start) string { return s.Where.Finding.String() }),
		text("recorded", func(s *Start) string { return strings.Join(s.Recorded, " ") }),
		text("chosen", func(s *Start) string { return strings.Join(s.Chosen, " ") }),
		text("who", func(s *Start) string { return s.Who.Finding.String() }),
		text("passed", passed),
		text("waited", func(s *Start) string { return strconv.FormatInt(s.Waited, 10) }),
	}
	return &report.Listing[*Start]{Columns: columns, Rows: starts}
}
