package cli

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/forecast"
	"fairshare/cmd/internal/moment"
	"fairshare/cmd/internal/report"
	"fairshare/cmd/internal/site"
	"fairshare/cmd/internal/trace"
	"fairshare/cmd/internal/witness"
)

type whenCmd struct {
	Site string   `arg:"" optional:"" help:"A snapshot (.tgz or directory), or a Slurm site. Without it: the site of this host."`
	Job  []string `arg:"" optional:"" help:"Only these jobs. They may also come before the site."`
	queueFlags
	clusterFlags
	Logs       []string    `sep:"none" placeholder:"FILE" help:"Accounting logs of the days before, what qstat -xf prints, or a table of sacct, from which run times and arrivals are learned. Without it: those of the snapshot, or the prints of qstat -xf in the folder. May be given more than once."`
	User       []string    `placeholder:"NAME" help:"Only this user's jobs; several may be given."`
	Submit     string      `placeholder:"RESOURCES" help:"When would a job start that is not there yet, such as select=4:ncpus=16,walltime=8:00:00, or at a Slurm site nodes=4,ntasks=64,time=8:00:00? With --user and --queue; at a Slurm site the default partition is taken where none is named."`
	Queue      string      `aliases:"partition" placeholder:"NAME" help:"With --submit: its queue, or its partition (--partition)."`
	Try        []string    `sep:"none" placeholder:"CHANGE" help:"For --submit or a job: what would it be with walltime=4:00:00, ncpus=32 or queue=short? May be given more than once. Without it, --submit tries a few."`
	Check      bool        `help:"Forecast moments of the site's own past from what its logs told by then, and print how far off the forecasts were. With it, --jobs adds a list of what logs do not have to the site's own, as for replay."`
	Each       bool        `help:"With --check: print in place of the sums each forecast of the past, with the start that came, a row each."`
	Calibrated bool        `help:"Widen or narrow the intervals by what such forecasts of the past have shown."`
	Usage      string      `placeholder:"FILE" help:"For --check and --calibrated: the usage database as it was at the beginning of the logs, or what sshare -a -l -P printed then."`
	Runs       *int        `placeholder:"N" help:"Simulate what is to come N times (100; for each moment of the past 24)."`
	Seed       uint64      `default:"1" placeholder:"N" help:"The runs are made from this number (${default}). Another number makes other runs."`
	By         *momentFlag `placeholder:"TIME" help:"Also print how likely each job starts by TIME, such as 18:00, Monday or 2026-11-21T18:00."`
	HTML       string      `name:"html" placeholder:"FILE" help:"Also write a page with a bar for each job, or with --submit and --try for each change. With --user it shows nobody else's jobs."`
	Metrics    string      `placeholder:"FILE" help:"Write as OpenMetrics text to FILE, which is replaced in one step, how long the jobs of --typical would wait and how good the forecasts of the last day are."`
	Typical    string      `placeholder:"FILE" help:"For --metrics: CSV with the columns name, queue, user and resources, a line for each job."`
	Classic    bool        `help:"Also print the two classic estimates: all last as long as requested and nobody else comes, and as long as jobs of the queue have waited."`
	Where      bool        `help:"Also print on which nodes each job starts most often in the runs."`
	Horizon    string      `default:"14d" placeholder:"TIME" help:"How far to look ahead, such as 36h or 14d (${default}). What starts later has no time."`
	Top        int         `of:"table" placeholder:"N" help:"Print only the first N jobs of the table."`
	Output     string      `short:"o" enum:"table,csv,json" default:"table" placeholder:"FORM" help:"What to print (${enum})."`

	joined []string // tables of jobs beside the site

	expects site.Expecter    // tells what the scheduler itself expects, nil where nothing does
	recalls site.Recaller    // tells of jobs that the list does not have, nil where nothing does
	leftOut string           // why nothing is forecast of jobs that wait and are asked about, "" where there is none
	judged  *witness.Summary // how far the rules hold by the past, nil where nobody can tell
}

