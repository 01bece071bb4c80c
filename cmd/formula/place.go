package main

import (
	"context"
	"errors"
	"io"
	"os"
	"strings"
	"time"

	"golang.org/x/term"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/file"
	"fairshare/cmd/internal/live"
	"fairshare/cmd/internal/pbs"
	"fairshare/cmd/internal/snapshot"
)

// siteFlags name a site in one place.
type siteFlags struct {
	Snapshot string        `placeholder:"SITE" help:"A site in one place: what pbs_snapshot writes (.tgz or directory), a sched_priv, or a directory of recorded files."`
	Live     bool          `help:"Ask the PBS complex of this host."`
	Server   string        `placeholder:"NAME" help:"Ask this PBS server; implies --live."`
	Timeout  time.Duration `default:"30s" placeholder:"TIME" help:"How long each of PBS's commands may take (${default})."`
}

// placeFlags say where a site and its jobs are. All that they name together is
// one site: files given one by one win over a snapshot or a complex.
type placeFlags struct {
	siteFlags
	Jobs      string   `placeholder:"FILE" help:"The job list, - for standard input."`
	From      string   `enum:"auto,json,text,dsv,csv,jsonl" default:"auto" placeholder:"FORMAT" help:"How the job list is written (${enum})."`
	Queues    string   `placeholder:"FILE" help:"Queues, as qstat -Qf prints them (text or JSON)."`
	Resources string   `placeholder:"FILE" help:"The site's own resources, as qmgr -c 'list resource' prints them."`
	Sched     []string `sep:"none" placeholder:"FILE" help:"Attributes of the server or the scheduler: qmgr's print or list of server or sched, or qstat -Bf. May be given more than once."`
}

// isEmpty reports whether no site is named.
func (c *siteFlags) isEmpty() bool { return c.Snapshot == "" && !c.Live && c.Server == "" }

// place is where a site and its jobs are.
type place struct {
	name    string    // of what supplies all that is not given file by file, "" for nothing
	taken   time.Time // when, zero if it is not known
	files   pbs.Files
	jobs    file.Source // the zero Source where there is no list
	remarks []diag.Remark
}

// find returns the place that the flags and the argument name. With wantsJobs,
// the list comes from standard input where nothing else has one, and where that
// is a terminal everything comes from the complex of this host.
func (c *placeFlags) find(s *session, argument string, wantsJobs bool) (*place, error) {
	p := &place{}
	argument, asks := c.fallBack(s, argument, wantsJobs)
	if asks {
		snap, err := c.ask(s, wantsJobs)
		if err != nil {
			return nil, err
		}
		p.use(snap)
	}
	for _, name := range []string{argument, c.Snapshot} {
		if name == "" {
			continue
		}
		if err := c.open(s, p, name); err != nil {
			return nil, err
		}
	}
	if c.Jobs != "" {
		if p.jobs.IsGiven() && p.name == "" {
			return nil, fail(exitUsage, "%s and --jobs %s both name a job list, give one of them", p.jobs.Name, c.Jobs)
		}
		p.jobs = s.source(c.Jobs, jobList)
	}
	if wantsJobs && !p.jobs.IsGiven() {
		if s.isTerminal() {
			return nil, fail(exitUsage, "%s has no list of jobs: give one with --jobs FILE", p.name)
		}
		p.jobs = s.source("-", jobList)
	}
	if c.Queues != "" {
		p.files.Queues = s.source(c.Queues, "--queues")
	}
	if c.Resources != "" {
		p.files.Resources = s.source(c.Resources, "--resources")
	}
	if len(c.Sched) > 0 {
		p.files.Sched, p.files.Formula, p.files.Threshold = nil, file.Source{}, file.Source{}
		for _, name := range c.Sched {
			p.files.Sched = append(p.files.Sched, s.source(name, "--sched"))
		}
	}
	return p, nil
}

// site reads the site that the flags and the argument name, with a sched_priv or
// "". Jobs are not asked for, but may be there.
func (c *placeFlags) site(s *session, argument, schedPriv string) (*place, *pbs.Site, error) {
	p, err := c.find(s, argument, false)
	if err != nil {
		return nil, nil, err
	}
	if schedPriv != "" {
		p.files.SchedPriv = file.DirAt(schedPriv)
	}
	p.say(s)
	site, err := s.readSite(p.files)
	return p, site, err
}

// fallBack returns the argument to go by, standard input where a list is wanted
// and none is named, and whether the complex is to be asked.
func (c *placeFlags) fallBack(s *session, argument string, wantsJobs bool) (string, bool) {
	switch {
	case c.Live || c.Server != "":
		return argument, true
	case !wantsJobs || argument != "" || c.Snapshot != "" || c.Jobs != "":
		return argument, false
	case s.isTerminal():
		return "", true
	}
	return "-", false
}

