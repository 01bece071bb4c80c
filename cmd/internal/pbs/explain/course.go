package explain

import (
	"fmt"
	"strings"
	"time"

	"fairshare/cmd/internal/moment"
	"fairshare/cmd/internal/pbs/joblist"
	"fairshare/cmd/internal/pbs/order"
	"fairshare/cmd/internal/report"
	"fairshare/cmd/internal/trace"
	"fairshare/cmd/internal/work"
)

// Course is what has become of a job that does not wait in its queue, and what it waits for elsewhere.
type Course struct {
	Start     *int64   `json:"start,omitempty"` // in seconds since 1970
	End       *int64   `json:"end,omitempty"`
	MustEnd   *int64   `json:"must_end,omitempty"` // of a job that runs, by its walltime
	Exit      string   `json:"exit_status,omitempty"`
	Vnodes    []string `json:"vnodes,omitempty"`
	HeldBy    string   `json:"hold_types,omitempty"`
	DependsOn []string `json:"depends_on,omitempty"` // what has to become of other jobs, in words

	words []string
}

// Words says it, a sentence a line.
func (c *Course) Words() []string {
	if c == nil {
		return nil
	}
	return c.words
}

// CourseOf returns what a list says of the course of the job of a row, nil for nothing. Its local times are of a zone, and times are said in
// another one; from is what the command line calls the list.
func CourseOf(o *order.Order, row int, local, zone *time.Location, from string) *Course {
	job := o.List.Job(row)
	of := o.List.Course(row, local)
	c := &Course{Start: told(of.Start), End: told(of.End), Exit: of.Exit, Vnodes: of.On()}
	clock := func(at int64) string { return moment.Clock(at, zone) }
	switch {
	case job.HasLeft() && job.State != 'M' && !trace.IsArray(job.ID):
		c.ended(of, clock)
		if from != "" {
			c.words = append(c.words, fmt.Sprintf("formula history %s --job %s says more of it", report.Quote(from), trace.WithoutServer(job.ID)))
		}
	case (job.State == 'R' || job.State == 'E') && of.Start != trace.Unknown:
		c.runs(of, clock)
	case job.State == 'H':
		c.isHeld(o, of, trace.WithoutServer(job.ID))
	}
	if c.words == nil {
		return nil
	}
	return c
}

// ended says when a job has ended, and how.
func (c *Course) ended(of joblist.Course, clock func(int64) string) {
	text := "it has ended; the list does not say when"
	switch {
	case c.End != nil && c.Start != nil:
		text = fmt.Sprintf("it ended at %s, after %s from %s on", clock(of.End), report.Duration(float64(of.End-of.Start)), clock(of.Start))
	case c.End != nil:
		text = "it ended at " + clock(of.End) + ", and the list tells of no start"
	case c.Start != nil:
		text = "it started at " + clock(of.Start) + " and has ended; the list does not say when"
	}
	if c.Vnodes != nil && c.Start != nil {
		text += ", on " + report.First(c.Vnodes)
	}
	if c.Exit != "" {
		text += ", with exit status " + trace.ExitInWords(c.Exit)
	}
	c.words = append(c.words, text)
}

// runs says since when and where a job runs, and by when it ends at the latest.
func (c *Course) runs(of joblist.Course, clock func(int64) string) {
	text := "it runs since " + clock(of.Start)
	if c.Vnodes != nil {
		text += " on " + report.First(c.Vnodes)
	}
	if of.Walltime > 0 {
		must := of.Start + of.Walltime
		c.MustEnd = &must
		text += fmt.Sprintf(", and must end by %s, when its walltime of %s is over (time for which it is suspended does not count)", clock(must), report.Duration(float64(of.Walltime)))
	}
	c.words = append(c.words, text)
}

// holders are who has put a hold on a job, by their letters in Hold_Types, and who takes it away: PBS's manual of qhold and qrls.
var holders = []struct{ letter, who, release string }{
	{"u", "its user", "its user releases it with qrls %s"},
	{"o", "an operator", "an operator or manager of PBS releases it (qrls -h o %s)"},
	{"s", "a manager or PBS itself", "a manager of PBS releases it (qrls -h s %s)"},
	{"p", "PBS, since the password of its user was refused", "a manager of PBS releases it (qrls -h p %s)"},
}

// isHeld says who holds a job, and for which other jobs it waits.
func (c *Course) isHeld(o *order.Order, of joblist.Course, id string) {
	kinds := map[work.DependKind]string{
		work.OnStart: "has started", work.OnOK: "has ended without an error", work.OnNotOK: "has ended with an error", work.OnAny: "has ended",
	}
	for _, d := range work.ParseDepend(of.Depend) {
		switch {
		case d.IsBefore():
		case d.Kind == work.OnCount:
			c.DependsOn = append(c.DependsOn, fmt.Sprintf("%s are as far as their own depend=before… say", report.Count(d.Count, "other job")))
		case d.Kind == work.OnlyOne:
			c.DependsOn = append(c.DependsOn, fmt.Sprintf("%s has not run in its place (runone)", d.Parent))
		default:
			c.DependsOn = append(c.DependsOn, fmt.Sprintf("%s %s (%s)", d.Parent, kinds[d.Kind], stands(o, d.Parent)))
		}
	}
	if c.DependsOn != nil {
		c.words = append(c.words, "it waits until "+report.Listed(c.DependsOn))
	}
	for _, h := range holders {
		if !strings.Contains(of.Holds, h.letter) || h.letter == "s" && c.DependsOn != nil { // as PBS holds whom a dependency does
			continue
		}
		c.HeldBy += h.letter
		c.words = append(c.words, fmt.Sprintf("%s holds it (Hold_Types %s): ", h.who, of.Holds)+fmt.Sprintf(h.release, id))
	}
	switch {
	case c.words != nil:
	case of.IsForOthers:
		c.words = []string{"it waits for other jobs, as its substate tells; which they are the list does not tell (depend)"}
	default:
		c.words = []string{"the list does not tell who holds it (Hold_Types): a hold of its user's own qrls " + id + " takes away"}
	}
}

// stands says what the list tells of a job for which another one waits.
func stands(o *order.Order, id string) string {
	row, err := o.List.Find(id)
	if err != nil {
		return "the list does not have it"
	}
	switch state := o.List.Job(row).State; state {
	case 'Q':
		return "it waits"
	case 'R':
		return "it runs"
	default:
		return "it is " + order.StateWord(state)
	}
}

// told returns a time that a list tells, nil for any other.
func told(at int64) *int64 {
	if at <= 0 {
		return nil
	}
	return &at
}