// rules implements ruled.
func (c *whenCmd) rules() []rule {
	return []rule{
		{of: "usage", needs: "check calibrated metrics", says: "--usage is for --check, --calibrated and --metrics"},
		{of: "each", needs: "check", says: "--each is for --check: without it, each job that waits has its row"},
		{of: "typical", needs: "metrics", says: "--typical is for --metrics"},
		{of: "metrics", needs: "typical", says: "--metrics needs --typical FILE, which has the jobs whose waits are to be told: CSV with the columns name, queue, user and resources"},
		{of: "metrics", not: "check calibrated submit try html by classic user job output", says: "--metrics writes metrics to its file and nothing else: no job, --user, --submit, --try, --by, --classic, --check, --calibrated, --html or -o goes with it"},
		{of: "queue", needs: "submit", says: "--queue and --partition are of the job of --submit: without it, the jobs of all queues, partitions and schedulers are answered, or those that are named or of --user"},
		{of: "where", not: "check metrics", says: "--where cannot be used with --check or --metrics: it is about jobs that wait"},
		{of: "classic", not: "submit try", says: "--classic cannot be used with --submit or --try: it is about jobs that wait as they are"},
		{of: "top", not: "check submit try metrics", says: "--top cannot be used with --check, --submit, --try or --metrics: it is about the table of jobs that wait"},
		{of: "html", not: "check", says: "--html cannot be used with --check: its page is about jobs that wait; without --html it prints a table, and -o json the same for other programs"},
		{of: "check", not: "submit try calibrated by user job", says: "--check is about all jobs of the past: no job, --user, --submit, --try, --by or --calibrated goes with it"},
	}
}

func (c *whenCmd) Run(s *session) error {
	const mostRuns = 10_000
	if c.Runs != nil && (*c.Runs < 1 || *c.Runs > mostRuns) {
		return fail(exitUsage, "--runs needs a number from 1 to %d", mostRuns)
	}
	c.siteFirst()
	s.progress.soon()
	isOne := c.Output == "table" && !c.Check && c.Metrics == "" && (c.isAdvice() || len(c.Job) == 1)
	if isOne {
		s.answerFirst()
	}
	s.askOf(c.Job)
	horizon, err := parseHorizon(c.Horizon)
	if err != nil {
		return err
	}
	if c.Calibrated || c.Metrics != "" {
		s.progress.plan(.5, .5)
	}
	o := forecast.Options{Runs: c.runs(forecast.DefaultRuns), Seed: c.Seed, Horizon: horizon, Nodes: c.Where}
	is, under, zone, err := c.subject(s)
	if err != nil {
		return c.printExpected(s, zone, err)
	}
	of := cmp.Or(under, is)
	if !c.isAdvice() {
		if err := c.checkUsers(of); err != nil {
			return err
		}
	}
	if c.Metrics != "" {
		return c.writeMetrics(s, of, o)
	}
	past, err := c.backtest(s, is, of, o)
	switch {
	case err != nil:
		return err
	case c.Each:
		return c.printEach(s, past, zone)
	case c.Check:
		return c.printCheck(s, past, zone)
	case c.isAdvice():
		return c.advise(s, is, under, o, past, zone)
	}
	o.Wants = c.wants
	c.tellRuns(s, &o)
	f, err := c.forecast(s, is, under, o)
	s.progress.end()
	if err != nil {
		return s.failed(err)
	}
	s.say(f.Remarks()...)
	if past != nil {
		f.Calibrate(past.Calibration)
		s.say(past.Remark())
	}
	return c.print(s, f, of, zone)
}

