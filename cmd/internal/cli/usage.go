package cli

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"time"

	"fairshare/cmd/internal/accrual"
	"fairshare/cmd/internal/file"
	"fairshare/cmd/internal/pbs"
	"fairshare/cmd/internal/report"
	"fairshare/cmd/internal/trace"
	"fairshare/usagefile"
)

type usageCmd struct {
	logFlags
	Under     string        `placeholder:"DIR" help:"Another sched_priv, for its entities, usage and decay; else the snapshot's."`
	Usage     string        `placeholder:"FILE" help:"The usage database at the begin of the logs."`
	ReportLag *int64        `placeholder:"SECONDS" help:"How old the reports of use are when the scheduler accrues (${lag})."`
	Interval  time.Duration `default:"${interval}" placeholder:"TIME" help:"scheduler_iteration, the longest time between two cycles (${default})."`
	At        *moment       `placeholder:"TIME" help:"The usage at TIME; else at the end of the logs."`
	Write     string        `placeholder:"FILE" help:"Write a usage file, as PBS keeps it."`
	Force     bool          `help:"With --write: replace a file that is there, and write although logs are missing."`
	Output    string        `short:"o" enum:"table,json,csv" default:"table" placeholder:"FORM" help:"What to print (${enum})."`
	Top       int           `placeholder:"N" help:"Print only the first N."`

	taken int64 // when the snapshot was, 0 if it is not known
}

func (c *usageCmd) Run(s *session) error {
	if c.Top < 0 || c.ReportLag != nil && *c.ReportLag < 0 || c.Interval < time.Second {
		return fail(exitUsage, "--top and --report-lag need a number that is not negative, --interval a second or more")
	}
	if c.Force && c.Write == "" {
		return fail(exitUsage, "--force is for --write FILE")
	}
	logs, err := c.sources(s) // which says what is wrong with the arguments
	if err != nil {
		return err
	}
	priv, err := c.schedPriv(s)
	if err != nil {
		return err
	}
	zone, err := c.zone()
	if err != nil {
		return err
	}
	options, err := c.options(s, priv, zone)
	if err != nil {
		return err
	}
	resources, err := accrual.Resources(options.Config)
	if err != nil {
		return failure{exitUnreadable, err}
	}
	t, err := c.read(s, logs, zone, trace.Keep{Used: resources})
	if err != nil {
		return err
	}
	end := max(t.Last, c.taken)
	if options.Until == trace.Unknown {
		options.Until = end
	} else if err := s.checkAt(options.Until, dayOf(t.Begin(), zone), end, zone); err != nil {
		return err
	}
	db, err := accrual.Compute(t, options)
	if err != nil {
		return failure{exitUnreadable, err}
	}
	all := c.lines(priv, db)
	if c.isBroken() {
		for i := range all { // nobody knows what ran in what is missing
			all[i].Low, all[i].High = report.Number(math.NaN()), report.Number(math.NaN())
		}
	}
	lines := all
	if c.Top > 0 {
		lines = all[:min(c.Top, len(all))]
	}
	switch c.Output {
	case "json":
		err = report.WriteArray(s.out, func(yield func(usageLine) bool) {
			for _, l := range lines {
				if !yield(l) {
					return
				}
			}
		})
	case "csv":
		err = printUsageCSV(s, lines)
	default:
		err = printUsage(s, lines, all)
	}
	if db.Lost > 0 {
		s.diag.Note("%s charged nothing: no report of what it used came before it ended", report.Count(db.Lost, "run"))
	}
	if err != nil || c.Write == "" {
		return err
	}
	return c.write(s, db)
}

