package cli

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/forecast"
	"fairshare/cmd/internal/report"
	"fairshare/cmd/internal/witness"
)

// view is what the forms of a forecast have in common.
type view struct {
	words    forecast.Words
	clock    func(at float64) string
	today    float64 // the midnight that follows
	deadline float64 // of --by, 0 without it

	isClassic, hasNodes bool // with --classic and --where

	isExpected  bool    // whether nothing is told but when the scheduler itself expects to start jobs
	isUnordered bool    // whether it is told before when jobs hardly start, and no more
	now         float64 // the time of the list
	isOneRun    bool    // whether each start is that of one run, so that there are no times beside the middle
	isLearned   bool    // whether run times and arrivals are: else fewer starts than runs lie between the times beside the middle

	judged   *witness.Summary // how far the rules hold by the past, nil where nobody can tell
	isMarked bool             // whether a name has had a mark
	doubted  []party          // those whose names stand in a sentence, since all jobs have a doubtful one
	said     []string         // which those are
	isOpen   bool             // whether a start has had noBound

	isDrawnOnce  bool // whether a start has been told that is the one of a single run
	isUncompared bool // whether nothing tells which of several changes is sooner
}

// isAnyTime reports whether all that is told of the start of a job is that it may be at any time from now on.
func (v *view) isAnyTime(j *forecast.Job) bool { return v.isBound(j) && j.Held == "" && j.Low <= v.now }

// doubts returns those of whom a job is whose recorded starts disagree with the rules.
func (v *view) doubts(j *forecast.Job) (list []*witness.Doubt) {
	for _, x := range parties {
		if d := v.judged.Doubt(x.kind, x.of(j)); d != nil {
			list = append(list, d)
		}
	}
	return list
}

// witness returns which part of the recorded starts of those of whom a job is are what the rules give: the lowest where
// several disagree, nil for none.
func (v *view) witness(j *forecast.Job) *report.Number {
	least := math.Inf(1)
	for _, d := range v.doubts(j) {
		least = min(least, d.Share())
	}
	if math.IsInf(least, 1) {
		return nil
	}
	return report.Optional(least)
}

// doubtful says of whom a job is that disagree: "account chem, user bob"; "" for nobody.
func (v *view) doubtful(j *forecast.Job) string {
	var names []string
	for _, d := range v.doubts(j) {
		names = append(names, d.Of.Kind.String()+" "+d.Of.Name)
	}
	return strings.Join(names, ", ")
}

// hasDoubt reports whether one of some jobs is of a party of a kind whose recorded starts disagree.
func (v *view) hasDoubt(x party, jobs []*forecast.Job) bool {
	return slices.ContainsFunc(jobs, func(j *forecast.Job) bool { return v.judged.Doubt(x.kind, x.of(j)) != nil })
}

// newView returns how a forecast is shown.
func (c *whenCmd) newView(s *session, f *forecast.Forecast, zone *time.Location) (*view, error) {
	if c.By != nil && f.Unordered != "" {
		s.say(diag.Warningf("--by: which jobs start by then is not told, since the order in which jobs start is not known").OfAsked())
	}
	deadline, err := c.deadline(f, zone)
	return &view{
		words: f.Words, clock: c.clock(zone), today: endOfDay(f.At, zone), deadline: deadline, isClassic: c.Classic, hasNodes: c.Where,
		isExpected: f.IsExpected, isUnordered: f.IsExpected || f.Unordered != "", now: float64(f.At), isOneRun: f.Runs == 1, isLearned: f.IsLearned(), judged: c.judged,
	}, err
}

// What the columns are called that one comes for.
const jobTitle, startTitle, boundTitle, todayTitle, userTitle = "Job", "Starts about", "Hardly before", "Today", "User"

// start returns what the column of starts is called, and the time that it has of a job that starts: where the order is not known, before
// which it hardly does.
func (v *view) start() (title string, text func(*forecast.Job) string) {
	if v.isUnordered {
		return boundTitle, func(j *forecast.Job) string {
			if v.isAnyTime(j) {
				v.isOpen = true
				return noBound
			}
			return v.clock(j.Low)
		}
	}
	return startTitle, func(j *forecast.Job) string {
		switch {
		case !v.isBound(j):
			v.isDrawnOnce = v.isDrawnOnce || v.isOneRun
			return v.clock(j.Median)
		case v.isAnyTime(j):
			return "not known"
		}
		return "hardly before " + v.clock(j.Low)
	}
}