// siteFirst puts the site before the jobs where it was named after them or by a flag, as formula explain takes both.
func (c *whenCmd) siteFirst() {
	defer c.joinTables()
	if !isJob(c.Site) {
		return
	}
	if !c.siteFlags.isEmpty() { // which name the site
		c.Site, c.Job = "", append([]string{c.Site}, c.Job...)
		return
	}
	if i := slices.IndexFunc(c.Job, func(arg string) bool { return arg == "-" || !isMissing(arg) }); i >= 0 {
		c.Site, c.Job[i] = c.Job[i], c.Site
	}
}

// joinTables takes those of the jobs that are tables of jobs as parts of the site.
func (c *whenCmd) joinTables() {
	c.Job = slices.DeleteFunc(c.Job, func(name string) bool {
		if !isTableOfJobs(name) {
			return false
		}
		c.joined = append(c.joined, name)
		return true
	})
}

// tellRuns lets the runs of a forecast tell how far it is.
func (c *whenCmd) tellRuns(s *session, o *forecast.Options) {
	steps := s.progress.begin("runs")
	o.Done = func(done, all int) { steps(float64(done), float64(all)) }
}

// backtest returns forecasts of the past: of what --set makes of the site for --check, of the site as it is to
// calibrate others, and nil where neither is asked for.
func (c *whenCmd) backtest(s *session, is, of forecast.Subject, o forecast.Options) (*forecast.Backtest, error) {
	switch {
	case c.Check:
		return c.past(s, of, o, 0)
	case c.Calibrated:
		return c.past(s, is, o, 0)
	}
	return nil, nil
}

// forecast makes the forecast of a site, or of what it is under --set, compared with the site itself.
func (c *whenCmd) forecast(s *session, is, under forecast.Subject, o forecast.Options) (*forecast.Forecast, error) {
	if under != nil {
		return forecast.MakeAgainst(s.ctx, under, is, o)
	}
	st, scheduler := is.Begin()
	return forecast.MakeOf(s.ctx, st, scheduler, o)
}

// subject returns the site that is named, as it is now. With --set it returns what that makes of it as well,
// else nil.
func (c *whenCmd) subject(s *session) (is, under forecast.Subject, zone *time.Location, err error) {
	if err := c.check(); err != nil {
		return nil, nil, nil, err
	}
	names := c.clusterFlags.names(c.queueFlags.names(c.Site))
	names.WantsJobs, names.Beside = !c.Check, c.Logs
	names.OfTables, names.Joined = true, c.joined
	q := site.Forecasting{Logs: c.Logs, OnlyPast: c.Check, Submits: c.Submit != ""}
	if c.Check && (names.Argument != "" || names.Snapshot != "") {
		q.Known, names.Jobs = names.Jobs, "" // as of a replay: it stands beside the site's own list, and not in its place
	}
	at, err := openAs[site.Forecaster](s, names)
	if err != nil {
		return nil, nil, nil, err
	}
	if q.Moment, err = c.moment(at); err != nil {
		return nil, nil, nil, err
	}
	if q.Policy, err = c.policy(s); err != nil {
		return nil, nil, nil, err
	}
	c.recalls, _ = at.(site.Recaller)
	c.expects, _ = at.(site.Expecter)
	if is, under, err = at.Forecast(s.ctx, q); err != nil {
		return nil, nil, q.Zone, err
	}
	if !c.Check && c.Metrics == "" {
		c.judged = judgeBeside(s, at, q, c.Usage)
	}
	return is, under, q.Zone, nil
}

// print prints a forecast of what is asked about.
func (c *whenCmd) print(s *session, f *forecast.Forecast, of listed, zone *time.Location) error {
	if err := c.checkAsked(s, f, of, zone); err != nil {
		return err
	}
	c.leftOut = leftOutOf(of, c.wants)
	v, err := c.newView(s, f, zone)
	if err != nil {
		return err
	}
	return c.andPage(func() error { return c.printForecast(s, f, v) }, func() error { return c.writePage(s, f, zone, v) })
}