// open adds what a name is to a place.
func (c *placeFlags) open(s *session, p *place, name string) error {
	if name == "-" {
		if err := s.takeInput(jobList); err != nil {
			return err
		}
	}
	snap, err := snapshot.Open(name, s.in)
	switch {
	case err != nil:
		return failure{exitUnreadable, err}
	case snap.IsList() && name == c.Snapshot:
		return fail(exitUsage, "--snapshot %s is a single file and no snapshot: a job list is given as an argument or with --jobs", name)
	case snap.IsList():
		p.jobs = snap.Jobs()
	case p.name != "":
		return fail(exitUsage, "%s and %s are both a site, give one of them", p.name, name)
	default:
		p.use(snap)
	}
	return nil
}

// use takes all that a snapshot has, but for a list of jobs where there is one.
func (p *place) use(snap *snapshot.Snapshot) {
	p.name, p.files = snap.Name, snap.Files()
	p.taken, _ = snap.Taken()
	if list := snap.Jobs(); !p.jobs.IsGiven() {
		p.jobs = list
	}
	p.remarks = append(p.remarks, snap.Remarks...)
}

// ask asks the complex of this host, or another one, for what an order needs and
// for more.
func (c *placeFlags) ask(s *session, wantsJobs bool, more ...snapshot.Part) (*snapshot.Snapshot, error) {
	parts := append(more, snapshot.Queues, snapshot.Resources, snapshot.Attributes)
	if wantsJobs && c.Jobs == "" {
		parts = append(parts, snapshot.Jobs)
	}
	snap, err := live.Ask(context.Background(), live.Options{Server: c.Server, Timeout: c.Timeout, Parts: parts})
	if errors.Is(err, live.ErrNoPBS) {
		return nil, fail(exitUsage, "%w: give a snapshot or a job list, such as qstat -f -F json prints", err)
	}
	if err != nil {
		return nil, failure{exitUnreadable, err}
	}
	return snap, nil
}

// say says what a place supplies and what it lacks.
func (p *place) say(s *session) {
	s.say(p.remarks...)
	if p.name == "" {
		return
	}
	var has []string
	lacks := func(isThere bool, what string) {
		if isThere {
			has = append(has, what)
		}
	}
	lacks(p.jobs.IsGiven(), "jobs from "+p.within(p.jobs.Name))
	lacks(p.files.Queues.IsGiven(), "queues from "+p.within(p.files.Queues.Name))
	lacks(p.files.Resources.IsGiven(), "resources from "+p.within(p.files.Resources.Name))
	for i, from := range p.files.Sched {
		what := p.within(from.Name)
		if i == 0 {
			what = "attributes from " + what
		}
		has = append(has, what)
	}
	lacks(p.files.Formula.IsGiven(), "the formula from "+p.within(p.files.Formula.Name))
	lacks(p.files.SchedPriv.Name != "", "the tree from "+p.within(p.files.SchedPriv.Name))
	s.diag.Note("%s: %s", p.dated(), strings.Join(has, ", "))
	if p.files.SchedPriv.Name == "" {
		s.diag.Warning("%s has no sched_priv: fairshare terms cannot be computed, and PBS's defaults stand for sched_config", p.name)
	}
}

const timeLayout = "2006-01-02 15:04:05 MST"

// dated returns the place's name and when it was taken.
func (p *place) dated() string {
	if p.taken.IsZero() {
		return p.name
	}
	return p.name + ", taken " + p.taken.Format(timeLayout)
}

// describe says where the list of jobs comes from, and of when it is.
func (p *place) describe() string {
	inside := p.within(p.jobs.Name)
	if inside != p.jobs.Name {
		return p.dated() + ": " + inside
	}
	if info, err := os.Stat(p.jobs.Name); err == nil && info.Mode().IsRegular() {
		return p.jobs.Name + ", written " + info.ModTime().Format(timeLayout)
	}
	return p.jobs.Name + ", read " + time.Now().Format(timeLayout)
}

// within returns a source's name as it is called within the place.
func (p *place) within(name string) string {
	if inside, ok := strings.CutPrefix(name, p.name+"/"); ok {
		return inside
	}
	return name
}

// isTerminal reports whether standard input is a terminal.
func (s *session) isTerminal() bool {
	f, ok := s.in.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// takeInput lets one reader have standard input. The error is for the second one.
func (s *session) takeInput(reader string) error {
	if s.inputReader != "" {
		return fail(exitUsage, "standard input cannot be both %s and %s", s.inputReader, reader)
	}
	s.inputReader = reader
	return nil
}

// source returns the file of a name, or standard input for "-". reader says what
// it is for.
func (s *session) source(name, reader string) file.Source {
	if name != "-" {
		return file.At(name)
	}
	return file.Source{Name: standardInput, Open: func() (io.ReadCloser, error) {
		if err := s.takeInput(reader); err != nil {
			return nil, err
		}
		return io.NopCloser(s.in), nil
	}}
}

// What is called so in messages.
const (
	standardInput = "standard input"
	jobList       = "the job list"
)
