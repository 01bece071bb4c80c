// Package site finds a PBS site and its jobs, and the logs of one, among what a person has
// named: an argument, flags, standard input, and the PBS complex of this host.
package site

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"path"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/file"
	"fairshare/cmd/internal/moment"
	"fairshare/cmd/internal/pbs"
	"fairshare/cmd/internal/pbs/cluster"
	"fairshare/cmd/internal/pbs/joblist"
	"fairshare/cmd/internal/pbs/snapshot"
	"fairshare/cmd/internal/report"
)

// Place is where a site and its jobs are.
type Place struct {
	Name     string    // of what supplies all that is not given file by file, "" for nothing
	Taken    time.Time // the time for which answers are, zero if it is not known
	ListedAt time.Time // when the list of jobs was made, as it or its snapshot tells; zero where neither does
	Files    pbs.Files
	Nodes    file.Source   // what pbsnodes prints
	Resvs    file.Source   // what pbs_rstat -f prints
	Jobs     []file.Source // lists of the same jobs, the best one first; none where there is none
	Tables   []file.Source // of qstat without -f, which Table joins, in place of a list of jobs

	snap      *snapshot.Snapshot // that supplies it, nil for none
	part      string             // the name of a file that is given in place of a site, "" for none
	formula   string             // of that file, where it is a sched_formula
	isPriv    bool               // whether it is a sched_priv and nothing else
	made      time.Time          // when that was made, zero if it is not known
	writtenBy string             // the list by whose writing that is, or by whose jobs; "" where something tells it
	written   time.Time          // when that list was written, where its jobs tell of when it is; else zero
	remarks   []diag.Remark

	begin []byte         // of the list of jobs where that is a file of its own
	local LocalTime      // of the site
	shown *time.Location // in which times are printed, nil for that of the site

	findOwn    sync.Once
	own        *Logs // those of the place itself, nil for none
	ownRemarks []diag.Remark

	vnodes atomic.Pointer[listing] // what was read of Nodes, nil for nothing
}

// listing is what was read of a list of vnodes.
type listing struct {
	name string // of the list
	*cluster.Listing
	err error
}

// Vnodes returns what pbsnodes prints of the vnodes, which is read once.
func (p *Place) Vnodes() (*cluster.Listing, error) {
	if had := p.vnodes.Load(); had != nil && had.name == p.Nodes.Name {
		return had.Listing, had.err
	}
	read := &listing{name: p.Nodes.Name}
	read.Listing, read.err = ReadVnodes(p.Nodes)
	p.vnodes.Store(read)
	return read.Listing, read.err
}

// CutVnodes returns the error of a list of vnodes that the place has itself and that is cut off, so that what is asked of jobs is answered
// without it: nil for none. One that is given beside the place is asked for, and is refused by who reads it.
func (p *Place) CutVnodes() error {
	if !p.Nodes.IsGiven() || !p.HasOwnVnodes() {
		return nil
	}
	var cut *cluster.CutError
	if _, err := p.Vnodes(); errors.As(err, &cut) {
		return err
	}
	return nil
}

// HasVnodes reports whether the vnodes are known, or a list of them is given beside the place.
func (p *Place) HasVnodes() bool { return p.Nodes.IsGiven() && p.CutVnodes() == nil }

// HasOwnVnodes reports whether what tells of the vnodes stands in the place itself, and was not given beside it.
func (p *Place) HasOwnVnodes() bool { return p.snap != nil && p.snap.Nodes().Name == p.Nodes.Name }

// OtherVnodes says in what other prints that the site has of its vnodes differ from that which counts; nothing of a list that is given in
// their place.
func (p *Place) OtherVnodes(counts *cluster.Listing) (remarks []diag.Remark) {
	if !p.HasOwnVnodes() {
		return nil
	}
	for _, from := range p.snap.All(snapshot.Nodes) {
		if from.Name == p.Nodes.Name {
			continue
		}
		other, err := ReadVnodes(from)
		if err != nil {
			continue // nothing is taken of it
		}
		if found := counts.Differences(other); found != nil {
			remarks = append(remarks, diag.Warningf("%s differs from %s, which counts, in what it tells of vnodes: %s", from.Name, p.Nodes.Name, report.First(found)))
		}
	}
	return remarks
}

// SeenVnodes yields the attributes of each vnode that is known, of none where the list of them cannot be read.
func (p *Place) SeenVnodes() iter.Seq[map[string]string] {
	if p.Nodes.IsGiven() {
		if listing, err := p.Vnodes(); err == nil {
			return listing.Vnodes()
		}
	}
	return func(func(map[string]string) bool) {}
}

// ReadVnodes returns the vnodes that pbsnodes has printed, with errors that name the text.
func ReadVnodes(from file.Source) (*cluster.Listing, error) {
	text, err := from.Text(file.MostPrinted)
	if err != nil {
		return nil, err
	}
	list, err := cluster.ReadListing(text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", from.Name, err)
	}
	return list, nil
}

