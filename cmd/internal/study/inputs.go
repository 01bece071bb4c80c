package study

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"fairshare/cmd/internal/accrual"
	"fairshare/cmd/internal/cluster"
	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/file"
	"fairshare/cmd/internal/pbs"
	"fairshare/cmd/internal/replay"
	"fairshare/cmd/internal/report"
	"fairshare/cmd/internal/trace"
	"fairshare/usagefile"
)

// Inputs are what a site has recorded and what is known of it, before it is made into
// what a replay needs.
type Inputs struct {
	Site    *pbs.Site
	IsKnown bool          // whether it is known which formula is in force
	IsOther bool          // whether its sched_priv is another than the snapshot's
	Nodes   file.Source   // what pbsnodes prints
	Lists   []file.Source // of jobs
	Taken   time.Time     // when the snapshot was, zero if it is not known

	ClusterSpec  string              // instead of Nodes, "" for none
	AllNodes     bool                // whether vnodes that are down or offline count
	Usage        *usagefile.Database // at the begin of the logs, nil to rebuild it
	ReportLag    *float64            // seconds, nil to estimate
	StartLatency *float64            // likewise

	nodesText string                      // what pbsnodes prints, once it was read
	clusters  map[string]*cluster.Cluster // by the settings that they depend on
	begins    map[string]begin            // likewise
}

// RequestError is about what is asked for, and not about what was read.
type RequestError struct{ Detail string }

func (e *RequestError) Error() string { return e.Detail }

// Keep returns what has to be kept of the logs to replay them under the policies of some
// sites.
func (in *Inputs) Keep(sites ...*pbs.Site) (trace.Keep, error) {
	keep := trace.Keep{Requests: true}
	for _, site := range append(sites, in.Site) {
		if !site.Policy().FairShare {
			continue
		}
		used, err := accrual.Resources(site.SchedPriv.Config)
		if err != nil {
			return keep, err
		}
		for _, name := range used {
			if !slices.Contains(keep.Used, name) {
				keep.Used = append(keep.Used, name)
			}
		}
	}
	return keep, nil
}

// Study returns what policies are replayed on: the work of a trace with what else is known
// of its jobs, and how to replay it where that is not given and can be estimated.
func (in *Inputs) Study(t *trace.Trace) (*Study, []diag.Remark, error) {
	work, remarks, err := in.work(t)
	if err != nil {
		return nil, remarks, err
	}
	s := &Study{Work: work, Runs: 1, Seed: 1, Shake: replay.DefaultShake(work), inputs: in}
	var more []diag.Remark
	s.Cluster, more, err = in.cluster(in.Site)
	remarks = append(remarks, more...)
	if err != nil {
		return nil, remarks, err
	}
	s.Options = replay.Options{Lag: replay.DefaultLag(work), Watch: -1, Latency: replay.EstimateLatency(work)}
	if in.ReportLag != nil {
		s.Options.Lag = *in.ReportLag
	}
	if in.StartLatency != nil {
		s.Options.Latency = replay.Latency{First: *in.StartLatency}
	} else {
		s.Options.Own = replay.OwnLatencies(work, s.Options.Latency)
	}
	more, err = work.Check(s.Cluster)
	return s, append(remarks, more...), err
}

// work returns the work of a trace with what else is known of its jobs.
func (in *Inputs) work(t *trace.Trace) (*replay.Work, []diag.Remark, error) {
	var remarks []diag.Remark
	known := map[string]replay.Known{}
	for _, list := range in.Lists {
		more, err := replay.ReadKnown(list, known)
		if err != nil {
			return nil, remarks, fmt.Errorf("%s: %w", list.Name, err)
		}
		remarks = append(remarks, more...)
	}
	work := replay.NewWork(t, known)
	if in.Site != nil {
		if n := work.ForgetPreempted(in.Site); n > 0 {
			remarks = append(remarks, diag.Notef("%s ended since a job of a higher preemption level started: a replay decides that anew", report.Count(n, "run")))
		}
	}
	switch {
	case len(work.Jobs) == 0:
		return nil, remarks, errors.New("there is no job in the logs to replay")
	case work.NeverArrived > 0:
		remarks = append(remarks, diag.Notef("left out: %s that could never run: held, or deleted before", report.Count(work.NeverArrived, "job")))
	}
	return work, append(remarks, diag.Notef("what logs do not tell and a replay lacks: nodes that failed, reservations, hooks, %s", in.lacks())), nil
}

// lacks names what the lists of jobs would tell.
func (in *Inputs) lacks() string {
	if len(in.Lists) > 0 {
		return "priorities of jobs that have left the lists"
	}
	return "priorities of jobs (--jobs FILE)"
}

