package cli

import (
	"fmt"
	"os"
	"slices"

	"fairshare/cmd/internal/file"
	"fairshare/cmd/internal/pattern"
	"fairshare/cmd/internal/site"
)

type explainCmd struct {
	Names []string `arg:"" optional:"" name:"job-or-site" help:"The job to explain, as qstat names it, with or without the server, or as flux does (ƒ4wye5Ry1 or f4wye5Ry1); and a snapshot, a sched_priv, a job list (of PBS also what qstat prints without -f, of which several tables are joined) or a site of Slurm or flux. Either of them may come first."`
	Job   string   `placeholder:"ID" help:"The job to explain."`
	User  string   `placeholder:"NAME" help:"Explain this user's first job: at a Slurm site the first one that may start, where one may."`
	Vs    string   `placeholder:"ID" help:"Explain why one of the two jobs goes first, and what would reverse their order. ID may be 'ahead' (the job just before), 'first' (the first job), or a user, whose first job is compared and all of whose places are told."`
	queueFlags
	partitionFlag
	clusterFlags
	Output string `short:"o" enum:"text,json" default:"text" placeholder:"FORM" help:"What to print (${enum})."`

	joined []string // tables of jobs beside the site
}

func (c *explainCmd) Run(s *session) error {
	name, err := c.names()
	if err != nil {
		return err
	}
	s.isOfJob = true
	if c.Output == "text" {
		s.answerFirst()
	}
	if c.Job != "" && c.Vs == "" {
		s.askOf([]string{c.Job})
	}
	names := c.of(c.clusterFlags.names(c.queueFlags.names(name)))
	names.OfTables, names.Joined = true, c.joined
	at, policy, err := queueOf[site.Explainer](s, &c.queueFlags, names)
	if err != nil {
		return err
	}
	on, err := c.moment(at)
	if err != nil {
		return err
	}
	answer, err := at.Explain(s.ctx, site.Question{Policy: policy, On: on, Job: c.Job, User: c.User, Vs: c.Vs})
	if err != nil {
		return err
	}
	s.partly = s.partly || answer.IsPartly
	if c.Output == "json" {
		return s.encode(answer.JSON)
	}
	return answer.Print(s.printer())
}

// names tells the job and the site among the arguments: what looks like a job's
// ID and is no file is the job.
func (c *explainCmd) names() (name string, err error) {
	for _, arg := range c.Names {
		switch {
		case c.Job == "" && isJob(arg):
			c.Job = arg
		case isJob(arg):
			return "", fail(exitUsage, "%s and %s are two jobs: one is explained, and --vs %[2]s compares it with the other", c.Job, arg)
		case name == "":
			name = arg
		case isTableOfJobs(arg):
			c.joined = append(c.joined, arg)
		case isTableOfJobs(name) && !isMissing(arg):
			c.joined, name = append(c.joined, name), arg
		case isMissing(name) != isMissing(arg):
			if isMissing(arg) {
				name = arg
			}
			return "", noJob(name)
		default:
			return "", fail(exitUsage, "%s and %s: one job and one site or list can be named; --vs ID names another job", name, arg)
		}
	}
	switch {
	case c.Job != "" && c.User != "":
		return "", fail(exitUsage, "job %s and --user %s both say what to explain, give one of them", c.Job, c.User)
	case c.Job == "" && c.User == "" && name != "" && name != "-" && isMissing(name):
		return "", noJob(name)
	case c.Job == "" && c.User == "":
		return "", fail(exitUsage, "which job? Give its ID, or --user NAME for a user's first one")
	}
	return name, nil
}

// noJob says of a name that it is neither that of a file nor the ID of a job.
func noJob(name string) error {
	return fail(exitUsage, "there is no file %s, and it is no ID of a job: those are as qstat, squeue or flux jobs print them, such as 1234, 1234.server, 1234[5] or ƒ4wye5Ry1%s", name, whoseFirst(name))
}

// whoseFirst says how the first job of somebody is explained where a name that is neither a file nor a job may be a user's, "" where
// it is none.
func whoseFirst(name string) string {
	if !mayBeUser(name) {
		return ""
	}
	return fmt.Sprintf("; if %s is a user, --user %[1]s explains their first job", name)
}

// mayBeUser reports whether a text may be the name of a user, and is no path.
func mayBeUser(text string) bool { return userName().MatchString(text) }

var userName = pattern.Of(`^[A-Za-z_][\w-]*$`)

// isMissing reports whether an argument names nothing that is there.
func isMissing(arg string) bool {
	_, err := os.Stat(arg)
	return err != nil
}

// isTableOfJobs reports whether a file is a table of jobs that goes with others of the same jobs.
func isTableOfJobs(name string) bool { return kindOfFile(name) == file.JobsTable }

// isJob reports whether an argument looks like the ID of a job of some scheduler and is no file.
func isJob(arg string) bool {
	return isMissing(arg) && slices.ContainsFunc(schedulers(), func(s *site.Scheduler) bool { return s.LooksLikeJob(arg) })
}