// isBound reports whether it is told alone before when a job hardly starts: the order is not known, or the job asks for something that the
// forecast does not heed, and that may let it start later.
func (v *view) isBound(j *forecast.Job) bool { return v.isUnordered || j.Unmodelled != nil }

// cases says how often a start lies between the times beside the middle.
func (v *view) cases() string {
	if v.isLearned {
		return "8 of 10 cases"
	}
	return "8 of 10 runs"
}

// fromTitle returns what the column of the earlier bound is called.
func (v *view) fromTitle() string { return strings.TrimSuffix(v.cases(), " cases") + " from" }

// ifTold returns a number of a job, nil where nothing but the bound of its start is told.
func (v *view) ifTold(j *forecast.Job, n *report.Number) *report.Number {
	if v.isBound(j) {
		return nil
	}
	return n
}

// beside returns a time beside the middle of the starts of a job, nil where there is none: of one run there is its start alone, but that of a
// bound is told of any.
func (v *view) beside(j *forecast.Job, at float64) *report.Number {
	if v.isOneRun && !v.isBound(j) {
		return nil
	}
	return unixOrNull(at)
}

// ofTold returns a function of jobs whose start is told, and says nothing of one of which the bound of its start alone is.
func (v *view) ofTold(text func(*forecast.Job) string) func(*forecast.Job) string {
	return func(j *forecast.Job) string {
		if v.isBound(j) {
			return ""
		}
		return text(j)
	}
}

// columns returns the columns of jobs, as the table and the page have them.
func (v *view) columns(jobs []*forecast.Job) []report.Column[*forecast.Job] {
	type column = report.Column[*forecast.Job]
	when := func(text func(*forecast.Job) string) func(*forecast.Job) string { // of jobs that start
		return func(j *forecast.Job) string {
			if j.Held != "" || j.IsNever() {
				return ""
			}
			return text(j)
		}
	}
	v.sayOnce(jobs)
	var list []column
	if !v.isUnordered {
		list = append(list, column{Title: "Rank", Text: func(j *forecast.Job) string { return v.place(j).Cell() }, Right: true})
	}
	list = append(list, []column{
		{Title: jobTitle, Text: func(j *forecast.Job) string { return j.ID }},
		{Title: userTitle, Text: func(j *forecast.Job) string { return v.marked(witness.OfUser, j.User) }},
		{Title: report.Capital(v.words.Queue), Text: func(j *forecast.Job) string { return v.marked(witness.OfQueue, j.Queue) }},
	}...)
	for _, x := range parties {
		if x.title != "" && v.hasDoubt(x, jobs) && !v.isSaidOnce(x.kind) {
			list = append(list, column{Title: x.title, Text: func(j *forecast.Job) string { return v.marked(x.kind, x.of(j)) }})
		}
	}
	if title, start := v.start(); !v.isExpected {
		list = append(list, column{Title: title, Text: func(j *forecast.Job) string {
			if j.Held == "" && j.IsNever() {
				return "never"
			}
			return when(start)(j)
		}})
	}
	if v.hasInterval() {
		list = append(list,
			column{Title: v.fromTitle(), Text: when(v.ofTold(func(j *forecast.Job) string { return v.clock(j.Low) })), IsDetail: true},
			column{Title: "to", Text: when(v.ofTold(func(j *forecast.Job) string { return v.clock(j.High) })), IsDetail: true})
	}
	if v.tellsToday(jobs) {
		list = append(list, column{Title: todayTitle, Text: when(v.ofTold(func(j *forecast.Job) string { return likely(j.Within(v.today)) })), Right: true, IsDetail: true})
	}
	if v.isExpected || hasEstimate(jobs) {
		list = append(list, column{Title: v.words.Name + " says", Text: when(func(j *forecast.Job) string { return clockOrNone(v.clock, j.Estimated) }), IsDetail: !v.isExpected})
	}
	if v.isClassic && !v.isUnordered {
		list = append(list, column{Title: "As requested", Text: when(v.ofTold(func(j *forecast.Job) string { return v.clock(j.Requested) }))})
	}
	if v.isClassic {
		list = append(list, column{Title: "As usual", Text: when(func(j *forecast.Job) string { return clockOrNone(v.clock, j.Usual) })})
	}
	if v.deadline > 0 && !v.isUnordered {
		list = append(list, column{Title: "By " + v.clock(v.deadline), Text: when(v.ofTold(func(j *forecast.Job) string { return likely(j.Within(v.deadline)) }))})
	}
	if v.hasNodes {
		list = append(list, column{Title: report.Capital(v.words.Node) + "s", Text: when(likelyNodes)})
	}
	if hasShift(jobs) {
		list = append(list, column{Title: "Than as it is (mean)", Text: func(j *forecast.Job) string {
			if j.Shift == nil {
				return ""
			}
			return verdictOf(*j.Shift)
		}})
	}
	return append(list, column{Title: "Waits for", Text: v.waitsFor, IsText: true})
}