// andPage prints the answer, and then writes a page where one is asked for.
func (c *whenCmd) andPage(print, write func() error) error {
	if err := print(); err != nil || c.HTML == "" {
		return err
	}
	return write()
}

// listed is a list of jobs of which some are asked about.
type listed interface {
	Listed() []string // the IDs of all
	Users() map[string]bool
}

// printExpected prints when the scheduler itself expects to start jobs where no forecast could be made, and why none was; or returns
// that error where more is asked, or nothing tells it.
func (c *whenCmd) printExpected(s *session, zone *time.Location, why error) error {
	isMore := c.isAdvice() || c.Check || c.Calibrated || c.Metrics != "" || c.By != nil || c.Classic || c.Where || len(c.settings(c.Set)) > 0
	switch {
	case c.isAdvice() && isA[*site.OrderError](why):
		return fmt.Errorf("%w; %s", why, c.instead())
	case c.expects == nil || isMore:
		return why
	}
	e, err := c.expects.Expected(s.ctx, zone, why)
	if err == nil {
		err = c.checkUsers(e)
	}
	if err != nil {
		return err
	}
	e.Choose(c.wants)
	if untold := e.Untold(); len(untold) > 0 {
		s.say(diag.Notef("%s names no start of %s %s; formula explain JOB SITE says what is known of such a job", e.Words.Name, report.First(untold), e.Words.Unplanned).Briefly("%s names no start of %s (formula explain JOB SITE says what is known)", e.Words.Name, report.First(untold)).OfAsked())
	}
	if against := e.Against(); len(against) > 0 {
		s.say(diag.Notef("%s expects a start of %s all the same, without regard to what keeps it from that", e.Words.Name, report.First(against)).OfAsked())
	}
	return c.print(s, e.Forecast, e, zone)
}

// instead says what can be asked of another request where it is not known who goes first.
func (c *whenCmd) instead() string {
	at := cmp.Or(c.clusterFlags.names(c.queueFlags.names(c.Site)).Site(), "SITE")
	if c.Submit != "" {
		return fmt.Sprintf("formula nodes %s --submit '%s' says where there is room for it now", at, c.Submit)
	}
	job := strings.Join(c.Job, " ")
	return fmt.Sprintf("formula explain %s %s --vs OTHER says what would let it go before another job, and formula nodes %[2]s %[1]s where there is room for it now", job, at)
}

// deadline returns the time of --by, 0 without it.
func (c *whenCmd) deadline(f *forecast.Forecast, zone *time.Location) (float64, error) {
	if c.By == nil {
		return 0, nil
	}
	by, err := c.By.After(time.Unix(f.At, 0), zone)
	switch {
	case err != nil:
		return 0, err
	case by.Unix() <= f.At:
		return 0, fail(exitUsage, "--by needs a time after that of the list")
	case by.Unix() > f.At+f.Horizon:
		return 0, fail(exitUsage, "--by is later than --horizon looks ahead (%s)", c.Horizon)
	}
	return float64(by.Unix()), nil
}

// runs returns how often what is to come is drawn.
func (c *whenCmd) runs(otherwise int) int {
	if c.Runs != nil {
		return *c.Runs
	}
	return otherwise
}

// parseHorizon reads a time such as 14d or 36h, in seconds.
func parseHorizon(text string) (int64, error) {
	const longest = 366 * 24 * time.Hour
	var span time.Duration
	days, isDays := strings.CutSuffix(text, "d")
	n, err := strconv.ParseFloat(days, 64)
	if isDays {
		span = time.Duration(n * float64(24*time.Hour))
	} else {
		span, err = time.ParseDuration(text)
	}
	if err != nil || !(span >= time.Minute && span <= longest) {
		return 0, fail(exitUsage, "--horizon needs a time from 1m to 366d, such as 36h or 14d")
	}
	return int64(span / time.Second), nil
}

