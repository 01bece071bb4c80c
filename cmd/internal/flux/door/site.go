// Package door is flux behind the front door: it finds sites of flux, and answers what commands ask of one.
package door

import (
	"context"
	"errors"
	"time"

	"fairshare/cmd/internal/command"
	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/file"
	"fairshare/cmd/internal/flux"
	"fairshare/cmd/internal/flux/dump"
	"fairshare/cmd/internal/flux/order"
	"fairshare/cmd/internal/site"
	"fairshare/cmd/internal/trace"
)

// Scheduler returns flux.
func Scheduler() *site.Scheduler {
	const noFormula = "it has no job_sort_formula; "
	return &site.Scheduler{
		Name: "flux", Key: "flux", Formats: []trace.Format{dump.Format()}, Find: find, Owns: dump.IsOfSite, Piece: dump.Alone, LooksLikeJob: flux.LooksLikeJob, Claims: claims,
		Here: func() string { return command.Place("flux") },
		Instead: map[string]string{
			"eval":    noFormula + "formula explain JOB SITE shows a priority term by term",
			"test":    noFormula + "formula sort SITE says whether the priorities computed are flux's",
			"vars":    noFormula + "formula priority SITE shows the terms of its priorities",
			"check":   noFormula + "formula sort SITE says what of its priorities is not as the lists tell",
			"witness": "which starts the rules give depends on priorities that flux computed at times which nothing records; formula sort SITE says whether those of waiting jobs are flux's",
			"usage": "usage cannot be made again of its jobs: flux decays it and adds to it whenever account-update-usage runs, not at fixed times, and nothing records when that was; " +
				"the usage that flux keeps stands in formula shares SITE",
			"replay": "a replay would have to compute priorities when flux did, and nothing records when account-update-usage, account-update-fshare and account-priority-update ran, nor the queue and bank factors that the priority plugin keeps; " +
				"limits of running jobs act at submission alone, so that jobs of another policy would pass others. formula compare SITE --set shows what a change does to the order now",
			"when": "a forecast would have to compute priorities anew as usage grows, and nothing tells when account-priority-update will run; " +
				"flux tells what it plans of the first jobs itself, in the column INFO of flux jobs (eta). formula sort SITE shows how many are ahead",
			"nodes": "flux resource list and flux resource drain print which nodes are free, allocated and drained; what keeps a node from a job is decided by fluxion, whose graph of resources the lists of a site do not have",
			"lab":   "the lab does not know its weights and shares yet; formula compare SITE --set weight.queue=0 shows what a change does",
		},
	}
}

// Site is a site of flux.
type Site struct {
	dump *dump.Dump // nil for that of this host
	run  dump.Runner
	to   *site.Console
}

// History is a site of flux whose past is asked.
type History struct {
	*Site
	list file.Source
}

// Records implements site.Recorder.
func (h *History) Records() ([]file.Source, error) {
	return []file.Source{h.list}, nil
}

// Parents implements site.Nested, of banks.
func (h *History) Parents() trace.Parents {
	banks := h.dump.Accounts(nil).Banks
	if len(banks) == 0 {
		return nil
	}
	parents := trace.Parents{}
	for _, b := range banks {
		if b.Parent != "" {
			parents[b.Name] = b.Parent
		}
	}
	return parents
}

// claims reports whether what is named is a list of jobs of flux, or a tree that nobody else reads.
func claims(names site.Names, in *site.Input) bool {
	name := names.Site()
	if name == "" || len(names.Logs) > 1 {
		return false
	}
	t, err := in.Tree(name, "")
	if err != nil || t.FS != nil {
		return false
	}
	switch dump.KindOf(string(t.First)) {
	case dump.KindJobs:
		return true
	case dump.KindTree, dump.KindBankInfo, dump.KindShares:
		return names.WantsTree
	}
	return false
}

// find returns the site of flux that names lead to, or that of this host.
func find(_ context.Context, names site.Names, to *site.Console) (any, error) {
	name := names.Site()
	switch {
	case len(names.Logs) > 1 || names.Server != "" || names.AsksHost() && name != "" || !names.AsksHost() && name == "":
		return nil, &site.NothingError{Err: dump.ErrNoFlux}
	case names.AsksHost():
		run, ok := dump.Here(names.Timeout)
		if !ok {
			return nil, &site.NothingError{Err: dump.ErrNoFlux}
		}
		return &Site{nil, run, to}, nil
	}
	t, err := to.Input.Tree(name, "")
	if err != nil {
		return nil, &site.NothingError{Err: err}
	}
	var alone []dump.Kind
	if names.WantsTree {
		alone = []dump.Kind{dump.KindTree, dump.KindBankInfo, dump.KindShares}
	}
	found, err := dump.Find(t, alone...)
	var none *dump.NotSiteError
	switch {
	case errors.As(err, &none):
		return nil, &site.NothingError{Err: err, Lacks: "what flux's commands print, such as flux jobs -A --json"}
	case err != nil:
		to.Say(found.Remarks...)
		return nil, err
	}
	if err := names.CheckOne(); err != nil {
		return nil, err
	}
	at := &Site{found, nil, to}
	if len(names.Logs) > 0 && !names.WantsReplay && found.Has(dump.KindJobs) {
		return &History{at, found.Largest()}, nil
	}
	return at, nil
}

// printed returns what the site prints.
func (s *Site) printed(ctx context.Context) (*dump.Dump, error) {
	if s.dump != nil {
		return s.dump, nil
	}
	return dump.Ask(ctx, s.run, time.Now)
}

// read returns the site, and says what there is to say of it.
func (s *Site) read(ctx context.Context) (*order.Site, error) {
	d, err := s.printed(ctx)
	if err != nil {
		return nil, err
	}
	at, err := order.New(d)
	s.to.Say(dated(at.Name, at.Taken, at.Remarks)...)
	return at, err
}

// dated returns the remarks on a site with one line that says which it is, and of when where something tells that.
func dated(name string, taken time.Time, remarks []diag.Remark) []diag.Remark {
	if taken.IsZero() {
		return append([]diag.Remark{diag.Generalf("%s", name).Joined(diag.Place, "%s", name)}, remarks...)
	}
	return diag.Placed(remarks, name, taken.UTC().Format("2006-01-02 15:04 UTC"), "as of "+taken.UTC().Format("2006-01-02 15:04:05 UTC")+", by what it tells itself")
}