// hasInterval reports whether there are times beside the middle of starts.
func (v *view) hasInterval() bool { return !v.isUnordered && !v.isOneRun }

// interval says behind a start between which times others lie: ", in 8 of 10 cases between 10:00 and 11:00".
func (v *view) interval(j *forecast.Job) string {
	if v.isOneRun {
		return " in one run"
	}
	return fmt.Sprintf(", in %s between %s and %s", v.cases(), v.clock(j.Low), v.clock(j.High))
}

// tellsToday reports whether it tells anything which part of the runs starts some jobs today: where all or none of all do, the times beside
// the middle say as much.
func (v *view) tellsToday(jobs []*forecast.Job) bool {
	said := map[string]bool{}
	if v.isOneRun {
		return false
	}
	for _, j := range jobs {
		if j.Held == "" && !j.IsNever() && !v.isBound(j) {
			said[likely(j.Within(v.today))] = true
		}
	}
	return len(said) > 1 || len(said) == 1 && !said[likely(1)] && !said[likely(0)]
}

// waitsFor says what a job waits for, what the scheduler itself says against the forecast of it, and what the forecast does not heed.
func (v *view) waitsFor(j *forecast.Job) string {
	reason, comment := j.Reason, ""
	isSaid := strings.HasPrefix(j.Reason, "limit") && strings.Contains(j.Comment, "limit") // as the comment says it in other words
	if j.Comment != "" && !j.IsNever() && !isSaid {
		if comment = v.words.Comment + ": " + j.Comment; j.First != "" {
			reason, comment = comment, "then "+reason
		}
	}
	return report.Clauses(reason, comment, forecast.NotModelled(j.Unmodelled))
}

// names returns the fields of JSON that CSV has.
func (v *view) names(jobs []*forecast.Job) []string {
	names := []string{"job", "queue", "user", "place", "p10", "p50", "p90", "requested", "reason"}
	if v.isClassic {
		names = append(names, "usual", "today")
	}
	if v.deadline > 0 {
		names = append(names, "by")
	}
	if hasEstimate(jobs) {
		names = append(names, v.words.Scheduler)
	}
	if v.hasNodes {
		names = append(names, "nodes")
	}
	if slices.ContainsFunc(jobs, func(j *forecast.Job) bool { return j.Unmodelled != nil }) {
		names = append(names, "not_modelled")
	}
	if hasShift(jobs) {
		names = append(names, "sooner", "chance", "noise")
	}
	return names
}

// whenLine is a job of a forecast in JSON; times are in seconds since 1970, null if after the
// horizon.
type whenLine struct {
	Job       string         `json:"job"`
	Queue     string         `json:"queue"`
	User      string         `json:"user"`
	Place     place          `json:"place"` // null for one that the scheduler does not look at
	P10       *report.Number `json:"p10"`
	P50       *report.Number `json:"p50"`
	P90       *report.Number `json:"p90"`
	Requested *report.Number `json:"requested"`
	Usual     *report.Number `json:"usual"`              // as long as jobs of its queue have waited
	Today     *report.Number `json:"today"`              // the part of the runs in which it starts before midnight
	AnyTime   bool           `json:"any_time,omitempty"` // whether p10 is the time of the list, and nothing else is told: it may start at any time from then on
	Slurm     *report.Number `json:"slurm,omitempty"`    // when Slurm itself expects to start it
	PBS       *report.Number `json:"pbs,omitempty"`      // when PBS itself does
	By        *report.Number `json:"by,omitempty"`       // the part of the runs in which it starts by the time that was given
	Sooner    *report.Number `json:"sooner,omitempty"`   // where other rules are tried: by how many seconds than without, on average over the runs
	Chance    *report.Number `json:"chance,omitempty"`   // by how many seconds it may be more or less by chance alone; null where sooner is
	Noise     *bool          `json:"noise,omitempty"`    // whether it may all be chance
	Nodes     whereLines     `json:"nodes,omitempty"`    // with --where: the most frequent first
	Reason    string         `json:"reason"`
	Comment   string         `json:"comment,omitempty"`       // what the scheduler itself has written of the job where that speaks against the forecast
	First     string         `json:"comment_first,omitempty"` // how the comment and the reason go together, where the scheduler looks at that first
	Ignored   ignored        `json:"not_modelled,omitempty"`  // what it asks for that the forecast does not heed
	Preempts  []string       `json:"preempts,omitempty"`      // the jobs that run and go for it, if it would start now
	Witness   *report.Number `json:"witness,omitempty"`       // the part of the recorded starts of those of whom it is that the rules give, where those disagree
	Doubtful  string         `json:"doubtful,omitempty"`      // who they are: "account chem, user bob"
}

