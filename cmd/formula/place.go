package main

import (
	"cmp"
	"context"
	"errors"
	"io"
	"os"
	"path"
	"slices"
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

// find returns the place that the flags and the argument name. wants are the parts
// that a live complex is asked for. Where these include jobs, the list comes from
// standard input if nothing else has one, and where that is a terminal everything
// comes from the complex of this host.
func (c *placeFlags) find(s *session, argument string, wants ...snapshot.Part) (*place, error) {
	p := &place{}
	wantsJobs := slices.Contains(wants, snapshot.Jobs)
	argument, asks := c.fallBack(s, argument, wantsJobs)
	if asks {
		snap, err := c.ask(wants)
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
		if p.jobs.IsGiven() && p.jobs.Member == "" {
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
		var sources []file.Source
		for _, name := range c.Sched {
			sources = append(sources, s.source(name, "--sched"))
		}
		p.files.SetSched(sources...)
	}
	return p, nil
}

// siteParts are the parts of a site, without a sched_priv where that is given.
func siteParts(schedPriv string) []snapshot.Part {
	parts := []snapshot.Part{snapshot.Queues, snapshot.Resources, snapshot.Attributes}
	if schedPriv == "" {
		parts = append(parts, snapshot.SchedPriv)
	}
	return parts
}

// orderParts are the parts that an order needs.
func orderParts(schedPriv string) []snapshot.Part { return append(siteParts(schedPriv), snapshot.Jobs) }

// site reads the site that the flags and the argument name, with a sched_priv or
// "". Jobs are not asked for, but may be there.
func (c *placeFlags) site(s *session, argument, schedPriv string) (*place, *pbs.Site, error) {
	p, err := c.find(s, argument, siteParts(schedPriv)...)
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
	case snap.IsFile() && name == c.Snapshot:
		return fail(exitUsage, "--snapshot %s is a single file and no snapshot: a job list is given as an argument or with --jobs", name)
	case snap.IsFile():
		p.jobs = snap.File()
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

// ask asks the complex of this host, or another one, for some parts, but not for a
// list that is given.
func (c *placeFlags) ask(wants []snapshot.Part) (*snapshot.Snapshot, error) {
	if c.Jobs != "" {
		wants = slices.DeleteFunc(slices.Clone(wants), func(part snapshot.Part) bool { return part == snapshot.Jobs })
	}
	snap, err := live.Ask(context.Background(), live.Options{Server: c.Server, Timeout: c.Timeout, Parts: wants})
	if errors.Is(err, live.ErrNoPBS) {
		return nil, fail(exitUsage, "%w: give a snapshot or a job list, such as qstat -f -F json prints", err)
	}
	if err != nil {
		return nil, failure{exitUnreadable, err}
	}
	return snap, nil
}

// say says what a place supplies, and what is lost where it has no sched_priv.
func (p *place) say(s *session) {
	s.say(p.remarks...)
	if p.name == "" {
		return
	}
	var has []string
	for _, part := range []struct {
		what    string
		sources []file.Source
	}{
		{"jobs", []file.Source{p.jobs}}, {"queues", []file.Source{p.files.Queues}}, {"resources", []file.Source{p.files.Resources}},
		{"attributes", p.files.Sched}, {"the formula", []file.Source{p.files.Formula}},
	} {
		var names []string
		for _, from := range part.sources {
			if from.IsGiven() {
				names = append(names, cmp.Or(from.Member, from.Name))
			}
		}
		if names != nil {
			has = append(has, part.what+" from "+strings.Join(names, " and "))
		}
	}
	if name := p.files.SchedPriv.Name; name != "" {
		has = append(has, "the tree from "+strings.TrimPrefix(name, path.Clean(p.name)+"/"))
	}
	s.diag.Note("%s: %s", p.dated(), strings.Join(has, ", "))
	if p.files.SchedPriv.Name == "" {
		s.diag.Warning("%s has no sched_priv: fairshare terms cannot be computed (--sched-priv DIR names a copy), and PBS's defaults stand for sched_config", p.name)
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
	if p.jobs.Member != "" {
		return p.dated() + ": " + p.jobs.Member
	}
	if info, err := os.Stat(p.jobs.Name); err == nil && info.Mode().IsRegular() {
		return p.jobs.Name + ", written " + info.ModTime().Format(timeLayout)
	}
	return p.jobs.Name + ", read " + time.Now().Format(timeLayout)
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
	return file.Source{Name: file.StandardInput, Open: func() (io.ReadCloser, error) {
		if err := s.takeInput(reader); err != nil {
			return nil, err
		}
		return io.NopCloser(s.in), nil
	}}
}

// jobList is what the list is called where standard input is asked for twice.
const jobList = "the job list"
