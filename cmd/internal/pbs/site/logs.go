package site

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/file"
	"fairshare/cmd/internal/moment"
	"fairshare/cmd/internal/pbs/cluster"
	"fairshare/cmd/internal/pbs/snapshot"
	"fairshare/cmd/internal/report"
	"fairshare/cmd/internal/site"
	"fairshare/cmd/internal/trace"
)

// Logs are the accounting logs that names lead to.
type Logs struct {
	Sources []file.Source
	CPUs    int64 // that the site of the logs has, 0 if that is not known; of Read, where they were not given

	formats    []trace.Format // besides accounting logs
	names      []string
	trees      []*file.Tree // of the names
	zone       string
	continuity trace.Continuity // of what was read
	isLacking  bool             // whether something among the logs could not be read as one
	opened     []*snapshot.Snapshot
	vnodes     *cluster.Listing // of the site that they come from, nil where they are not read or not told
	beside     *Place           // that the logs are of as well, nil for none
	local      LocalTime        // of local times, as they were found
	isOfLists  bool             // whether they are lists of jobs
	isOfPlace  bool             // whether they stand in a place, which says in which zone times are
	marks      []trace.Mark     // of the site that they are of, as it was read
	says       told             // what the last of them that tells says of their zone, as they were found
	tellsZone  bool             // whether they tell in which zone they were written; of Read
	off        int64            // of local times, in seconds, where records tell it; of Read
}

// FindLogs returns the logs of some names, with times in the zone of a name, or for "" in that which their records tell.
func FindLogs(names []string, zone string, in *site.Input) (*Logs, []diag.Remark, error) {
	l := &Logs{names: names, zone: zone, formats: in.Formats}
	var without error
	var remarks, links []diag.Remark // links are of snapshots without logs
	for _, name := range names {
		t, err := in.Tree(name, "the log")
		if err != nil {
			return nil, remarks, err
		}
		said, err := l.add(t)
		var none *snapshot.NoLogsError
		switch {
		case errors.As(err, &none):
			if lists, leftOut := snapshot.JobLists(t); lists != nil {
				l.Sources = append(l.Sources, lists...)
				remarks = append(remarks, sayLeftOut(lists, leftOut)...)
				continue
			}
			without, links = err, append(links, said...) // it may be the site that the logs are of
			continue
		case err != nil:
			return nil, remarks, err
		}
		remarks = append(remarks, said...)
		l.isLacking = l.isLacking || len(said) > 0
	}
	if len(l.Sources) == 0 && without != nil {
		return nil, append(remarks, links...), without
	}
	return l, remarks, l.findZone()
}

// sayLeftOut says which files of a folder are left out for lists with jobs that have ended, nothing where none is.
func sayLeftOut(lists []file.Source, leftOut []string) []diag.Remark {
	if leftOut == nil {
		return nil
	}
	return []diag.Remark{diag.Notef("%s read, for jobs that have ended, and %s left out", file.Are(namesOf(lists)), file.Are(leftOut))}
}

// namesOf returns the names of sources.
func namesOf(sources []file.Source) (names []string) {
	for _, from := range sources {
		names = append(names, from.Name)
	}
	return names
}

// add adds the logs that a tree has.
func (l *Logs) add(t *file.Tree) ([]diag.Remark, error) {
	l.trees = append(l.trees, t)
	list, remarks, err := snapshot.Logs(t)
	if err != nil {
		return remarks, err
	}
	if t.FS == nil && t.Name == file.StandardInput {
		for i := range list {
			list[i] = file.Again(list[i])
		}
	}
	l.Sources = append(l.Sources, list...)
	return remarks, nil
}

// OwnLogs returns the logs that stand in the place itself, which are found once, with remarks on what is missing of them, nil where it has none.
func (p *Place) OwnLogs(zone string, formats []trace.Format) (*Logs, []diag.Remark) {
	if p.snap == nil || p.Name == "" { // a live one
		return nil, nil
	}
	p.findOwn.Do(func() {
		l := &Logs{names: []string{p.Name}, zone: zone, formats: formats, isOfPlace: true}
		remarks, err := l.add(p.snap.Tree())
		if err != nil || l.findZone() != nil {
			return
		}
		l.isLacking = len(remarks) > 0
		p.own, p.ownRemarks = l, remarks
	})
	if p.own == nil {
		return nil, nil
	}
	l := *p.own // what is read of them is whoever reads it
	return &l, p.ownRemarks
}

// Called returns what the logs of a place are called.
func (l *Logs) Called() string {
	if l.isOfLists {
		return "the prints of qstat -xf"
	}
	return "the accounting logs"
}

