package cli

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/file"
	"fairshare/cmd/internal/forecast"
	"fairshare/cmd/internal/nodes"
	"fairshare/cmd/internal/report"
	"fairshare/cmd/internal/site"
)

type nodesCmd struct {
	Site string   `arg:"" optional:"" help:"A snapshot (.tgz or directory), what pbsnodes -av prints, or a Slurm site. Without it: the site of this host."`
	Node []string `arg:"" optional:"" sep:"none" help:"Only these nodes, with when the last job there ends: names, patterns such as cn04[1-9], g0* or for PBS cn{041..060}, or a property as the table has it, such as rack=r03 or for Slurm a feature. They may also come before the site. The ID of a job that waits in their place: where it could run now, and what keeps other nodes from it."`
	placeFlags
	privFlag
	clusterFlags
	Set      []string `sep:"none" placeholder:"NAME=VALUE" help:"What if: such as node.n03.offline=FROM/TO, always or never (put back), nodes.removed=g0*, reservation.maint=FROM/TO on n01, for PBS nodes.added=4x64, with --submit also what sort --set takes. May be given more than once."`
	Forecast bool     `help:"Also say when the jobs there are forecast to end, by how long jobs like them have run, as formula when lets them run."`
	Logs     []string `sep:"none" placeholder:"FILE" help:"For --forecast: accounting logs of the days before, or a table of sacct. Without it: those of the site. May be given more than once."`
	Submit   string   `placeholder:"RESOURCES" help:"Say where there is room for a job that is not there yet, and what keeps the other nodes from it, such as select=4:ncpus=16, or at a Slurm site nodes=4,ntasks=64,mem=32G."`
	Queue    string   `aliases:"partition" placeholder:"NAME" help:"Only the nodes of this queue or partition (--partition), where --submit is submitted as well."`
	User     []string `placeholder:"NAME" help:"Only nodes on which this user's jobs run; several may be given. With --submit: who submits the job, one alone."`
	State    []string `placeholder:"STATE" help:"Only nodes in this state, as the scheduler calls it, such as down, offline (PBS), drained, mixed (Slurm), or idle (takes jobs, nothing of it is in use) or away (takes none); several may be given, with commas."`
	Summary  bool     `help:"Show what nodes come to by partition, at a PBS site by the queues whose jobs they take and by kind, with reservations, in place of the nodes."`
	All      bool     `help:"Show each node, also where more than 40 would be folded into lines of nodes that are alike."`
	Free     bool     `help:"Only nodes that take jobs and have a cpu free."`
	Top      int      `of:"table" placeholder:"N" help:"Show only the first N nodes of the table."`
	Output   string   `short:"o" enum:"table,csv,json" default:"table" placeholder:"FORM" help:"What to print (${enum})."`
}

// rules implements ruled.
func (c *nodesCmd) rules() []rule {
	return []rule{{of: "summary", not: "submit", says: "--summary is of what nodes have, and --submit of what keeps each of them from a job"}, {of: "logs", needs: "forecast", says: "--logs is for --forecast"}}
}

func (c *nodesCmd) Run(s *session) error {
	if err := c.siteFirst(); err != nil {
		return err
	}
	if c.Nodes == "" && isOfVnodes(c.Site) {
		c.Site, c.Nodes = "", c.Site
	}
	of, err := s.open(c.clusterFlags.names(c.names()))
	if err != nil {
		return err
	}
	at, err := able[site.Noder](s, of)
	if err != nil {
		return err
	}
	m, err := c.moment(at)
	if err != nil {
		return err
	}
	q := nodes.Question{Submit: c.Submit, Queue: c.Queue, Users: c.User, Names: c.Node, States: c.State, IsEach: c.All, IsFree: c.Free, IsLong: s.diag.All, Settings: c.Set}
	if c.Submit != "" && len(c.User) > 0 {
		if len(c.User) > 1 {
			return fail(exitUsage, "--submit is of one user's job, and --user names %d", len(c.User))
		}
		q.User, q.Users = c.User[0], nil
	}
	machine, err := at.Nodes(s.ctx, m, q)
	if _, isAsked := errors.AsType[*diag.RequestError](err); isAsked && len(c.Node) == 1 && isJob(c.Node[0]) && c.Submit == "" {
		if q.Names, q.Job = nil, c.Node[0]; c.Queue != "" || len(c.User) > 0 {
			return fail(exitUsage, "job %s is somebody's, in a queue: --queue, --partition and --user do not go with it", q.Job)
		}
		var missing *diag.NoJobError
		if of, errOfJob := at.Nodes(s.ctx, m, q); errors.As(errOfJob, &missing) {
			err = diag.Requestf("%v; nor is there a job %s in the list: %s", err, q.Job, diag.MayHaveEnded)
		} else {
			machine, err = of, errOfJob
		}
	}
	var none *forecast.NoQueueError
	switch {
	case errors.As(err, &none):
		return fail(exitUsage, "%v", err)
	case errors.Is(err, forecast.ErrAsk):
		return fail(exitUsage, "--submit: %v", err)
	case err != nil && len(c.Node) > 1 && slices.ContainsFunc(c.Node, isJob):
		return fail(codeOf(s.failed(err)), "%v; formula explain JOB SITE and formula when SITE JOB answer about a job, and formula nodes SITE --submit RESOURCES says where there is room for one like it; one job alone is asked where it could run now", err)
	case err != nil:
		return s.failed(err)
	}
	if c.Forecast {
		if err := c.forecast(s, of, m, machine, q); err != nil {
			return err
		}
	}
	answer := nodes.NewAnswer(machine, q)
	if len(machine.Waiting) > 0 {
		if err := c.rank(s, of, m, answer); err != nil {
			return err
		}
	}
	remarks, err := answer.Remarks(q)
	s.say(remarks...)
	if err != nil {
		return s.failed(err)
	}
	if err := c.print(s, answer, q); err != nil {
		return err
	}
	if why := machine.Refusal(); why != "" {
		return fail(exitUsage, "--submit: the job is refused: %s", why)
	}
	return nil
}

