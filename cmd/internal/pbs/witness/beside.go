package witness

import (
	"time"

	"fairshare/cmd/internal/pbs"
	"fairshare/cmd/internal/pbs/site"
	"fairshare/cmd/internal/pbs/study"
	"fairshare/cmd/internal/trace"
)

// Beside returns the record that judges the rules of a site of which something else is asked, by the logs that are
// there. t is what a forecast has read of them, nil for nothing. usage is the file with that at their begin, "" for none. Nothing is
// said of what the logs lack: who asks says what is assumed.
func Beside(p *site.Place, at *pbs.Site, t *trace.Trace, logs *site.Logs, usage string, zone *time.Location) (*Record, error) {
	always := at.AtAnyTime(false) // not as at the time of the list
	in, _, err := study.InputsAt(p, always, logs, usage)
	if err != nil {
		return nil, err
	}
	in.Zone = zone
	judging, _, err := study.InForce(always, true)
	if err != nil {
		return nil, err
	}
	if t == nil {
		keep, err := in.Keep(always)
		if err != nil {
			return nil, err
		}
		if t, _, err = logs.Read(keep); err != nil {
			return nil, err
		}
	}
	on, _, err := in.Of(t, logs)
	if err != nil {
		return nil, err
	}
	if _, err := on.Use([]*study.Policy{judging}); err != nil {
		return nil, err
	}
	return New(on), nil
}
