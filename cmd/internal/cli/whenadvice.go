package cli

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/forecast"
	"fairshare/cmd/internal/report"
	"fairshare/cmd/internal/site"
	"fairshare/cmd/internal/trace"
)

// isAdvice reports whether the question is what another request would make of a job.
func (c *whenCmd) isAdvice() bool { return c.Submit != "" || len(c.Try) > 0 }

// submitted returns the job of --submit.
func (c *whenCmd) submitted(of forecast.Subject) (forecast.Offer, error) {
	if len(c.Job) > 0 {
		return nil, fail(exitUsage, "--submit is of a job that is not there yet, and %s is", c.Job[0])
	}
	hasUser := len(c.User) == 1
	a, err := of.New(strings.Join(c.User, ","), c.Queue, c.Submit)
	switch isNowhere := errors.Is(err, forecast.ErrNowhere); {
	case err != nil && !isNowhere:
		return nil, fail(exitUsage, "--submit: %v", err)
	case !hasUser && isNowhere:
		st, _ := of.Begin()
		return nil, fail(exitUsage, "--submit needs to know whose job it is and where: add --user NAME --%s NAME", st.Words.Queue)
	case !hasUser:
		return nil, fail(exitUsage, "--submit needs to know whose job it is: add --user NAME, of one user alone")
	case isNowhere:
		st, _ := of.Begin()
		return nil, fail(exitUsage, "--submit needs to know where the job goes: --%s NAME (nothing tells a default %[1]s)", st.Words.Queue)
	}
	return a, nil
}

// asked returns the job that the question is about.
func (c *whenCmd) asked(s *session, of forecast.Subject, zone *time.Location) (forecast.Offer, error) {
	if c.Submit != "" {
		return c.submitted(of)
	}
	switch n := len(c.Job); {
	case n > 1:
		return nil, fail(exitUsage, "--try takes one job, and %d are named: %s", n, strings.Join(c.Job, ", "))
	case n == 0 && len(c.User) > 0:
		return nil, fail(exitUsage, "--try takes one job: name one of those of %s, which formula when lists without --try", strings.Join(c.User, ", "))
	case n == 0:
		return nil, fail(exitUsage, "--try needs a job that waits, or --submit RESOURCES")
	}
	ids := of.Waiting()
	if id, ok := forecast.Find(ids, c.Job[0]); ok {
		return of.Offer(id), nil
	}
	is := func(id string) bool { return trace.IsNamed(id, c.Job[0]) }
	if at := slices.IndexFunc(ids, is); at >= 0 {
		return nil, fail(exitUsage, "--try is of one job, and %s is an array: ask about one of its tasks, such as %s", c.Job[0], ids[at])
	}
	if st, _ := of.Begin(); st != nil {
		if why := st.Holds(is); why != "" {
			return nil, fail(exitUsage, "job %s does not start with what it asks for changed: %s", c.Job[0], why)
		}
	}
	return nil, c.noJob(s, of, c.Job[0], zone)
}

// adviceLine is a change in JSON. Times are in seconds since 1970, null if after the horizon.
type adviceLine struct {
	Change string         `json:"change"`        // "" for nothing
	Set    *bool          `json:"set,omitempty"` // where settings are tried: whether it is of the site as they make it
	P10    *report.Number `json:"p10"`
	P50    *report.Number `json:"p50"`
	P90    *report.Number `json:"p90"`
	Today  *report.Number `json:"today"`
	By     *report.Number `json:"by,omitempty"` // the part of the runs in which it starts by the time that was given
	Sooner *report.Number `json:"sooner"`       // seconds, on average over the runs; below 0 for later; null if it never starts, or the order is not known
	Chance *report.Number `json:"chance"`       // by how many seconds it may be more or less by chance alone; null where sooner is
	Noise  *bool          `json:"noise"`        // whether it may all be chance; null where the order is not known

	SoonerThanSet *report.Number `json:"sooner_than_set,omitempty"` // the same of a change where settings are tried, against the job without it under these
	ChanceThanSet *report.Number `json:"chance_than_set,omitempty"`
	NoiseThanSet  *bool          `json:"noise_than_set,omitempty"`

	Refused bool       `json:"refused,omitempty"` // whether the site does not take the job so
	Wrong   bool       `json:"wrong,omitempty"`   // whether nobody can ask for that
	Never   bool       `json:"never"`             // whether it fits on no vnodes of the cluster
	Held    bool       `json:"held"`              // whether it does not start until somebody changes what holds it
	Nodes   whereLines `json:"nodes,omitempty"`   // with --where: the most frequent first
	Reason  string     `json:"reason"`
	Limits  string     `json:"limits,omitempty"`   // what the change takes from the room that the job may have as it is
	Doubt   string     `json:"not_sure,omitempty"` // what of the room that it starts in may not be free

	Ignored  ignored  `json:"not_modelled,omitempty"` // what it asks for that the forecast does not heed
	Preempts []string `json:"preempts,omitempty"`     // the jobs that run and go for it, if it would start now
}