// cluster returns the cluster as a site's settings have it, with the vnodes that they add.
// Its errors are *RequestError, *cluster.SpecError, or about the file.
func (in *Inputs) cluster(site *pbs.Site) (*cluster.Cluster, []diag.Remark, error) {
	checks := cluster.Checks{Types: site.Resources, Flags: site.Flags, Defaults: site.Sched.Server.Of("default_chunk"), SortKeys: site.Policy().NodeSortKeys}
	if site.SchedPriv != nil {
		checks.Resources = site.SchedPriv.Config.Resources
	}
	key := fmt.Sprint(checks, site.AddedNodes)
	if known := in.clusters[key]; known != nil {
		return known, nil, nil
	}
	nodes, remarks, err := in.nodes(checks)
	if err == nil && site.AddedNodes != "" {
		nodes, err = nodes.With(site.AddedNodes)
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

// nodes returns the vnodes as they were given.
func (in *Inputs) nodes(checks cluster.Checks) (*cluster.Cluster, []diag.Remark, error) {
	if in.ClusterSpec != "" {
		nodes, err := cluster.ParseSpec(in.ClusterSpec, checks)
		return nodes, nil, err
	}
	if !in.Nodes.IsGiven() {
		return nil, nil, &RequestError{"which cluster? Give --cluster NODESxCPUS, --nodes FILE with what pbsnodes -av prints, or a snapshot that has that"}
	}
	if in.nodesText == "" {
		const most = 1 << 30
		var err error
		if in.nodesText, err = in.Nodes.Text(most); err != nil {
			return nil, nil, err
		}
	}
	nodes, err := cluster.Parse(in.nodesText, checks, in.AllNodes)
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", in.Nodes.Name, err)
	}
	var remarks []diag.Remark
	if n := len(nodes.LeftOut); n > 0 {
		remarks = append(remarks, diag.Notef("%s down or offline when pbsnodes was asked, which do not count (--all-nodes): %s", report.Count(n, "vnode"), strings.Join(nodes.LeftOut[:min(n, 5)], ", ")))
	}
	return nodes, remarks, nil
}

// setBegin sets the usage at the begin, as a policy has it: as given, rebuilt from that of
// the end, or as that where the logs do not tell.
func (in *Inputs) setBegin(p *Policy, w *replay.Work, lag float64) ([]diag.Remark, error) {
	priv := p.Site.SchedPriv
	if priv == nil {
		return nil, nil
	}
	if priv.Usage != nil {
		p.setup.lastDecay = priv.Usage.LastDecay
	}
	note := func(text string) ([]diag.Remark, error) {
		return []diag.Remark{diag.Notef("%s (--usage FILE)", text)}, nil
	}
	switch {
	case in.Usage != nil:
		p.setup.begin = in.Usage
		if in.Usage.LastDecay > 0 {
			p.setup.lastDecay = in.Usage.LastDecay
		}
		return nil, nil
	case !p.Site.Policy().FairShare && !p.Plan.UsesTree():
		return nil, nil
	case priv.Usage == nil:
		return note("nobody's usage is known: everybody begins with 1")
	case !p.Site.Policy().FairShare || !accrual.IsInLogs(p.Site.Entity()):
		return note("the usage at the begin is taken as it is in the end")
	}
	o := in.accrual(p, w, lag)
	key := fmt.Sprintf("%p %+v %d %d", priv.Usage, o.Config, o.LastDecay, o.Interval)
	known, isKnown := in.begins[key]
	if !isKnown {
		var err error
		if known.db, known.ok, err = accrual.Begin(w.Trace, o, priv.Usage); err != nil {
			return nil, err
		}
		if in.begins == nil {
			in.begins = map[string]begin{}
		}
		in.begins[key] = known
	}
	if !known.ok {
		return note("the usage at the begin is taken as it is in the end, which tells no more of it")
	}
	p.setup.begin = known.db
	return note("the usage at the begin is rebuilt from that of the end")
}

// begin is the usage at the begin as it was rebuilt, if it could be.
type begin struct {
	db *usagefile.Database
	ok bool
}

// accrual returns how usage accrues under a policy up to the end of work, or the time of
// the snapshot.
func (in *Inputs) accrual(p *Policy, w *replay.Work, lag float64) accrual.Options {
	until := w.Last
	if !in.Taken.IsZero() {
		until = max(until, in.Taken.Unix())
	}
	return accrual.Options{Config: p.Site.SchedPriv.Config, LastDecay: p.setup.lastDecay, Lag: int64(lag), Interval: int64(replay.Interval(p.Site)), Until: until}
}
