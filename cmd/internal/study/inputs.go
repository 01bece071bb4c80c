package study

import (
	"fmt"
	"strconv"
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

	ClusterSpec  string // instead of Nodes, "" for none
	AllNodes     bool   // whether vnodes that are down or offline count
	Usage        *usagefile.Database
	ReportLag    *float64 // seconds, nil to estimate
	StartLatency *float64 // likewise
}

// RequestError is about what is asked for, and not about what was read.
type RequestError struct{ Detail string }

func (e *RequestError) Error() string { return e.Detail }

// Keep returns what has to be kept of the logs.
func (in *Inputs) Keep() (trace.Keep, error) {
	keep := trace.Keep{Requests: true}
	if !in.Site.Policy().FairShare {
		return keep, nil
	}
	var err error
	keep.Used, err = accrual.Resources(in.Site.SchedPriv.Config)
	return keep, err
}

// Work returns the work of a trace with what else is known of its jobs.
func (in *Inputs) Work(t *trace.Trace) (*replay.Work, []diag.Remark, error) {
	var remarks []diag.Remark
	entity := in.Site.Entity()
	if in.Site.Policy().FairShare && !accrual.IsInLogs(entity) {
		remarks = append(remarks, diag.Warningf("accounting logs do not tell the entity %s: GROUP:USER stands for it", entity))
	}
	known := map[string]replay.Known{}
	for _, list := range in.Lists {
		more, err := replay.ReadKnown(list, known)
		if err != nil {
			return nil, remarks, fmt.Errorf("%s: %w", list.Name, err)
		}
		remarks = append(remarks, more...)
	}
	work := replay.NewWork(t, entity, known)
	switch {
	case len(work.Jobs) == 0:
		return nil, remarks, fmt.Errorf("there is no job in the logs to replay")
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

// Cluster returns the cluster. Its errors are *RequestError, *cluster.SpecError, or
// about the file.
func (in *Inputs) Cluster() (*cluster.Cluster, []diag.Remark, error) {
	site := in.Site
	checks := cluster.Checks{Types: site.Resources, Flags: site.Flags, Defaults: site.Sched.Server.Of("default_chunk"), SortKeys: site.Policy().NodeSortKeys}
	if site.SchedPriv != nil {
		checks.Resources = site.SchedPriv.Config.Resources
	}
	if in.ClusterSpec != "" {
		nodes, err := cluster.ParseSpec(in.ClusterSpec, checks)
		return nodes, nil, err
	}
	if !in.Nodes.IsGiven() {
		return nil, nil, &RequestError{"which cluster? Give --cluster NODESxCPUS, --nodes FILE with what pbsnodes -av prints, or a snapshot that has that"}
	}
	const most = 1 << 30
	text, err := in.Nodes.Text(most)
	if err != nil {
		return nil, nil, err
	}
	nodes, err := cluster.Parse(text, checks, in.AllNodes)
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", in.Nodes.Name, err)
	}
	var remarks []diag.Remark
	if n := len(nodes.LeftOut); n > 0 {
		remarks = append(remarks, diag.Notef("%s down or offline when pbsnodes was asked, which do not count (--all-nodes): %s", report.Count(n, "vnode"), strings.Join(nodes.LeftOut[:min(n, 5)], ", ")))
	}
	return nodes, remarks, nil
}

// Options returns how to replay work, with what is not given as it is estimated.
func (in *Inputs) Options(w *replay.Work) (replay.Options, []diag.Remark, error) {
	o := replay.Options{Lag: replay.DefaultLag(w), Window: replay.DefaultWindow, Watch: -1}
	if in.ReportLag != nil {
		o.Lag = *in.ReportLag
	}
	if window, err := strconv.ParseFloat(in.Site.Sched.Scheduler["opt_backfill_fuzzy"], 64); err == nil && window >= 0 {
		o.Window = window
	}
	o.Latency = replay.EstimateLatency(w)
	if in.StartLatency != nil {
		o.Latency = replay.Latency{First: *in.StartLatency}
	} else {
		o.Own = replay.OwnLatencies(w, o.Latency)
	}
	remarks, err := in.setBegin(w, &o)
	return o, remarks, err
}

// setBegin sets the usage at the begin: as given, rebuilt from that of the end, or as
// that where the logs do not tell.
func (in *Inputs) setBegin(w *replay.Work, o *replay.Options) ([]diag.Remark, error) {
	if !in.Site.Policy().FairShare {
		return nil, nil
	}
	priv := in.Site.SchedPriv
	if priv.Usage != nil {
		o.LastDecay = priv.Usage.LastDecay
	}
	note := func(text string) ([]diag.Remark, error) {
		return []diag.Remark{diag.Notef("%s (--usage FILE)", text)}, nil
	}
	switch {
	case in.Usage != nil:
		o.Begin = in.Usage
		if o.Begin.LastDecay > 0 {
			o.LastDecay = o.Begin.LastDecay
		}
		return nil, nil
	case priv.Usage == nil:
		return note("nobody's usage is known: everybody begins with 1")
	case !accrual.IsInLogs(in.Site.Entity()):
		return note("the usage at the begin is taken as it is in the end")
	}
	begin, ok, err := accrual.Begin(w.Trace, in.accrual(w, *o), priv.Usage)
	switch {
	case err != nil:
		return nil, err
	case !ok:
		return note("the usage at the begin is taken as it is in the end, which tells no more of it")
	}
	o.Begin = begin
	return note("the usage at the begin is rebuilt from that of the end")
}

// accrual returns how usage accrues up to the end of work, or the time of the snapshot.
func (in *Inputs) accrual(w *replay.Work, o replay.Options) accrual.Options {
	until := w.Last
	if !in.Taken.IsZero() {
		until = max(until, in.Taken.Unix())
	}
	return accrual.Options{Config: in.Site.SchedPriv.Config, LastDecay: o.LastDecay, Lag: int64(o.Lag), Interval: int64(replay.Interval(in.Site)), Until: until}
}
