package site

import "time"

// Names are what a person names a site and its jobs with. All that they name together is one
// site: files given one by one win over a snapshot or a complex.
type Names struct {
	Argument string   // a site or a list of jobs
	Joined   []string // further lists of the same jobs, where a scheduler joins such
	Snapshot string
	Live     bool   // whether to ask the site of this host
	Server   string // to ask instead, "" for none
	Timeout  time.Duration
	Only     string // the key of the only scheduler whose sites are looked for, "" for all of them

	WantsJobs bool // whether a list of jobs is wanted
	OfTables  bool // whether something is told also of what qstat prints without -f, which has too little for an order
	NoJobs    bool // whether a site of PBS may lack it that tells its vnodes
	WantsConf bool // whether a file of configuration is enough
	WantsTree bool // whether a fairshare tree alone is wanted
	Vnodes    bool // whether a live site is asked for its nodes and reservations as well

	Logs        []string // of a site, and no site and no jobs of now
	Beside      []string // logs that are read beside the site
	WantsReplay bool     // whether the logs are replayed, and what they are of is a site
	Judges      bool     // whether it is the rules of the site itself that are judged by them, with WantsReplay

	Zone string // of their times, "" for that which they tell

	Partition string // the scheduler of a site with several that is asked, or a partition of it; "" for all of them

	SchedPriv string
	Jobs      string
	Format    string // of a list of jobs, which is not told by its content then; "" or "auto" for that
	Queues    string
	Resources string
	Sched     []string // attributes of the server or the scheduler
}

// Site returns the name of what may be a site, "" where nothing names one.
func (n Names) Site() string {
	switch {
	case n.Argument != "":
		return n.Argument
	case len(n.Logs) == 1:
		return n.Logs[0]
	}
	return n.Snapshot
}

// AsksHost reports whether the site of a host is asked, and not one that is named.
func (n Names) AsksHost() bool { return n.Live || n.Server != "" }

// Completed returns the names with what stands for one that is not there: where a list of jobs is wanted and
// none is named, it comes from standard input, and where that is a terminal everything from the site of
// this host.
func (n Names) Completed(in *Input) Names {
	switch {
	case len(n.Logs) > 0 || n.AsksHost() || !n.WantsJobs || n.Argument != "" || n.Snapshot != "" || n.Jobs != "":
	case in.IsTerminal():
		n.Live = true
	default:
		n.Argument = "-"
	}
	return n
}
