package cli

import (
	"cmp"
	"iter"
	"slices"
	"strconv"
	"strings"

	"fairshare/cmd/internal/cycle"
	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/explain"
	"fairshare/cmd/internal/forecast"
	"fairshare/cmd/internal/order"
	"fairshare/cmd/internal/report"
)

type sortCmd struct {
	Site string `arg:"" optional:"" help:"A snapshot (.tgz or directory), a sched_priv, a job list (- is standard input), or a folder or .tgz of what the commands of Slurm print. Without it: standard input, or if that is a terminal, the PBS complex of this host."`
	queueFlags
	Output string `short:"o" enum:"table,ids,json,csv,jobs" default:"table" placeholder:"FORM" help:"What to print (${enum}). jobs are the records of the list themselves, in the new order."`
	Why    bool   `help:"Also print what put each job behind the one before it (= means that their values tie)."`
	All    bool   `help:"Also print jobs that are not considered, with the reason."`
	Top    int    `placeholder:"N" help:"Print only the first N."`
	Now    bool   `help:"Also print which jobs would start in a cycle right now, and what each of the others waits for. Needs the vnodes."`
	clusterFlags
	selection

	standing map[string]forecast.Standing // of --now, by job
}

func (c *sortCmd) Run(s *session) error {
	if !c.Now && (c.Nodes != "" || c.At != nil || c.TZ != "") {
		return fail(exitUsage, "--nodes, --at and --tz are for --now, which is for PBS")
	}
	if c.Now && (c.Output == "ids" || c.Output == "jobs") {
		return fail(exitUsage, "--now is for -o table, json and csv")
	}
	var o *order.Order
	var err error
	if c.Now {
		if o, err = c.now(s); err != nil {
			return err
		}
	} else if o, err = c.order(s, c.Site, c.Output == "jobs"); err != nil {
		at, err := s.slurmInstead(cmp.Or(c.Site, c.Snapshot), c.siteFlags, err)
		if err != nil {
			return err
		}
		return c.sortSlurm(s, at)
	}
	list := o.List
	rows := o.Choose(c.has, c.All, c.Top)
	if len(rows) == 0 && len(o.Rows) > 0 {
		s.diag.Note("no job that is considered is of %s", strings.Join(slices.Concat(c.User, c.Queue), ", "))
	}
	s.say(diag.NoJobOf("user", c.User, list.Users.List)...)
	s.say(diag.NoJobOf("queue", c.Queue, list.Queues.List)...)
	tied := o.FloatTies()
	switch c.Output {
	case "ids":
		for _, row := range rows {
			s.out.WriteString(report.Printable(list.Job(row).ID))
			s.out.WriteByte('\n')
		}
	case "json":
		err = report.WriteArray(s.out, c.lines(o, rows))
	case "csv":
		err = c.printCSV(s, o, rows)
	case "jobs":
		if s.terminal == (report.Terminal{}) {
			s.out.Reset(s.config.Stdout) // byte for byte
		}
		err = list.WriteRecords(s.out, rows)
	default:
		err = c.printTable(s, o, rows, tied)
	}
	s.say(o.Remarks(len(tied), c.All)...)
	return err
}

// selection says of whom jobs are printed.
type selection struct {
	User  []string `placeholder:"NAME" help:"Print only this user's jobs; several may be given."`
	Queue []string `aliases:"partition" placeholder:"NAME" help:"Print only this queue's jobs, or this partition's (--partition); several may be given."`
}

// has reports whether jobs of a user in a queue are to be printed.
func (c *selection) has(user, queue string) bool {
	return (c.User == nil || slices.Contains(c.User, user)) && (c.Queue == nil || slices.Contains(c.Queue, queue))
}

// whyLine is a job with the key that put it behind the one before it.
type whyLine struct {
	order.Line
	DecidedBy cycle.Key `json:"decided_by"` // "" for the first one and those not considered
}

// lines yields what JSON says of rows.
func (c *sortCmd) lines(o *order.Order, rows []int) iter.Seq[any] {
	return func(yield func(any) bool) {
		for _, row := range rows {
			var line any = o.Line(row)
			var key *cycle.Key
			if c.Why {
				by, _ := explain.Behind(o, row)
				key, line = &by, whyLine{o.Line(row), by}
			}
			if c.Now {
				standing := c.standing[o.List.Job(row).ID]
				line = nowLine{o.Line(row), key, standing.Starts, standing.Reason}
			}
			if !yield(line) {
				return
			}
		}
	}
}

func (c *sortCmd) printCSV(s *session, o *order.Order, rows []int) error {
	w := report.NewCSV(s.out)
	names := o.Variables()
	header, last := order.Header()
	if c.Why {
		header = append(header, "decided_by")
	}
	header = slices.Concat(header, names, last)
	if c.Now {
		header = append(header, "starts_now", "waits_for")
	}
	w.Write(header...)
	for _, row := range rows {
		line := o.Line(row)
		cells, last := line.Cells()
		if c.Why {
			key, _ := explain.Behind(o, row)
			cells = append(cells, string(key))
		}
		for _, name := range names {
			cells = append(cells, string(line.Vars[name]))
		}
		cells = append(cells, last...)
		if c.Now {
			cells = append(cells, strconv.FormatBool(c.standing[line.ID].Starts), c.standing[line.ID].Reason)
		}
		w.Write(cells...)
	}
	return w.Flush()
}

// printTable prints what people read.
func (c *sortCmd) printTable(s *session, o *order.Order, rows []int, tied map[int]bool) error {
	names := o.Variables()
	header := append([]string{"RANK", "JOB", "VALUE", "", "USER", "ENTITY", "QUEUE"}, names...)
	if c.Why {
		header = append(header, "DECIDED BY")
	}
	if c.Now {
		header = append(header, "RIGHT NOW")
	}
	leftOut := slices.ContainsFunc(rows, func(row int) bool { return o.Place(row) == 0 })
	if leftOut {
		header = append(header, "WHY NOT")
	}
	table := [][]string{header}
	for i, row := range rows {
		line := o.Line(row)
		rank, value, mark := report.DashIfEmpty(report.Rank(line.Rank)), "-", ""
		if line.Value != nil {
			value = o.ValueBeside(rows, i)
			switch {
			case line.Error != "":
				mark = "!"
			case tied[row]:
				mark = "="
			}
		}
		cells := []string{rank, line.ID, value, mark, line.User, line.Entity, line.Queue}
		for _, name := range names {
			cells = append(cells, string(line.Vars[name]))
		}
		if c.Why {
			key, isTie := explain.Behind(o, row)
			words := explain.Word(key)
			if isTie {
				words = "= " + words
			}
			cells = append(cells, words)
		}
		if c.Now {
			cells = append(cells, c.standing[line.ID].String())
		}
		if leftOut {
			cells = append(cells, line.Reason)
		}
		table = append(table, cells)
	}
	return s.print(report.Table{Rows: table, Right: func(column int) bool { return column == 0 || column == 2 }})
}
