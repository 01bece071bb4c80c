package forecast

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"time"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/file"
	"fairshare/cmd/internal/forecast"
	"fairshare/cmd/internal/slurm"
	"fairshare/cmd/internal/slurm/record"
	"fairshare/cmd/internal/slurm/sched"
	"fairshare/cmd/internal/slurm/setup"
	"fairshare/cmd/internal/trace"
	"fairshare/fstree"
)

// history is the past of a site: settings, shares and nodes are those of today.
type history struct {
	record *record.Record
	setup  *sched.Setup // with the usage at the begin
	zone   *time.Location
}

// History implements forecast.Subject. The usage is a file of sshare -a -l -P.
func (s *Site) History(usage string) (forecast.History, []diag.Remark, error) {
	if s.record == nil {
		return nil, nil, &diag.RequestError{Err: forecast.ErrNoPast}
	}
	h, remarks, err := s.past()
	if err != nil {
		return nil, remarks, err
	}
	if usage != "" {
		tree, said, err := setup.UsageThen(h.setup, file.At(usage))
		h.setup.Tree = tree
		return h, append(remarks, said...), err
	}
	h.setup.Tree = slices.Clone(h.setup.Tree)
	for i := range h.setup.Tree {
		h.setup.Tree[i].Usage = 0
	}
	return h, append(remarks, forecast.NoUsage()), nil
}

// past returns what a site has recorded by its moment, with the usage of today. What is in use now by jobs that are not known,
// and what jobs have that are suspended now, says nothing of the past.
func (s *Site) past() (*history, []diag.Remark, error) {
	past, of := *s.Site, *s.Setup
	past.Setup, of.Reservations, of.Elsewhere, of.Suspended = &of, nil, nil, nil
	of.Licences = slices.Clone(s.Setup.Licences)
	for i := range of.Licences {
		of.Licences[i].Elsewhere = 0
	}
	h := &history{record: s.record.UpTo(s.At), zone: s.zone}
	remarks, err := record.ReadWorld(&past, nil, h.record, s.zone)
	h.setup = past.Setup.Restored()
	return h, remarks, err
}

// Past returns the record of a site by its moment and the set-up that judges it, with what happened meanwhile, nil where
// nothing is on record. The usage at its begin is a file of sshare -a -l -P, "" for that of the moment less what has been added since.
func (s *Site) Past(usage string) (*sched.Setup, *record.Record, error) {
	if s.record == nil {
		return nil, nil, nil
	}
	h, _, err := s.past()
	switch {
	case err != nil:
		return nil, nil, err
	case usage != "":
		if h.setup.Tree, _, err = setup.UsageThen(h.setup, file.At(usage)); err != nil {
			return nil, nil, err
		}
	default: // what it says of that is of replays
		h.record.Begin(h.setup, s.At, nil, s.zone)
	}
	return h.setup, h.record, nil
}

// Recorded implements forecast.History.
func (h *history) Recorded() *trace.Trace { return h.record.Trace() }

// Then implements forecast.History.
func (h *history) Then(_ context.Context, at int64) (*forecast.State, forecast.Scheduler, error) {
	known := h.record.UpTo(at)
	then := *h.setup.At(at)
	swept := cmp.Or(known.Swept, at)
	then.Tree = h.used(known, sched.LastSweep(then.Conf, at, swept))
	s := newSite(&setup.Site{Setup: &then, At: at, Swept: swept}, h.zone)
	past := s.learnFrom(known)
	s.begin(past)
	jobs := slices.Clone(known.Jobs)
	slices.SortStableFunc(jobs, func(a, b *record.Job) int { return cmp.Compare(a.Job.ID, b.Job.ID) })
	var holding []sched.Holding
	for _, x := range jobs {
		if x.End > 0 || x.CancelAt > 0 {
			continue
		}
		j := *x.Job
		j.ID, j.Start = len(s.listed)+1, x.Start
		if x.Start > 0 {
			ran := s.maker.Place(x.Job, x.Partition, x.QOS)
			j.Partition, j.QOS = ran.Partition, ran.QOS
		}
		p := listedJob{Job: &j, name: x.Name, user: x.User}
		if x.Start == 0 {
			if why := s.never(&j); why != "" {
				s.state.Add(&forecast.UnfinishedJob{Job: s.add(x.ID, p), Phase: forecast.Held, Why: why})
				continue
			}
			s.state.Add(&forecast.UnfinishedJob{Job: s.add(x.ID, p)})
			continue
		}
		nodes, err := slurm.Hostlist(x.NodeList)
		h := s.on(&j, nodes, sched.Use{CPUs: j.Request.CPUs, Memory: -1})
		if err != nil || len(h.Nodes) == 0 {
			continue // on nodes that are there no more
		}
		holding = append(holding, h)
		s.state.Add(&forecast.UnfinishedJob{Job: s.add(x.ID, p), Phase: forecast.Runs, Elapsed: at - x.Start})
	}
	s.Setup.ShareOut(holding, nil)
	if s.state.Waiting() < forecast.FewestWaiting {
		return nil, nil, nil
	}
	return s.state, s, nil
}

// used returns the tree with the usage that jobs have left by the last sweep before a time.
func (h *history) used(known *record.Record, swept int64) []fstree.Association {
	tree := slices.Clone(h.setup.Tree)
	begin := swept
	for _, x := range known.Jobs {
		begin = min(begin, x.Submit)
	}
	decayed := h.setup.Decay(swept - begin)
	for i := range tree {
		tree[i].Usage *= decayed
	}
	for run := range known.Uses(h.setup) {
		if run.Start >= swept {
			continue
		}
		used := h.setup.Used(run.Job, max(run.Start, begin), run.End, swept, swept)
		for i := run.Job.Association; i >= 0; i = int(tree[i].Parent) {
			tree[i].Usage += used
		}
	}
	return tree
}

// Begin implements forecast.Subject.
func (s *Site) Begin() (*forecast.State, forecast.Scheduler) { return s.state, s }

// Listed implements forecast.Subject.
func (s *Site) Listed() []string { return s.over }

// Users implements forecast.Subject.
func (s *Site) Users() map[string]bool {
	users := maps.Clone(s.users)
	for _, a := range s.Setup.Tree {
		if a.User {
			users[a.Name] = true
		}
	}
	return users
}