// advise prints when a job would start that is not there yet, or that asks for something else.
// under is the site as the settings make it that are tried, nil for none.
func (c *whenCmd) advise(s *session, is, under forecast.Subject, o forecast.Options, past *forecast.Backtest, zone *time.Location) error {
	of := cmp.Or(under, is)
	a, err := c.asked(s, of, zone)
	if err != nil {
		return err
	}
	asIs, asSet := a, forecast.Offer(nil)
	if under != nil {
		asSet = a
		if asIs, err = c.asked(s, is, zone); err != nil {
			asIs = forecast.NotAsked{Err: err}
		}
	}
	changes := c.Try
	if isRefused := a.Refused() != "" && asSet == nil; len(changes) == 0 && !isRefused {
		changes = a.Sensible()
	}
	c.tellRuns(s, &o)
	f, list, err := forecast.AdviseUnder(s.ctx, o, asIs, asSet, changes)
	s.progress.end()
	if len(c.Try) == 0 { // nobody has asked for what would never start either
		list = slices.DeleteFunc(list, func(x forecast.Advice) bool { return x.Change != "" && x.Job != nil && x.Job.IsNever() })
	}
	var none *forecast.NoQueueError
	switch {
	case errors.As(err, &none) || errors.Is(err, forecast.ErrAsk) || errors.Is(err, forecast.ErrRefused):
		return fail(exitUsage, "%v", err)
	case err != nil:
		return s.failed(err)
	}
	s.say(f.Remarks()...)
	tried := 0
	for _, l := range list {
		if l.Change == "" {
			continue
		}
		tried++
		if l.Wrong != nil {
			s.say(diag.Damagef("%v", l.Wrong).OfAsked())
		}
	}
	s.say(site.Interrupted(s.ctx, fmt.Sprintf("%d of %s were tried", tried, report.Count(len(changes), "change")))...)
	s.say(assumed(asIs, a, changes)...)
	s.say(of.Judges()...)
	if past != nil {
		for _, advice := range list {
			if advice.Job != nil {
				past.Calibration.Apply(advice.Job, f.At)
			}
		}
		s.say(past.Remark())
	}
	v, err := c.newView(s, f, zone)
	if err != nil {
		return err
	}
	lines := []adviceLine{}
	for _, l := range list {
		line := v.advice(l)
		if under != nil {
			line.Set = &l.IsSet
		}
		lines = append(lines, line)
	}
	write := func() error { return c.writeAdvice(s, f, list, under != nil, zone, v) }
	print := func() error { return c.printAdvice(s, v, f, list, lines, under != nil) }
	if err := c.andPage(print, write); err != nil {
		return err
	}
	if under != nil && c.Submit != "" {
		if why := a.Refused(); why != "" {
			return fail(exitUsage, "--submit: as set, the job is refused: %s", why)
		}
	}
	return nil
}

