package cli

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
	Queues    string   `placeholder:"FILE" help:"Queues, as qstat -Qf prints them (text, JSON or DSV)."`
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
	nodes   file.Source   // what pbsnodes prints
	jobs    []file.Source // lists of the same jobs, the best one first; none where there is none
	isPriv  bool          // whether it is a sched_priv and nothing else
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
		snap, err := c.ask(s.ctx, wants)
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
	if err := c.findJobs(s, p, wantsJobs); err != nil {
		return nil, err
	}
	if c.Queues != "" {
		p.files.Queues = []file.Source{s.source(c.Queues, "--queues")}
	}
	if c.Resources != "" {
		p.files.Resources = s.source(c.Resources, "--resources")
	}
	for _, name := range c.Sched {
		p.files.Override = append(p.files.Override, s.source(name, "--sched"))
	}
	return p, nil
}

// findJobs adds the list of jobs that --jobs names, or standard input where a
// sched_priv alone or nothing has one.
func (c *placeFlags) findJobs(s *session, p *place, wantsJobs bool) error {
	switch {
	case c.Jobs != "" && len(p.jobs) > 0 && p.jobs[0].Member == "":
		return fail(exitUsage, "%s and --jobs %s both name a job list, give one of them", p.jobs[0].Name, c.Jobs)
	case c.Jobs == "-":
		p.jobs = []file.Source{s.source(c.Jobs, jobList)}
	case c.Jobs != "":
		snap, err := snapshot.Open(c.Jobs, nil)
		if err != nil {
			return failure{exitUnreadable, err}
		}
		if !snap.IsFile() {
			return fail(exitUsage, "--jobs %s is a site: give it as an argument or with --snapshot", c.Jobs)
		}
		p.jobs = []file.Source{snap.File()}
	case !wantsJobs || len(p.jobs) > 0:
	case p.name != "" && (!p.isPriv || s.isTerminal()):
		s.say(p.remarks...) // an archive that is cut off may have had one
		return fail(exitUnreadable, "%s has no list of jobs: give one with --jobs FILE, - for standard input", p.name)
	default:
		p.jobs = []file.Source{s.source("-", jobList)}
	}
	return nil
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
	site, err := s.readSite(p)
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
		p.jobs = []file.Source{snap.File()}
	case p.name != "":
		return fail(exitUsage, "%s and %s are both a site, give one of them", p.name, name)
	default:
		p.use(snap)
	}
	return nil
}

// use takes all that a snapshot has, but for a list of jobs where there is one.
func (p *place) use(snap *snapshot.Snapshot) {
	p.name, p.files, p.nodes = snap.Name, snap.Files(), snap.Nodes()
	p.taken, _ = snap.Taken()
	p.isPriv = snap.IsPrivAlone()
	if len(p.jobs) == 0 {
		p.jobs = snap.Jobs()
	}
	p.remarks = append(p.remarks, snap.Remarks...)
}

// ask asks the complex of this host, or another one, for some parts, but not for a
// list that is given.
func (c *placeFlags) ask(ctx context.Context, wants []snapshot.Part) (*snapshot.Snapshot, error) {
	if c.Jobs != "" {
		wants = slices.DeleteFunc(slices.Clone(wants), func(part snapshot.Part) bool { return part == snapshot.Jobs })
	}
	snap, err := snapshot.Ask(ctx, snapshot.Question{Server: c.Server, Timeout: c.Timeout, Parts: wants})
	if errors.Is(err, snapshot.ErrNoPBS) {
		return nil, fail(exitUsage, "%w: give a snapshot or a job list, such as qstat -f -F json prints", err)
	}
	if err != nil {
		return nil, failure{exitUnreadable, err}
	}
	return snap, nil
}

// say says what a place supplies, and what is lost with what it lacks.
func (p *place) say(s *session) {
	s.say(p.remarks...)
	if p.name == "" {
		return
	}
	var has, lacks []string
	for _, part := range []struct {
		what    string
		sources []file.Source
	}{
		{"jobs", p.jobs[:min(1, len(p.jobs))]}, {"queues", p.files.Queues[:min(1, len(p.files.Queues))]}, {"resources", []file.Source{p.files.Resources}},
		{"attributes", slices.Concat(p.files.Sched, []file.Source{p.files.Formula}, p.files.Override)},
	} {
		var names []string
		for _, from := range part.sources {
			if from.IsGiven() {
				names = append(names, cmp.Or(from.Member, from.Name))
			}
		}
		if names != nil {
			has = append(has, part.what+" from "+strings.Join(names, " and "))
		} else {
			lacks = append(lacks, part.what)
		}
	}
	if name := p.files.SchedPriv.Name; name != "" {
		has = append(has, "the tree from "+strings.TrimPrefix(name, path.Clean(p.name)+"/"))
	}
	text := p.dated() + ": " + strings.Join(has, ", ")
	if len(lacks) > 0 && !p.isPriv {
		text += "; not there: " + strings.Join(lacks, ", ")
	}
	s.diag.Note("%s", text)
	if p.files.SchedPriv.Name == "" {
		s.diag.Warning("without a sched_priv, fairshare terms cannot be computed (--sched-priv DIR names a copy) and PBS's defaults stand for sched_config")
	}
}

// sayOfSite says what a site was not told by a place, and what is assumed.
func (p *place) sayOfSite(s *session, site *pbs.Site) {
	if p.name == "" || p.isPriv {
		return
	}
	if !site.Sched.OfServer {
		s.diag.Warning("%s has no attributes of the server, so that the formula in force is not known", p.name)
	}
	if !site.Sched.OfSched {
		s.diag.Note("%s has no attributes of the scheduler: its threshold and preemption are taken as not set", p.name)
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
	if len(p.jobs) == 0 {
		return ""
	}
	list := p.jobs[0]
	if list.Member != "" {
		return p.dated() + ": " + list.Member
	}
	if info, err := os.Stat(list.Name); err == nil && info.Mode().IsRegular() {
		return list.Name + ", written " + info.ModTime().Format(timeLayout)
	}
	return list.Name + ", read " + time.Now().Format(timeLayout)
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