// line returns a job as JSON has it.
func (v *view) line(j *forecast.Job) whenLine {
	at := unixOrNull
	line := whenLine{Job: j.ID, Queue: j.Queue, User: j.User, Place: v.place(j), P10: v.beside(j, j.Low), AnyTime: v.isAnyTime(j), P50: v.ifTold(j, at(j.Median)), P90: v.ifTold(j, v.beside(j, j.High)), Requested: v.ifTold(j, at(j.Requested)), Usual: at(j.Usual), Today: v.ifTold(j, report.Optional(j.Within(v.today))), By: v.ifTold(j, v.by(j)), Nodes: newWhereLines(j), Reason: j.Reason, Comment: j.Comment, First: j.First, Ignored: j.Unmodelled, Preempts: j.Preempts.IDs(), Witness: v.witness(j), Doubtful: v.doubtful(j)}
	if line.Slurm = at(j.Estimated); v.words.Scheduler == "pbs" {
		line.Slurm, line.PBS = nil, line.Slurm
	}
	if shift := j.Shift; shift != nil {
		line.Sooner, line.Chance, line.Noise = sizeOf(*shift), marginOf(*shift), noiseOf(*shift)
	}
	return line
}

// ignored is what a job asks for that a forecast does not heed.
type ignored []string

// Cell returns it as CSV has it.
func (i ignored) Cell() string { return strings.Join(i, "; ") }

// by returns the part of the runs in which a job starts by the deadline, nil without one.
func (v *view) by(j *forecast.Job) *report.Number {
	if v.deadline == 0 {
		return nil
	}
	return report.Optional(j.Within(v.deadline))
}

// place is the place of a job in the queue, 0 for one that the scheduler does not look at.
type place int

// place returns the place of a job, 0 also where the order is not known.
func (v *view) place(j *forecast.Job) place {
	if v.isUnordered {
		return 0
	}
	return place(j.Place)
}

// Cell returns it as CSV has it.
func (p place) Cell() string {
	if p == 0 {
		return ""
	}
	return strconv.Itoa(int(p))
}

// MarshalJSON implements json.Marshaler: it is null where sort has no rank.
func (p place) MarshalJSON() ([]byte, error) {
	if p == 0 {
		return []byte("null"), nil
	}
	return []byte(p.Cell()), nil
}

// whereLine is a node on which a job may start, in JSON.
type whereLine struct {
	Node string  `json:"node"`
	Part float64 `json:"part"` // of the runs in which the job starts
}

// whereLines are the nodes on which a job may start.
type whereLines []whereLine

func newWhereLines(j *forecast.Job) (lines whereLines) {
	for _, n := range j.Nodes {
		lines = append(lines, whereLine{n.Name, math.Round(n.Part*1000) / 1000})
	}
	return lines
}

// Cell returns them as CSV has them: n01=0.5 n02=0.25.
func (w whereLines) Cell() string {
	var list []string
	for _, l := range w {
		list = append(list, l.Node+"="+report.Plain(l.Part))
	}
	return strings.Join(list, " ")
}

// likelyNodes prints the most frequent of the nodes on which a job may start.
func likelyNodes(j *forecast.Job) string {
	const most = 3
	var list []string
	for _, n := range j.Nodes[:min(len(j.Nodes), most)] {
		list = append(list, n.Name+" "+likely(n.Part))
	}
	if more := len(j.Nodes) - most; more > 0 {
		list = append(list, fmt.Sprintf("%d more", more))
	}
	return report.Printable(strings.Join(list, ", "))
}

// hasEstimate reports whether the scheduler itself says when some of the jobs start, as Slurm does.
func hasEstimate(jobs []*forecast.Job) bool {
	return slices.ContainsFunc(jobs, func(j *forecast.Job) bool { return !math.IsInf(j.Estimated, 1) })
}

// hasShift reports whether the starts of some of the jobs are compared with those of the site as it is.
func hasShift(jobs []*forecast.Job) bool {
	return slices.ContainsFunc(jobs, func(j *forecast.Job) bool { return j.Shift != nil })
}

// likely prints the part of the runs in which something happens.
func likely(part float64) string { return fmt.Sprintf("%.0f %%", 100*part) }