// printAdvice prints changes as a table, or lines of them as JSON or CSV. isSet tells whether settings are tried.
func (c *whenCmd) printAdvice(s *session, v *view, f *forecast.Forecast, list []forecast.Advice, lines []adviceLine, isSet bool) error {
	switch c.Output {
	case "json":
		return s.encode(withAsked(f, map[string]any{"at": f.At, "runs": f.Runs, "seed": c.Seed, "learned": f.Past > 0, "notes": s.notes(), "job": f.Jobs[0].ID, "changes": lines}))
	case "csv":
		names := []string{"change", "p10", "p50", "p90", "today", "sooner", "chance", "noise", "reason"}
		if isSet {
			names = append(names, "set", "sooner_than_set", "chance_than_set", "noise_than_set")
		}
		if v.deadline > 0 {
			names = append(names, "by")
		}
		if v.hasNodes {
			names = append(names, "nodes")
		}
		return report.WriteFields(s.out, names, slices.Values(lines))
	}
	table := &report.Listing[forecast.Advice]{Columns: v.adviceColumns(list, isSet), Rows: slices.Values(list)}
	return v.print(s, inCapitals(table.Table()))
}

// assumed says what is taken of a job that nobody has told, at a site under settings that are tried; and what of that is otherwise at
// the site as it is, and with each change, as where another queue gives it another walltime.
func assumed(asIs, a forecast.Offer, changes []string) []diag.Remark {
	remarks := a.Assumed()
	if asIs != a && asIs.Check() == nil {
		remarks = diag.Further(remarks, asIs.Assumed(), "as it is: ")
	}
	for _, change := range changes {
		if with, err := a.With(change); err == nil && with.Check() == nil {
			remarks = diag.Further(remarks, with.Assumed(), "with "+change+": ")
		}
	}
	return remarks
}

// advice returns a change as JSON has it.
func (v *view) advice(l forecast.Advice) adviceLine {
	j := l.Job
	switch staysOf(l) {
	case "wrong":
		return adviceLine{Change: l.Change, Today: report.Optional(0), Noise: new(false), Wrong: true, Reason: strings.TrimPrefix(l.Wrong.Error(), "--try "+l.Change+": ")}
	case "refused":
		return adviceLine{Change: l.Change, Today: report.Optional(0), Noise: new(false), Refused: true, Reason: "refused: " + l.Refused}
	case "never":
		return adviceLine{Change: l.Change, Today: report.Optional(0), Noise: new(false), Never: true, Reason: j.Reason}
	case "held":
		return adviceLine{Change: l.Change, Today: report.Optional(0), Noise: new(false), Held: true, Reason: j.Reason}
	}
	line := adviceLine{
		Change: l.Change, P10: v.beside(j, j.Low), P50: v.ifTold(j, unixOrNull(j.Median)), P90: v.ifTold(j, v.beside(j, j.High)), Today: v.ifTold(j, report.Optional(j.Within(v.today))), By: v.ifTold(j, v.by(j)),
		Sooner: sizeOf(l.Shift), Chance: marginOf(l.Shift), Noise: noiseOf(l.Shift), Nodes: newWhereLines(j), Reason: j.Reason, Limits: l.Limits, Doubt: l.Doubt, Ignored: j.Unmodelled, Preempts: j.Preempts.IDs(),
	}
	if l.IsFirst { // is compared with nothing
		line.Noise = new(false)
	}
	if shift := l.Under; shift != nil {
		line.SoonerThanSet, line.ChanceThanSet, line.NoiseThanSet = sizeOf(*shift), marginOf(*shift), noiseOf(*shift)
	}
	return line
}

// staysOf says why a job does not start with a change: wrong, refused, never or held; "" where it starts.
func staysOf(l forecast.Advice) string {
	switch {
	case l.Wrong != nil:
		return "wrong"
	case l.Refused != "":
		return "refused"
	case l.Job.IsNever():
		return "never"
	case l.Job.IsHeld():
		return "held"
	}
	return ""
}

// asked says with what a job is asked for: as it is, as settings that are tried make the site, or with a change.
func asked(l forecast.Advice) string {
	var parts []string
	if l.IsSet {
		parts = append(parts, "as set")
	}
	if l.Change != "" {
		parts = append(parts, l.Change)
	}
	return cmp.Or(strings.Join(parts, ", "), "as it is")
}