// Site returns the site of a place, with remarks on where it comes from and what it lacks,
// which are there beside an error too.
func (p *Place) Site() (*pbs.Site, []diag.Remark, error) {
	remarks := p.Remarks()
	site, more, err := p.Files.Read()
	if err != nil {
		return nil, remarks, err
	}
	PlaceReservations(site, p.Resvs)
	return site, slices.Concat(remarks, more, p.lacks(site)), nil
}

// SiteBeside is Site, which also returns the site as it is without what files ask that are given over what it tells: nil where there
// are none, or where that is not known.
func (p *Place) SiteBeside() (site, own *pbs.Site, remarks []diag.Remark, err error) {
	remarks = p.Remarks()
	site, own, more, err := p.Files.ReadBoth()
	if err != nil {
		return nil, nil, remarks, err
	}
	for _, of := range []*pbs.Site{site, own} {
		if of != nil {
			PlaceReservations(of, p.Resvs)
		}
	}
	return site, own, slices.Concat(remarks, more, p.lacks(site)), nil
}

// PlaceReservations lets the scheduler of a reservation's partition place the jobs in its queue, by what pbs_rstat printed.
func PlaceReservations(site *pbs.Site, printed file.Source) {
	if site.Queues == nil || !printed.IsGiven() {
		return
	}
	all, _ := readStatus(printed, time.UTC) // whoever reads their times says what is wrong
	for _, r := range all {
		if r.Partition != "" && r.Partition != pbs.DefaultPartition {
			site.AddPartition(r.Queue, r.Partition)
		}
	}
}

// Remarks returns what a place supplies, and what is lost with what it lacks.
func (p *Place) Remarks() []diag.Remark {
	remarks := slices.Clone(p.remarks)
	if p.writtenBy != "" {
		zone := ""
		if local := p.Local(); !local.IsTold() {
			zone = moment.ZoneName(local.Zone, p.made.Unix())
		}
		if p.written.IsZero() {
			remarks = append(remarks, snapshot.SayWritten(p.writtenBy, p.made, zone))
		} else {
			remarks = append(remarks, snapshot.SayByJobs(p.writtenBy, p.made, p.written.In(p.Zone()), zone))
		}
	}
	if p.Name == "" {
		return remarks
	}
	var has, lacks []string
	for _, part := range []struct {
		what    string
		sources []file.Source
	}{
		{"jobs", p.Jobs[:min(1, len(p.Jobs))]}, {"queues", slices.Concat(p.Files.Queues[:min(1, len(p.Files.Queues))], []file.Source{p.Files.OverrideQueues})}, {"resources", []file.Source{p.Files.Resources}},
		{"attributes", slices.Concat(p.Files.Sched, []file.Source{p.Files.Formula}, p.Files.Override)},
	} {
		var names []string
		for _, from := range part.sources {
			if from.IsGiven() {
				names = append(names, p.fileOf(from))
			}
		}
		if names != nil {
			has = append(has, part.what+" from "+strings.Join(names, " and "))
		} else {
			lacks = append(lacks, part.what)
		}
	}
	if name := p.Files.SchedPriv.Name; name != "" {
		has = append(has, "the tree from "+strings.TrimPrefix(name, path.Clean(p.Name)+"/"))
	}
	text := p.dated() + ": " + strings.Join(has, ", ")
	said := diag.Generalf("%s", text)
	said.IsSite, said.Under, said.Short = true, diag.Place, p.named("2006-01-02 15:04 MST")
	if len(lacks) > 0 && !p.isPriv {
		lack := "; not there: " + strings.Join(lacks, ", ")
		said.Text = text + lack
		if !p.IsPrinted() {
			said.Short, said.IsGeneral = said.Short+lack, false
		}
	}
	remarks = slices.Insert(remarks, 0, said)
	if p.Files.SchedPriv.Name == "" && !p.IsPrinted() {
		remarks = append(remarks, diag.Warningf("without a sched_priv, fairshare terms cannot be computed (--sched-priv DIR names a copy) and PBS's defaults stand for sched_config"))
	}
	return remarks
}

// SetTaken sets the time for which answers are, which is that of prints that do not tell theirs.
func (p *Place) SetTaken(at time.Time) {
	if p.Taken = at; p.writtenBy != "" {
		p.made, p.writtenBy, p.written = at, "", time.Time{}
	}
}

// PassedLists returns the names of lists of jobs that are not read, for another one of the place.
func (p *Place) PassedLists() []string {
	if p.snap == nil {
		return nil
	}
	return p.snap.Passed()
}

// Failed says behind another text which files of prints have the error of a command in place of what it prints, "" for none.
func (p *Place) Failed() string {
	if p.snap == nil || len(p.snap.Failed()) == 0 {
		return ""
	}
	return "; " + strings.Join(p.snap.Failed(), "; ")
}

// IsPrinted reports whether the place is what a person has had printed, and no snapshot: a folder of prints, or a list alone.
func (p *Place) IsPrinted() bool {
	return p.Name == "" && len(p.Jobs)+len(p.Tables) > 0 || p.snap != nil && p.snap.IsPrinted()
}

