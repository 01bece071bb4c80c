package door

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/file"
	"fairshare/cmd/internal/search"
	"fairshare/cmd/internal/site"
	"fairshare/cmd/internal/slurm/calibrate"
	"fairshare/cmd/internal/slurm/dump"
	"fairshare/cmd/internal/slurm/record"
	"fairshare/cmd/internal/slurm/sacct"
	"fairshare/cmd/internal/slurm/sched"
	"fairshare/cmd/internal/slurm/setup"
	slurmstudy "fairshare/cmd/internal/slurm/study"
	"fairshare/cmd/internal/study"
	"fairshare/cmd/internal/witness"
	"fairshare/fstree"
)

// Past is a Slurm site with tables of sacct, which are replayed.
type Past struct {
	name   string     // of the site
	dump   *dump.Dump // what it prints, nil before that is read by its name
	tables []file.Source
	to     *site.Console
	zone   string // that is named, "" for none
}

// hasTable reports whether names are those of a site and of tables of sacct, or of a folder with both.
func hasTable(names []string, in *site.Input) bool {
	if len(names) == 1 {
		t := treeOf(names[0], in)
		if t == nil {
			return false
		}
		table, _ := dump.FindSacct(t)
		return table != ""
	}
	_, tables := siteAndTables(names, in)
	return len(tables) > 0
}

// treeOf returns the tree of a name, nil where there is none.
func treeOf(name string, in *site.Input) *file.Tree {
	t, err := in.Tree(name, "")
	if err != nil {
		return nil
	}
	return t
}

// siteAndTables returns the one of some names that is no table of sacct, and the tables that the others are, or have as
// folders and archives of nothing else; no tables else.
func siteAndTables(names []string, in *site.Input) (at string, tables []file.Source) {
	others := 0
	var trees []*file.Tree
	for _, name := range names {
		trees = append(trees, treeOf(name, in))
	}
	isTable := func(t *file.Tree) bool { return t != nil && dump.IsSacct(t) }
	hasWhole := slices.ContainsFunc(trees, isTable)
	for i, name := range names {
		t := trees[i]
		switch {
		case t == nil:
			at = name
		case isTable(t), hasWhole && t.FS == nil && sacct.IsPart(t.First):
			table := t.Single
			if info, err := os.Stat(name); name == "-" || err == nil && !info.Mode().IsRegular() { // it is read more than once
				table = file.Again(table)
			}
			tables = append(tables, table)
			others++
		default:
			if within := dump.OnlyTables(t); len(within) > 0 {
				tables = append(tables, within...)
				others++
			} else {
				at = name
			}
		}
	}
	if others != len(names)-1 {
		return "", nil
	}
	return at, tables
}

// tablesNamed returns the tables of sacct that --logs names, be it folders or archives that have them. isReread says
// whether they are read more than once.
func tablesNamed(names []string, isReread bool, in *site.Input) (tables []file.Source, err error) {
	for _, name := range names {
		t, err := in.Tree(name, "--logs")
		if err != nil {
			return nil, err
		}
		within, _, err := dump.Accounting(t)
		switch {
		case t.FS != nil && err != nil, t.FS == nil && isReread && !dump.IsSacct(t): // else who reads it says what it is
			return nil, diag.Requestf("--logs %s is no table of sacct, and has none (sacct -aPD --format=ALL prints one)", name)
		case t.FS == nil && file.IsError(file.KindOf(t.First)):
			return nil, fmt.Errorf("--logs %s is %s, and no table of sacct", name, file.KindOf(t.First))
		case t.FS == nil && name == "-" && (isReread || len(names) > 1):
			within = []file.Source{file.Again(t.Single)}
		case t.FS == nil:
			within = []file.Source{t.Single}
		}
		tables = append(tables, within...)
	}
	return tables, nil
}

// findPast returns the site that names lead to, with tables of sacct within it or beside it.
func findPast(of site.Names, command string, to *site.Console) (any, error) {
	names := of.Logs
	if len(names) == 1 {
		return findWithin(names[0], of.Zone, command, to)
	}
	if at, tables := siteAndTables(names, to.Input); len(tables) > 0 {
		return &Past{name: at, tables: tables, to: to, zone: of.Zone}, nil
	}
	for i, name := range names {
		t := treeOf(name, to.Input)
		if t == nil || len(names) > 2 {
			continue
		}
		if _, _, err := dump.Accounting(t); dump.IsMissing(err) {
			continue
		}
		other := names[1-i]
		if _, err := os.Stat(other); err != nil && other != "-" {
			return nil, fmt.Errorf("%s: %w", other, err)
		}
		if beside := treeOf(other, to.Input); beside != nil {
			if lacks := sacct.Missing(beside.First); lacks != nil {
				return nil, fmt.Errorf("%s has no column %s: sacct -aPD --format=ALL prints all", other, strings.Join(lacks, " and "))
			}
		}
		return nil, fmt.Errorf("%s is a Slurm site, and %s is no table of sacct with a line of column names (sacct -aPD --format=ALL)", name, other)
	}
	return nil, &site.NothingError{Err: dump.ErrNoSlurm}
}

