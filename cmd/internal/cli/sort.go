package cli

import (
	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/report"
	"fairshare/cmd/internal/site"
)

type sortCmd struct {
	Site string `arg:"" optional:"" help:"A snapshot (.tgz or directory), a sched_priv, a job list (- is standard input), or a folder or .tgz of what the commands of Slurm or flux print. Without it: standard input, or if that is a terminal, the site of this host."`
	queueFlags
	Output string `short:"o" enum:"table,ids,json,csv,jobs" default:"table" placeholder:"FORM" help:"What to print (${enum}). jobs are the records of the list themselves, in the new order."`
	Why    bool   `for:"pbs" slurm:"formula explain JOB --vs ahead says what puts a job behind another" help:"Also print what put each job behind the one before it (= means that their values tie)."`
	All    bool   `help:"Also print jobs that are not considered, with the reason."`
	Top    int    `placeholder:"N" help:"Print only the first N."`
	Now    bool   `for:"pbs slurm" flux:"flux tells itself what it plans, in the column INFO of flux jobs (eta)" help:"Also print which jobs would start in a cycle right now, and what each of the others waits for. Needs the vnodes, or of Slurm the configuration and the nodes."`
	clusterFlags
	selection
}

// rules implements ruled.
func (c *sortCmd) rules() []rule {
	return []rule{
		{of: "now", not: "output=ids output=jobs", says: "--now is for -o table, json and csv"},
	}
}

func (c *sortCmd) Run(s *session) error {
	names := c.clusterFlags.names(c.queueFlags.names(c.Site))
	q := site.Ordering{Choice: c.choice(), All: c.All, Top: c.Top, Why: c.Why, Records: c.Output == "jobs"}
	q.Now = c.Now
	at, policy, err := queueOf[site.Orderer](s, &c.queueFlags, names)
	if err != nil {
		return err
	}
	q.Policy = policy
	if q.On, err = c.moment(at); err != nil {
		return err
	}
	o, err := at.Order(s.ctx, q)
	if err != nil {
		return err
	}
	if q.Now {
		judgeBeside(s, at, site.Forecasting{Policy: q.Policy, Moment: q.On}, "")
		s.say(startingNow(o)...)
	}
	switch c.Output {
	case "ids":
		for _, id := range o.IDs {
			s.out.WriteString(report.Printable(id) + "\n")
		}
	case "jobs":
		if s.terminal == (report.Terminal{}) {
			s.out.Reset(s.config.Stdout) // byte for byte
		}
		err = o.Records(s.out)
	default:
		err = s.printSheet(c.Output, o.Jobs)
	}
	s.say(o.Closing...)
	return err
}

// startingNow says how many jobs start right now where the rows alone do not show it: none at all, or others than those of some rows.
// It is nothing where it is not known of all of them.
func startingNow(o *site.Order) []diag.Remark {
	isShown, starting, shown := map[string]bool{}, 0, 0
	for _, id := range o.IDs {
		isShown[id] = true
	}
	for id, of := range o.Standing {
		starts := of.StartsNow()
		if starts == nil {
			return nil
		}
		if !*starts {
			continue
		}
		if starting++; isShown[id] {
			shown++
		}
	}
	switch {
	case starting == 0 && len(o.Standing) > 1:
		return []diag.Remark{diag.Notef("no job of the list starts right now").OfAsked()}
	case starting == 1 && shown == 0:
		return []diag.Remark{diag.Notef("1 job starts right now, which is not among these").OfAsked()}
	case shown < starting:
		return []diag.Remark{diag.Notef("%d jobs start right now, %d of them among these", starting, shown).OfAsked()}
	}
	return nil
}

// selection says of whom jobs are printed.
type selection struct {
	User    []string `placeholder:"NAME" help:"Print only this user's jobs; several may be given."`
	Account []string `for:"slurm" placeholder:"NAME" help:"Print only this account's jobs; several may be given."`
	Queue   []string `aliases:"partition" placeholder:"NAME" help:"Print only this queue's jobs, or this partition's (--partition); several may be given."`
}

// choice returns whose jobs are to be printed.
func (c *selection) choice() site.Choice {
	return site.Choice{Users: c.User, Queues: c.Queue, Accounts: c.Account}
}
