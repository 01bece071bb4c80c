package cli

import (
	"slices"
	"strings"

	"github.com/alecthomas/kong"

	fluxdoor "fairshare/cmd/internal/flux/door"
	pbsdoor "fairshare/cmd/internal/pbs/door"
	pbssite "fairshare/cmd/internal/pbs/site"
	"fairshare/cmd/internal/site"
	slurmdoor "fairshare/cmd/internal/slurm/door"
	"fairshare/cmd/internal/trace"
)

// schedulers returns those whose sites commands know, in the order in which they are looked for.
func schedulers() []*site.Scheduler {
	return []*site.Scheduler{
		pbsdoor.Scheduler(),
		slurmdoor.Scheduler(),
		fluxdoor.Scheduler(),
	}
}

// formats returns those in which records of jobs may be, of all schedulers.
func formats() (list []trace.Format) {
	for _, s := range schedulers() {
		list = append(list, s.Formats...)
	}
	return list
}

// open returns the site that names lead to. Flags that are for another scheduler are refused.
func (s *session) open(names site.Names) (*site.Site, error) {
	return s.openThrough(names, s.console())
}

// openThrough opens the site that names lead to, which says what it has to say through a console.
func (s *session) openThrough(names site.Names, to *site.Console) (*site.Site, error) {
	at, err := site.Open(s.ctx, names, to, schedulers())
	if err != nil {
		return nil, s.namePiece(names.Site(), err)
	}
	return at, s.refuse(at)
}

// isOfPBS reports whether a flag is given that PBS's sites alone know.
func (s *session) isOfPBS() bool {
	return slices.ContainsFunc(s.flags, func(f *kong.Flag) bool { return f.Tag.Get("for") == "pbs" })
}

// able returns what a command asks of a site, as an ability. It is an error in the words of the site where it
// does not have it.
func able[A any](s *session, at *site.Site) (A, error) {
	a, ok := at.Able.(A)
	if !ok {
		return a, at.Cannot(s.command)
	}
	if at.IsUntold() && !s.isOfPBS() {
		return a, fail(exitUnreadable, "there is no job in %s, and nothing tells of which scheduler it is: what squeue, sprio and flux jobs print has a header also where no job waits, and with -f FORMULA or --no-formula it is a list of PBS", at.Called())
	}
	return a, nil
}

// openAs opens a site that has an ability.
func openAs[A any](s *session, names site.Names) (A, error) {
	at, err := s.open(names)
	if err != nil {
		var none A
		return none, err
	}
	return able[A](s, at)
}

// namePiece has an error on a file that cannot be read say what of a site it is, where that is known and not said.
func (s *session) namePiece(name string, err error) error {
	if name == "" || codeOf(err) != exitUnreadable {
		return err
	}
	t, wrong := s.in.Tree(name, "") // which is open already
	if wrong != nil || t.FS != nil {
		return err
	}
	is := trace.PieceOf(t.First, s.in.Formats)
	if is == "" || strings.Contains(err.Error(), is) {
		return err
	}
	return fail(exitUnreadable, "%w; it is %s", err, is)
}

// refuse returns an error for the first of the flags that are given and that only another scheduler's sites
// know. Their tag for has the keys of those which do, and that under the key of another one says why its sites do not.
func (s *session) refuse(at *site.Site) error {
	for _, f := range s.flags {
		keys := strings.Fields(f.Tag.Get("for"))
		if len(keys) == 0 || slices.Contains(keys, at.Key) {
			continue
		}
		name := "--" + f.Name
		if f.Short != 0 {
			name = "-" + string(f.Short)
		}
		return fail(exitUsage, "%s, and %s is for %s%s", at.Is(), name, schedulersNamed(keys), reason(f.Tag.Get(at.Key)))
	}
	return nil
}

// isOfOne reports whether sites of one scheduler alone have what a command asks.
func isOfOne(command string) bool {
	return slices.ContainsFunc(schedulers(), func(s *site.Scheduler) bool { return s.Instead[command] != "" })
}

// reason returns a reason behind a colon, "" for none.
func reason(why string) string {
	if why == "" {
		return ""
	}
	return ": " + why
}

// schedulersNamed returns the names of schedulers by their keys.
func schedulersNamed(keys []string) string {
	var names []string
	for _, s := range schedulers() {
		if slices.Contains(keys, s.Key) {
			names = append(names, s.Name)
		}
	}
	return strings.Join(names, " and ")
}

// console returns what sites say and ask through.
func (s *session) console() *site.Console {
	return &site.Console{Input: s.in, Say: s.say, Fault: s.fault, Progress: s.progress.of, Reads: func() *site.Progress {
		return &site.Progress{Read: s.progress.read, End: s.progress.end}
	}}
}

// records returns the logs of names, or the record that a site has within it or beside it. recorder is that site, nil where the logs
// themselves are what is asked.
func (s *session) records(names []string, zone string) (logs *pbssite.Logs, recorder site.Recorder, err error) {
	at, err := s.open(site.Names{Logs: names, Zone: zone})
	if err != nil {
		return nil, nil, err
	}
	if r, ok := at.Able.(site.Recorder); ok {
		cpus := int64(0)
		if supplier, ok := r.(site.Supplier); ok {
			cpus = supplier.CPUs()
		}
		sources, err := r.Records()
		var marks []trace.Mark
		if marked, ok := r.(site.Marked); ok {
			marks = marked.Marks()
		}
		return pbssite.LogsOf(sources, zone, s.in.Formats, cpus, marks), r, err
	}
	p, err := able[*pbsdoor.Site](s, at)
	if err != nil {
		return nil, nil, err
	}
	logs, err = p.Logs()
	return logs, nil, err
}