// schedPriv returns the sched_priv that usage is computed with: the one of --under,
// or of the snapshot that the logs come from.
func (c *usageCmd) schedPriv(s *session) (*pbs.SchedPriv, error) {
	dir := file.DirAt(c.Under)
	if c.Under == "" {
		for _, snap := range c.snapshots() {
			if snap.Files().SchedPriv.Name == "" {
				continue
			}
			s.say(snap.Remarks...)
			dir = snap.Files().SchedPriv
			if taken, ok := snap.Taken(); ok {
				c.taken = taken.Unix()
			}
		}
	}
	if dir.Name == "" {
		return nil, fail(exitUsage, "which entities, and which usage? Give a sched_priv with --under DIR, or a snapshot that has one")
	}
	site, remarks, err := pbs.Files{SchedPriv: dir}.Read()
	if err != nil {
		return nil, s.failed(err)
	}
	s.say(remarks...)
	if site.SchedPriv == nil {
		return nil, fail(exitUnreadable, "%s cannot be read", dir.Name)
	}
	if config := site.SchedPriv.Config; !config.Prime.FairShare && !config.NonPrime.FairShare {
		s.diag.Warning("fair_share is off in sched_config: PBS would not accrue")
	}
	return site.SchedPriv, nil
}

// options returns how usage accrues.
func (c *usageCmd) options(s *session, priv *pbs.SchedPriv, zone *time.Location) (accrual.Options, error) {
	o := accrual.Options{Config: priv.Config, Lag: accrual.DefaultLag, Interval: int64(c.Interval / time.Second), Until: trace.Unknown}
	if c.ReportLag != nil {
		o.Lag = *c.ReportLag
	}
	if c.At != nil {
		at, err := c.At.in(zone)
		if err != nil {
			return o, err
		}
		o.Until = at.Unix()
	}
	if priv.Usage != nil {
		o.LastDecay = priv.Usage.LastDecay
	}
	if c.Usage == "" {
		s.diag.Note("the usage at the begin of the logs is not known (--usage FILE): everybody begins with 1")
		return o, nil
	}
	var err error
	if o.Begin, err = s.readUsage(c.Usage); err != nil {
		return o, err
	}
	if o.Begin.LastDecay > 0 {
		o.LastDecay = o.Begin.LastDecay
	}
	return o, nil
}

// readUsage returns the usage database of a file, and reports what is wrong with it.
func (s *session) readUsage(name string) (*usagefile.Database, error) {
	const most = 4 << 30
	text, err := file.DirAt(filepath.Dir(name)).Read(filepath.Base(name), most)
	if err != nil {
		return nil, s.failed(err)
	}
	db := usagefile.Parse(text)
	const enough = 4 << 10
	kind := file.KindOf([]byte(text[:min(len(text), enough)]))
	damage, isDamaged := db.Damage()
	switch isNone := isDamaged && damage.Offset == 0 || len(db.Records) == 0 && isDamaged; {
	case kind == "a usage database":
	case kind != "" && kind != "no text":
		return nil, fail(exitUnreadable, "%s is %s, and no usage database", name, kind)
	case kind == "no text" && !isNone: // as the first version of the database is
	default:
		return nil, fail(exitUnreadable, "%s is no usage database", name)
	}
	for _, problem := range db.Problems {
		s.partly = true
		s.diag.Warning("%s: %v", name, problem)
	}
	return db, nil
}

// usageLine is an entity's usage in JSON.
type usageLine struct {
	Entity   string         `json:"entity"`
	Recorded *report.Number `json:"recorded"` // null where there is no database to compare with
	Rebuilt  report.Number  `json:"rebuilt"`
	Low      report.Number  `json:"low"`
	High     report.Number  `json:"high"`
}

// lines returns all entities, those that only the database has too.
func (c *usageCmd) lines(priv *pbs.SchedPriv, db *accrual.Database) []usageLine {
	recorded := map[string]float64{}
	if priv.Usage != nil && c.Under == "" {
		for name, usage := range priv.Usage.All() {
			recorded[name] = usage
		}
	}
	orNull := func(name string) *report.Number {
		if usage, ok := recorded[name]; ok {
			delete(recorded, name)
			return report.Optional(usage)
		}
		return nil
	}
	var lines []usageLine
	for _, e := range db.Entities {
		lines = append(lines, usageLine{e.Name, orNull(e.Name), report.Number(e.Usage), report.Number(e.Low), report.Number(e.High)})
	}
	for name, usage := range recorded {
		lines = append(lines, usageLine{name, report.Optional(usage), 1, 1, 1})
	}
	sortLines(lines)
	return lines
}

// isBroken reports whether something of the logs is missing.
func (c *usageCmd) isBroken() bool { return c.isLacking || c.continuity.IsBroken() }

