package witness

import (
	"time"

	"fairshare/cmd/internal/pbs"
	"fairshare/cmd/internal/pbs/site"
	"fairshare/cmd/internal/pbs/study"
)

// Beside returns the record that judges the rules of a site of which something else is asked, by the logs that are
// there. usage is the file with that at their begin, "" for none. Nothing is said of what the logs lack: who asks
// says what is assumed.
func Beside(p *site.Place, at *pbs.Site, logs *site.Logs, usage string, zone *time.Location) (*Record, error) {
	always := *at // not as at the time of the list
	always.NonPrime, always.Closed = false, nil
	in := &study.Inputs{Site: &always, IsKnown: true, Taken: p.Taken, Nodes: p.Nodes, KeepPlaces: true, Zone: zone}
	for _, snap := range logs.Snapshots() {
		if snap.Nodes().IsGiven() {
			in.Nodes = snap.Nodes()
		}
		in.Lists = append(in.Lists, snap.Jobs()...)
	}
	if usage != "" {
		var err error
		if in.Usage, _, err = site.ReadUsage(usage); err != nil {
			return nil, err
		}
	}
	judging, _, err := study.InForce(&always, true)
	if err != nil {
		return nil, err
	}
	on, _, err := in.Load(logs, &always)
	if err != nil {
		return nil, err
	}
	if _, err := on.Use([]*study.Policy{judging}); err != nil {
		return nil, err
	}
	return New(on), nil
}
