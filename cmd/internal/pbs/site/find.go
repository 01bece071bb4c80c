package site

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/file"
	"fairshare/cmd/internal/pbs/qstat"
	"fairshare/cmd/internal/pbs/snapshot"
	"fairshare/cmd/internal/site"
)

// Find returns the place that names lead to: a complex only where they ask for one. What is asked for and
// cannot be is a *diag.RequestError.
func Find(ctx context.Context, n site.Names, in *site.Input) (*Place, []diag.Remark, error) {
	p := &Place{}
	p.Files.IsChecked, p.Files.Vnodes = n.WantsConf, p.SeenVnodes
	if n.AsksHost() {
		snap, err := ask(ctx, n, parts(n))
		if err != nil {
			return nil, nil, err
		}
		p.use(snap)
	}
	for _, name := range append([]string{n.Argument, n.Snapshot}, n.Joined...) {
		if name == "" {
			continue
		}
		if err := open(n, in, p, name); err != nil {
			return nil, nil, err
		}
	}
	if len(n.Joined) > 0 && !p.OnlyTables() {
		return nil, nil, diag.Requestf("%s has a list of jobs, which tells all that %s does: name it alone", cmp.Or(p.Name, n.Argument), strings.Join(n.Joined, " and "))
	}
	if remarks, err := findJobs(n, in, p); err != nil {
		return nil, remarks, err
	}
	if n.Queues != "" {
		p.Files.OverrideQueues = in.Source(n.Queues, "--queues")
	}
	if n.Resources != "" {
		p.Files.Resources = in.Source(n.Resources, "--resources")
	}
	for _, name := range n.Sched {
		p.Files.Override = append(p.Files.Override, in.Source(name, "--sched"))
	}
	if n.SchedPriv != "" {
		p.Files.TryPriv(file.DirAt(filepath.Clean(n.SchedPriv)))
	}
	p.Files.Partition = n.Partition
	remarks, err := p.findZone(n, in)
	if err == nil {
		p.dateByJobs()
	}
	return p, remarks, err
}

// parts returns what a live complex is asked for: not for a sched_priv or a list that is
// given.
func parts(n site.Names) []snapshot.Part {
	if n.WantsTree {
		return []snapshot.Part{snapshot.SchedPriv}
	}
	parts := []snapshot.Part{snapshot.Queues, snapshot.Resources, snapshot.Attributes}
	if n.SchedPriv == "" {
		parts = append(parts, snapshot.SchedPriv)
	}
	if n.WantsJobs && n.Jobs == "" {
		parts = append(parts, snapshot.Jobs)
	}
	if n.Vnodes {
		parts = append(parts, snapshot.Nodes, snapshot.Reservations)
	}
	return parts
}

// ask asks the complex of this host, or another one, for some parts.
func ask(ctx context.Context, n site.Names, parts []snapshot.Part) (*snapshot.Snapshot, error) {
	snap, err := snapshot.Ask(ctx, snapshot.Question{Server: n.Server, Timeout: n.Timeout, Parts: parts})
	if errors.Is(err, snapshot.ErrNoPBS) {
		return nil, diag.Requestf("%w: give a snapshot or a job list, such as qstat -f -F json prints", err)
	}
	return snap, err
}

// openSnapshot returns what is at a place, which for "-" is standard input. reader says what that is for.
func openSnapshot(name string, in *site.Input, reader string) (*snapshot.Snapshot, error) {
	t, err := in.Tree(name, reader)
	if err != nil {
		return nil, err
	}
	return snapshot.In(t)
}

// open adds what a name is to a place.
func open(n site.Names, in *site.Input, p *Place, name string) error {
	if n.WantsConf {
		if isOne, err := p.takePart(n, in, name); isOne || err != nil {
			return err
		}
	}
	snap, err := openSnapshot(name, in, site.JobList)
	isTable := err == nil && n.OfTables && isTable(snap)
	if err == nil && snap.IsFile() && !n.WantsTree && name != "-" && !isTable {
		err = isList(snap, n.Format)
	}
	switch {
	case err != nil:
		return err
	case snap.IsFile() && name == n.Snapshot && n.WantsJobs:
		return diag.Requestf("--snapshot %s is %s, and no snapshot: a job list is given as an argument or with --jobs", name, single(snap))
	case snap.IsFile() && name == n.Snapshot:
		return diag.Requestf("--snapshot %s is %s, and no snapshot", name, single(snap))
	case isTable:
		p.Tables = append(p.Tables, snap.File())
	case snap.IsFile():
		p.take(snap)
	case p.Name != "" || p.part != "":
		return diag.Requestf("%s and %s are both a site, give one of them", cmp.Or(p.Name, p.part), name)
	default:
		p.use(snap)
	}
	return nil
}

// isTable reports whether what is named is a table of qstat without -f.
func isTable(snap *snapshot.Snapshot) bool { return snap.IsFile() && qstat.IsTable(snap.Tree().First) }

// single says what a file of its own is.
func single(snap *snapshot.Snapshot) string {
	if is := file.KindOf(snap.Tree().First); is != "" {
		return is
	}
	return "a single file"
}

