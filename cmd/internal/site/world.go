package site

import (
	"io"
	"time"

	"fairshare/cmd/internal/cluster"
	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/file"
	"fairshare/cmd/internal/moment"
	"fairshare/cmd/internal/snapshot"
	"fairshare/cmd/internal/trace"
	"fairshare/cmd/internal/world"
)

// World returns what happened beside the jobs while the logs were written: to vnodes as the
// server's logs of a snapshot tell, or instead as a file of events does. t is what was read
// of the accounting logs.
func (l *Logs) World(t *trace.Trace, events file.Source) (*world.World, []diag.Remark, error) {
	w := &world.World{}
	zone, err := moment.Zone(l.zone)
	if err != nil {
		return nil, nil, err
	}
	if events.IsGiven() {
		const most = 1 << 28
		text, err := events.Text(most)
		if err != nil {
			return nil, nil, err
		}
		w.HasVnodes = true
		w.Vnodes, err = world.ParseVnodeEvents(text, zone)
		if err != nil {
			return nil, nil, diag.Requestf("%s: %w", events.Name, err)
		}
		return w, nil, nil
	}
	var remarks []diag.Remark
	for _, name := range l.names {
		if name == "-" {
			continue
		}
		err := snapshot.ServerLogs(name, func(_ string, log io.Reader) (err error) {
			w.HasVnodes = true
			w.Vnodes, err = world.ReadVnodeEvents(w.Vnodes, log, zone)
			return err
		})
		if err != nil {
			remarks = append(remarks, diag.Damagef("%v", err))
		}
	}
	if off := t.ZoneOff(); off != 0 && l.zone == "" { // the records tell the zone
		for i := range w.Vnodes {
			w.Vnodes[i].At -= off
		}
	}
	return w, remarks, nil
}

// Zone returns the time zone of the logs, as it was given or this machine's.
func (l *Logs) Zone() (*time.Location, error) { return moment.Zone(l.zone) }

// Vnodes returns the attributes of the vnodes of the site that the logs come from, as
// cluster.Describe does; none where nothing tells.
func (l *Logs) Vnodes() []map[string]string {
	const most = 1 << 30
	for _, snap := range l.Snapshots() {
		if !snap.Nodes().IsGiven() {
			continue
		}
		if text, err := snap.Nodes().Text(most); err == nil {
			if vnodes, err := cluster.Describe(text); err == nil {
				return vnodes
			}
		}
	}
	return nil
}

// Continuity returns how far what was read covers its time.
func (l *Logs) Continuity() trace.Continuity { return l.continuity }