// siteFirst puts the site before the nodes where it was named after them. What names no file where something else names the site is a
// node.
func (c *nodesCmd) siteFirst() error {
	if c.Site == "" || !isMissing(c.Site) {
		return nil
	}
	if i := slices.IndexFunc(c.Node, func(arg string) bool { return !isMissing(arg) }); i >= 0 {
		c.Site, c.Node[i] = c.Node[i], c.Site
		return nil
	}
	switch {
	case !c.isEmpty() || c.Nodes != "":
		c.Site, c.Node = "", slices.Insert(c.Node, 0, c.Site)
	case !strings.ContainsAny(c.Site, "/."):
		return fail(exitUnreadable, "there is no file %s; if it is a node, name its site before it, or --live for that of this host: formula nodes SITE %s", c.Site, c.Site)
	}
	return nil
}

// print prints the nodes, below what is said of all of them.
func (c *nodesCmd) print(s *session, answer *nodes.Answer, q nodes.Question) error {
	var sheet report.Sheet = answer
	if c.Summary {
		sheet = answer.Summary()
	}
	if c.Output != "table" {
		return s.printSheet(c.Output, sheet)
	}
	for _, line := range answer.Head() {
		fmt.Fprintln(s.out, line)
	}
	if c.Summary || answer.IsFolded() && !q.OfJob() {
		fmt.Fprintln(s.out)
		if err := s.print(answer.Summary().Table()); err != nil {
			return err
		}
		fmt.Fprintln(s.out, answer.Legend())
		for _, line := range answer.Reserved() {
			fmt.Fprintln(s.out, line)
		}
	}
	if c.Summary {
		return nil
	}
	table := answer.Table()
	table.Rows = report.FirstRows(table.Rows, c.Top, "")
	if len(table.Rows) == 1 {
		return nil
	}
	fmt.Fprintln(s.out)
	if err := s.print(table); err != nil {
		return err
	}
	if lines := answer.Outlook(); len(lines) > 0 {
		fmt.Fprintln(s.out)
		for _, line := range lines {
			fmt.Fprintln(s.out, line)
		}
	}
	return nil
}

// rank puts the jobs that wait for nodes into the order of the scheduler, where that is told.
func (c *nodesCmd) rank(s *session, of *site.Site, m site.Moment, answer *nodes.Answer) error {
	at, err := able[site.Orderer](s, of)
	if err != nil {
		return err
	}
	s.isAside = true
	order, err := at.Order(s.ctx, site.Ordering{Policy: site.Policy{Settings: c.Set}, On: m, Now: true})
	s.isAside = false
	switch {
	case s.ctx.Err() != nil:
		return s.failed(err)
	case err != nil:
		s.say(diag.Notef("the jobs that wait stand in the order of the list, since that of the scheduler is not told: %v", err))
		return nil
	case slices.ContainsFunc(s.aside, func(r diag.Remark) bool { return r.Kind == diag.Warning }):
		s.say(diag.Notef("formula sort --now says what of the order of the jobs that wait is not known or assumed"))
	}
	answer.Rank(order.IDs, func(id string) string { return order.Standing[id].String() })
	return nil
}

// forecast gives the jobs of the nodes the ends that a forecast of the site lets them have.
func (c *nodesCmd) forecast(s *session, of *site.Site, m site.Moment, machine *nodes.Machine, q nodes.Question) error {
	at, err := able[site.Forecaster](s, of)
	if err != nil {
		return err
	}
	is, under, err := at.Forecast(s.ctx, site.Forecasting{Policy: site.Policy{Settings: c.Set}, Moment: m, Logs: c.Logs, Submits: q.OfJob()})
	if err != nil {
		return s.failed(err)
	}
	st, _ := cmp.Or(under, is).Begin()
	ends, learned := forecast.Ends(st, forecast.Options{Runs: forecast.DefaultRuns, Seed: forecast.DefaultSeed})
	s.say(learned)
	machine.Forecast(ends)
	return nil
}

// names returns what the flags and the argument name.
func (c *nodesCmd) names() site.Names {
	n := c.placeFlags.names(c.Site)
	n.OfTables = true
	n.SchedPriv, n.WantsJobs, n.NoJobs = c.SchedPriv, c.clusterFlags.Nodes == "", !c.Forecast
	n.Beside = c.Logs
	return n
}

// isOfVnodes reports whether a file is what pbsnodes prints.
func isOfVnodes(name string) bool {
	return slices.Contains([]string{file.NodesJSON, file.NodesText, file.NodesDSV}, kindOfFile(name))
}

// kindOfFile says what a file is that is given by its name, "" for what is no file and nothing that is known.
func kindOfFile(name string) string {
	if first := beginOf(name); first != nil {
		return file.KindOf(first)
	}
	return ""
}

// beginOf returns the begin of a file that is given by its name, nil for what is no file.
func beginOf(name string) []byte {
	if about, err := os.Stat(name); err != nil || !about.Mode().IsRegular() {
		return nil
	}
	first, err := file.At(name).Head()
	if err != nil {
		return nil
	}
	return []byte(first)
}