// OwnRecord returns what of the place itself tells what ran: its logs, or where it has none the lists of a folder of prints that have jobs
// which have ended. Remarks are on what is missing of them, or name these lists.
func (p *Place) OwnRecord(zone string, formats []trace.Format) (*Logs, []diag.Remark) {
	if l, remarks := p.OwnLogs(zone, formats); l != nil || p.snap == nil || p.Name == "" {
		return l, remarks
	}
	lists := p.snap.Past()
	if lists == nil {
		return nil, nil
	}
	l := &Logs{Sources: lists, zone: zone, formats: formats, isOfPlace: true, isOfLists: true}
	return l, []diag.Remark{diag.Notef("%s read for jobs that have ended: run times and arrivals are learned from them", file.Are(namesOf(lists)))}
}

// LogsOf returns logs that are found already, whose times are in the zone of a name, or for "" in that which they tell together, or the marks of
// the site that they are of. cpus are those of the site, 0 where that is not known.
func LogsOf(sources []file.Source, zone string, formats []trace.Format, cpus int64, marks []trace.Mark) *Logs {
	l := &Logs{Sources: sources, zone: zone, formats: formats, CPUs: cpus, marks: marks}
	l.says = l.toldTogether()
	l.local, _ = l.says.localTime(zone) // Local says what is wrong
	return l
}

// Beside says of which place the logs are that are named without it.
func (l *Logs) Beside(p *Place) { l.beside = p }

// Snapshots returns those of the logs that are snapshots of a site, which have more of it
// than logs.
func (l *Logs) Snapshots() []*snapshot.Snapshot {
	if l.opened == nil {
		l.opened = []*snapshot.Snapshot{}
		for _, t := range l.trees {
			if snap, err := snapshot.In(t); err == nil && !snap.IsFile() {
				l.opened = append(l.opened, snap)
			}
		}
	}
	return l.opened
}

// countCPUs returns the cpus of the site that the logs come from, 0 where nothing tells.
func (l *Logs) countCPUs() int64 {
	vnodes := l.Vnodes()
	if vnodes == nil {
		return 0
	}
	nodes, err := vnodes.Cluster(cluster.Checks{}, true)
	if err != nil {
		return 0
	}
	return int64(nodes.Total("ncpus"))
}

// IsBroken reports whether something of the logs is missing, as is known once they were read.
func (l *Logs) IsBroken() bool { return l.isLacking || l.continuity.IsBroken() }

// Since returns those of the logs that tell of a time or of later ones by the day in their names, with those that have none.
func (l *Logs) Since(at int64) *Logs {
	of := *l
	if local, err := l.Local(); err == nil {
		_, off := time.Unix(at, 0).In(local.Zone).Zone()
		of.Sources = slices.DeleteFunc(slices.Clone(l.Sources), func(s file.Source) bool {
			day, isDay := trace.DayOfName(s.Name)
			return isDay && day < (at+int64(off))/(24*3600)
		})
	}
	return &of
}