// write writes the usage file: as the scheduler's own, with its backup and lock,
// where it is called so.
func (c *usageCmd) write(s *session, db *accrual.Database) error {
	if c.isBroken() && !c.Force {
		return fail(exitUnreadable, "nothing is written: the logs are not whole, and the usage is wrong by what is missing (--force writes it all the same)")
	}
	if _, err := os.Lstat(c.Write); err == nil && !c.Force {
		return fail(exitUsage, "%s is there already: --force replaces it", c.Write)
	} else if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fail(exitUnreadable, "cannot write the usage: %w", err)
	}
	write := func(w io.Writer) error { return usagefile.Write(w, db.LastDecay, db.Records()) }
	dir := filepath.Dir(c.Write)
	const wait = 10 * time.Second
	unlock, err := usagefile.Lock(dir, wait, func() { s.diag.Note("waiting for another program") })
	if err != nil {
		return fail(exitUnreadable, "cannot write the usage: %w", err)
	}
	defer unlock()
	if filepath.Base(c.Write) == usagefile.Name {
		if target := usagefile.LinkTarget(dir); target != "" {
			s.diag.Warning("%s was a symbolic link to %s, and is a file of its own now", c.Write, target)
		}
		err = usagefile.Replace(dir, write)
		if errors.Is(err, usagefile.ErrNoBackup) {
			err = nil // there was none
		}
	} else {
		err = replaceWith(c.Write, write)
	}
	var unfinished *usagefile.UnfinishedError
	if errors.As(err, &unfinished) {
		s.diag.Warning("%v", err)
		return nil
	}
	if err != nil {
		return fail(exitUnreadable, "cannot write the usage: %w", err)
	}
	return nil
}

func printUsageCSV(s *session, lines []usageLine) error {
	w := report.NewCSV(s.out)
	w.Write("entity", "recorded", "rebuilt", "low", "high")
	for _, l := range lines {
		w.Write(l.Entity, report.OrEmpty(l.Recorded), report.Plain(float64(l.Rebuilt)), report.OrEmpty(report.Optional(float64(l.Low))), report.OrEmpty(report.Optional(float64(l.High))))
	}
	return w.Flush()
}

// printUsage prints entities, and the sum of all, with what differs from the
// database.
func printUsage(s *session, lines, all []usageLine) error {
	table := [][]string{{"ENTITY", "RECORDED", "REBUILT", "DIFFERENCE", "", "LOW", "HIGH"}}
	add := func(name string, recorded *report.Number, rebuilt, low, high float64) {
		was, difference, part := "-", "", ""
		if recorded != nil {
			was = report.Fixed(float64(*recorded), 0)
			difference = fmt.Sprintf("%+.0f", rebuilt-float64(*recorded))
			if *recorded != 0 {
				part = fmt.Sprintf("%+.2f%%", 100*(rebuilt/float64(*recorded)-1))
			}
		}
		table = append(table, []string{name, was, report.Fixed(rebuilt, 0), difference, part, decimals(low, 0), decimals(high, 0)})
	}
	var total, recorded, low, high float64
	isCompared := true
	for _, l := range lines {
		add(l.Entity, l.Recorded, float64(l.Rebuilt), float64(l.Low), float64(l.High))
	}
	for _, l := range all {
		total, low, high = total+float64(l.Rebuilt), low+float64(l.Low), high+float64(l.High)
		if isCompared = isCompared && l.Recorded != nil; isCompared {
			recorded += float64(*l.Recorded)
		}
	}
	if !isCompared {
		recorded = math.NaN()
	}
	add("all", report.Optional(recorded), total, low, high)
	return s.print(report.Table{Rows: table, Right: func(column int) bool { return column > 0 }})
}

// sortLines puts the largest usage first.
func sortLines(lines []usageLine) {
	slices.SortFunc(lines, func(a, b usageLine) int {
		return cmp.Or(cmp.Compare(b.Rebuilt, a.Rebuilt), cmp.Compare(a.Entity, b.Entity))
	})
}

// replaceWith replaces a file with what a function writes.
func replaceWith(name string, write func(io.Writer) error) error {
	var text bytes.Buffer
	if err := write(&text); err != nil {
		return err
	}
	return file.Replace(name, text.Bytes())
}