// findWithin returns a site with the tables of sacct that it has within it.
func findWithin(name, zone, command string, to *site.Console) (any, error) {
	t := treeOf(name, to.Input)
	if t == nil {
		return nil, &site.NothingError{Err: dump.ErrNoSlurm}
	}
	if dump.IsEmpty(t) {
		return nil, fmt.Errorf("%s is empty", name)
	}
	if table, isAlone := dump.FindSacct(t); table != "" && !isAlone {
		return nil, diag.Requestf("%[1]s has folders: name the one with what the site printed when %[2]s begins, as in: formula %[3]s %[1]s/FOLDER %[2]s", name, table, command)
	}
	tables, remarks, err := dump.Accounting(t)
	if len(tables) == 1 { // which of them is no question
		remarks = slices.DeleteFunc(remarks, func(r diag.Remark) bool { return r.IsGeneral })
	}
	var lacks *dump.MissingError
	switch {
	case dump.IsMissing(err):
		return nil, &site.NothingError{Err: err}
	case errors.As(err, &lacks) && !lacks.IsUnread:
		err = diag.Requestf("%[1]s is a Slurm site: give its jobs too, as in: formula %[2]s %[1]s sacct.txt, where sacct.txt is what sacct -aPD --format=ALL printed", name, command)
	}
	to.Say(remarks...)
	return &Past{name: name, tables: tables, to: to, zone: zone}, err
}

// Setting implements site.Replayer: there is no formula with other names.
func (p *Past) Setting(name string) (string, bool) { return name, true }

// Submitter implements site.Replayer.
func (p *Past) Submitter() search.Submitter { return search.Sbatch }

// Replay implements site.Replayer.
func (p *Past) Replay(_ context.Context, q site.Replaying) (*site.Study, error) {
	past, record, begin, err := p.read(q)
	if err != nil {
		return nil, err
	}
	if q.Grid != nil {
		if err = p.expand(past.Setup, &q.Grid.Settings); err != nil {
			return nil, err
		}
	}
	zone := q.Zone
	if zone == nil {
		zone = time.Local
	}
	on, how := slurmstudy.New(past.Setup, record)
	on.Work.Trace.Parents = past.Parents
	on.Unsure = begin.Doubt
	p.to.Say(how...)
	made := &site.Study{Study: &on.Study, Site: on, IsKnown: true}
	made.Record = func() witness.Record {
		return judgedRecord(past, begin, past.Setup, record, zone, func(part, all float64) {
			if on.Progress != nil {
				on.Progress(part, all)
			}
		})
	}
	if q.Calibrate { // else the record, which is large, is not needed any more
		made.Calibrate = func(ctx context.Context) (*site.Answer, error) {
			shown := p.to.Progress("settings").Counted()
			on.Progress = shown.Steps
			found, err := calibrate.Infer(ctx, past.Setup, record, on, func(judging *sched.Setup) witness.Record {
				return judgedRecord(past, begin, judging, record, zone, func(float64, float64) {})
			})
			shown.End()
			if err != nil {
				return nil, err
			}
			p.to.Say(site.Interrupted(ctx, shown.Made())...)
			return newCalibration(found, q.Top), nil
		}
	}
	made.Use = func() error {
		policies := []*study.Changes{nil} // the one in force
		if err := p.expand(past.Setup, &q.Settings); err != nil {
			return err
		}
		if len(q.Settings) > 0 {
			policies = append(policies, &study.Changes{Settings: q.Settings})
		}
		for _, name := range q.Files {
			change, err := p.policy(past.Setup, name)
			if err != nil {
				return err
			}
			policies = append(policies, &change)
		}
		remarks, err := on.Use(policies)
		p.to.Say(remarks...)
		return err
	}
	return made, nil
}

// printed returns what the site prints.
func (p *Past) printed() (*dump.Dump, error) {
	if p.dump != nil {
		return p.dump, nil
	}
	t, err := p.to.Input.Tree(p.name, "the site")
	if err != nil {
		return nil, err
	}
	printed, err := dump.Find(t)
	if err != nil {
		p.to.Say(printed.Remarks...)
		return nil, err
	}
	p.dump = printed
	return printed, nil
}

// read returns the site with what it had used at the begin, its record, and how that was found.
func (p *Past) read(q site.Replaying) (past *setup.Site, recorded *record.Record, begin record.Beginning, err error) {
	printed, err := p.printed()
	if err != nil {
		return nil, nil, begin, err
	}
	var remarks []diag.Remark
	past, remarks, err = setup.Past(printed)
	p.to.Say(remarks...)
	if err != nil {
		return nil, nil, begin, err
	}
	recorded, err = record.Read(past.Setup, p.tables, q.Zone)
	if err != nil {
		return nil, nil, begin, err
	}
	p.to.Say(recorded.Remarks...)
	var events *file.Source
	if q.Events != "" {
		from := p.to.Input.Source(q.Events, "--node-events")
		events = &from
	}
	remarks, err = record.ReadWorld(past, events, recorded, q.Zone)
	p.to.Say(remarks...)
	if err == nil && len(recorded.Jobs) == 0 {
		err = fmt.Errorf("%s has no job of this site that could run", record.NameOf(p.tables))
	}
	if err != nil {
		return past, recorded, begin, err
	}
	var given []fstree.Association
	if q.Usage != "" {
		given, remarks, err = setup.UsageThen(past.Setup, p.to.Input.Source(q.Usage, "--usage"))
		if p.to.Say(remarks...); err != nil {
			return past, recorded, begin, err
		}
	}
	zone := cmp.Or(q.Zone, time.Local)
	begin = recorded.Begin(past.Setup, onClock(past.World.Taken(), zone), given, zone)
	p.to.Say(begin.Remarks...)
	return past, recorded, begin, nil
}
