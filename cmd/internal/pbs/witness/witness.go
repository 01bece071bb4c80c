// Package witness makes the record of a PBS site one that the rules of its scheduler are judged by: at each
// recorded start the engine of package replay says what it would have done, in the state as it was.
package witness

import (
	"context"
	"slices"
	"strings"
	"time"

	"fairshare/cmd/internal/pbs"
	"fairshare/cmd/internal/pbs/cluster"
	"fairshare/cmd/internal/pbs/replay"
	"fairshare/cmd/internal/pbs/study"
	"fairshare/cmd/internal/trace"
	"fairshare/cmd/internal/witness"
	"fairshare/cmd/internal/work"
)

// Record is the record of a PBS site, as the policy in force judges it. It implements witness.Record.
type Record struct {
	on    *study.Study
	lacks []witness.Lack
	asks  map[int32][]string // by what jobs request
}

// New returns the record of a study, whose first policy is the one in force.
func New(on *study.Study) *Record {
	return &Record{on: on, lacks: lacksOf(on), asks: map[int32][]string{}}
}

// Starts implements witness.Record.
func (r *Record) Starts(ctx context.Context, yield func(*witness.Start)) error {
	return r.on.Decide(ctx, func(d *replay.Decision) { yield(r.start(d)) })
}

// Facts implements witness.Record.
func (r *Record) Facts() witness.Facts {
	return witness.Facts{
		Uncertainty: replay.Uncertainty(r.on.Options.Latency), Lacks: r.lacks, Common: commonOf(r.on.Cluster), Nearest: replay.Nearest, Zone: r.zone(),
		Values: valuesOf(r.on), HasThreshold: hasThreshold(r.on), OfSome: r.on.Work.Trace.OfOneUser(), Against: against(r.on),
		Words: witness.Words{Queue: "queue", Node: "vnode", Shut: "a reservation, dedicated time", Closed: "offline", Away: "--set 'node.%s.offline=%s/%s'"},
	}
}

func (r *Record) zone() *time.Location {
	if r.on.Inputs.Zone == nil {
		return time.Local
	}
	return r.on.Inputs.Zone
}

// start returns a start as the frame has it.
func (r *Record) start(d *replay.Decision) *witness.Start {
	w := r.on.Work
	j := w.Jobs[d.Job]
	name := func(of int32) string { return w.Trace.Names.List[of] }
	s := &witness.Start{
		Job: j.ID, Queue: name(j.Queue), User: name(j.User), Group: name(j.Group), Account: name(j.Account), Project: projectOf(name(j.Project)),
		Asks: r.asked(j), CPUs: max(1, int64(w.Requests[j.Request].Amounts["ncpus"])), Nodes: int64(len(d.Recorded)), Came: j.Arrival, At: d.At,
		Recorded: d.Recorded, Chosen: d.Chosen,
	}
	s.Hours = float64(s.CPUs*r.seconds(d)) / 3600
	if d.Since != 0 {
		s.Since, s.Beside, s.IsFree = d.Since, d.Beside, d.IsFree
		until := d.At
		if until == 0 {
			until = w.Last
		}
		s.Waited = until - d.Since
	}
	if d.At == 0 {
		return s
	}
	if d.End != trace.Unknown {
		s.End = d.End
	}
	s.May, s.Where, s.Who = witness.VerdictOf(d.IsAllowed), witness.VerdictOf(d.IsThere), witness.VerdictOf(d.IsFirst)
	s.Others = !d.IsAlone
	s.May.Rule, s.May.Reason, s.May.IsOfOrder = d.Rule, d.Reason, replay.IsOfOrder(d.Rule)
	if !d.IsKnown {
		s.Where = witness.Verdict{}
	}
	if len(d.Chosen) == 0 { // they choose none
		s.Where, s.Who = witness.Verdict{}, witness.Verdict{}
	}
	for _, p := range d.Passed {
		s.Passed = append(s.Passed, witness.Passed{Job: w.Jobs[p.Job].ID, Waited: p.Waited})
	}
	return s
}

// seconds returns for how long a job ran from its start on, without the time for which it was suspended, or may run.
func (r *Record) seconds(d *replay.Decision) int64 {
	j := r.on.Work.Jobs[d.Job]
	switch {
	case d.At == 0:
		return max(0, j.Walltime)
	case d.End == trace.Unknown:
		return j.Active(d.At, r.on.Work.Last)
	}
	return j.Active(d.At, d.End)
}

func projectOf(name string) string {
	if name == pbs.DefaultProject {
		return ""
	}
	return name
}

// usual are resources that nearly all jobs ask for, or that PBS makes of others.
var usual = []string{"ncpus", "mem", "vmem", "walltime", "nodect", "mpiprocs", "ompthreads", "mpiprocs", "place", "select", "nodes", "cput", "pmem"}

// asked returns what a job asks for besides cpus, memory and time: resources by their names, and where they
// are words with these.
func (r *Record) asked(j *work.Job) []string {
	asks, isKnown := r.asks[j.Request]
	if isKnown {
		return asks
	}
	request := r.on.Work.Requests[j.Request]
	for chunk := range strings.SplitSeq(request.Select, "+") {
		for part := range strings.SplitSeq(chunk, ":") {
			name, value, isResource := strings.Cut(part, "=")
			if !isResource || slices.Contains(usual, name) {
				continue
			}
			if value != "" && strings.Trim(value, "0123456789kmgtbwKMGTBW.") != "" {
				name = part
			}
			asks = append(asks, name)
		}
	}
	for name := range request.Amounts {
		if !slices.Contains(usual, name) {
			asks = append(asks, name)
		}
	}
	if request.Place != "" && request.Place != "free" {
		asks = append(asks, "place="+request.Place)
	}
	slices.Sort(asks)
	asks = slices.Compact(asks)
	r.asks[j.Request] = asks
	return asks
}

// commonOf returns what a vnode has in common with others: words of its resources, and its host, as far as
// several vnodes have them and not all.
func commonOf(c *cluster.Cluster) func(vnode string) []string {
	words := func(v *cluster.Vnode) []string {
		var list []string
		for name, value := range v.Words {
			if !slices.Contains(usual, name) {
				list = append(list, name+"="+value)
			}
		}
		if v.Queue != "" {
			list = append(list, "queue="+v.Queue)
		}
		slices.Sort(list)
		return list
	}
	counts := map[string]int{}
	for i := range c.Vnodes {
		for _, word := range words(&c.Vnodes[i]) {
			counts[word]++
		}
	}
	return func(name string) []string {
		v, isKnown := c.Number(name)
		if !isKnown {
			return nil
		}
		return slices.DeleteFunc(words(&c.Vnodes[v]), func(word string) bool { return counts[word] < 2 || counts[word] == len(c.Vnodes) })
	}
}