// isList returns an error for a file that is no list of jobs, as whoever reads it would: some commands end before
// that, for what else they lack.
func isList(snap *snapshot.Snapshot, format string) error {
	t := snap.Tree()
	if err := qstat.Check(t.First, qstat.Format(format), t.IsWhole()); err != nil {
		return fmt.Errorf("%s: %w", t.Name, err)
	}
	return nil
}

// findJobs adds the list of jobs that --jobs names, or standard input where a sched_priv
// alone or nothing has one.
func findJobs(n site.Names, in *site.Input, p *Place) ([]diag.Remark, error) {
	switch {
	case n.Jobs != "" && len(p.Tables) > 0 && p.Name == "":
		return nil, diag.Requestf("%s and --jobs %s both name a job list, give one of them", p.Tables[0].Name, n.Jobs)
	case n.Jobs != "" && len(p.Jobs) > 0 && p.Jobs[0].Member == "":
		return nil, diag.Requestf("%s and --jobs %s both name a job list, give one of them", p.Jobs[0].Name, n.Jobs)
	case n.Jobs != "":
		snap, err := openSnapshot(n.Jobs, in, site.JobList)
		if err != nil {
			return nil, err
		}
		if !snap.IsFile() {
			return nil, diag.Requestf("--jobs %s is a site: give it as an argument or with --snapshot", n.Jobs)
		}
		if n.OfTables && isTable(snap) {
			p.Jobs, p.Tables = nil, []file.Source{snap.File()}
		} else {
			p.take(snap)
		}
	case len(p.Tables) > 0 && n.WantsJobs && (n.OfTables || n.NoJobs && p.Nodes.IsGiven()):
	case len(p.Tables) > 0 && n.WantsJobs:
		return p.remarks, p.onlyTables()
	case !n.WantsJobs || len(p.Jobs) > 0 || n.NoJobs && p.Nodes.IsGiven():
	case p.Name != "" && (!p.isPriv || in.IsTerminal()):
		return p.remarks, &NoJobsError{p.Name, p.holds()} // an archive that is cut off may have had a list
	default:
		return nil, open(n, in, p, "-")
	}
	return nil, nil
}

// take takes the list of jobs that is a file of its own. When it was made is when the place was taken, where it says that
// and no snapshot does.
func (p *Place) take(snap *snapshot.Snapshot) {
	p.Jobs = []file.Source{snap.File()}
	p.begin = snap.Tree().First
	p.ListedAt, _ = qstat.MadeAt(p.begin)
	if p.Taken.IsZero() {
		p.Taken = p.ListedAt
	}
}

// NoJobsError is about a place without a list of jobs where one is wanted.
type NoJobsError struct {
	Name string
	Has  string // what it has in place of it, as snapshot.Holds tells
}

func (e *NoJobsError) Error() string {
	return e.Name + " has " + e.Has + "no list of jobs: give one with --jobs FILE, - for standard input"
}

// holds returns what a place has, as snapshot.Holds tells.
func (p *Place) holds() string {
	if p.snap == nil {
		return ""
	}
	return snapshot.Holds(p.snap.Tree())
}

// Collect returns the snapshot of a place, with the logs of the last days. A snapshot's own logs all stay where days
// is 0; a complex is then asked for none.
func (p *Place) Collect(n site.Names, days int) (*snapshot.Snapshot, []diag.Remark, error) {
	snap := p.snap
	switch {
	case n.AsksHost() && days == 0:
		return snap, nil, nil
	case n.Server != "":
		return snap, []diag.Remark{diag.Damagef("logs are left out: they are on the server's own host")}, nil
	case n.AsksHost():
		accounting, server, err := snapshot.LiveLogs(days)
		snap.KeepLogs(accounting, server)
		if err != nil {
			return snap, []diag.Remark{diag.Damagef("%v", err)}, nil
		}
		return snap, nil, nil
	}
	accounting, remarks, err := snapshot.Logs(snap.Tree())
	var none *snapshot.NoLogsError
	if err != nil && !errors.As(err, &none) {
		return nil, nil, err
	}
	server, err := snapshot.VnodeLogs(snap.Tree())
	if err != nil {
		remarks = append(remarks, diag.Damagef("%v", err))
	}
	if days > 0 {
		until, ok := snap.Taken()
		if !ok {
			until = time.Now()
		}
		accounting, server = snapshot.LastDays(accounting, days, until), snapshot.LastDays(server, days, until)
	}
	snap.KeepLogs(accounting, server)
	return snap, remarks, nil
}

// use takes all that a snapshot has, but for a list of jobs where there is one.
func (p *Place) use(snap *snapshot.Snapshot) {
	files := snap.Files()
	files.IsChecked, files.Vnodes = p.Files.IsChecked, p.Files.Vnodes
	p.Name, p.Files, p.Nodes, p.Resvs = snap.Name, files, snap.Nodes(), snap.First(snapshot.Reservations)
	told, isTold := snap.Told()
	taken, ok := told, isTold
	if !isTold {
		taken, p.writtenBy, ok = snap.Written()
	}
	if p.made = taken; ok || p.Taken.IsZero() {
		p.Taken = taken
	}
	p.snap, p.isPriv = snap, snap.IsPrivAlone()
	if len(p.Jobs) == 0 {
		p.Jobs, p.Tables = snap.Jobs(), snap.Tables()
		p.ListedAt = told
	}
	p.remarks = slices.Concat(p.remarks, snap.Remarks)
}