// Read returns what logs, or a single trace in the Standard Workload Format, tell of jobs,
// with remarks on what is missing of them.
func (l *Logs) Read(keep trace.Keep) (*trace.Trace, []diag.Remark, error) {
	local, err := l.Local()
	if err != nil {
		return nil, nil, err
	}
	keep.ZoneTold = l.isOfRecords()
	t, err := trace.Read(l.Sources, local.Zone, keep, l.formats...)
	if err != nil {
		return nil, nil, err
	}
	l.CPUs = cmp.Or(l.CPUs, l.countCPUs())
	if l.tellsZone = t.TellsZone(); l.isOfRecords() {
		l.off = t.ZoneOff()
	}
	l.continuity = t.Continuity(l.CPUs)
	remarks := l.continuity.Remarks()
	if t.IsTorque() {
		remarks = append(remarks, diag.Notef("there are jobs of TORQUE: their cpus are the slots of exec_host that they ran on, or those of nodes=N:ppn=P"))
	}
	switch off := t.ZoneOff(); {
	case off != 0 && l.isOfRecords():
		remarks = append(remarks, diag.Notef("most local times of the logs are %s off %s: they are read as the times since 1970 in them tell%s", report.Shift(float64(off)), moment.ZoneName(local.Zone, t.Last), map[bool]string{true: ", and printed in that (--tz)"}[l.zone == ""]))
	case l.zone == "" && local.Zone != time.Local && !l.isOfPlace:
		remarks = append(remarks, diag.Notef("times are in %s, as the logs tell of their site, and not in this machine's zone, %s (--tz)", local.Zone, moment.ZoneName(time.Local, t.Last)).Briefly("times are in %s (--tz: in another zone)", local.Zone))
	case off != 0:
		remarks = append(remarks, diag.Warningf("local times of the logs are %s off the times since 1970 in them: %s is not their zone (--tz)", report.Shift(float64(off)), local.Zone))
	}
	if t.Doubled > 0 {
		remarks = append(remarks, diag.Generalf("%s of sacct of runs that other rows tell of as well: each run counts once", report.Count(t.Doubled, "row")))
	}
	if n := t.Paused; n.Jobs > 0 {
		remarks = append(remarks, diag.Notef("%s suspended for %.1f core hours, and sacct does not tell when: each is taken to be so at the end of its run", wereOrWas(n.Jobs, "job"), float64(n.CoreSeconds)/3600))
	}
	if n := t.Unseen; n.Runs > 0 {
		remarks = append(remarks, diag.Warningf("%s queued again of which the rows of sacct have the last run alone: %s of theirs %s in no figure (sacct -D prints them)", wereOrWas(n.Jobs, "job"), report.Count(n.Runs, "run"), areOrIs(n.Runs)))
	}
	if r := t.Released; r.Jobs > 0 {
		text := fmt.Sprintf("%s gave vnodes back while they ran, such as %s (pbs_release_nodes): all that a job started with counts until its end, %.1f core hours too many", report.Count(r.Jobs, "job"), r.Example, float64(r.CoreSeconds)/3600)
		if r.Untold > 0 {
			text += fmt.Sprintf(", and more for the %d of them whose records do not tell what they kept", r.Untold)
		}
		remarks = append(remarks, diag.Warningf("%s; replays keep the vnodes as long", text))
	}
	if n := len(t.Clusters); n > 1 {
		remarks = append(remarks, diag.Warningf("the rows of sacct are of %d clusters, %s: jobs of others than the first have its name (1001@%s), and figures are of all of them together (sacct -M CLUSTER prints one)", n, strings.Join(t.Clusters, ", "), t.Clusters[1]))
	}
	return t, slices.Concat(remarks, t.Remarks, servers(t), untold(t), problems(t)), nil
}

// untold warns of what no record tells of some jobs.
func untold(t *trace.Trace) (remarks []diag.Remark) {
	for _, u := range t.Untold() {
		text := "no record tells the " + u.What + " of " + report.Count(u.Jobs, "job")
		if u.Jobs > 1 {
			text += ", such as " + u.Example
		} else {
			text += ", " + u.Example
		}
		if u.Seconds > 0 {
			text += fmt.Sprintf(" (%.1f hours of runs)", float64(u.Seconds)/3600)
		}
		remarks = append(remarks, diag.Warningf("%s: %s", text, u.Instead))
	}
	return remarks
}

// servers warns of jobs of several servers of PBS.
func servers(t *trace.Trace) []diag.Remark {
	if len(t.Servers) < 2 {
		return nil
	}
	var of []string
	for _, server := range slices.Sorted(maps.Keys(t.Servers)) {
		of = append(of, fmt.Sprintf("%s (%s)", server, report.Count(t.Servers[server], "job")))
	}
	return []diag.Remark{diag.Warningf("the logs have jobs of %d servers, which count together, and which a replay takes for jobs of one complex: %s", len(t.Servers), report.First(of))}
}

// wereOrWas returns a number of things with its verb.
func wereOrWas(n int, noun string) string {
	if n == 1 {
		return report.Count(n, noun) + " was"
	}
	return report.Count(n, noun) + " were"
}

// areOrIs returns the verb of a number of things.
func areOrIs(n int) string {
	if n == 1 {
		return "is"
	}
	return "are"
}

// problems tells the first lines that could not be read, and how many more there are. The
// last remark is the one that says for all of them that something is missing.
func problems(t *trace.Trace) []diag.Remark {
	var remarks []diag.Remark
	const most = 10 // that are told one by one
	for i, problem := range t.Problems {
		if i == most {
			more := len(t.Problems) - most + t.Unlisted
			are := "are"
			if more == 1 {
				are = "is"
			}
			remarks = append(remarks, diag.Warningf("and %s that %s not read", report.Count(more, "more line"), are))
			break
		}
		remarks = append(remarks, diag.Warningf("%v", problem))
	}
	if n := len(remarks); n > 0 {
		remarks[n-1].IsDamage, remarks[n-1].IsCut = true, slices.ContainsFunc(t.Problems, trace.Problem.IsCut)
	}
	return remarks
}
