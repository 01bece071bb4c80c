// Package study makes studies of PBS sites: of their logs, cluster and usage, and of policies
// that the engine in package replay runs.
package study

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/file"
	"fairshare/cmd/internal/outcome"
	"fairshare/cmd/internal/pbs"
	"fairshare/cmd/internal/pbs/accrual"
	"fairshare/cmd/internal/pbs/cluster"
	"fairshare/cmd/internal/pbs/joblist"
	"fairshare/cmd/internal/pbs/replay"
	pbssite "fairshare/cmd/internal/pbs/site"
	"fairshare/cmd/internal/pbs/world"
	"fairshare/cmd/internal/report"
	"fairshare/cmd/internal/study"
	"fairshare/cmd/internal/trace"
	"fairshare/cmd/internal/work"
	"fairshare/usagefile"
)

// Inputs are what a site has recorded and what is known of it: that of which a study is made.
type Inputs struct {
	Site    *pbs.Site
	IsKnown bool          // whether it is known which formula is in force
	IsOther bool          // whether its sched_priv is not the one in the snapshot
	Nodes   file.Source   // what pbsnodes prints
	Lists   []file.Source // of jobs
	Events  file.Source   // what happened to vnodes, instead of what the server's logs tell
	Taken   time.Time     // when the snapshot was taken, zero if it is not known

	Zone         *time.Location      // of the times that are asked for, nil for this machine's
	ClusterSpec  string              // instead of Nodes, "" for none
	AllNodes     bool                // whether vnodes that are down or offline count
	Usage        *usagefile.Database // at the begin of the logs, nil to rebuild it
	ReportLag    *float64            // seconds, nil to estimate
	StartLatency *float64            // likewise

	usageFile string // that Usage is of, "" for none
	isDoubted bool   // whether that is not the usage of the begin, as far as the record tells

	place    *pbssite.Place                // that may have read Nodes already, nil for none
	logs     *pbssite.Logs                 // which tell the zone of the site's own files; nil for none
	begin    int64                         // of the logs
	end      int64                         // likewise
	happens  *world.World                  // what happened beside the jobs
	listing  *cluster.Listing              // what pbsnodes prints, once it was read
	clusters map[string]*cluster.Cluster   // by the settings that they depend on
	unranked int                           // jobs whose priority no list tells
	beside   []*pbs.Site                   // those of the other policies
	begins   map[string]*accrual.Beginning // usage as it was rebuilt, likewise; nil where it could not be
}

// Keep returns what has to be kept of the logs so that they can be replayed under the
// policies of some sites.
func (in *Inputs) Keep(sites ...*pbs.Site) (trace.Keep, error) {
	used, err := accrual.ResourcesOf(append(sites, in.Site)...)
	return trace.Keep{Requests: true, Places: true, Used: used}, err
}

// Study returns the study of a trace, without policies, and remarks on what was read. What is
// not given of how to replay the trace is estimated from it.
func (in *Inputs) Study(t *trace.Trace) (*Study, []diag.Remark, error) {
	w, remarks, err := in.work(t)
	if err != nil {
		return nil, remarks, err
	}
	if priv := in.Site.SchedPriv; in.usageFile != "" && in.Usage != nil && priv != nil {
		local, err := in.localTime()
		if err != nil {
			return nil, remarks, err
		}
		doubts, err := accrual.CheckBegin(in.usageFile, in.Usage, priv.Tree, in.Site.Entity(), t, local.Zone)
		if err != nil {
			return nil, remarks, err
		}
		in.isDoubted = len(doubts) > 0
		remarks = append(remarks, doubts...)
	}
	s := &Study{Study: study.New(w), Inputs: in, impossible: map[*cluster.Cluster][]bool{}}
	var more []diag.Remark
	s.Cluster, more, err = in.cluster(in.Site)
	remarks = append(remarks, more...)
	if err != nil {
		return nil, remarks, err
	}
	s.Options = replay.Options{World: in.happens, Latency: work.EstimateLatency(w)}
	if s.Options.Lag, s.Options.IsSampled = accrual.LagOf(w); in.ReportLag != nil {
		s.Options.Lag, s.Options.IsSampled = *in.ReportLag, false
	}
	if in.StartLatency != nil {
		s.Options.Latency = work.Latency{First: *in.StartLatency}
	} else {
		s.Options.Own = work.OwnLatencies(w, s.Options.Latency)
	}
	s.Site, s.Preempted = serverOf(w), in.preempted(w)
	s.On, s.CPUs, s.Nodes, s.How = s.Cluster.String(), s.Cluster.Total("ncpus"), len(s.Cluster.Vnodes), s.how()
	s.Words = study.Words{Queue: "queue", Kinds: []string{"queue", "user", "group"}, Nodes: "exec_vnode", Since: "the first cycle that found them waiting"}
	remarks = append(remarks, in.strange(w, s.Cluster)...)
	remarks = slices.Concat(remarks, s.Cluster.Unstated(w, w.Jobs), s.Cluster.Mismatches(w, w.Jobs, in.Site))
	more, err = s.Cluster.Check(w)
	return s, append(remarks, more...), err
}