// adviceColumns returns the columns of changes in a table. isSet is whether settings are tried.
func (v *view) adviceColumns(rows []forecast.Advice, isSet bool) []report.Column[forecast.Advice] {
	type column = report.Column[forecast.Advice]
	when := func(text func(j *forecast.Job) string) func(forecast.Advice) string { // of jobs that start
		return func(l forecast.Advice) string {
			if staysOf(l) != "" {
				return ""
			}
			return text(l.Job)
		}
	}
	title, start := v.start()
	list := []column{
		{Title: "With", Text: asked},
		{Title: title, Text: func(l forecast.Advice) string {
			if stays := staysOf(l); stays == "never" || stays == "held" {
				return stays
			}
			return when(start)(l)
		}},
	}
	if v.hasInterval() {
		list = append(list,
			column{Title: v.fromTitle(), Text: when(v.ofTold(func(j *forecast.Job) string { return v.clock(j.Low) }))},
			column{Title: "to", Text: when(v.ofTold(func(j *forecast.Job) string { return v.clock(j.High) }))})
	}
	var starting []*forecast.Job
	for _, l := range rows {
		if staysOf(l) == "" {
			starting = append(starting, l.Job)
		}
	}
	if v.tellsToday(starting) {
		list = append(list, column{Title: todayTitle, Text: when(v.ofTold(func(j *forecast.Job) string { return likely(j.Within(v.today)) })), Right: true})
	}
	if v.deadline > 0 && !v.isUnordered {
		list = append(list, column{Title: "By " + v.clock(v.deadline), Text: when(v.ofTold(func(j *forecast.Job) string { return likely(j.Within(v.deadline)) }))})
	}
	if isKnown := func(l forecast.Advice) bool { return staysOf(l) == "" && !l.IsFirst && !l.Shift.IsUnknown }; !v.isUnordered || slices.ContainsFunc(rows, isKnown) {
		list = append(list, column{Title: "Than as it is (mean)", Text: func(l forecast.Advice) string {
			if staysOf(l) != "" || l.IsFirst {
				return ""
			}
			return verdictOf(l.Shift)
		}})
	} else {
		v.isUncompared = len(rows) > 1
	}
	if isSet {
		list = append(list, column{Title: "Than as set (mean)", Text: func(l forecast.Advice) string {
			if staysOf(l) != "" || l.Under == nil {
				return ""
			}
			return verdictOf(*l.Under)
		}})
	}
	if v.hasNodes {
		list = append(list, column{Title: report.Capital(v.words.Node) + "s", Text: when(likelyNodes)})
	}
	return append(list, column{Title: "Waits for", Text: func(l forecast.Advice) string {
		const most = 100 // characters that a table has of why nobody can ask for that
		switch why := v.advice(l).Reason; {
		case l.Job != nil:
			return report.Clauses(v.waitsFor(l.Job), l.Limits, l.Doubt)
		case l.Wrong == nil || l.Change == "":
			return why
		case len(why) > most:
			return "cannot be asked for, as the warning says"
		default:
			return "cannot be asked for: " + why
		}
	}})
}

// sizeOf returns by how many seconds a job starts sooner, nil where it starts in no run with the change or without, or nothing is known.
func sizeOf(shift forecast.Shift) *report.Number {
	if shift.IsWon || shift.IsLost || shift.IsUnknown {
		return nil
	}
	return report.Optional(math.Round(shift.Sooner))
}

// marginOf returns by how many seconds that may be more or less by chance alone, nil where sizeOf returns nil.
func marginOf(shift forecast.Shift) *report.Number {
	if sizeOf(shift) == nil {
		return nil
	}
	return unixOrNull(shift.Chance)
}

// noiseOf returns whether that may all be chance, nil where nothing is known.
func noiseOf(shift forecast.Shift) *bool {
	if shift.IsUnknown {
		return nil
	}
	return new(shift.IsNoise())
}

// verdictOf says what a change makes of a job.
func verdictOf(shift forecast.Shift) string {
	switch {
	case shift.IsUnknown:
		return "not known: the order is not"
	case shift.IsNoise():
		return "no difference that is more than chance"
	case shift.IsWon:
		return "starts, which it does in no run without"
	case shift.IsLost:
		return "starts in no run, which it does without"
	}
	is := "later"
	if shift.Sooner > 0 {
		is = "sooner"
	}
	text := fmt.Sprintf("%s %s (± %s)", report.Duration(math.Abs(shift.Sooner)), is, report.Duration(shift.Chance))
	if shift.IsLeast {
		return "at least " + text
	}
	return text
}