// wants reports whether a job is asked about.
func (c *whenCmd) wants(id, user string) bool {
	isAsked := len(c.Job) == 0 || slices.ContainsFunc(c.Job, func(asked string) bool { return trace.IsNamed(id, asked) })
	return isAsked && (len(c.User) == 0 || slices.Contains(c.User, user))
}

// noJob says why there is no forecast of a job of a name: it runs, it has ended as the logs have it, it is a user's name, or
// nothing knows it.
func (c *whenCmd) noJob(s *session, of listed, name string, zone *time.Location) error {
	is := func(id string) bool { return trace.IsNamed(id, name) }
	if slices.ContainsFunc(of.Listed(), is) {
		return fail(exitUsage, "job %s does not wait any more: it runs, or has run", name)
	}
	if of.Users()[name] {
		return fail(exitUsage, "%[1]s is a user and no job: --user %[1]s asks about the jobs of one", name)
	}
	if why := leftOutOf(of, func(id, _ string) bool { return is(id) }); why != "" {
		return fail(exitUsage, "job %s: %s", name, why)
	}
	missing := &diag.NoJobError{Name: name, OfWaiting: true}
	s.doubt(missing)
	if c.recalls != nil {
		return failure{exitUsage, c.recalls.Recall(missing, name)}
	}
	subject, isForecast := of.(forecast.Subject)
	if !isForecast {
		return failure{exitUsage, missing}
	}
	if past, _, err := subject.History(""); err == nil && past != nil && past.Recorded() != nil {
		jobs := past.Recorded().Jobs
		if at := slices.IndexFunc(jobs, func(j *trace.Job) bool { return is(j.ID) }); at >= 0 && jobs[at].End != trace.Unknown {
			return fail(exitUsage, "job %s does not wait: it ended at %s, as the logs have it", name, moment.Clock(jobs[at].End, zone))
		}
	}
	return failure{exitUsage, missing}
}

// checkAsked returns an error if no job that is asked about waits. Of some that do not wait beside others it says why.
func (c *whenCmd) checkAsked(s *session, f *forecast.Forecast, of listed, zone *time.Location) error {
	all := slices.Concat(f.Jobs, f.Others)
	var wrong []error
	for _, id := range c.Job {
		switch at := slices.IndexFunc(all, func(j *forecast.Job) bool { return trace.IsNamed(j.ID, id) }); {
		case at < 0:
			wrong = append(wrong, c.noJob(s, of, id, zone))
		case len(c.User) > 0 && !slices.Contains(c.User, all[at].User):
			wrong = append(wrong, fail(exitUsage, "job %s is not of %s", id, strings.Join(c.User, ", ")))
		}
	}
	if len(wrong) > 0 && len(wrong) == len(c.Job) {
		return wrong[0]
	}
	for _, err := range wrong {
		s.doubt(err)
		s.say(diag.Damagef("%v", err))
	}
	for _, user := range c.User {
		if !slices.ContainsFunc(all, func(j *forecast.Job) bool { return j.User == user }) {
			why := leftOutOf(of, func(_, of string) bool { return of == user })
			if why == "" {
				s.diag.Note("no job of %s waits", user)
				continue
			}
			s.say(diag.Lackf("%s: %s", user, why).OfAsked())
		}
	}
	return nil
}

// leftOutOf says why nothing is forecast of those of some jobs that wait in a list; "" where there is none.
func leftOutOf(of listed, isAsked func(id, user string) bool) string {
	list, isKnown := of.(interface {
		LeftOut(isAsked func(id, user string) bool) string
	})
	if !isKnown {
		return ""
	}
	return list.LeftOut(isAsked)
}

// checkUsers returns an error if nobody knows a user who is asked about, before anything is computed.
func (c *whenCmd) checkUsers(of listed) error {
	known := of.Users()
	for _, user := range c.User {
		if !known[user] {
			return fail(exitUsage, "%s", report.NoSuch("user", user, slices.Collect(maps.Keys(known))))
		}
	}
	return nil
}
