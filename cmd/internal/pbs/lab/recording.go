package lab

import (
	"context"
	"io"
	"slices"
	"sync"
	"time"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/lab"
	"fairshare/cmd/internal/page"
	"fairshare/cmd/internal/pbs"
	"fairshare/cmd/internal/pbs/site"
	pbsstudy "fairshare/cmd/internal/pbs/study"
	pbswitness "fairshare/cmd/internal/pbs/witness"
	"fairshare/cmd/internal/study"
	"fairshare/cmd/internal/witness"
)

// Recording is what replays in a lab are of.
type Recording struct {
	Site  *pbs.Site
	Place *site.Place
	Logs  *site.Logs
	Usage string // the file with the usage at the begin of the logs, "" for none
	Zone  *time.Location
}

// load reads the logs and returns what policies at a site are replayed on.
func (r Recording) load(changed *pbs.Site) (*pbsstudy.Study, []diag.Remark, error) {
	in, remarks, err := pbsstudy.InputsAt(r.Place, r.Site, r.Logs, r.Usage)
	if err != nil {
		return nil, remarks, err
	}
	in.Lists = slices.Concat(r.Place.Jobs, in.Lists)
	on, more, err := in.Load(r.Logs, changed)
	return on, append(remarks, more...), err
}

// policyOf returns the policy that a state is of a site.
func policyOf(state lab.State, of *pbs.Site) (*pbsstudy.Policy, []diag.Remark, error) {
	return pbsstudy.NewPolicy(study.Changes{Formula: state.Formula, Settings: state.Settings}, of)
}

// Replayer returns what replays the logs under the policy of a state beside the one in force.
// They are read and judge the rules when they are needed, once for what has to be kept of them.
func (r Recording) Replayer() lab.Replayer {
	var mutex sync.Mutex
	quiet := diag.Printer{W: io.Discard}  // the terminal has nobody any more who reads it
	known := map[string]*pbsstudy.Study{} // by what was kept of the logs
	prepare := func(ctx context.Context, state lab.State) (*pbsstudy.Study, []diag.Remark, error) {
		mutex.Lock()
		defer mutex.Unlock()
		base, remarks, err := pbsstudy.InForce(r.Site, true)
		if err != nil {
			return nil, nil, err
		}
		changed, more, err := policyOf(state, r.Site)
		if err != nil {
			return nil, nil, err
		}
		key := ""
		if changed.Site.SchedPriv != nil {
			key = changed.Site.SchedPriv.Config.UsageRes
		}
		on := known[key]
		if on == nil {
			var said []diag.Remark
			on, said, err = r.load(changed.Site)
			quiet.Say(said...)
			if err != nil {
				return nil, nil, err
			}
			known[key] = on
		}
		own := *on
		used, err := own.Use([]*pbsstudy.Policy{base, changed})
		if err != nil {
			return nil, nil, err
		}
		if on.Judged == nil { // the rules in force, which are those of every state
			if on.Judged, err = witness.Summarize(ctx, pbswitness.New(&own)); err != nil {
				return nil, nil, err
			}
		}
		own.Judged = on.Judged
		return &own, slices.Concat(quiet.Said(), remarks, more, used), nil
	}
	return func(ctx context.Context, state lab.State, progress func(float64)) ([]byte, error) {
		on, said, err := prepare(ctx, state)
		if err != nil {
			return nil, err
		}
		on.Progress = func(part, all float64) { progress(part / all) }
		all, err := on.Run(ctx)
		if err != nil {
			return nil, err
		}
		return page.Render(on.Page(all, on.Compare(all), nil, r.Zone, append(said, on.Caveats(all, r.Zone)...)))
	}
}