// preempted counts the jobs that were suspended for others. It returns nil where logs do not tell all who were preempted: they have those
// that were requeued or deleted for another job as they have any other such.
func (in *Inputs) preempted(w *work.Work) *outcome.Preemptions {
	if in.Site == nil || !in.Site.Policy().Preemptive {
		return nil
	}
	if slices.ContainsFunc(in.Site.Sched.PreemptOrder(), func(o pbs.PreemptOrder) bool { return strings.Contains(o.Methods, "D") }) {
		return nil
	}
	of := &outcome.Preemptions{}
	for _, j := range w.Jobs {
		if len(j.Earlier()) > 0 {
			return nil
		}
		of.Suspended += len(j.Pauses())
	}
	if of.Suspended == 0 {
		return nil
	}
	return of
}

// serverOf names the server of all jobs, "" where their IDs tell none or several.
func serverOf(w *work.Work) string {
	server := ""
	for _, j := range w.Jobs {
		_, of, _ := strings.Cut(j.ID, ".")
		if of == "" || server != "" && of != server {
			return ""
		}
		server = of
	}
	return "PBS server " + server
}

// work returns the jobs of a trace with what lists tell of them, and remarks on them.
func (in *Inputs) work(t *trace.Trace) (*work.Work, []diag.Remark, error) {
	var remarks []diag.Remark
	known := map[string]work.ListFacts{}
	for _, list := range in.Lists {
		more, err := joblist.ReadKnown(list, known)
		if err != nil {
			return nil, remarks, fmt.Errorf("%s: %w", list.Name, err)
		}
		remarks = append(remarks, more...)
	}
	w := work.Of(t, known, in.has())
	in.unranked = 0
	for _, j := range w.Jobs {
		if array, _, isSubjob := trace.Subjob(j.ID); !known[j.ID].HasPriority && !(isSubjob && known[array].HasPriority) {
			in.unranked++
		}
	}
	if in.happens == nil {
		in.happens = &world.World{}
	}
	remarks = append(remarks, in.sayWorld(w)...)
	if in.Site != nil {
		if n := replay.ForgetPreempted(w, in.Site); n > 0 {
			remarks = append(remarks, diag.Generalf("%s ended since a job of a higher preemption level started: a replay decides that anew", report.Count(n, "run")))
		}
	}
	switch {
	case len(w.Jobs) == 0:
		return nil, remarks, errors.New("there is no job in the logs to replay")
	case w.NeverArrived > 0:
		remarks = append(remarks, diag.Notef("left out: %s that could never run: held, or deleted before", report.Count(w.NeverArrived, "job")))
	}
	remarks = append(remarks, in.unmodelled(w)...)
	return w, append(remarks, diag.Notef("what logs do not tell and a replay lacks: %s", in.lacks()).Briefly("a replay lacks what logs do not tell: %s", report.WithoutBrackets(in.lacks()))), nil
}

// has returns whose jobs are replayed: those of the queues of the schedulers that are, nil for all.
func (in *Inputs) has() func(queue string) bool {
	if in.Site == nil {
		return nil
	}
	return in.Site.Has
}

// afterwards is how far from a record, in seconds, what happens to vnodes still matters: to jobs
// that it leaves.
const afterwards = 24 * 3600

// sayWorld tells what happened beside the jobs, and lets what follows from it follow in each
// replay anew.
func (in *Inputs) sayWorld(w *work.Work) []diag.Remark {
	var remarks []diag.Remark
	if n := len(in.happens.Reservations); n > 0 {
		remarks = append(remarks, diag.Generalf("kept under each policy that does not change them: %s of the record", report.Count(n, "reservation")))
	}
	vnodes, changes := map[string]bool{}, 0
	for _, e := range in.happens.Vnodes {
		if e.At >= w.First && e.At <= w.Last+afterwards {
			vnodes[e.Vnode] = true
			changes++
		}
	}
	if changes == 0 {
		return remarks
	}
	text := fmt.Sprintf("replayed: %s of %s", report.Count(changes, "change"), report.Count(len(vnodes), "vnode"))
	if n := replay.ForgetFailures(w, in.happens.Vnodes); n > 0 {
		text += fmt.Sprintf(", which %s in the record", map[bool]string{true: "ended a run", false: fmt.Sprintf("ended %d runs", n)}[n == 1])
	}
	return append(remarks, diag.Generalf("%s", text))
}