// lacks says what a site was not told by a place, and what is assumed.
func (p *Place) lacks(site *pbs.Site) []diag.Remark {
	var remarks []diag.Remark
	switch {
	case p.IsPrinted():
		return p.untold(site)
	case p.Name == "" || p.isPriv:
		return nil
	}
	if !site.Sched.OfServer {
		remarks = append(remarks, diag.Warningf("%s has no attributes of the server, so that the formula in force is not known", p.Name))
	}
	if !site.Sched.OfSched {
		remarks = append(remarks, diag.Notef("%s has no attributes of the scheduler: its threshold and preemption are taken as not set", p.Name))
	}
	return remarks
}

// untold says what prints do not tell, and which command does.
func (p *Place) untold(site *pbs.Site) []diag.Remark {
	parts := []struct {
		isThere bool
		what    string
	}{
		{site.Queues != nil, "priorities and limits of queues (qstat -Qf)"},
		{site.Sched.OfServer, "the formula, limits and placement sets of the server (qstat -Bf)"},
		{p.Files.SchedPriv.Name != "", "sched_config and fairshare (sudo formula collect)"},
	}
	var untold []string
	for _, part := range parts {
		if !part.isThere {
			untold = append(untold, part.what)
		}
	}
	if len(untold) == 0 || p.Name == "" && len(untold) < len(parts) { // who gives some with flags knows the others
		return nil
	}
	r := diag.Notef("not told here, so that PBS's defaults stand for it: %s", strings.Join(untold, "; "))
	r.IsGeneral = len(untold) == 1 && p.Files.SchedPriv.Name == "" // what depends on that alone says so itself
	return []diag.Remark{r}
}

// dated returns the place's name and when it was taken.
func (p *Place) dated() string { return p.named("taken " + moment.Layout) }

// named returns the place's name, and when it was taken in a layout of time.
func (p *Place) named(layout string) string {
	at := cmp.Or(p.made, p.Taken)
	if at.IsZero() {
		return p.Name
	}
	text := p.Name + ", " + at.Format(layout)
	if !p.written.IsZero() {
		text += " by how long its jobs have run"
	}
	if p.shown == nil && p.local.by != "" && p.local.Zone != time.Local {
		text += " (the site's time, by its " + p.local.by + ")"
	}
	return text
}

// fileOf returns the name of a file within the place: in a snapshot by the layout, and of prints as who put them there has called it.
func (p *Place) fileOf(from file.Source) string {
	if from.Member == "" || p.IsPrinted() {
		return strings.TrimPrefix(from.Name, path.Clean(p.Name)+"/")
	}
	return from.Member
}

// Describe says where the list of jobs comes from, and of when it is.
func (p *Place) Describe() string {
	if len(p.Jobs) == 0 {
		return ""
	}
	list := p.Jobs[0]
	if list.Member != "" {
		return p.dated() + ": " + p.fileOf(list)
	}
	if at := cmp.Or(p.ListedAt, p.Taken); !at.IsZero() {
		return list.Name + ", of " + at.Format(moment.Layout)
	}
	if info, err := os.Stat(list.Name); err == nil && info.Mode().IsRegular() {
		return list.Name + ", written " + info.ModTime().Format(moment.Layout)
	}
	return list.Name + ", read " + time.Now().Format(moment.Layout)
}

// List returns the jobs of a place: of the best list, or where that is damaged or has no job
// of the one with the most jobs.
func (p *Place) List(o joblist.Options) (*joblist.List, []diag.Remark, error) {
	if err := p.onlyTables(); err != nil {
		return nil, nil, err
	}
	var best *joblist.List
	var at int
	var failed error
	var remarks []diag.Remark
	for i, from := range p.Jobs {
		list, err := readList(from, o)
		switch {
		case err != nil && len(p.Jobs) == 1:
			return nil, remarks, err
		case err != nil:
			remarks = append(remarks, diag.Damagef("%v", err))
			failed = err
			continue
		}
		remarks = append(remarks, list.Remarks(from.Name)...)
		if best == nil || list.Len() > best.Len() {
			best, at = list, i
		}
		if list.Len() > 0 && len(list.Problems) == 0 {
			break
		}
	}
	if best == nil {
		return nil, remarks, failed
	}
	if at > 0 {
		remarks = append(remarks, diag.Notef("the job list is %s", p.Jobs[at].Name))
	}
	return best, remarks, nil
}

// readList reads a list of jobs.
func readList(from file.Source, o joblist.Options) (*joblist.List, error) {
	in, err := from.Open()
	if err != nil {
		return nil, err
	}
	defer in.Close()
	list, err := joblist.Read(in, o)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", from.Name, err)
	}
	return list, nil
}

// Requested returns the resources that the jobs of a place request. It keeps the lists, which
// may be streams, so that they can be read again.
func (p *Place) Requested(o joblist.Options) (map[string]bool, error) {
	requested := map[string]bool{}
	for i, from := range p.Jobs {
		const most = 4 << 30
		text, err := from.Text(most)
		if err != nil {
			return nil, err
		}
		p.Jobs[i].Open = func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(text)), nil }
		list, _ := joblist.Read(strings.NewReader(text), o) // what is wrong with it is told when it is read again
		if list != nil {
			for name := range list.Requested {
				requested[name] = true
			}
		}
	}
	return requested, nil
}
