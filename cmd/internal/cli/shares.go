package cli

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"runtime"
	"slices"
	"strings"
	"time"

	"fairshare/cmd/internal/accounts"
	"fairshare/cmd/internal/file"
	"fairshare/cmd/internal/moment"
	"fairshare/cmd/internal/page"
	"fairshare/cmd/internal/report"
	"fairshare/cmd/internal/site"
	"fairshare/cmd/internal/trace"
	"fairshare/fstree"
)

type sharesCmd struct {
	Site string `arg:"" optional:"" help:"A snapshot, a sched_priv, a folder or .tgz of what the commands of Slurm or flux print, or a file with the tree. Without it: standard input."`
	siteFlags
	partitionFlag
	From       string   `enum:"auto,sched-priv,sshare,flux,json" default:"auto" placeholder:"FORM" help:"How the tree is written (${enum}): sshare -a -l -P, the JSON of flux account fairshare-emulate, or nodes with name, parent, kind, shares, raw_usage."`
	SchedPriv  string   `placeholder:"DIR" help:"The sched_priv whose tree it is, in the place of the site's own where a site is given too."`
	Set        []string `sep:"none" placeholder:"NAME=VALUE" help:"What if: of a sched_priv group1.shares=60, bob.usage=0; of a Slurm site hep.shares=60, hep/bob.usage=0. May be given more than once."`
	Algorithm  []string `placeholder:"NAME" help:"${algorithms}, or all. Without it that by which a Slurm site computes its factors, and else all."`
	DampFactor *float64 `placeholder:"D" help:"Slurm's FairShareDampeningFactor, for classic and depth-oblivious. Without it that of the site, or else 1."`
	User       []string `placeholder:"NAME" help:"Only this user and the accounts that the user is in; several may be given. What they have is that in the whole tree."`
	pageFlag
	Output string `short:"o" enum:"table,json,csv" default:"table" placeholder:"FORM" help:"What to print (${enum})."`
	Top    int    `placeholder:"N" help:"Print only the first N."`
}

func (c *sharesCmd) Run(s *session) error {
	if d := c.DampFactor; d != nil && (!(*d > 0) || math.IsInf(*d, 1)) {
		return fail(exitUsage, "--damp-factor needs a number above 0")
	}
	algorithms := fstree.Algorithms
	if len(c.Algorithm) > 0 {
		var err error
		if algorithms, err = accounts.Algorithms(c.Algorithm); err != nil {
			return err
		}
	}
	s.keepsMuch() // of a large tree much is kept
	tree, err := c.tree(s)
	if cut := (*accounts.CutError)(nil); errors.As(err, &cut) {
		return c.ofCut(s, cut, err)
	}
	if err != nil {
		return err
	}
	own, isOwn := fstree.AlgorithmNamed(tree.Own.Algorithm)
	if isOwn = isOwn && len(c.Algorithm) == 0; isOwn {
		algorithms = []fstree.Algorithm{own}
	}
	const large = 100_000 // associations
	if tree.Len() >= large {
		runtime.GC() // what was read, of which the tree keeps nothing, is more than what is still to come
	}
	t := accounts.NewTable(tree.Associations, algorithms, fstree.Options{DampFactor: *cmp.Or(c.DampFactor, &tree.Own.Damping)})
	s.diag.Say(t.Remarks(tree.Format)...)
	if len(c.User) > 0 {
		if err := t.Keep(c.User); err != nil {
			return fail(exitUsage, "--user: %v", err)
		}
	}
	if c.Top > 0 {
		t.Top(c.Top)
	}
	switch c.Output {
	case "json":
		err = report.WriteArray(s.out, t.Lines())
	case "csv":
		err = t.WriteCSV(s.out)
	default:
		err = printShares(s, t)
		if err == nil && isOwn {
			_, err = fmt.Fprintln(s.out, "It is the site's own; --algorithm all shows the ranks that each of the others gives.")
		}
	}
	if err != nil {
		return err
	}
	return c.pageFlag.write(s, tree.Len() < 2, func() page.Data {
		return page.Data{Title: "A fairshare tree", Facts: c.facts(tree.Taken), Trees: []page.Tree{t.Page("Width is shares, colour is use of the target")}}
	})
}

// rules implements ruled.
func (c *sharesCmd) rules() []rule {
	return []rule{{of: "user", not: "html", says: "--user keeps rows of what is printed, and the page of --html has the whole tree: give one of them"}}
}