// Unprioritised returns how many jobs of the record there are whose priority no list tells, so that it counts as 0.
func (in *Inputs) Unprioritised() int { return in.unranked }

// lacks names what is not known of jobs since only lists would tell it.
func (in *Inputs) lacks() string {
	var lacks []string
	if !in.happens.HasVnodes {
		lacks = append(lacks, "vnodes that failed or were offline (server_logs in the snapshot, --node-events FILE)")
	}
	lacks = append(lacks, "hooks")
	if len(in.Lists) > 0 {
		lacks = append(lacks, "priorities of jobs that have left the lists")
	} else {
		lacks = append(lacks, "priorities of jobs (--jobs FILE)")
	}
	return strings.Join(lacks, ", ")
}

// cluster returns the cluster as a site's settings have it, with the vnodes that they add,
// and remarks on it where it is asked for the first time. Its errors are *diag.RequestError, *diag.SettingError,
// *cluster.SpecError, or about the file.
func (in *Inputs) cluster(site *pbs.Site) (*cluster.Cluster, []diag.Remark, error) {
	checks := cluster.ChecksOf(site, in.happens.Told())
	key := fmt.Sprint(checks, site.AddedNodes, " ", site.RemovedNodes, " ", site.OtherVnodes)
	if known := in.clusters[key]; known != nil {
		return known, nil, nil
	}
	nodes, remarks, err := in.nodes(checks)
	if err == nil && in.Site.Others == nil {
		if nodes = nodes.Of(&site.Scheduler); len(nodes.Vnodes) == 0 {
			err = diag.Requestf("no vnode is of scheduler %s", site.Scheduler.Name)
		}
	}
	if err == nil {
		nodes, err = replay.ChangedCluster(nodes, site)
	}
	if err != nil {
		return nil, remarks, err
	}
	if in.clusters == nil {
		in.clusters = map[string]*cluster.Cluster{}
	}
	in.clusters[key] = nodes
	return nodes, remarks, nil
}

// nodes returns the cluster as it was given, and remarks on it.
func (in *Inputs) nodes(checks cluster.Checks) (*cluster.Cluster, []diag.Remark, error) {
	if in.ClusterSpec != "" {
		nodes, err := cluster.ParseSpec(in.ClusterSpec, checks)
		return nodes, nil, err
	}
	if !in.Nodes.IsGiven() {
		return nil, nil, diag.Requestf("which cluster? Give --cluster NODESxCPUS, --nodes FILE with what pbsnodes -av prints, or a snapshot that has that")
	}
	if in.listing == nil {
		var err error
		if in.listing, err = in.readVnodes(); err != nil {
			return nil, nil, err
		}
	}
	nodes, err := in.listing.Cluster(checks, in.AllNodes)
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", in.Nodes.Name, err)
	}
	remarks := nodes.Damage()
	if n := len(nodes.LeftOut); n > 0 {
		remarks = append(remarks, diag.Notef("%s down or offline when pbsnodes was asked, which do not count (--all-nodes): %s", report.Count(n, "vnode"), strings.Join(nodes.LeftOut[:min(n, 5)], ", ")))
	}
	return nodes, remarks, nil
}

// readVnodes returns what pbsnodes prints of the vnodes: what the place has read, where that is of the same file.
func (in *Inputs) readVnodes() (*cluster.Listing, error) {
	if p := in.place; p != nil && p.Nodes.Name == in.Nodes.Name && p.Nodes.Member == in.Nodes.Member {
		return p.Vnodes()
	}
	return pbssite.ReadVnodes(in.Nodes)
}

// Accrual returns how usage accrues under a site's settings up to the end of work, or to the
// time of the snapshot if that is later.
func (s *Study) Accrual(site *pbs.Site) accrual.Options {
	in, w := s.Inputs, s.Work
	until := w.Last
	if !in.Taken.IsZero() {
		until = max(until, in.Taken.Unix())
	}
	return accrual.Options{Config: site.SchedPriv.Config, LastDecay: in.lastDecay(site), Lag: int64(s.Options.Lag), IsSampled: s.UsesSamples(), Interval: int64(replay.Interval(site)), Until: until, Has: site.Places}
}