// ofCut prints the rows of a table of sshare that lacks others, and why they are not all.
func (c *sharesCmd) ofCut(s *session, cut *accounts.CutError, why error) error {
	if len(c.Algorithm) > 0 || len(c.Set) > 0 || len(c.User) > 0 || c.DampFactor != nil || c.HTML != nil {
		return fail(exitUsage, "--algorithm, --damp-factor, --set, --user and --html need the whole tree, which sshare -a -l -P prints: %v", cut)
	}
	s.diag.Warning("%v: these rows are as sshare prints them, and what rank they have among the others is not known", why)
	s.partly = true
	return s.printSheet(c.Output, cut.Sheet())
}

// tree returns the tree that the flags and the argument name, standard input's where they name none.
func (c *sharesCmd) tree(s *session) (tree site.Tree, err error) {
	names := c.of(c.names(c.Site))
	names.SchedPriv, names.WantsTree = c.SchedPriv, true
	isPriv := c.From == "sched-priv" || c.SchedPriv != ""
	isOther := c.From != "auto" && c.From != "sched-priv"
	isSite := c.Site != "" || c.Snapshot != ""
	isNamed := isSite || c.SchedPriv != ""
	switch {
	case names.AsksHost() && (isNamed || isOther):
		return tree, fail(exitUsage, "--live or --server and another one both name the tree, give one of them")
	case names.AsksHost():
	case c.Site != "" && c.Snapshot != "":
		return tree, fail(exitUsage, "the tree is named twice: leave out the argument or --snapshot")
	case (c.Snapshot != "" || c.SchedPriv != "") && isOther:
		return tree, fail(exitUsage, "--from %s is not what --snapshot and --sched-priv name", c.From)
	case len(c.Set) > 0 && isOther:
		return tree, fail(exitUsage, "--set changes the tree of a sched_priv, and no other one")
	case !isNamed && isPriv:
		return tree, fail(exitUsage, "--from sched-priv needs a directory")
	case !isNamed && s.in.IsTerminal():
		return tree, fail(exitUsage, "which tree? Give a snapshot, a sched_priv or a file")
	case !isNamed:
		names.Argument = "-"
	case isSite && c.SchedPriv != "": // in the place of the site's own
		s.diag.Note("the tree is that of --sched-priv %s, in the place of the site's own", c.SchedPriv)
		names = site.Names{Argument: c.Site, Snapshot: c.Snapshot, SchedPriv: c.SchedPriv, WantsTree: true}
	case isPriv:
		names = site.Names{SchedPriv: cmp.Or(c.SchedPriv, c.Site, c.Snapshot), WantsTree: true}
	}
	at, err := openAs[site.Sharer](s, names)
	if err != nil {
		return tree, err
	}
	if tree, err = at.Tree(s.ctx, accounts.Format(c.From), c.Set); err != nil {
		if is := s.otherThanTree(c.Site); is != "" && codeOf(err) == exitUnreadable {
			err = fail(exitUnreadable, "%s is %s, and no tree: sshare -a -l -P prints one, and of flux flux account view-bank root --tree (%w)", c.Site, is, err)
		}
		return tree, err
	}
	return tree, nil
}

// otherThanTree says what a file is that is known and no tree of shares, "" for others.
func (s *session) otherThanTree(name string) string {
	first := beginOf(name)
	is := cmp.Or(trace.PieceOf(first, s.in.Formats), file.KindOf(first))
	if strings.Contains(is, "sshare") || is == file.JSON || is == file.Empty {
		return ""
	}
	return is
}

// facts says of which site the page is, and when it was made.
func (c *sharesCmd) facts(taken time.Time) []page.Figure {
	names := []string{cmp.Or(c.SchedPriv, c.Site, c.Snapshot, "-")}
	facts := []page.Figure{{Label: "Tree of", Value: page.Sources(names)}}
	if !taken.IsZero() {
		facts = append(facts, page.Figure{Label: "Taken", Value: taken.Format(moment.Layout)})
	}
	for _, setting := range c.Set {
		facts = append(facts, page.Figure{Label: "What if", Value: setting})
	}
	facts = append(facts, page.Figure{Label: "Made", Value: time.Now().Format(moment.Layout)})
	if page.WholeSources(names) != "" {
		facts = append(facts, page.Figure{Label: "Read from", Value: report.Listed(names)})
	}
	return facts
}

func printShares(s *session, t *accounts.Table) error {
	if len(t.Algorithms) > 1 {
		return printManyShares(s, t)
	}
	a := t.Algorithms[0]
	header := []string{"ACCOUNT", "USER", "SHARES", "USAGE", "RANK", "FAIRSHARE", "LEVEL FS", "READING", "NORM SHARES", "EFFECTIVE"}
	if !a.ByRank { // where there is no rank, there is no level FS
		header = slices.DeleteFunc(header, func(title string) bool { return title == "LEVEL FS" })
	}
	reading := slices.Index(header, "READING")
	table := report.Table{Rows: [][]string{header}, Right: func(column int) bool { return column >= 2 && column != reading }}
	var cells report.Row
	table.Long = func(yield func(*report.Row) bool) {
		standing := t.Of(0)
		addDecimals := func(x float64) { cells.End(report.AppendSixDecimals(cells.Open(), x)) }
		for _, row := range t.Rows {
			const most = 40 // columns of indent
			at := int(row.At)
			x := t.Tree.At(at)
			account, user := t.Names(at)
			cells.Clear()
			cells.Add(strings.Repeat(" ", min(int(row.Indent), most)) + account)
			cells.Add(user)
			cells.End(t.AppendShares(cells.Open(), at))
			cells.End(report.AppendUsage(cells.Open(), t.Tree.Counted(at)))
			if x.User {
				cells.AddInt(t.Rank(0, at))
			} else {
				cells.Add("")
			}
			addDecimals(standing.Fairshare[at])
			if a.ByRank {
				addDecimals(standing.LevelFS[at])
			}
			cells.End(t.AppendReading(cells.Open(), 0, at))
			addDecimals(standing.NormShares[at])
			addDecimals(standing.EffectiveUsage[at])
			if !yield(&cells) {
				return
			}
		}
	}
	if err := s.print(table); err != nil {
		return err
	}
	meaning := "Fairshare 0.5 is on target, above it less was used than is due."
	if a.ByRank {
		meaning = "The rank decides; level FS above 1 means less used than due at its level."
	}
	_, err := fmt.Fprintf(s.out, "\n%s. %s\n", a.Title, meaning)
	return err
}

// printManyShares shows users' ranks side by side. Where a terminal is too
// narrow for what was used beside each, the ranks stand alone.
func printManyShares(s *session, t *accounts.Table) error {
	marked := true
	table := ranksTable(t, marked)
	if s.terminal.Width > 0 && table.Width() > s.terminal.Width {
		marked = false
		table = ranksTable(t, marked)
	}
	if err := s.print(table); err != nil || !marked {
		return err
	}
	text := `
Each rank with what was used of the target: below 1.00x is under target, above
it over, = on it; - has no shares. In Fair Tree and the walk it is the target
within the level, and "top" is Fairshare=parent.
`
	if t.HasWalkOfParents() {
		text += `WEIGHTED-WALK is the algorithm of flux, which knows no Fairshare=parent: there an
account or a user that has it takes part with 1 share, so that its rank is another.
`
	}
	_, err := fmt.Fprint(s.out, text)
	return err
}

func ranksTable(t *accounts.Table, marked bool) report.Table {
	header := []string{"ACCOUNT", "USER", "SHARES", "USAGE", "CHANGE"}
	before, step := len(header), 1
	for _, a := range t.Algorithms {
		header = append(header, strings.ToUpper(a.Name))
		if marked {
			header = append(header, "")
			step = 2
		}
	}
	var cells report.Row
	rowAt := func(at int) *report.Row {
		account, user := t.Names(at)
		cells.Clear()
		cells.Add(account)
		cells.Add(user)
		cells.End(t.AppendShares(cells.Open(), at))
		cells.End(report.AppendUsage(cells.Open(), t.Tree.Counted(at)))
		cells.AddInt(t.Change(at))
		for k := range t.Algorithms {
			cells.AddInt(t.Rank(k, at))
			if marked {
				cells.End(t.AppendMark(cells.Open(), k, at))
			}
		}
		return &cells
	}
	rows := func(yield func(*report.Row) bool) {
		const atOnce = 64
		for some := range slices.Chunk(t.Rows, atOnce) {
			t.Fetch(some)
			for _, row := range some {
				at := int(row.At)
				if !t.Tree.At(at).User {
					return // accounts, which have no ranks, come last
				}
				if !yield(rowAt(at)) {
					return
				}
			}
		}
	}
	widest := func(yield func(*report.Row) bool) {
		var most accounts.Widest
		for at := range t.Places {
			if t.Tree.At(at).User && most.Grows(t, at) && !yield(rowAt(at)) {
				return
			}
		}
	}
	return report.Table{Rows: [][]string{header}, Long: rows, Widest: widest, Right: func(column int) bool {
		return column >= 2 && (column < before || (column-before)%step == 0)
	}}
}
